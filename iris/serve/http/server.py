"""Ports: an application on one, opened with a clear refusal, closed without waiting for streams."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from aiohttp import web

from iris.config.keys import key_matches
from iris.problems import Problem, ProblemsFound
from iris.serve.http.answers import dumped
from iris.serve.http.api import HEADERS, Api
from iris.serve.http.events import Events
from iris.serve.mcp.mount import mount_mcp

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
        self._runner = web.AppRunner(
            app, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_S, keepalive_timeout=75
        )

    async def open(self) -> None:
        """Listen. Raises ProblemsFound (E834) when the port is taken or may not be used. Fault 170."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self.host.strip("[]"), self.port, backlog=1024).start()
        except OSError as error:
            await self._runner.cleanup()
            taken = error.errno == errno.EADDRINUSE
            reason = "another program has it" if taken else (error.strerror or "it can not be opened")
            message = f"port {self.port} of {self.host} can not be listened on: {reason}"
            raise ProblemsFound([Problem("E834", message, None, "", f"give another one with {self.flag}")]) from None
        addresses: list[Any] = self._runner.addresses
        self.port = addresses[0][1]

    async def close(self) -> None:
        """Stop listening and end what is open."""
        await self._runner.cleanup()


def pages_app(service: Service, config: Config) -> tuple[web.Application, Events]:
    """The HTTP interface, and where its events come from."""
    api = Api(service, config)
    app = web.Application(client_max_size=UNLIMITED)
    app.router.add_route("*", "/{tail:.*}", api.handle)

    async def closing(_app: web.Application) -> None:
        api.events.close()

    app.on_shutdown.append(closing)
    return app, api.events


def mcp_app(service: Service, server: Any, config: Config) -> web.Application:
    """MCP over HTTP, and its health."""

    @web.middleware
    async def keyed(request: web.Request, handler: Any) -> web.StreamResponse:
        if config.api_keys and request.path != "/health":
            scheme, _, presented = request.headers.get("Authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not presented:
                return _said(401, "Missing or invalid Authorization header", {"WWW-Authenticate": "Bearer"})
            if key_matches(presented.strip(), config.api_keys) is None:
                return _said(403, "Invalid API key")
        response: web.StreamResponse = await handler(request)
        return response

    async def health(_request: web.Request) -> web.StreamResponse:
        found = await service.health()
        return web.Response(status=200 if found["status"] == "ok" else 503, body=dumped(found), headers=_HEADERS)

    app = web.Application(client_max_size=UNLIMITED, middlewares=[keyed])
    app.router.add_get("/health", health)
    mount_mcp(app, server, config)
    return app


_HEADERS = {**HEADERS, "Content-Type": "application/json; charset=utf-8"}


def _said(status: int, message: str, more: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, body=dumped({"error": message}), headers={**_HEADERS, **(more or {})})
