"""What no client should send: each has its answer, and the next request works."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.serve.http.conftest import Open
from tests.serve.http.site import CLEAN, HOSTS, KEYS, RULE, Site

RUN: dict[str, Any] = {"agent_name": "clerk"}
DEEP = b'{"agent_name":"clerk","metadata":' + b'{"a":' * 5000 + b"1" + b"}" * 5001


async def works(site: Site, stored: int = 0) -> None:
    """The next request is answered, and so many runs are stored."""
    assert await site.count() == stored
    await site.log()


@pytest.mark.parametrize(
    "body, says",
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"agent_name": "clerk"} x', "not JSON"),
        (b"null", "JSON object"),
        (b'"clerk"', "JSON object"),
        (b"5", "JSON object"),
        (b"{}", "agent_name"),
        (b'{"agent_name": ""}', "agent_name"),
        (b'{"agent_name": "a", "agent_name": "b"}', "twice"),
        (b'{"agent_name": "a", "cost_usd": NaN}', "NaN"),
        (b'{"agent_name": "a", "cost_usd": Infinity}', "Infinity"),
        (b'{"agent_name": "a", "cost_usd": 1e999}', "cost_usd"),
        (b'{"agent_name": "a", "cost_usd": -1}', "cost_usd"),
        (b'{"agent_name": "a", "latency_ms": "fast"}', "latency_ms"),
        (b'{"agent_name": "a", "token_usage": {"total_tokens": 9223372036854775808}}', "total_tokens"),
        (b'{"agent_name": "a", "metadata": {"n": ' + b"9" * 5000 + b"}}", "digits"),
        (b'{"agent_name": "a", "metadata": {"n": ' + b"9" * 400 + b"}}", "metadata.n"),
        (b'{"agent_name": "\xff\xfe"}', "UTF-8"),
        (b'\xff\xfe{\x00"\x00', "UTF-8"),
        (DEEP, "deep"),
        (b"[" * 100_000, ""),
        (b'{"agent_name": "a", "trace_id": "' + b"0" * 32 + b'"}', "minted by Iris"),
        (b'{"agent_name": "a", "agent_nmae": "b"}', "agent_nmae"),
        (b'{"agent_name": "a", "evaluate": true}', "output"),
        (b'{"agent_name": "a", "evaluate": true, "output": "x", "eval_type": "saftey"}', "eval_type"),
        (b'{"agent_name": "a", "timestamp": "yesterday"}', "timestamp"),
        (b'{"agent_name": "a", "spans": [{"name": "x", "span_id": "1"}, {"name": "y", "span_id": "1"}]}', "span_id"),
        (b'{"agent_name": "a", "tools": [' + b",".join([b'{"name":"t"}'] * 201) + b"]}", "tools"),
    ],
    ids=range(28),
)
async def test_a_body_that_is_no_run_is_400_and_says_why(site: Site, body: bytes, says: str) -> None:
    """Faults 159, 162."""
    said = await site.ask("POST", "/traces", body)
    assert said.status == 400
    assert said.body["error"] == "Invalid trace payload"
    assert says in json.dumps(said.body["details"], ensure_ascii=False)
    assert b"Traceback" not in said.raw
    assert b"/iris/" not in said.raw
    await works(site)


@pytest.mark.parametrize(
    "output",
    ["\x00", "a\x00b", "\ud800", "\udfff\ud800", "\ufeffx", "\u202e", "\U0001f600" * 100, "A" + "\u0301" * 5000, "\r\n\x1b[31m", "</script><script>"],
    ids=range(10),
)
async def test_a_text_of_odd_characters_is_stored_judged_and_given_back(site: Site, output: str) -> None:
    told = await site.log(output=output)
    found = (await site.get(f"/traces/{told['trace_id']}")).body
    assert found["trace"]["output"] == output.encode("utf-8", "replace").decode() or "\ud800" in output or "\udfff" in output
    assert len(found["trace"]["output"]) == len(output)


async def test_a_byte_order_mark_is_passed_over(site: Site) -> None:
    for body in (b'{"agent_name":"clerk"}', b'[{"agent_name":"clerk"}]'):
        assert (await site.ask("POST", "/traces", b"\xef\xbb\xbf" + body)).status == 201


async def test_null_is_left_out(site: Site) -> None:
    assert (await site.ask("POST", "/traces", {**RUN, "input": None, "tool_calls": None, "cost_usd": None})).status == 201


async def test_two_runs_may_each_have_a_span_of_one_id(site: Site) -> None:
    """Whoever sends a run can not keep the spans of another from being stored."""
    for _ in range(2):
        said = await site.ask("POST", "/traces", {**RUN, "spans": [{"name": "x", "span_id": "one"}]})
        assert len((await site.get(f"/traces/{said.body['trace_id']}")).body["spans"]) == 1


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain;charset=UTF-8", "application/xml"])
@pytest.mark.parametrize("method, path", [("POST", "/traces"), ("POST", "/rules/custom"), ("POST", "/rules/custom/preview"), ("PATCH", "/preferences")])
async def test_what_any_page_can_send_is_415(site: Site, method: str, path: str, kind: str) -> None:
    """Reports B205."""
    said = await site.ask(method, path, b'{"agent_name":"clerk"}', headers={"Content-Type": kind})
    assert (said.status, "application/json" in said.body["valid"]) == (415, True)
    await works(site)


async def test_a_body_over_the_limit_is_413_by_its_length_before_it_is_sent(site: Site) -> None:
    """Faults 104: the answer comes without the body."""
    head = b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
    assert (await site.raw(head)).status == 413
    for method, path in (("POST", "/rules/custom"), ("PATCH", "/preferences")):
        assert (await site.ask(method, path, b'{"a":"' + b"x" * 5_000_000)).status == 413
    assert (await site.ask("POST", "/traces", {**RUN, "output": "x" * 5_000_000})).status == 413
    await works(site)


async def chunks(size: int, first: bytes = b'{"agent_name":"', fill: bytes = b"x") -> AsyncIterator[bytes]:
    """A body that names no length."""
    yield first
    for _ in range(size >> 16):
        yield fill * (1 << 16)


def resident() -> int:
    """The most this process has used, in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("kind, first, fill", [
    ("application/json", b'{"agent_name":"', b"x"), ("application/json", b"", b" "), ("application/x-ndjson", b'{"agent_name":"', b"x"), ("application/x-ndjson", b"", b"\n"),
])  # fmt: skip
async def test_a_body_in_chunks_is_counted_while_it_comes(site: Site, kind: str, first: bytes, fill: bytes) -> None:
    """Reports B201: 70 MB, and the memory of a part of them."""
    await works(site)
    before = resident()
    said = await site.ask("POST", "/traces", chunks(70 << 20, first, fill), headers={"Content-Type": kind})
    assert said.status == 413
    assert resident() - before < 30_000
    await works(site, 1)


