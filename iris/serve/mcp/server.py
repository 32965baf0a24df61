"""The MCP server of Iris: the low-level Server of the SDK with our handlers. One object serves every transport and era."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import to_json

from iris import __version__
from iris.serve.mcp.calls import Calls, Context
from iris.serve.mcp.guide import PROMPTS, RESOURCES, TEMPLATES
from iris.serve.mcp.instructions import instructions
from iris.serve.mcp.prompt import TEXTS, prompt_text
from iris.serve.mcp.resources import read_resource
from iris.serve.mcp.results import Result
from iris.serve.mcp.tools import Tool, build_tools
from iris.service.errors import ServiceError
from iris.service.guard import internal_error

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.service.service import Service

NAME = "iris-eval"
RESOURCE_NOT_FOUND = -32002
"""Of the handshake protocols; later ones say invalid params."""
PLAIN = frozenset({"name", "arguments", "_meta"})
"""What a call of a tool holds when it asks for nothing else."""
LISTS: tuple[CacheableMethod, ...] = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
KEPT_FOR = 60_000
"""Milliseconds for which a client may keep the lists, which change only with the version of Iris."""
log = logging.getLogger("iris.serve.mcp")


def build_server(service: Service, config: Config | None = None) -> Server[Any]:
    """Build the server over a running service."""
    handlers = _Handlers(service, build_tools())
    hints = {method: CacheHint(ttl_ms=KEPT_FOR) for method in LISTS} | {"resources/read": CacheHint()}
    server: Server[Any] = Server(
        getattr(config, "server_name", None) or NAME,
        version=__version__,
        title="Iris",
        description="Judges what AI agents did: answers, tool calls, cost.",
        cache_hints=hints,
        get_tool_input_schema=handlers.tool_schema,
        on_list_tools=_complete(handlers.list_tools),
        on_call_tool=_complete(handlers.call_tool),
        on_list_resources=_complete(handlers.list_resources),
        on_list_resource_templates=_complete(handlers.list_templates),
        on_read_resource=_complete(handlers.read_resource),
        on_list_prompts=_complete(handlers.list_prompts),
        on_get_prompt=_complete(handlers.get_prompt),
    )
    # The SDK's own middleware opens a span for each message; nobody collects them here, and it costs 30 µs a call.
    server.middleware = [handlers.around]
    handlers.stamp = server.server_info_stamp
    return server


class _Handlers:
    """What each method of the protocol does."""

    def __init__(self, service: Service, tools: Mapping[str, Tool]) -> None:
        self.service, self.tools, self.calls = service, tools, Calls(service, tools)
        self.stamp: Mapping[str, Any] = {}
        self.listed: list[Any] = [tool.wire() for tool in tools.values()]

    async def around(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer a well-formed tools/call at once; say how Iris is set at the moment a client connects, in either era.

        The SDK would read the arguments and copy the whole answer twice more: 0.4 ms for a long evaluation.
        """
        if ctx.method == "tools/call" and (plain := _plain_call(ctx)) is not None:
            answer = await self.calls.call(ctx, *plain)
            return answer if ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS else {**answer, **self._envelope()}
        result: HandlerResult = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            try:
                result["instructions"] = await self.instructions()
            except ServiceError as error:
                log.warning("instructions: %s", error)
        return result

    def _envelope(self) -> Result:
        return {"resultType": "complete", "_meta": {types.SERVER_INFO_META_KEY: self.stamp}}

    async def instructions(self) -> str:
        """Give the instructions of now."""
        return instructions(await self.service.capabilities(), self.service.core.evaluator.composer.policy.threshold)

    def tool_schema(self, name: str) -> Mapping[str, Any] | None:
        """Give the input schema of a tool."""
        tool = self.tools.get(name)
        return None if tool is None else tool.schema

    async def list_tools(self, ctx: Context, params: Any) -> Result:
        return {"tools": self.listed}

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Result:
        return await self.calls.call(ctx, params.name, params.arguments or {})

    async def list_resources(self, ctx: Context, params: Any) -> Result:
        return {"resources": [_resource(name, about, uri=uri) for uri, (name, about) in RESOURCES.items()]}

    async def list_templates(self, ctx: Context, params: Any) -> Result:
        found = [_resource(name, about, uriTemplate=uri) for uri, (name, about) in TEMPLATES.items()]
        return {"resourceTemplates": found}

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Result:
        uri = str(params.uri)
        try:
            document = await read_resource(self.service, uri)
        except ServiceError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error), error.body()) from error
        except Exception as error:
            failure = internal_error(error, "resources/read")
            raise MCPError(types.INTERNAL_ERROR, str(failure), failure.body()) from error
        if document is None:
            old = ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
            code = RESOURCE_NOT_FOUND if old else types.INVALID_PARAMS
            raise MCPError(code, "Resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": to_json(document).decode()}]}

    async def list_prompts(self, ctx: Context, params: Any) -> Result:
        what = {"name": "what", "description": f"one of: {', '.join(TEXTS)}; output when left out", "required": False}
        return {"prompts": [{"name": name, "description": about, "arguments": [what]} for name, about in PROMPTS.items()]}

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Result:
        if params.name not in PROMPTS:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}. Prompts here: {', '.join(PROMPTS)}")
        try:
            text = prompt_text(params.arguments)
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": PROMPTS[params.name], "messages": [message]}


def _complete(handler: Callable[[Context, Any], Awaitable[Result]]) -> Callable[[Context, Any], Awaitable[Any]]:
    """Mark results as final, as protocols without a handshake ask for; earlier ones do not know the mark."""

    async def handle(ctx: Context, params: Any) -> Any:
        result = await handler(ctx, params)
        return result if ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS else {"resultType": "complete", **result}

    return handle


def _plain_call(ctx: Context) -> tuple[str, Mapping[str, Any]] | None:
    """Give name and arguments of a call of an open connection that has nothing else to look at; None for any other."""
    if ctx.request_id is None or not ctx.params or ctx.params.keys() - PLAIN:
        return None
    if ctx.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS and ctx.session.client_params is None:
        return None
    name, arguments = ctx.params.get("name"), ctx.params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        return None
    return name, arguments or {}


def _resource(name: str, about: str, **address: str) -> dict[str, str]:
    return {"name": name, "description": about, "mimeType": "application/json", **address}
