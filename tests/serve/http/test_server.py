"""Ports: opened, refused, closed; and the port on which MCP is served."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from iris.problems import ProblemsFound
from iris.serve.http.server import Door, mcp_app
from iris.serve.mcp.server import build_server
from tests.serve.http.conftest import Open
from tests.serve.http.site import BEARER, KEYS, Said, answer_of

INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


async def test_a_port_that_is_taken_is_named_with_its_flag() -> None:
    """Faults 170, 172."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ProblemsFound) as found:
            await Door(web.Application(), "127.0.0.1", port, "--dashboard-port").open()
    problem = found.value.problems[0]
    assert problem.code == "E834"
    assert str(port) in problem.message
    assert "--dashboard-port" in problem.help


async def test_an_address_of_another_machine_is_refused_like_a_port_that_is_taken() -> None:
    with pytest.raises(ProblemsFound) as found:
        await Door(web.Application(), "203.0.113.7", 0, "--port").open()
    assert found.value.problems[0].code == "E834"


async def test_a_door_knows_the_port_it_was_given_and_opens_anew_after_it_closed() -> None:
    door = Door(web.Application(), "127.0.0.1", 0, "--port")
    await door.open()
    assert door.port > 0
    await door.close()
    again = Door(web.Application(), "127.0.0.1", door.port, "--port")
    await again.open()
    await again.close()


async def test_a_request_in_the_middle_of_its_body_does_not_hold_the_server(opened: Open) -> None:
    async with opened() as site:
        _, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        await asyncio.sleep(0.05)
        start = time.monotonic()
        await site.door.close()
        assert time.monotonic() - start < 1.2
        writer.close()


async def test_what_is_no_http_is_refused_and_leaves_no_stack_in_the_log(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    async with opened() as site:
        for sent in (b"\x16\x03\x01\x02\x00nonsense\r\n\r\n", b"GET /api/v1/health HTTP/1.1\r\n\r\n"):
            assert (await site.raw(sent)).status == 400
        assert (await site.get("/filters")).status == 200
    assert "Traceback" not in caplog.text


@contextlib.asynccontextmanager
async def mcp(opened: Open, **changed: Any) -> AsyncIterator[Door]:
    async with opened(rate_mcp=0, **changed) as site:
        door = Door(mcp_app(site.service, build_server(site.service, site.config), site.config), "127.0.0.1", 0, "--port")
        await door.open()
        try:
            yield door
        finally:
            await door.close()


async def ask(door: Door, method: str, path: str, body: Any = None, **headers: str) -> Said:
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    async with aiohttp.ClientSession() as http:
        data = None if body is None else json.dumps(body).encode()
        async with http.request(method, f"http://127.0.0.1:{door.port}{path}", data=data, headers=accept | headers) as answer:
            return Said(answer.status, answer.headers, await answer.read())


async def test_mcp_is_served_beside_its_health(opened: Open) -> None:
    """Fault 226."""
    async with mcp(opened) as door:
        assert (await ask(door, "GET", "/health")).body["status"] == "ok"
        said = await ask(door, "POST", "/mcp", INITIALIZE)
        assert (said.status, b"serverInfo" in said.raw) == (200, True)
        for path in ("/", "/api/v1/traces", "/mcp/x"):
            assert (await ask(door, "GET", path)).body == {"error": "Not found"}


async def test_mcp_asks_for_the_key_and_health_does_not(opened: Open) -> None:
    async with mcp(opened, api_keys=KEYS) as door:
        for path in ("/mcp", "/nowhere"):
            assert (await ask(door, "POST", path, INITIALIZE)).status == 401
            assert (await ask(door, "POST", path, INITIALIZE, Authorization="Bearer wrong")).status == 403
        assert (await ask(door, "GET", "/health")).status == 200
        assert (await ask(door, "POST", "/mcp", INITIALIZE, **BEARER)).status == 200


@pytest.mark.parametrize("path", ["/mcp", "/health", "/nowhere"])
@pytest.mark.parametrize("extra", ["Host: evil.example.com\r\n", "Host: localhost\r\nOrigin: https://evil.example.com\r\n"])
async def test_the_port_of_mcp_is_guarded_too(opened: Open, path: str, extra: str) -> None:
    """Faults 101, 104: before the key, and before the body."""
    async with mcp(opened, api_keys=KEYS) as door:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(f"POST {path} HTTP/1.1\r\n{extra}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n".encode())
        said = await asyncio.wait_for(answer_of(reader), 5)
        writer.close()
    assert said.status == 403
    assert "Forbidden" in json.dumps(said.body)


async def test_every_answer_of_the_port_of_mcp_has_the_security_headers(opened: Open) -> None:
    async with mcp(opened) as door:
        for said in (await ask(door, "POST", "/mcp", INITIALIZE), await ask(door, "GET", "/health"), await ask(door, "GET", "/x")):
            assert said.headers["Content-Security-Policy"].startswith("default-src 'none'; frame-ancestors 'none'")
            assert said.headers["X-Content-Type-Options"] == "nosniff"
