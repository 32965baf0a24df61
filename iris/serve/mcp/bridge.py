"""An ASGI application inside aiohttp: one request in, one response or event stream out.

Four things it must get right, each found by a failing run: `receive` blocks after the body until the peer is gone; `send`
after a disconnect is swallowed; the headers of an event stream are committed at once; a shutdown looks like a disconnect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from aiohttp import web

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]
POLL = 0.5
"""Seconds between two looks whether the peer is still there: aiohttp has nothing to wait for."""
HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"content-length"}
)


class ASGIBridge:
    """Hands requests to an ASGI application. Set `closing` when the server shuts down: open streams end then."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.closing = asyncio.Event()

    async def handle(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """Answer a request whose body has been read."""
        exchange = _Exchange(request, body, self.closing)
        await self.app(_scope(request), exchange.receive, exchange.send)
        return await exchange.finished()


class _Exchange:
    """One request and its response."""

    def __init__(self, request: web.Request, body: bytes, closing: asyncio.Event) -> None:
        self.request, self.closing = request, closing
        self.body: bytes | None = body
        self.response: web.StreamResponse | None = None
        self.parts: list[bytes] = []
        self.complete = asyncio.Event()

    async def receive(self) -> Message:
        """Give the body once, then nothing until the peer or the server goes, or the response is complete."""
        if self.body is not None:
            body, self.body = self.body, None
            return {"type": "http.request", "body": body, "more_body": False}
        while not (self.complete.is_set() or self.closing.is_set() or self._gone()):
            await self._wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the response."""
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body":
            await self._write(message.get("body", b""))
            if not message.get("more_body", False):
                self.complete.set()

    async def finished(self) -> web.StreamResponse:
        """Give the response; what was not a stream is sent now, with its length."""
        if self.response is None:
            return web.Response(status=500)
        if isinstance(self.response, web.Response):
            self.response.body = b"".join(self.parts)
        elif not self._gone():
            try:
                await self.response.write_eof()
            except ConnectionError:
                self.complete.set()
        return self.response

    async def _start(self, message: Message) -> None:
        passed = ((name, value) for name, value in message.get("headers", ()) if name.lower() not in HOP_BY_HOP)
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in passed]
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        if not kind.startswith("text/event-stream"):
            self.response = web.Response(status=message["status"])
            # aiohttp would name a type of its own for a response that has none, such as the empty 202.
            self.response.headers.popall("Content-Type", None)
            self.response.headers.extend(headers)
            return
        self.response = web.StreamResponse(status=message["status"])
        self.response.headers.extend(headers)
        try:
            await self.response.prepare(self.request)
        except ConnectionError:
            self.complete.set()

    async def _write(self, part: bytes) -> None:
        if isinstance(self.response, web.Response):
            self.parts.append(part)
        elif self.response is not None and part and not self._gone():
            try:
                await self.response.write(part)
            except ConnectionError:
                self.complete.set()

    async def _wait(self) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self.complete, self.closing)]
        try:
            await asyncio.wait(waits, timeout=POLL, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _gone(self) -> bool:
        transport = self.request.transport
        return transport is None or transport.is_closing()


def _scope(request: web.Request) -> Message:
    """Describe the request as ASGI does."""
    address = request.transport.get_extra_info("sockname") if request.transport else None
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.raw_path.partition("?")[0].encode("latin-1", "replace"),
        "query_string": request.query_string.encode(),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": (request.remote, 0) if request.remote else None,
        "server": tuple(address[:2]) if isinstance(address, tuple) else None,
    }
