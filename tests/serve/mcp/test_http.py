"""Streamable HTTP at /mcp: guard, limits, sessions, streams."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import mcp
import pytest
from aiohttp import web

from iris.serve.mcp.guard import is_loopback
from iris.serve.mcp.mount import mount_mcp
from iris.serve.mcp.server import build_server
from tests.serve.mcp.fake import FakeService, settings

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
BOTH = {"Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Site:
    """A running server, and the least a client needs of it."""

    def __init__(self, runner: web.AppRunner, service: FakeService, http: aiohttp.ClientSession) -> None:
        self.runner, self.service, self.http = runner, service, http
        self.port: int = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.session: dict[str, str] = {}

    async def post(self, message: Any, path: str = "", **headers: str) -> tuple[int, Any, Mapping[str, str]]:
        """Post an object, or bytes as they are; give status, the message in the answer, headers."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        sent = BOTH | {"Content-Type": "application/json"} | self.session | {k.replace("_", "-"): v for k, v in headers.items()}
        async with self.http.post(self.url + path, data=data, headers=sent, allow_redirects=False) as answer:
            text = await answer.text()
            if answer.content_type == "text/event-stream":
                text = next(line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip())
            return answer.status, json.loads(text) if text else None, answer.headers

    async def initialize(self) -> None:
        """Open a session and keep its headers."""
        status, _, headers = await self.post(INITIALIZE)
        assert status == 200
        self.session = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "Mcp-Protocol-Version": "2025-11-25"}
        assert (await self.post(INITIALIZED))[0] == 202

    async def call(self, name: str, arguments: Any, number: int = 5, **headers: str) -> Any:
        """Call a tool; give the whole message."""
        params = {"name": name, "arguments": arguments}
        return (await self.post({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}, **headers))[1]


@asynccontextmanager
async def serving(slow: float = 30.0, host: str = "127.0.0.1", **changed: Any) -> AsyncIterator[Site]:
    app, service = web.Application(), FakeService(slow)
    mount_mcp(app, build_server(service, settings()), settings(**changed))  # type: ignore[arg-type]
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, host, 0).start()
    async with aiohttp.ClientSession() as http:
        yield Site(runner, service, http)
    await runner.cleanup()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as site:
        yield site


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_logs_judges_and_reads(site: Site, mode: Any) -> None:
    async with mcp.Client(site.url, mode=mode) as client:
        assert len((await client.list_tools()).tools) == 9
        assert not (await client.call_tool("log_trace", {"agent_name": "a"})).is_error
        assert not (await client.call_tool("evaluate_output", {"output": "x"})).is_error
        assert (await client.call_tool("evaluate_output", {"nope": 1})).is_error
        assert client.instructions is not None


async def test_several_sessions_and_many_calls_at_once(site: Site) -> None:
    async def work(mode: Any) -> int:
        async with mcp.Client(site.url, mode=mode) as client:
            results = await asyncio.gather(*(client.call_tool("log_trace", {"agent_name": f"{i}"}) for i in range(10)))
            return sum(not result.is_error for result in results)

    assert await asyncio.gather(*map(work, ["legacy", "auto", "legacy", "auto"])) == [10] * 4
    assert len(site.service.logged) == 40


async def test_a_notification_is_accepted_with_an_empty_body(site: Site) -> None:
    """Reports B173."""
    await site.initialize()
    status, body, headers = await site.post(INITIALIZED)
    assert (status, body, headers["Content-Length"]) == (202, None, "0")


async def test_get_without_a_session_is_not_allowed_and_says_what_is(site: Site) -> None:
    """Reports B175."""
    async with site.http.get(site.url, headers={"Accept": "text/event-stream"}) as answer:
        assert answer.status == 405
        assert answer.headers["Allow"] == "POST, GET, DELETE"
        assert (await answer.json())["jsonrpc"] == "2.0"


async def test_get_with_a_session_is_a_stream_that_delete_ends(site: Site) -> None:
    """Reports B175."""
    await site.initialize()
    headers = {"Accept": "text/event-stream"} | site.session
    async with site.http.get(site.url, headers=headers) as stream:
        assert (stream.status, stream.content_type) == (200, "text/event-stream")
        async with site.http.get(site.url, headers=headers) as second:
            assert second.status == 409
        async with site.http.delete(site.url, headers=site.session) as deleted:
            assert deleted.status == 200
        assert await asyncio.wait_for(stream.read(), 2) is not None
    assert (await site.post(PING))[0] == 404