async def test_a_compressed_body_is_counted_unpacked(site: Site) -> None:
    """Reports B201."""
    headers = {"Content-Encoding": "gzip"}
    small = gzip.compress(json.dumps(RUN).encode())
    assert (await site.ask("POST", "/traces", small, headers=headers)).status == 201
    before = resident()
    bomb = gzip.compress(b'{"agent_name":"' + b"x" * (200 << 20), 1)
    start = resident()
    assert (await site.ask("POST", "/traces", bomb, headers=headers)).status == 413
    assert resident() - max(before, start) < 40_000
    assert (await site.ask("POST", "/traces", b"no gzip", headers=headers)).status == 400
    await works(site, 1)


async def test_the_limit_is_exact(opened: Open) -> None:
    async with opened(request_size_limit=1000) as site:
        body = json.dumps({**RUN, "output": ""}).encode()
        for size, status in ((1000, 201), (1001, 413)):
            whole = json.dumps({**RUN, "output": "x" * (size - len(body))}).encode()
            assert (await site.ask("POST", "/traces", whole)).status == status


@pytest.mark.parametrize(
    "path",
    [
        "/traces?limit=-1", "/traces?limit=0", "/traces?limit=1001", "/traces?limit=1000000", "/traces?limit=x", "/traces?limit=1.5", "/traces?limit=",
        "/traces?limit=" + "9" * 30, "/traces?limit=%D9%A1", "/traces?offset=-1", "/traces?offset=" + "9" * 20, "/traces?limit=1&limit=2",
        "/traces?min_score=0.9&max_score=0.1", "/traces?min_score=NaN", "/traces?min_score=1e999", "/traces?min_score=2", "/traces?since=yesterday",
        "/traces?since=08/01/2026", "/traces?since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z", "/traces?since=2026-03-01T00:00:00",
        "/traces?sort_by=agent_name", "/traces?sort_by=timestamp;DROP%20TABLE%20traces", "/traces?sort_order=up", "/traces?after=nonsense", "/traces?q=cost%20%3E%200.05parsecs",
        "/traces?q=nokey:x%20AND", "/traces?source=http", "/evaluations?passed=maybe", "/evaluations?eval_type=x", "/summary?hours=0", "/summary?hours=8761",
        "/eval-stats/failures?limit=101", "/failures?limit=101", "/failures?after=%00", "/moments?limit=201", "/moments?window=10", "/moments?window=501&sort_by=significance",
        "/moments?sort_by=significance&sort_order=asc", "/moments?significance_kind=x", "/audit?action=trace.read", "/audit?search=" + "x" * 201,
        "/preferences?x=1", "/events?x=1", "/health?verbose=1", "/traces/" + "0" * 32 + "?x=1",
    ],
)  # fmt: skip
async def test_a_query_that_means_nothing_is_400_not_an_empty_page(site: Site, path: str) -> None:
    """Faults 124, 149, 151, 152, 153, 182."""
    said = await site.get(path)
    assert said.status == 400, said.raw
    assert said.body["error"]
    assert said.body["details"]
    assert b"Traceback" not in said.raw
    assert b"sqlite" not in said.raw.lower()


