"""One function through which every request goes: guard, limits, keys, body, handler, errors, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from aiohttp import web

from iris.config.keys import key_matches
from iris.config.origins import origin_allowed
from iris.serve.http import sessions as s
from iris.serve.http.answers import HEADERS, Answer, broken, refusal, said
from iris.serve.http.bodies import TooLargeError, whole
from iris.serve.http.events import Events
from iris.serve.http.ingest import NDJSON
from iris.serve.http.limits import Limiter
from iris.serve.http.routes import Route, Router
from iris.serve.mcp.guard import Guard
from iris.service.errors import ServiceError
from iris.service.parse import parse, parse_query

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.service.service import Service

METHODS = "GET, POST, PATCH, DELETE, OPTIONS"
JSON_TYPES = ("application/json", "application/octet-stream")
"""A page of another origin can send neither without being asked first."""
RUN_TYPES = (*JSON_TYPES, *NDJSON)
ENCODINGS = ("identity", "gzip", "deflate")


class Api:
    """Answers requests to the HTTP interface."""

    def __init__(self, service: Service, config: Config) -> None:
        self.service, self.config = service, config
        self.router, self.events = Router(), Events()
        self.guard = Guard(config.allowed_origins)
        self.limiter = Limiter(config.rate_api)
        self.sessions = s.Sessions(config.api_keys)

    @cached_property
    def _document(self) -> Any:
        from iris.serve.http.openapi import document

        return document()

    def document(self) -> Any:
        """The OpenAPI document."""
        return self._document

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request."""
        headers = dict(HEADERS)
        try:
            answer = await self._answer(request, headers)
        except TooLargeError as error:
            answer = said(413, str(error))
        except ServiceError as error:
            answer = refusal(error)
        except web.RequestPayloadError:
            answer = said(400, "the body breaks off or is not encoded as its headers say")
        except ConnectionError:
            answer = said(400, "the body breaks off")  # nobody is left to read it
        except Exception as error:
            answer = broken(error)
        if isinstance(answer, web.StreamResponse):
            return answer
        headers.update(answer.headers)
        if answer.status not in (204, 302, 303):
            charset = "; charset=utf-8" if answer.content_type.startswith(("text/", "application/json")) else ""
            headers["Content-Type"] = answer.content_type + charset
        body = b"" if request.method == "HEAD" else answer.data()
        return web.Response(status=answer.status, body=body, headers=headers)

    async def _answer(self, request: web.BaseRequest, headers: dict[str, str]) -> Answer | web.StreamResponse:
        complaint = self.guard.complaint(request)  # type: ignore[arg-type] # it reads what both kinds of request have
        if complaint is not None:
            kind = "Origin" if "Origin" in complaint else "Host"
            return said(403, f"Forbidden: invalid {kind} header")
        self._cross_origin(request, headers)
        if request.method == "OPTIONS":
            return Answer(204)
        path = request.path
        methods, name = self.router.find(path)
        route = methods.get("GET" if request.method == "HEAD" else request.method)
        refused = self._refused(request, route, path, headers)
        if refused is not None:
            return refused
        if path in ("/session", "/session/end"):
            return await self._session(request, path)
        if not methods:
            return self._unknown(path)
        if route is None:
            return Answer(405, {"error": "Method not allowed"}, {"Allow": ", ".join(sorted({*methods, "OPTIONS"}))})
        if route.path.endswith("/events"):
            return await self._stream(request, headers)
        return await self._run(request, route, name)

    def _cross_origin(self, request: web.BaseRequest, headers: dict[str, str]) -> None:
        """Let pages of the allowed origins read the answer."""
        origin = request.headers.get("Origin")
        headers["Vary"] = "Origin"
        if origin is not None and origin_allowed(origin, self.config.allowed_origins):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Allow-Methods"] = METHODS
            headers["Access-Control-Allow-Headers"] = "Content-Type, Authorization"
            headers["Access-Control-Max-Age"] = "86400"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"

    def _refused(self, request: web.BaseRequest, route: Route | None, path: str, headers: dict[str, str]) -> Answer | None:
        """What the rate limit and the keys say; health is for everybody."""
        if route is not None and route.open:
            return None
        allowed, told = self.limiter.take(caller(request))
        headers.update(told)
        if not allowed:
            return said(429, "Too many requests, please try again later")
        return self._unauthorised(request, path) if self.config.api_keys else None

    def _unauthorised(self, request: web.BaseRequest, path: str) -> Answer | None:
        authorization = request.headers.get("Authorization", "")
        scheme, _, presented = authorization.partition(" ")
        if scheme.lower() == "bearer" and presented:
            return None if key_matches(presented.strip(), self.config.api_keys) else said(403, "Invalid API key")
        page = request.method == "GET" and not path.startswith("/api/")
        key, clean = s.without_key(request.rel_url.raw_path, request.rel_url.raw_query_string) if page else (None, path)
        if key is not None:
            return self.sessions.exchange(key, caller(request), clean, secure=request.secure)
        if self.sessions.valid(request.cookies.get(s.COOKIE)) or path == "/session":
            return None
        if page and "text/html" in request.headers.get("Accept", ""):
            return s.page(401)
        return Answer(401, {"error": "Missing or invalid Authorization header"}, {"WWW-Authenticate": "Bearer"})

    async def _session(self, request: web.BaseRequest, path: str) -> Answer:
        if request.method != "POST":
            return Answer(405, {"error": "Method not allowed"}, {"Allow": "OPTIONS, POST"})
        if path == "/session/end":
            self.sessions.close(request.cookies.get(s.COOKIE))
            return Answer(303, None, {"Location": "/", "Set-Cookie": f"{s.COOKIE}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0"})
        if request.content_type != "application/x-www-form-urlencoded":
            return said(415, "send the form as application/x-www-form-urlencoded")
        form = dict(parse_qsl((await whole(request, s.FORM_BYTES)).decode("utf-8", "replace")))
        return self.sessions.exchange(form.get("key", ""), caller(request), "/", secure=request.secure, status=303)

    def _unknown(self, path: str) -> Answer:
        """Fault 154: an address of the interface that is none is never a page."""
        return said(404, "Unknown API route" if path.startswith("/api") else "Not found")

    async def _stream(self, request: web.BaseRequest, headers: dict[str, str]) -> Answer | web.StreamResponse:
        parse_query(_Nothing, request.query.items())
        if request.method == "HEAD":
            return Answer(200, None, {}, "text/event-stream")
        if self.events.full(caller(request)):
            return said(429, "too many event streams from here; close one", limit=8)
        return await self.events.stream(request, caller(request), headers)

    async def _run(self, request: web.BaseRequest, route: Route, name: str | None) -> Answer:
        asked = None
        if route.method == "GET" or route.body is None:
            asked = parse_query(route.query or _Nothing, request.query.items())
        else:
            if request.rel_url.raw_query_string:
                parse_query(_Nothing, request.query.items())
            wrong = _wrong_type(request, route)
            if wrong is not None:
                return wrong
            if not route.raw:
                asked = parse(route.body, await whole(request, self.config.request_size_limit))
        if route.raw:
            return await route.handler(self, request)
        return await route.handler(self, asked, name)


def _wrong_type(request: web.BaseRequest, route: Route) -> Answer | None:
    """Reports B205: what any page can send is not read, a body without a type among it."""
    known = RUN_TYPES if route.raw else JSON_TYPES
    if request.headers.get("Content-Encoding", "identity").lower() not in ENCODINGS:
        return said(415, "send the body as it is, or with Content-Encoding: gzip or deflate", valid=list(ENCODINGS))
    if "Content-Type" in request.headers and request.content_type in known:
        return None
    return said(415, "send JSON, with Content-Type: application/json", valid=list(known))


def caller(request: web.BaseRequest) -> str:
    """Whom a request is counted for: the address it came from."""
    return request.remote or "unknown"


from iris.service.models.base import Strict  # noqa: E402 - the model of a request that has no parameters


class _Nothing(Strict):
    """No parameters."""


Headers = Mapping[str, str]
