"""A server with the names the suite asks for, on our bridge: what a product never does shows whether the transport can.

python -m tests.serve.mcp.conformance.fixture PORT
"""

from __future__ import annotations

import asyncio
import base64
import struct
import sys
import zlib
from typing import Any

import mcp_types as types
from aiohttp import web
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from iris.serve.mcp.mount import mount_mcp
from tests.serve.mcp.fake import settings


def _png() -> str:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    ).decode()


PNG = _png()
WAV = base64.b64encode(
    b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data\0\0\0\0"
)


class Answer(BaseModel):
    """What a person is asked for."""

    response: str = Field(description="any text")


def build() -> MCPServer[Any]:
    """Build the server."""
    server: MCPServer[Any] = MCPServer("fixture", log_level="CRITICAL")
    _tools(server)
    _talking_tools(server)
    _resources(server)
    _prompts(server)
    return server


def _tools(server: MCPServer[Any]) -> None:
    @server.tool()
    async def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool()
    async def test_image_content() -> types.ImageContent:
        return types.ImageContent(data=PNG, mime_type="image/png")

    @server.tool()
    async def test_audio_content() -> types.AudioContent:
        return types.AudioContent(data=WAV.decode(), mime_type="audio/wav")

    @server.tool()
    async def test_embedded_resource() -> types.EmbeddedResource:
        return _embedded("test://embedded-resource", "This is an embedded resource content.")

    @server.tool()
    async def test_multiple_content_types() -> list[types.TextContent | types.ImageContent | types.EmbeddedResource]:
        mixed = types.TextResourceContents(
            uri="test://mixed-content-resource", mime_type="application/json", text='{"test":"data"}'
        )
        return [
            types.TextContent(text="Multiple content types test:"),
            types.ImageContent(data=PNG, mime_type="image/png"),
            types.EmbeddedResource(resource=mixed),
        ]

    @server.tool()
    async def test_error_handling() -> str:
        raise ValueError("This tool intentionally returns an error for testing")


def _talking_tools(server: MCPServer[Any]) -> None:
    """Tools that send to the client while they run."""

    @server.tool()
    async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
        for progress in (0, 50, 100):
            await ctx.report_progress(progress, 100)
            await asyncio.sleep(0.05)
        return "done"

    @server.tool()
    async def test_sampling(prompt: str, ctx: Context[Any, Any]) -> str:
        message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
        result = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_context.request_id)
        return f"LLM response: {result.content.text if isinstance(result.content, types.TextContent) else ''}"

    @server.tool()
    async def test_elicitation(message: str, ctx: Context[Any, Any]) -> str:
        result = await ctx.elicit(message, Answer)
        return f"User response: {result.model_dump_json()}"


def _embedded(uri: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type="text/plain", text=text))


def _resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    async def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    async def static_binary() -> bytes:
        return base64.b64decode(PNG)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    async def template(id: str) -> str:  # noqa: A002 - the name in the address
        return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


def _prompts(server: MCPServer[Any]) -> None:
    @server.prompt()
    async def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt()
    async def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


async def main(port: int) -> None:
    """Serve until stdin closes."""
    app = web.Application()
    mount_mcp(app, build()._lowlevel_server, settings())
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