async def test_crossed_bounds_name_both_values(site: Site) -> None:
    """Fault 151."""
    error = (await site.get("/traces?min_score=0.9&max_score=0.1")).body["error"]
    assert "0.9" in error
    assert "0.1" in error


@pytest.mark.parametrize("number", ["x", "0" * 32, "..", "%2e%2e%2fetc%2fpasswd", "%00", "%ff", "a%0ab", "'%20OR%201=1", "%F0%9F%98%80", "%25", "a" * 4000])
async def test_an_id_there_is_none_of_is_404(site: Site, number: str) -> None:
    for method, path in (("GET", "traces"), ("DELETE", "traces"), ("GET", "evaluations"), ("GET", "moments"), ("DELETE", "rules/custom")):
        said = await site.raw(f"{method} /api/v1/{path}/{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert said.status == 404, (method, path)
        assert said.body["error"]
    assert (await site.ask("POST", "/evaluations/x/reevaluate")).status == 404
    assert (await site.ask("PATCH", "/rules/custom/x", {"enabled": True})).status == 404


@pytest.mark.parametrize("body", [{"enabled": "yes"}, {"enabled": 1}, {}, {"enabled": True, "name": "x"}, []])
async def test_a_switch_is_on_or_off(site: Site, body: Any) -> None:
    number = (await site.ask("POST", "/rules/custom", RULE)).body["rule"]["id"]
    assert (await site.ask("PATCH", f"/rules/custom/{number}", body)).status == 400
    assert (await site.get("/rules/custom")).body["rules"][0]["enabled"] is True


@pytest.mark.parametrize("body", [{"theme": "pink"}, {"thme": "dark"}, {"momentFilters": {"x": 1}}, {"dismissedTours": ["x" * 81]}, None, {"density": 5}])
async def test_a_preference_there_is_none_of_is_refused(site: Site, body: Any) -> None:
    assert (await site.ask("PATCH", "/preferences", json.dumps(body).encode())).status == 400


@pytest.mark.parametrize("change", [{"windowDays": 31}, {"windowDays": 0}, {"maxTraces": 5001}, {"sampleOutput": "x" * 100_001}, {"evalType": "all"}, {"sample": "x"}])
async def test_a_preview_has_bounds(site: Site, change: dict[str, Any]) -> None:
    assert (await site.ask("POST", "/rules/custom/preview", {"definition": HOSTS, **change})).status == 400


async def test_a_client_that_leaves_before_the_answer_leaves_all_or_nothing(site: Site) -> None:
    """Reports B203."""
    spans = [{"name": f"s{i}"} for i in range(20)]
    body = json.dumps({**RUN, "output": CLEAN, "evaluate": True, "spans": spans}).encode()
    head = b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    for cut in (len(body), len(body) - 1, 10):
        for _ in range(10):
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(head + body[:cut])
            await writer.drain()
            writer.transport.abort()
    await site.log(agent_name="next")
    found = (await site.get("/traces?agent_name=clerk&limit=100")).body["traces"]
    assert len(found) <= 10
    for trace in found:
        detail = (await site.get(f"/traces/{trace['trace_id']}")).body
        assert (len(detail["spans"]), len(detail["evals"])) == (20, 1)


async def test_a_request_that_never_ends_holds_nobody_else(site: Site) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    start = time.monotonic()
    await works(site)
    assert time.monotonic() - start < 2
    writer.close()


async def test_a_fault_of_ours_is_500_with_an_id_and_no_more(site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Fault 107."""

    async def broken(*_: Any, **__: Any) -> None:
        raise OSError(13, "Permission denied", "/home/somebody/.iris/iris.db")

    monkeypatch.setattr(site.service, "filters", broken)
    said = await site.get("/filters")
    assert (said.status, said.body["error"]) == (500, "Internal server error")
    assert set(said.body) == {"error", "id"}
    assert said.body["id"] in caplog.text
    monkeypatch.setattr(site.service.core.store, "filters", broken)
    monkeypatch.undo()
    monkeypatch.setattr(site.service.core.store, "filters", broken)
    inner = await site.get("/filters")
    assert inner.status == 500
    assert b"somebody" not in inner.raw


async def test_a_store_that_can_not_is_503_and_tells_no_path(site: Site) -> None:
    await site.store.close()
    said = await site.get("/traces")
    assert said.status in (500, 503)
    assert str(site.config.db_path.parent).encode() not in said.raw


async def test_a_wrong_key_learns_nothing_of_the_routes(opened: Open) -> None:
    async with opened(api_keys=KEYS) as site:
        bodies = {(await site.get(p, headers={"Authorization": "Bearer x"})).raw for p in ("/traces", "/nowhere", "/traces/" + "0" * 32)}
        assert len(bodies) == 1
