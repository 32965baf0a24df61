"""Ports: an application on one, opened with a clear refusal, closed without waiting for streams."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING, Any

from aiohttp import web

from iris.config.keys import key_matches
from iris.problems import Problem, ProblemsFound
from iris.serve.http.answers import HEADERS, dumped
from iris.serve.http.api import Api
from iris.serve.http.events import Events
from iris.serve.http.protocol import connections
from iris.serve.mcp.guard import Guard
from iris.serve.mcp.mount import PATHS, mount_mcp

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.service.service import Service

SHUTDOWN_S = 0.5
UNLIMITED = 1 << 40
"""aiohttp's own limit is off: bodies are counted while they are read."""


class Door:
    """An application listening on a port."""

    def __init__(self, app: web.Application, host: str, port: int, flag: str) -> None:
        self.host, self.port, self.flag = host, port, flag
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_S)
        self._listening: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen. Raises ProblemsFound (E834) when the port is taken or may not be used. Fault 170."""
        await self._runner.setup()
        assert self._runner.server is not None
        loop, speaking = asyncio.get_running_loop(), connections(self._runner.server)
        try:
            self._listening = await loop.create_server(speaking, self.host.strip("[]"), self.port, backlog=1024)
        except OSError as error:
            await self._runner.cleanup()
            taken = error.errno == errno.EADDRINUSE
            reason = "another program has it" if taken else (error.strerror or "it can not be opened")
            message = f"port {self.port} of {self.host} can not be listened on: {reason}"
            raise ProblemsFound([Problem("E834", message, None, "", f"give another one with {self.flag}")]) from None
        self.port = self._listening.sockets[0].getsockname()[1]

    @property
    def connections(self) -> list[Any]:
        """What is connected now."""
        return list(self._runner.server.connections) if self._runner.server else []

    async def close(self) -> None:
        """Stop listening and end what is open."""
        if self._listening is not None:
            self._listening.close()
        await self._runner.cleanup()


def pages_app(service: Service, config: Config) -> tuple[web.Application, Events]:
    """The HTTP interface, and where its events come from."""
    api = Api(service, config)

    @web.middleware
    async def everything(request: web.Request, handler: Any) -> web.StreamResponse:
        # Without it, what has no path (CONNECT, OPTIONS *) would be answered before it is guarded.
        return await api.handle(request)

    app = web.Application(client_max_size=UNLIMITED, middlewares=[everything])
    app.router.add_route("*", r"/{tail:[\s\S]*}", api.handle, expect_handler=_expected)

    async def closing(_app: web.Application) -> None:
        api.events.close()

    app.on_shutdown.append(closing)
    return app, api.events


async def _expected(_request: web.Request) -> None:
    """Leave `Expect: 100-continue` alone: whoever reads the body says go on, after guard, key and size."""


def mcp_app(service: Service, server: Any, config: Config) -> web.Application:
    """MCP over HTTP, and its health."""
    guard = Guard(config.allowed_origins)

    async def health(_request: web.Request) -> web.StreamResponse:
        found = await service.health()
        return web.Response(status=200 if found["status"] == "ok" else 503, body=dumped(found), headers=_HEADERS)

    def refused(request: web.Request) -> web.Response | None:
        if request.path in ("/health", *PATHS):
            return None if request.path == "/health" else _keyless(request, config)
        return _keyless(request, config) or _said(404, "Not found")

    @web.middleware
    async def door(request: web.Request, handler: Any) -> web.StreamResponse:
        complaint = guard.complaint(request)
        if complaint is not None and request.path not in PATHS:  # there, the endpoint says it in its own envelope
            return _said(403, f"Forbidden: invalid {'Origin' if 'Origin' in complaint else 'Host'} header")
        response: web.StreamResponse = (None if complaint else refused(request)) or await handler(request)
        return response

    async def secured(_request: web.Request, response: web.StreamResponse) -> None:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)

    app = web.Application(client_max_size=UNLIMITED, middlewares=[door])
    app.on_response_prepare.append(secured)
    app.router.add_get("/health", health)
    mount_mcp(app, server, config)
    return app


def _keyless(request: web.Request, config: Config) -> web.Response | None:
    """What a request hears that has no key of ours where one is needed."""
    if not config.api_keys:
        return None
    scheme, _, presented = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not presented.strip():
        return _said(401, "Missing or invalid Authorization header", {"WWW-Authenticate": "Bearer"})
    return _said(403, "Invalid API key") if key_matches(presented.strip(), config.api_keys) is None else None


_HEADERS = {**HEADERS, "Content-Type": "application/json; charset=utf-8"}


def _said(status: int, message: str, more: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, body=dumped({"error": message}), headers={**_HEADERS, **(more or {})})
