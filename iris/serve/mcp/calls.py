"""tools/call: arguments in, an answer or an error out, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from iris.serve.mcp.context import trace_context
from iris.serve.mcp.results import CAPABILITIES, Result, answered, refused
from iris.serve.mcp.tools import Tool
from iris.service.errors import ServiceError
from iris.service.guard import internal_error
from iris.service.parse import parse

if TYPE_CHECKING:
    from iris.service.service import Service

WITHOUT_LINKS = frozenset({"2024-11-05", "2025-03-26"})
"""Protocols from before resource links: a strict client of that time refuses an answer that has one."""
Context = ServerRequestContext[Any, Any]


class Calls:
    """Runs tools on the service."""

    def __init__(self, service: Service, tools: Mapping[str, Tool]) -> None:
        self.service, self.tools = service, tools

    async def call(self, ctx: Context, name: str, arguments: Mapping[str, Any]) -> Result:
        """Run a tool. Raises MCPError when there is none of that name."""
        tool = self.tools.get(name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}. Tools here: {', '.join(self.tools)}")
        linked = ctx.protocol_version not in WITHOUT_LINKS
        try:
            args = parse(tool.model, arguments)
        except ServiceError as error:
            return refused(_named(error, tool), CAPABILITIES if linked else (), plain=True)
        try:
            answer, links = await self._run(tool, args, ctx)
        except ServiceError as error:
            return refused(error, CAPABILITIES if linked else ())
        return answered(answer, links if linked else ())

    async def _run(self, tool: Tool, args: Any, ctx: Context) -> tuple[dict[str, Any], list[str]]:
        try:
            answer = await tool.run(self.service, args, trace_context(ctx.meta, ctx.request))
            lacking = tool.output.lacks(answer)
            if lacking:
                raise LookupError(f"the answer lacks {', '.join(sorted(lacking))}")
            return answer, tool.links(answer)
        except ServiceError:
            raise
        except Exception as error:
            raise internal_error(error, tool.name) from error


def _named(error: ServiceError, tool: Tool) -> ServiceError:
    """Say in a refusal which tool was not run and what it takes."""
    names = ", ".join(tool.schema["properties"])
    known = "" if f"valid: {names}" in error.message else f". Valid arguments of {tool.name}: {names}"
    error.message = f"{tool.name} was not run: {error.message}{known}"
    return error
