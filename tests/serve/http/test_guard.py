"""Who may talk to the server: Host and Origin over raw sockets, pages of other origins, requests a minute."""

from __future__ import annotations

import pytest

from tests.serve.http.conftest import Open
from tests.serve.http.site import Site

BODY = b'{"agent_name":"clerk"}'


def request(host: str | None, extra: str = "", method: str = "POST", path: str = "/api/v1/traces", body: bytes = BODY) -> bytes:
    """A request as it goes over the wire."""
    named = "" if host is None else f"Host: {host}\r\n"
    head = f"{method} {path} HTTP/1.1\r\n{named}{extra}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:{port}", "127.0.0.1.evil.example", "localhost.evil.example:{port}", "", " ", "[::1", "0.0.0.0:{port}", "169.254.169.254", "127.0.0.1@evil.example", "localhost:99999999"])
async def test_a_host_that_is_not_this_machine_is_refused(site: Site, host: str) -> None:
    """Faults 101, 103."""
    said = await site.raw(request(host.format(port=site.port)))
    assert (said.status, said.body) == (403, {"error": "Forbidden: invalid Host header"})
    assert await site.count() == 0


@pytest.mark.parametrize("version, host, status", [("1.1", None, 400), ("1.0", None, 403), ("1.1", "localhost\r\nHost: evil", 400)])
async def test_a_request_without_one_host_is_refused(site: Site, version: str, host: str | None, status: int) -> None:
    """Fault 103. HTTP/1.1 without a Host, or with two, is no request at all (RFC 9112, section 3.2)."""
    said = await site.raw(request(host).replace(b"HTTP/1.1", f"HTTP/{version}".encode()))
    assert said.status == status
    assert await site.count() == 0


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
async def test_the_names_of_this_machine_are_let_in(site: Site, host: str) -> None:
    assert (await site.raw(request(host.format(port=site.port)))).status == 201


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example.com", "null", "http://localhost:1", "http://localhost", "http://127.0.0.1:{port}.evil.example", "http://localhost:{port}.evil.com", "http://localhost:{port}@evil.example", "file://", "http://[::1", "", "http://2130706433:{port}", "ftp://localhost:{port}"],
)
async def test_an_origin_that_is_not_this_server_is_refused_and_stores_nothing(site: Site, origin: str) -> None:
    """Faults 101, 106: the default entry http://localhost:* opens no port of this machine."""
    said = await site.raw(request(f"127.0.0.1:{site.port}", f"Origin: {origin.format(port=site.port)}\r\n"))
    assert (said.status, said.body) == (403, {"error": "Forbidden: invalid Origin header"})
    assert "access-control-allow-origin" not in said.headers
    assert await site.count() == 0


@pytest.mark.parametrize("origin", ["http://localhost:{port}", "http://127.0.0.1:{port}", "http://[::1]:{port}"])
async def test_the_server_s_own_pages_are_let_in(site: Site, origin: str) -> None:
    """Fault 101: the port is the one that was bound, not the one that was asked for."""
    said = await site.raw(request(f"127.0.0.1:{site.port}", f"Origin: {origin.format(port=site.port)}\r\n"))
    assert said.status == 201


@pytest.mark.parametrize("bad", ["Host: evil.example.com\r\n", "Host: 127.0.0.1\r\nOrigin: https://evil.example.com\r\n"])
async def test_the_refusal_comes_before_the_body(site: Site, bad: str) -> None:
    """Fault 104: the answer is there although not one byte of the body was sent."""
    said = await site.raw(f"POST /api/v1/traces HTTP/1.1\r\n{bad}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n".encode())
    assert said.status == 403


async def test_every_route_is_guarded(site: Site) -> None:
    """Faults 101, 123."""
    for path in ("/health", "/api/v1/health", "/api/v1/events", "/api/v1/rules/custom", "/session", "/nowhere"):
        for method in ("GET", "OPTIONS", "POST"):
            assert (await site.raw(request("evil.example.com", method=method, path=path, body=b""))).status == 403


async def test_another_origin_that_is_named_may_read_and_patch(opened: Open) -> None:
    """CORS lists PATCH."""
    async with opened(allowed_origins=("https://app.example.com",)) as site:
        origin = {"Origin": "https://app.example.com"}
        said = await site.ask("OPTIONS", "/preferences", headers={**origin, "Access-Control-Request-Method": "PATCH"})
        assert (said.status, said.raw) == (204, b"")
        assert said.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        assert said.headers["Access-Control-Allow-Methods"] == "GET, POST, PATCH, DELETE, OPTIONS"
        assert said.headers["Access-Control-Allow-Headers"] == "Content-Type, Authorization"
        assert said.headers["Access-Control-Max-Age"] == "86400"
        read = await site.get("/traces", headers=origin)
        assert (read.status, read.headers["Vary"]) == (200, "Origin")
        assert read.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        assert "Access-Control-Allow-Origin" not in (await site.get("/traces")).headers


async def test_an_entry_with_a_star_is_one_label_and_opens_nothing_of_others(opened: Open) -> None:
    """Faults 105, 106."""
    async with opened(allowed_origins=("http://localhost:*", "https://*.example.com")) as site:
        own = await site.get("/traces", headers={"Origin": f"http://localhost:{site.port}"})
        assert own.headers["Access-Control-Allow-Origin"] == f"http://localhost:{site.port}"
        for origin in ("https://app.example.com", "https://a.b.example.com", f"http://localhost:{site.port}.evil.com"):
            assert (await site.get("/traces", headers={"Origin": origin})).status == 403


async def test_every_answer_has_the_security_headers(site: Site) -> None:
    """Fault 120: no-referrer would make a form's Origin null."""
    for path in ("/traces", "//health", "/nowhere", "/traces?limit=-1"):
        headers = (await site.get(path)).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; frame-ancestors 'none'")
        assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "same-origin")
        assert headers["X-Frame-Options"] == "DENY"


async def test_requests_are_counted_by_minute_and_health_is_not(opened: Open) -> None:
    """Fault 169."""
    async with opened(rate_api=3) as site:
        for left in (2, 1, 0):
            said = await site.get("/filters")
            assert (said.status, said.headers["RateLimit-Remaining"], said.headers["RateLimit-Limit"]) == (200, str(left), "3")
        said = await site.get("/filters")
        assert (said.status, said.body) == (429, {"error": "Too many requests, please try again later"})
        assert 1 <= int(said.headers["Retry-After"]) <= 60
        assert said.headers["RateLimit-Reset"] == said.headers["Retry-After"]
        assert (await site.get("/health")).status == (await site.get("//health")).status == 200


async def test_the_default_leaves_room_for_ten_requests_a_second(opened: Open) -> None:
    """Fault 169."""
    async with opened(rate_api=600) as site:
        assert (await site.get("/filters")).headers["RateLimit"].startswith("limit=600, remaining=599")
