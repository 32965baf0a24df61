"""Live events: what was stored or changed, told to every open stream, with the last ones kept for who comes back."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any

from aiohttp import web

KEPT = 1_000
WAITING = 256
"""Events a slow reader may be behind before its stream is closed; it comes back with Last-Event-ID."""
HEARTBEAT_S = 15.0
MOST_STREAMS = 8


class Events:
    """Numbers events and hands them to streams."""

    def __init__(self) -> None:
        self._next = 1
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._streams: dict[asyncio.Queue[bytes | None], str] = {}
        self.closing = False

    def publish(self, event: str, data: dict[str, Any]) -> None:
        """Tell everybody, from the loop's thread."""
        number = self._next
        self._next += 1
        line = f"id: {number}\nevent: {event}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
        self._ring.append((number, line))
        for queue in list(self._streams):
            try:
                queue.put_nowait(line)
            except asyncio.QueueFull:
                self._end(queue)

    def _end(self, queue: asyncio.Queue[bytes | None]) -> None:
        self._streams.pop(queue, None)
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)

    def full(self, caller: str) -> bool:
        """Whether a caller has as many streams as it may."""
        return sum(1 for other in self._streams.values() if other == caller) >= MOST_STREAMS

    def missed(self, last: str | None) -> list[bytes]:
        """The events after the one a reader saw last."""
        if last is None or not last.isdigit():
            return []
        return [line for number, line in self._ring if number > int(last)]

    async def stream(self, request: web.BaseRequest, caller: str, headers: dict[str, str]) -> web.StreamResponse:
        """Send events until the reader leaves, falls behind, or the server stops."""
        response = web.StreamResponse(headers={**headers, "Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self._streams[queue] = caller
        try:
            await response.prepare(request)
            await response.write(b"retry: 2000\n\n" + b"".join(self.missed(request.headers.get("Last-Event-ID"))))
            while not self.closing:
                try:
                    line = await asyncio.wait_for(queue.get(), HEARTBEAT_S)
                except TimeoutError:
                    line = b": still here\n\n"
                if line is None:
                    break
                await response.write(line)
        except ConnectionError:
            pass
        finally:
            self._streams.pop(queue, None)
        return response

    def close(self) -> None:
        """End every stream."""
        self.closing = True
        for queue in list(self._streams):
            self._end(queue)