@pytest.mark.parametrize("path", ["", "/"])
async def test_both_spellings_of_the_path_are_answered_directly(site: Site, path: str) -> None:
    """Reports B177."""
    status, body, _ = await site.post(INITIALIZE, path)
    assert status == 200
    assert body["result"]["serverInfo"]["name"] == "iris-eval"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD"])
async def test_other_methods_are_not_allowed(site: Site, method: str) -> None:
    async with site.http.request(method, site.url) as answer:
        assert answer.status == 405


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example.com", "http://localhost:1", "null", "http://127.0.0.1.evil.com", "http://localhost:x", "file://"],
)
async def test_an_origin_nobody_allowed_is_refused(site: Site, origin: str) -> None:
    """Faults 101, 105."""
    status, body, _ = await site.post(INITIALIZE, Origin=origin)
    assert status == 403
    assert "Origin" in body["error"]["message"]
    assert site.service.logged == []


async def test_the_servers_own_origin_an_allowed_one_and_none_at_all_pass() -> None:
    """Faults 101, 106: an entry with a glob allows nothing here."""
    async with serving(allowed_origins=("https://ok.example", "http://*.example:*")) as site:
        for origin in (f"http://localhost:{site.port}", f"http://127.0.0.1:{site.port}", "https://ok.example"):
            assert (await site.post(INITIALIZE, Origin=origin))[0] == 200
        assert (await site.post(INITIALIZE))[0] == 200
        assert (await site.post(INITIALIZE, Host="ok.example"))[0] == 200
        assert (await site.post(INITIALIZE, Origin="http://a.example:80"))[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example.com", "127.0.0.1.evil.com:80", "localhost.evil.com", "a@b@c", "[::1", "localhost:x"]
)
async def test_the_name_of_another_machine_is_refused(site: Site, host: str) -> None:
    """Faults 103."""
    assert (await site.post(INITIALIZE, Host=host))[0] in (400, 403)
    for own in ("localhost", "127.0.0.1:9", f"[::1]:{site.port}", "LOCALHOST"):
        assert (await site.post(INITIALIZE, Host=own))[0] == 200


@pytest.mark.parametrize(
    "address, local",
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True), ("fe80::1%eth0", False), ("192.0.2.1", False), ("x", True)],
)
def test_an_address_of_this_machine_alone_is_known_in_every_spelling(address: str, local: bool) -> None:
    """Faults 109."""
    assert is_loopback(address) is local


