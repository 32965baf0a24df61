"""Live events: what was stored or changed, told to every open stream, with the last ones kept for who comes back."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from iris.serve.http.answers import dumped

KEPT = 1_000
WAITING = 256
"""Events a slow reader may be behind before its stream is closed; it comes back with Last-Event-ID."""
HEARTBEAT_S = 15.0
MOST_STREAMS = 8
NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
MISSED = b'event: missed\ndata: {"reason":"events before these are no longer kept; read the lists again"}\n\n'


@dataclass(eq=False, slots=True)
class Stream:
    """One open stream. A None in its queue ends it."""

    caller: str
    connection: asyncio.BaseTransport | None
    queue: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(WAITING))

    @property
    def open(self) -> bool:
        """Whether the reader is still there; one that left is noticed here before the next write fails."""
        return self.connection is None or not self.connection.is_closing()


class Events:
    """Numbers events and hands them to streams."""

    def __init__(self) -> None:
        self._next = 1
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._streams: set[Stream] = set()
        self.closing = False

    def publish(self, event: str, data: dict[str, Any]) -> None:
        """Tell everybody, from the loop's thread."""
        number = self._next
        self._next += 1
        line = b"id: %d\nevent: %b\ndata: %b\n\n" % (number, event.encode(), dumped(data))
        self._ring.append((number, line))
        for stream in list(self._streams):
            try:
                stream.queue.put_nowait(line)
            except asyncio.QueueFull:
                self._drop(stream)

    def _drop(self, stream: Stream) -> None:
        """Cut off a reader that does not read: what waits in its connection is never taken, so it can not be ended politely."""
        self._streams.discard(stream)
        if isinstance(stream.connection, asyncio.WriteTransport):
            stream.connection.abort()
        self._end(stream)

    def _end(self, stream: Stream) -> None:
        if stream.queue.full():
            stream.queue.get_nowait()
        stream.queue.put_nowait(None)

    def full(self, caller: str) -> bool:
        """Whether a caller has as many streams as it may."""
        return sum(1 for stream in self._streams if stream.caller == caller and stream.open) >= MOST_STREAMS

    def missed(self, last: str | None) -> list[bytes]:
        """The events after the one a reader saw last, and a word when some of them are gone, with a restart for instance."""
        if last is None or not NUMBER.fullmatch(last):
            return []
        seen = int(last)
        oldest = self._ring[0][0] if self._ring else self._next
        if seen >= self._next or seen < oldest - 1:
            return [MISSED, *(line for _, line in self._ring)]
        return [line for number, line in self._ring if number > seen]

    async def stream(self, request: web.BaseRequest, caller: str, headers: dict[str, str]) -> web.StreamResponse:
        """Send events until the reader leaves, falls behind, or the server stops."""
        response = web.StreamResponse(headers={**headers, "Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        # One step: an event between the two would be sent twice, or never.
        before = self.missed(request.headers.get("Last-Event-ID"))
        stream = Stream(caller, request.transport)
        self._streams.add(stream)
        try:
            await response.prepare(request)
            await response.write(b"retry: 2000\n\n" + b"".join(before))
            while not self.closing:
                try:
                    line = await asyncio.wait_for(stream.queue.get(), HEARTBEAT_S)
                except TimeoutError:
                    line = b": still here\n\n"
                if line is None:
                    break
                await response.write(line)
        except ConnectionError:
            pass  # the reader has left
        finally:
            self._streams.discard(stream)
        return response

    def close(self) -> None:
        """End every stream."""
        self.closing = True
        for stream in list(self._streams):
            self._end(stream)
