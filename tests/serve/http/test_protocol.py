"""What is no HTTP, or odd HTTP, over raw sockets: the door's own words, no stack, and the next request works."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.serve.http.conftest import Open
from tests.serve.http.site import KEYS, Said, Site, answer_of

RUN = b'{"agent_name":"clerk"}'


def post(extra: str = "", body: bytes = RUN, host: str = "Host: localhost") -> bytes:
    """A run as it goes over the wire."""
    return f"POST /api/v1/traces HTTP/1.1\r\n{host}\r\nContent-Type: application/json\r\n{extra}\r\n".encode() + body


def get(path: str = "/api/v1/health", extra: str = "") -> bytes:
    """A request as it goes over the wire."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n".encode("latin-1")


def is_ours(said: Said) -> bool:
    """JSON with the headers of every answer, that names neither the language nor the library."""
    return (
        said.headers["content-type"] == "application/json; charset=utf-8"
        and said.headers["x-content-type-options"] == "nosniff"
        and said.headers["server"] == "Iris"
        and b"aiohttp" not in said.raw
        and set(said.body) <= {"error", "id"}
    )


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 100,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\nHost: localhost\n\n",
        b"GET /api/v1/traces/\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        get(extra="no colon\r\n"),
        get(extra="X: a\0b\r\n"),
        get(extra="X: a\r\n b\r\n"),
        get(extra="Host : evil\r\n"),
        get(extra="X: " + "a" * 20_000 + "\r\n"),
        get("/api/v1/traces?q=" + "a" * 100_000),
        get(extra="".join(f"X{i}: a\r\n" for i in range(2000))),
        post("Content-Length: 22\r\nContent-Length: 5\r\n"),
        post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        post("Content-Length: -1\r\n"),
        post("Content-Length: 99999999999999999999\r\n"),
        post("Content-Length: 2_2\r\n"),
        post("Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
        post("Transfer-Encoding: chunked\r\n", b"zz\r\nabc\r\n0\r\n\r\n"),
        post("Transfer-Encoding: chunked\r\n", b"-5\r\nabc\r\n0\r\n\r\n"),
    ],
)
async def test_what_is_no_http_is_400_in_our_words(site: Site, sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """Fault 107: no byte of the request, no library, no stack."""
    with caplog.at_level(logging.INFO):
        said = await site.raw(sent)
    assert (said.status, is_ours(said), caplog.records) == (400, True, [])
    assert await site.count() == 0


@pytest.mark.parametrize("line", ["CONNECT evil.example:443", "OPTIONS *", "GET http://evil.example/api/v1/filters", "GET //evil.example/"])
async def test_what_names_no_path_of_ours_is_guarded_too(site: Site, line: str) -> None:
    """Fault 101: the guard comes before the router."""
    said = await site.raw(f"{line} HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode())
    assert (said.status, said.body) == (403, {"error": "Forbidden: invalid Host header"})
    assert is_ours(said)


async def test_connect_is_no_address(site: Site) -> None:
    said = await site.raw(b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (said.status, said.body) == (404, {"error": "Not found"})


HOSTS = ["evil.example@localhost", "localhost/evil.example", "localhost?evil.example", "evil.example\\@localhost", "localhost.", "0x7f.1", "127.0.0.2"]


@pytest.mark.parametrize("host", HOSTS)
async def test_a_host_of_another_spelling_is_refused(site: Site, host: str) -> None:
    """Fault 103."""
    assert (await site.raw(post("Content-Length: 22\r\n", host=f"Host: {host}"))).status == 403


ORIGINS = ["http://evil.example@localhost:{port}", "http://localhost:{port}/x", "http://localhost:{port}#x", "http://localhost:{port} http://evil.example"]


@pytest.mark.parametrize("origin", [*ORIGINS, "http://localhost:{port}\r\nOrigin: http://evil.example"])
async def test_an_origin_no_browser_would_send_is_refused(site: Site, origin: str) -> None:
    """Fault 101."""
    extra = f"Origin: {origin.format(port=site.port)}\r\nContent-Length: 22\r\n"
    assert (await site.raw(post(extra))).body == {"error": "Forbidden: invalid Origin header"}
    assert await site.count() == 0


async def test_a_body_that_waits_to_be_asked_for_is_asked_for(site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(post("Expect: 100-continue\r\nContent-Length: 22\r\n", b""))
    assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5) == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(RUN)
    assert (await asyncio.wait_for(answer_of(reader), 5)).status == 201
    writer.close()


@pytest.mark.parametrize(
    "extra, host, status",
    [
        ("Content-Length: 22\r\n", "Host: evil.example", 403),
        ("Content-Length: 22\r\nOrigin: http://evil.example\r\n", "Host: localhost", 403),
        ("Content-Length: 99999999999\r\n", "Host: localhost", 413),
    ],
)
async def test_a_body_that_will_be_refused_is_never_asked_for(site: Site, extra: str, host: str, status: int) -> None:
    """Fault 104."""
    assert (await site.raw(post("Expect: 100-continue\r\n" + extra, b"", host))).status == status


async def test_without_a_key_no_body_is_asked_for(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        assert (await site.raw(post("Expect: 100-continue\r\nContent-Length: 22\r\n", b""))).status == 401


@pytest.mark.parametrize("token", ["\xff\xfe", "a" * 7000, "\t", "=" * 100, "a, b"])
async def test_any_bytes_as_a_key_are_a_wrong_key(opened: Open, token: str) -> None:
    """Fault 122."""
    async with opened(api_keys=KEYS) as site:
        said = await site.raw(get("/api/v1/filters", f"Authorization: Bearer {token}\r\n"))
        assert said.status in (401, 403)
        assert is_ours(said)


@pytest.mark.parametrize("cookie", ["iris_session=\xff", "iris_session", "=", "a=b; iris_session=" + "x" * 4000, ';;;"'])
async def test_any_bytes_as_a_cookie_are_no_session(opened: Open, cookie: str) -> None:
    async with opened(api_keys=KEYS) as site:
        assert (await site.raw(get("/api/v1/filters", f"Cookie: {cookie}\r\n"))).status == 401


async def test_a_body_without_a_type_or_of_an_unknown_encoding_is_415(site: Site) -> None:
    """Reports B205: a page can send a body without a type."""
    bare = b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 22\r\n\r\n" + RUN
    assert (await site.raw(bare)).status == 415
    assert (await site.raw(post("Content-Encoding: zz\r\nContent-Length: 22\r\n"))).body["valid"] == ["identity", "gzip", "deflate"]
    assert await site.count() == 0


@pytest.mark.parametrize("extra", ["Content-Encoding: gzip\r\nContent-Length: 22\r\n", "Content-Encoding: deflate\r\nContent-Length: 22\r\n"])
async def test_a_body_that_is_not_packed_as_it_says_is_400_and_no_stack(site: Site, extra: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert (await site.raw(post(extra))).status == 400
        assert await site.count() == 0
    assert caplog.records == []


async def test_a_client_that_leaves_in_the_middle_leaves_no_stack(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Reports B203."""
    with caplog.at_level(logging.INFO):
        for kind in ("json", "x-ndjson"):
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(post("Content-Length: 1000\r\n").replace(b"/json", f"/{kind}".encode()))
            await asyncio.sleep(0.05)
            writer.transport.abort()
            await asyncio.sleep(0.05)
    assert (await site.count(), caplog.records) == (0, [])


async def test_requests_in_a_row_are_answered_in_a_row(site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(get("/api/v1/filters") + get("/api/v1/nope") + get("/api/v1/health"))
    assert [(await asyncio.wait_for(answer_of(reader), 5)).status for _ in range(3)] == [200, 404, 200]
    writer.close()
