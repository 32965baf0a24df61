"""What is no HTTP, or no request we would ever see: answered like everything else, and without a stack in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong

from iris.serve.http.answers import HEADERS, Answer, broken, said

log = logging.getLogger("iris.http")
LONGEST_LINE = 64 << 10
"""Bytes of an address: a `q` of 4,000 characters has up to 12 for each."""
KEEPALIVE_S = 75.0
TYPE = "application/json; charset=utf-8"


class Protocol(web.RequestHandler):
    """HTTP on one connection. Left alone, aiohttp names Python, its own version and bytes of the request. Fault 107."""

    __slots__ = ()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Answer what nobody else could, and close the connection."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun")
        answer = _told(status, exc)
        response = web.Response(status=answer.status, body=answer.data(), headers={**HEADERS, "Content-Type": TYPE})
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Log what went wrong, but for bodies that are not encoded as they say: anybody can send those."""
        if not isinstance(kw.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **kw)


def _told(status: int, exc: BaseException | None) -> Answer:
    if isinstance(exc, LineTooLong):
        return said(400, "a line of the request is too long")
    if isinstance(exc, BadHttpMessage):
        return said(400, "the request can not be read as HTTP/1.1")
    return broken(exc) if isinstance(exc, Exception) else said(status, "the request can not be answered")


def connections(server: web.Server) -> Callable[[], Protocol]:
    """What speaks on each new connection to a server."""
    loop = asyncio.get_running_loop()
    settings: dict[str, Any] = {
        "logger": log,
        "access_log": None,
        "keepalive_timeout": KEEPALIVE_S,
        "max_line_size": LONGEST_LINE,
    }

    def connection() -> Protocol:
        return Protocol(server, loop=loop, **settings)

    return connection
