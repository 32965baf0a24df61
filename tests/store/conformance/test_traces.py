"""A trace read back is the trace that was sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from iris.store.interface import LOCAL, NewTrace, Store, StoreError, TraceQuery
from tests.store.making import at, evaluation, failing, judged, result, trace

NOT_JUDGED = {"latest": None, "moment": {"verdict": "unevaluated", "kind": "unevaluated", "significance": 0.1}}


async def test_a_trace_reads_back_as_it_was_sent(store: Store) -> None:
    sent = trace(
        framework="f", input="ask", output="answer", tool_calls=[{"tool_name": "t", "input": {"a": [1, None]}}], latency_ms=1.5,
        token_usage={"prompt_tokens": 3}, cost_usd=0.25, metadata={"a": {"b": 1.0}}, session_id="s", run_id="r", case_key="c",
    )  # fmt: skip
    await store.add_traces(LOCAL, [NewTrace(sent)])
    assert await store.trace(LOCAL, sent["trace_id"]) == sent | NOT_JUDGED
    assert await store.has_trace(LOCAL, sent["trace_id"])


async def test_an_unknown_trace_is_none(store: Store) -> None:
    assert await store.trace(LOCAL, "0" * 32) is None
    assert await store.moment(LOCAL, "0" * 32) is None
    assert not await store.has_trace(LOCAL, "0" * 32)
    assert await store.spans(LOCAL, "0" * 32) == []


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400, "before\0after", "half \ud800 pair", "\U0001f600", "", 1e308, 5e-324])
async def test_odd_values_read_back_exactly(store: Store, value: object) -> None:
    """Reports B195, B197."""
    sent = trace(output=f"x{value}", metadata={"value": value, f"k{value}"[:20]: 1}, agent_name="a\0b", session_id=f"{value}"[:20])
    await store.add_traces(LOCAL, [NewTrace(sent)])
    found = await store.trace(LOCAL, sent["trace_id"])
    assert found == sent | NOT_JUDGED
    page = await store.traces(LOCAL, TraceQuery())
    assert page.rows == [found]


async def test_amounts_too_large_for_the_totals_still_leave_them_answering(store: Store) -> None:
    huge = {"cost_usd": 1e300, "latency_ms": 1e300, "token_usage": {"total_tokens": 10**400}}
    for _ in range(3):
        await store.add_traces(LOCAL, [NewTrace(trace(**huge))])
    assert (await store.summary(LOCAL, 24))["total_traces"] == 3
    assert (await store.statistics(LOCAL, "all"))["totalCost"] > 0


async def test_text_behind_a_nul_is_searched(store: Store) -> None:
    """Reports B197."""
    sent = trace(output="before\0after")
    await store.add_traces(LOCAL, [NewTrace(sent)])
    for word in ("before", "after"):
        assert (await store.traces(LOCAL, TraceQuery(text=(word,)))).total == 1, word


async def test_spans_come_in_their_order_of_start_and_whole(store: Store) -> None:
    sent = trace()
    spans: list[dict[str, Any]] = [{"span_id": "b", "name": "2", "start_time": at(seconds=1), "attributes": {"n": 2**70}}, {"span_id": "a", "name": "1", "start_time": at(seconds=9)}]
    await store.add_traces(LOCAL, [NewTrace(sent, spans)])
    assert await store.spans(LOCAL, sent["trace_id"]) == [spans[1], spans[0]]


async def test_a_span_id_may_occur_in_two_traces_but_not_twice_in_one(store: Store) -> None:
    """Fault 139: nothing of a refused batch is stored, no trace without its spans."""
    span = {"span_id": "same", "name": "n", "start_time": at()}
    first, second = trace(), trace()
    await store.add_traces(LOCAL, [NewTrace(first, [span]), NewTrace(second, [span])])
    third, fourth = trace(), trace()
    with pytest.raises(StoreError) as refused:
        await store.add_traces(LOCAL, [NewTrace(third, [span]), NewTrace(fourth, [span, span])])
    assert refused.value.reason == "duplicate_span"
    assert not await store.has_trace(LOCAL, third["trace_id"])
    assert (await store.traces(LOCAL, TraceQuery())).total == 2


async def test_a_batch_is_kept_whole_or_not_at_all(store: Store) -> None:
    """Fault 139."""
    good, twice = trace(), trace()
    with pytest.raises(StoreError):
        await store.add_traces(LOCAL, [NewTrace(good), NewTrace(twice), NewTrace(twice)])
    assert (await store.traces(LOCAL, TraceQuery())).rows == []
    assert (await store.summary(LOCAL, 24))["total_traces"] == 0
    await store.add_traces(LOCAL, [NewTrace(good)])
    assert (await store.summary(LOCAL, 24))["total_traces"] == 1


async def test_a_failing_write_leaves_its_neighbours_alone(store: Store) -> None:
    sent = [judged(result()) for _ in range(20)]
    writes = [store.add_traces(LOCAL, [new]) for new in sent]
    bad = [store.add_evaluation(LOCAL, evaluation(result(), f"{i:032}")) for i in range(5)]
    done = await asyncio.gather(*writes, *bad, return_exceptions=True)
    assert done[:20] == [None] * 20
    assert all(isinstance(error, StoreError) and error.reason == "unknown_trace" for error in done[20:])
    assert (await store.traces(LOCAL, TraceQuery())).total == 20
    assert (await store.statistics(LOCAL, "all"))["totalEvals"] == 20


async def test_giving_up_the_wait_does_not_half_write(store: Store) -> None:
    sent = [judged(failing("r")) for _ in range(30)]
    tasks = [asyncio.create_task(store.add_traces(LOCAL, [new])) for new in sent]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await store.add_traces(LOCAL, [NewTrace(trace())])
    page = await store.traces(LOCAL, TraceQuery(limit=100))
    kept = {row["trace_id"]: row for row in page.rows}
    assert all(new.trace["trace_id"] in kept for new in sent[1::2])
    assert page.total == len(kept) == (await store.summary(LOCAL, 24))["total_traces"]
    assert all(row["latest"] for row in page.rows if row["trace_id"] in {new.trace["trace_id"] for new in sent})


async def test_each_tenant_sees_only_its_own(store: Store) -> None:
    mine, other = judged(failing("r"), agent_name="a"), judged(failing("r"), agent_name="b")
    await store.add_traces(LOCAL, [mine])
    await store.add_traces("other", [other])
    assert await store.trace("other", mine.trace["trace_id"]) is None
    assert [row["trace_id"] for row in (await store.traces(LOCAL, TraceQuery())).rows] == [mine.trace["trace_id"]]
    assert (await store.filters("other"))["agent_names"] == ["b"]
    assert (await store.statistics("other", "all"))["totalEvals"] == 1
    assert (await store.rule_statistics(LOCAL, "all"))[0]["totalRun"] == 1


async def test_rows_without_bodies_tell_what_columns_hold(store: Store) -> None:
    new = judged(result(), output="x" * 10, latency_ms=5.0, cost_usd=0.5, framework="f")
    await store.add_traces(LOCAL, [new])
    row = (await store.traces(LOCAL, TraceQuery(bodies=False))).rows[0]
    assert "output" not in row
    same = ("trace_id", "agent_name", "timestamp", "latency_ms", "cost_usd", "framework")
    assert {name: row[name] for name in same} == {name: new.trace[name] for name in same}
    assert row["latest"]["state"] == "pass"


async def test_an_instant_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(StoreError) as refused:
        await store.add_traces(LOCAL, [NewTrace(trace(timestamp="yesterday"))])
    assert refused.value.reason == "bad_time"


async def test_a_closed_store_says_so(store: Store) -> None:
    await store.close()
    for call in (store.traces(LOCAL, TraceQuery()), store.add_traces(LOCAL, [NewTrace(trace())])):
        with pytest.raises(StoreError) as refused:
            await call
        assert refused.value.reason == "closed"


async def test_the_health_check_says_that_it_works(store: Store) -> None:
    assert dict(await store.check()) == {"storage": True, "migrations": True}
    await store.close()
    assert not (await store.check())["storage"]


def test_what_is_made_for_tests_is_json() -> None:
    assert json.loads(json.dumps(trace()))["agent_name"] == "helper-bot"
