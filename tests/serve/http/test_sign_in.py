"""Keys of programs and sessions of browsers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iris.config.keys import ApiKey, digest_of
from iris.serve.http.sessions import MOST, Sessions
from tests.serve.http.conftest import Open
from tests.serve.http.site import BEARER, KEY, KEYS

HTML = {"Accept": "text/html,application/xhtml+xml"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def test_a_key_is_asked_for_on_every_route_but_health(opened: Open) -> None:
    """Fault 123."""
    async with opened(api_keys=KEYS) as site:
        for path in ("/traces", "/rules/custom", "/preferences", "/events", "/openapi.json", "/nowhere", "//nowhere", "/capabilities"):
            said = await site.get(path)
            assert (said.status, said.body["error"]) == (401, "Missing or invalid Authorization header")
            assert said.headers["WWW-Authenticate"] == "Bearer"
        assert (await site.get("/health")).status == (await site.get("//health")).status == 200
        assert (await site.get("/traces", headers=BEARER)).status == 200


@pytest.mark.parametrize("sent, status", [
    (f"Bearer {KEY}", 200), (f"bearer {KEY}", 200), (f"Bearer {KEY}x", 403), (f"Bearer {KEY[:-1]}", 403), ("Bearer", 401), ("Bearer ", 401), (f"Basic {KEY}", 401), (KEY, 401), ("Bearer \xff", 403),
])  # fmt: skip
async def test_only_the_whole_key_opens(opened: Open, sent: str, status: int) -> None:
    async with opened(api_keys=KEYS) as site:
        assert (await site.raw(f"GET /api/v1/filters HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {sent}\r\n\r\n".encode("latin-1"))).status == status


async def test_a_wrong_key_is_told_so_and_never_repeated(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        said = await site.get("/traces", headers={"Authorization": "Bearer made-up-wrong-one"})
        assert (said.status, said.body) == (403, {"error": "Invalid API key"})


async def test_the_key_is_asked_for_before_the_body_is_read(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        head = b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
        assert (await site.raw(head)).status == 401


async def test_a_key_that_has_ended_opens_nothing(opened: Open) -> None:
    ended = ApiKey("old", digest_of(KEY), datetime.now(UTC) - timedelta(seconds=1))
    async with opened(api_keys=(ended,)) as site:
        assert (await site.get("/traces", headers=BEARER)).status == 403


async def test_a_browser_is_shown_where_to_sign_in(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        said = await site.get("//traces", headers=HTML)
        assert said.status == 401
        assert said.headers["Content-Type"].startswith("text/html")
        assert b'action="/session"' in said.raw
        assert "form-action 'self'" in said.headers["Content-Security-Policy"]


async def test_a_key_in_an_address_becomes_a_cookie_and_leaves_the_address(opened: Open) -> None:
    """Fault 121: with a session too."""
    async with opened(api_keys=KEYS) as site:
        for headers in (HTML, {**HTML, "Cookie": ""}):
            said = await site.get(f"//runs?key={KEY}&view=all", headers=headers)
            assert (said.status, said.headers["Location"]) == (302, "/runs?view=all")
            cookie = said.headers["Set-Cookie"]
            assert {p.strip() for p in cookie.split(";")[1:]} == {"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"}
            assert KEY not in cookie
            headers = {"Cookie": cookie.split(";")[0]}
            assert (await site.get("/traces", headers=headers)).status == 200
            again = await site.get(f"//?key={KEY}", headers={**HTML, **headers})
            assert (again.status, again.headers["Location"]) == (302, "/")


@pytest.mark.parametrize("path, where", [("//evil.example/", "/evil.example/"), ("/%0d%0aSet-Cookie:x=1", "/%0D%0ASet-Cookie:x=1"), ("/\\evil.example", "/evil.example")])
async def test_a_key_in_an_address_leads_nowhere_else(opened: Open, path: str, where: str) -> None:
    async with opened(api_keys=KEYS) as site:
        said = await site.raw(f"GET {path}?key={KEY} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert said.status == 302
        assert said.headers["location"].lower().replace("%5c", "") == where.lower()


async def test_a_key_in_an_address_of_the_interface_is_no_key(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        assert (await site.get(f"/traces?key={KEY}")).status == 401


async def test_the_form_signs_in_and_out(opened: Open) -> None:
    """Fault 120: the page's own Origin is accepted."""
    async with opened(api_keys=KEYS) as site:
        origin = {"Origin": f"http://127.0.0.1:{site.port}", **FORM}
        said = await site.ask("POST", "//session", f"key={KEY}".encode(), headers=origin)
        assert (said.status, said.headers["Location"]) == (303, "/")
        session = {"Cookie": said.headers["Set-Cookie"].split(";")[0]}
        assert (await site.get("/traces", headers=session)).status == 200
        out = await site.ask("POST", "//session/end", b"", headers={**session, **FORM})
        assert (out.status, "Max-Age=0" in out.headers["Set-Cookie"]) == (303, True)
        assert (await site.get("/traces", headers=session)).status == 401


async def test_a_wrong_key_in_the_form_gives_the_page_again_and_no_cookie(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        said = await site.ask("POST", "//session", b"key=<script>alert(1)</script>", headers=FORM)
        assert (said.status, "Set-Cookie" in said.headers, b"<script>" in said.raw) == (403, False, False)


async def test_the_form_is_small_and_of_its_type(opened: Open) -> None:
    """Reports B205."""
    async with opened(api_keys=KEYS) as site:
        assert (await site.ask("POST", "//session", b"key=" + b"x" * 5000, headers=FORM)).status == 413
        assert (await site.ask("POST", "//session", b"key=x", headers={"Content-Type": "text/plain"})).status == 415
        assert (await site.get("//session", headers=BEARER)).status == 405


async def test_sign_ins_are_counted(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        found = [(await site.ask("POST", "//session", b"key=wrong", headers=FORM)).status for _ in range(11)]
        assert found == [403] * 10 + [429]
        assert (await site.get("/traces", headers=BEARER)).status == 200


async def test_a_full_house_turns_away_and_throws_nobody_out(opened: Open) -> None:
    """Fault 119."""
    sessions = Sessions(KEYS)
    tokens = [sessions.open() for _ in range(MOST)]
    assert sessions.open() is None
    said = sessions.exchange(KEY, "somebody", "/", secure=False)
    assert (said.status, "Set-Cookie" in said.headers) == (503, False)
    assert all(sessions.valid(token) for token in tokens)


async def test_sessions_that_ended_make_room() -> None:
    now = [0.0]
    sessions = Sessions(KEYS, clock=lambda: now[0])
    old = [sessions.open() for _ in range(MOST)]
    now[0] = 31 * 86_400.0
    assert not sessions.valid(old[0])
    assert sessions.valid(sessions.open())


async def test_a_session_ends_with_its_key() -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    now = [datetime.now(UTC).timestamp()]
    sessions = Sessions((ApiKey("short", digest_of(KEY), ends),), clock=lambda: now[0])
    token = sessions.exchange(KEY, "somebody", "/", secure=True).headers["Set-Cookie"].split("=")[1].split(";")[0]
    assert sessions.valid(token)
    now[0] += 3601
    assert not sessions.valid(token)


async def test_the_cookie_is_secure_over_https() -> None:
    assert "; Secure" in Sessions(KEYS).exchange(KEY, "somebody", "/", secure=True).headers["Set-Cookie"]
