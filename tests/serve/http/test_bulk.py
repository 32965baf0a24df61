"""Many runs in one request: an array, or a line a run."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.serve.http import ingest
from iris.serve.http.bodies import lines
from iris.serve.http.records import items
from iris.service.errors import ServiceError
from iris.service.values import JsonError
from tests.serve.http.conftest import Open
from tests.serve.http.site import CLEAN, LEAK, Said, Site

RUN: dict[str, Any] = {"agent_name": "clerk"}
NDJSON = {"Content-Type": "application/x-ndjson"}


async def post(site: Site, form: str, records: list[Any]) -> Said:
    """Send records in a form; bytes among them go as they are."""
    parts = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    if form == "array":
        return await site.ask("POST", "/traces", b"[" + b",".join(parts) + b"]")
    return await site.ask("POST", "/traces", b"\n".join(parts), headers=NDJSON)


@pytest.mark.parametrize("form", ["array", "lines"])
async def test_all_are_stored_and_answered_in_order(site: Site, form: str) -> None:
    said = await post(site, form, [{**RUN, "agent_name": f"a{i}"} for i in range(250)])
    assert (said.status, said.body["count"], said.body["stored"]) == (201, 250, 250)
    found = (await site.get("/traces?limit=1000")).body["traces"]
    names = {t["trace_id"]: t["agent_name"] for t in found}
    assert [names[r["trace_id"]] for r in said.body["results"]] == [f"a{i}" for i in range(250)]


@pytest.mark.parametrize("form", ["array", "lines"])
@pytest.mark.parametrize("bad", [
    {"agent_nmae": "x"}, 5, None, [], {**RUN, "trace_id": "x"}, {**RUN, "evaluate": True}, {**RUN, "timestamp": "soon"}, b'{"agent_name":"a","agent_name":"b"}',
    b'{"agent_name":"a","cost_usd":NaN}', b'{"agent_name":"a","metadata":' + b"[" * 200 + b"]" * 200 + b"}", {**RUN, "spans": [{"name": "a", "span_id": "1"}] * 2},
], ids=range(11))  # fmt: skip
async def test_what_is_wrong_with_one_spoils_only_itself(site: Site, form: str, bad: Any) -> None:
    """Fault 179."""
    said = await post(site, form, [RUN, bad, RUN])
    assert (said.status, said.body["stored"]) == (207, 2)
    assert [r["status"] for r in said.body["results"]] == ["stored", "refused", "stored"]
    error = said.body["results"][1]["error"]
    assert error["code"] == "IRIS_INVALID_ARGUMENT"
    assert "1" in error["message"]
    assert await site.count() == 2


@pytest.mark.parametrize("form", ["array", "lines"])
async def test_when_none_is_stored_it_is_400(site: Site, form: str) -> None:
    said = await post(site, form, [5, 6])
    assert (said.status, said.body["error"], said.body["stored"]) == (400, "Invalid trace payload", 0)


@pytest.mark.parametrize("body, headers", [(b"[]", {}), (b" [ ] ", {}), (b"", NDJSON), (b"\n \n\r\n", NDJSON)])
async def test_no_run_at_all_is_400(site: Site, body: bytes, headers: dict[str, str]) -> None:
    said = await site.ask("POST", "/traces", body, headers=headers)
    assert (said.status, said.body["error"]) == (400, "there is no run in the body")


@pytest.mark.parametrize("body", [b"[", b"[{}", b"[{},", b"[{},]", b'[{"agent_name":"a"} {}]', b'[{"agent_name":"a"}] x', b'[{"agent_name":"a"},{"a":]', b"[" * 100_000, b"[\xff]", b"[" + b"9" * 5000 + b"]"], ids=range(10))
async def test_an_array_that_breaks_off_stores_nothing(site: Site, body: bytes) -> None:
    said = await site.ask("POST", "/traces", body)
    assert (said.status, said.body["error"]) == (400, "Invalid trace payload")
    assert await site.count() == 0


async def test_lines_end_in_any_way_and_blank_ones_are_passed_over(site: Site) -> None:
    line = b'{"agent_name":"a"}'
    said = await site.ask("POST", "/traces", b"\xef\xbb\xbf" + line + b"\r\n\n  \n" + line + b"\n" + line, headers=NDJSON)
    assert (said.status, said.body["count"]) == (201, 3)


async def test_lines_that_ask_for_it_are_judged(site: Site) -> None:
    """Fault 180: each says whether it passed."""
    said = await post(site, "lines", [{**RUN, "output": text, "evaluate": True, "eval_type": "safety"} for text in (CLEAN, LEAK)])
    assert [r["evaluation"]["passed"] for r in said.body["results"]] == [True, False]
    assert (await site.get("/evaluations")).body["total"] == 2


@pytest.mark.parametrize("form", ["array", "lines"])
async def test_the_limit_of_a_request_is_that_of_each_record(opened: Open, form: str) -> None:
    async with opened(request_size_limit=2000) as site:
        big = {**RUN, "output": "x" * 3000}
        said = await post(site, form, [RUN, big, *([{**RUN, "output": "x" * 1000}] * 50)])
        assert (said.status, said.body["stored"]) == (207, 51)
        assert "2000 bytes" in said.body["results"][1]["error"]["message"]


async def test_a_line_of_a_hundred_thousand_characters_is_refused_once(opened: Open) -> None:
    async with opened(request_size_limit=2000) as site:
        said = await post(site, "lines", [b"x" * 300_000, RUN, b"y" * 300_000])
        assert [r["status"] for r in said.body["results"]] == ["refused", "stored", "refused"]


@pytest.mark.parametrize("form", ["array", "lines"])
async def test_more_runs_than_an_answer_can_hold_are_refused(site: Site, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "MOST_RECORDS", 150)
    assert (await post(site, form, [RUN] * 150)).status == 201
    said = await post(site, form, [RUN] * 151)
    assert said.status == 413
    assert said.body["stored"] == len(said.body["results"]) == (0 if form == "array" else 150)


async def test_lines_that_become_too_many_bytes_say_what_was_stored(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "MOST_BYTES", 600_000)
    said = await post(site, "lines", [{**RUN, "output": "x" * 1000}] * 1000)
    assert said.status == 413
    assert 0 < said.body["stored"] == await site.count() < 1000


async def test_other_requests_get_their_turn_while_many_runs_are_stored(site: Site) -> None:
    bulk = asyncio.create_task(post(site, "lines", [{**RUN, "output": CLEAN, "evaluate": True}] * 800))
    await asyncio.sleep(0.05)
    assert (await site.get("/health")).status == 200
    assert not bulk.done()
    assert (await bulk).status == 201


async def test_the_trace_context_of_the_request_is_kept(site: Site) -> None:
    headers = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "baggage": "session_id=s1"}
    said = await site.ask("POST", "/traces", [RUN], headers=headers)
    trace = (await site.get(f"/traces/{said.body['results'][0]['trace_id']}")).body["trace"]
    assert trace["metadata"]["trace_context"]["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    assert trace["session_id"] == "s1"


class Chunks:
    """A request whose body comes in parts."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts
        self.content = self

    async def iter_any(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part


@given(st.binary(max_size=200).map(lambda b: b.replace(b"\r", b"")), st.lists(st.integers(0, 200), max_size=8))
def test_lines_are_the_same_however_the_body_is_cut(body: bytes, cuts: list[int]) -> None:
    at = sorted({min(c, len(body)) for c in cuts} | {0, len(body)})
    parts = [body[a:b] for a, b in itertools.pairwise(at)]

    async def read() -> list[bytes]:
        return [line async for line in lines(Chunks(parts), 1000, 1000)]  # type: ignore[arg-type]

    assert [line.strip() for line in asyncio.run(read())] == [line.strip() for line in body.split(b"\n") if line.strip()]


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3), max_leaves=8)


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 2]))
def test_the_items_of_an_array_are_those_it_has(values: list[Any], indent: int | None) -> None:
    assert list(items(json.dumps(values, indent=indent).encode(), 10**6)) == values


@given(st.binary(max_size=40))
def test_any_bytes_are_an_array_or_an_error(raw: bytes) -> None:
    try:
        found = list(items(b"[" + raw, 100))
    except JsonError:
        return
    assert all(isinstance(v, ServiceError | dict | list | str | int | float | None) for v in found)
