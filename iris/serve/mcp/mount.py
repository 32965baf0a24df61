"""Streamable HTTP at /mcp in an aiohttp application: guard, rate limit, size limit, then the SDK behind the bridge."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from aiohttp import web
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST

from iris.serve.mcp.bridge import ASGIBridge
from iris.serve.mcp.guard import Guard
from iris.serve.mcp.rate import RateLimit
from iris.serve.mcp.wire import Refusal, mended, request_id

if TYPE_CHECKING:
    from iris.config.config import Config

PATHS = ("/mcp", "/mcp/")
"""Both are answered: a redirect would lose the body or the headers with some clients."""
RATE_LIMITED = -32029
MOST_SESSIONS = 1000


def mount_mcp(app: web.Application, server: Server[Any], config: Config) -> MCPEndpoint:
    """Add POST, GET and DELETE of /mcp to an application; sessions live and end with it."""
    endpoint = MCPEndpoint(server, config)
    for path in PATHS:
        app.router.add_route("*", path, endpoint.handle)
    app.cleanup_ctx.append(endpoint.running)
    app.on_shutdown.append(endpoint.close)
    return endpoint


class MCPEndpoint:
    """What answers /mcp."""

    def __init__(self, server: Server[Any], config: Config) -> None:
        self.limit = config.request_size_limit
        self.by_key = config.mcp_key_by == "apiKey"
        self.guard = Guard(config.allowed_origins)
        self.rate = RateLimit(config.rate_mcp)
        # The guard of the SDK reads the body first, so ours stands before it and its own is off.
        self.manager = StreamableHTTPSessionManager(server, max_request_body_size=self.limit, max_sessions=MOST_SESSIONS)
        self.bridge = ASGIBridge(self.manager.handle_request)
        self._stop = asyncio.Event()
        self._holding: asyncio.Task[None] | None = None

    async def running(self, app: web.Application) -> AsyncIterator[None]:
        """Hold the sessions from start to end of the application."""
        ready = asyncio.Event()
        self._holding = asyncio.create_task(self._hold(ready))
        await ready.wait()
        yield
        await self._end_sessions()

    async def close(self, app: web.Application) -> None:
        """End calls, then open streams: an application that shuts down would wait for them."""
        await self._end_sessions()
        self.bridge.closing.set()

    async def _hold(self, ready: asyncio.Event) -> None:
        """Run the sessions in a task of their own: what stops an application is often not the task that started it."""
        async with self.manager.run():
            ready.set()
            await self._stop.wait()

    async def _end_sessions(self) -> None:
        self._stop.set()
        if self._holding is not None:
            await asyncio.wait([self._holding])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        complaint = self.guard.complaint(request)
        if complaint is not None:
            return _error(403, INVALID_REQUEST, f"Forbidden: {complaint}", None)
        wait = self.rate.seconds_to_wait(self._caller(request)) if request.method in ("POST", "DELETE") else None
        if request.method == "GET" and "Mcp-Session-Id" not in request.headers:
            about = "No stream without a session: POST initialize first"
            return _error(405, INVALID_REQUEST, about, None, {"Allow": "POST, GET, DELETE"})
        body = await self._body(request)
        if wait is not None:
            return self._limited(wait, b"" if isinstance(body, int) else body)
        if isinstance(body, int):
            return self._too_large(body)
        if request.method == "POST":
            read = mended(body)
            if isinstance(read, Refusal):
                return _error(400, read.code, read.message, read.id)
            body = read
        return await self.bridge.handle(request, body)

    async def _body(self, request: web.Request) -> bytes | int:
        """Read the body, counting as it comes; an int is the size, or the part of it read, of one that is too large."""
        declared = request.content_length
        if declared is not None and declared > self.limit:
            return declared
        parts, size = [], 0
        async for part in request.content.iter_any():
            size += len(part)
            if size > self.limit:
                return size
            parts.append(part)
        return b"".join(parts)

    def _caller(self, request: web.Request) -> str:
        key = request.headers.get("Authorization") if self.by_key else None
        return f"key {hashlib.sha256(key.encode()).hexdigest()}" if key else f"address {request.remote}"

    def _limited(self, wait: int, body: bytes) -> web.Response:
        about = (
            f"Rate limit: {self.rate.limit} requests a minute on /mcp. It resets in {wait} s. "
            "The operator sets it with security.rateLimit.mcp."
        )
        data = {"limit": self.rate.limit, "resetSeconds": wait, "setting": "security.rateLimit.mcp"}
        return _error(429, RATE_LIMITED, about, request_id(body), {"Retry-After": str(wait)}, data)

    def _too_large(self, size: int) -> web.Response:
        about = f"The request has {size} bytes or more; security.requestSizeLimit allows {self.limit}"
        # What was not read stays in the connection, so it can not be used again.
        return _error(413, INVALID_REQUEST, about, None, {"Connection": "close"})


def _error(
    status: int, code: int, message: str, number: int | str | None, headers: Mapping[str, str] | None = None, data: Any = None
) -> web.Response:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    body = json.dumps({"jsonrpc": "2.0", "id": number, "error": error})
    return web.Response(status=status, text=body, content_type="application/json", headers=headers)