async def raw(site: Site, request: bytes, seconds: float = 2.0) -> bytes:
    """Send bytes, give the status line and headers that come back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), seconds)
    finally:
        writer.close()


@pytest.mark.parametrize("host", [b"", b"Host:\r\n"])
async def test_no_or_an_empty_host_is_refused(site: Site, host: bytes) -> None:
    """Faults 103."""
    assert b" 40" in await raw(site, b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: 0\r\n\r\n")


async def test_the_origin_is_refused_before_the_body_has_come(site: Site) -> None:
    """Faults 104."""
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nOrigin: https://evil.example.com\r\n"
    assert b" 403 " in await raw(site, head.encode() + b"Content-Length: 1000000\r\n\r\n")


async def test_a_body_over_the_limit_is_refused_by_its_declared_size_and_while_it_comes() -> None:
    """Faults 94."""
    async with serving(request_size_limit=2000) as site:
        status, body, _ = await site.post(PING | {"params": {"a": "x" * 3000}})
        assert status == 413
        assert "security.requestSizeLimit" in body["error"]["message"]
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nContent-Type: application/json\r\n"
        chunked = head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + b"3e8\r\n" + b"x" * 1000 + b"\r\n"
        assert b" 413 " in await raw(site, chunked + b"3e9\r\n" + b"x" * 1001 + b"\r\n")
        await site.initialize()


@pytest.mark.parametrize(
    "body, code",
    [
        (b"{", -32700),
        (b"", -32700),
        (b"[1]", -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\xff"}}', -32700),
    ],
)
async def test_a_body_that_is_no_message_is_a_json_rpc_error(site: Site, body: bytes, code: int) -> None:
    status, answer, _ = await site.post(body)
    assert (status, answer["error"]["code"]) == (400, code)
    assert "pydantic" not in json.dumps(answer)
    await site.initialize()


async def test_byte_order_mark_and_half_surrogates_are_let_pass(site: Site) -> None:
    await site.initialize()
    line = b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log_trace","arguments":{"agent_name":"x\\ud800"}}}'
    assert (await site.post(line))[1]["result"]["isError"] is False
    assert site.service.logged[0][0].agent_name == "x\ufffd"


async def test_the_rate_limit_is_a_json_rpc_error_with_the_requests_id() -> None:
    """Faults 168."""
    async with serving(rate_mcp=3) as site:
        await site.initialize()
        assert (await site.post(PING))[0] == 200
        status, body, headers = await site.post(PING | {"id": "mine"})
        assert (status, body["id"], body["error"]["code"]) == (429, "mine", -32029)
        assert 1 <= int(headers["Retry-After"]) <= 60
        assert body["error"]["data"] == {
            "limit": 3,
            "resetSeconds": int(headers["Retry-After"]),
            "setting": "security.rateLimit.mcp",
        }
        for named in ("3 requests", "security.rateLimit.mcp", f"{headers['Retry-After']} s"):
            assert named in body["error"]["message"]
        async with site.http.delete(site.url, headers=site.session) as answer:
            assert answer.status == 429
        async with site.http.get(site.url, headers={"Accept": "text/event-stream"} | site.session) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("by, blocked", [("ip", True), ("apiKey", False)])
async def test_the_rate_is_counted_by_address_or_by_key(by: str, blocked: bool) -> None:
    async with serving(rate_mcp=1, mcp_key_by=by) as site:
        assert (await site.post(INITIALIZE, Authorization="Bearer a"))[0] == 200
        assert (await site.post(INITIALIZE, Authorization="Bearer b"))[0] == (429 if blocked else 200)
        assert (await site.post(INITIALIZE, Authorization="Bearer b"))[0] == 429


async def test_the_trace_context_of_headers_reaches_the_service_and_meta_wins(site: Site) -> None:
    await site.initialize()
    await site.call("log_trace", {"agent_name": "a"}, traceparent=PARENT, baggage="session_id=s")
    context = site.service.logged[0][2]
    session = site.session["Mcp-Session-Id"]
    assert context == {"traceparent": PARENT, "baggage": "session_id=s", "mcp_session_id": session}


async def test_a_client_that_goes_has_its_call_cancelled(site: Site) -> None:
    async with mcp.Client(site.url) as client:
        task = asyncio.create_task(client.call_tool("evaluate_output", {"output": "slow"}))
        await wait_for(lambda: site.service.judged)
        task.cancel()
        await wait_for(lambda: site.service.cancelled)


async def wait_for(test: Any, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


async def test_a_cancelled_call_ends_and_the_session_goes_on(site: Site) -> None:
    """Reports B158."""
    await site.initialize()
    slow = asyncio.create_task(site.call("evaluate_output", {"output": "slow"}, 7))
    await wait_for(lambda: site.service.judged)
    assert (await site.post(PING))[1] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert (await site.post(cancel))[0] == 202
    await wait_for(lambda: site.service.cancelled)
    slow.cancel()
    assert (await site.post(PING))[0] == 200


@pytest.mark.parametrize("busy, most", [(False, 1.0), (True, 2.0)])
async def test_the_server_stops_soon_with_an_open_stream_and_with_a_call_in_progress(busy: bool, most: float) -> None:
    """The SDK gives a call in progress a second to be answered."""
    async with serving() as site:
        await site.initialize()
        headers = {"Accept": "text/event-stream"} | site.session
        async with site.http.get(site.url, headers=headers) as stream:
            assert stream.status == 200
            calls = [asyncio.create_task(site.call("evaluate_output", {"output": "slow"}))] if busy else []
            await wait_for(lambda: len(site.service.judged) == len(calls))
            start = time.monotonic()
            await asyncio.create_task(site.runner.cleanup())
            assert time.monotonic() - start <= most
            await asyncio.gather(*calls, return_exceptions=True)
