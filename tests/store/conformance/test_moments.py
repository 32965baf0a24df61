"""What each kind of moment is, and the order of ranked failures."""

from __future__ import annotations

from typing import Any

import pytest

from iris.store.filters import Test
from iris.store.interface import LOCAL, NewTrace, Store, TraceQuery
from tests.store.making import at, evaluation, failing, judged, result, rule, trace


async def kind_of(store: Store, trace_id: str) -> tuple[str, str, float]:
    found = await store.moment(LOCAL, trace_id)
    assert found is not None
    return found["verdict"], found["significance"]["kind"], found["significance"]["score"]


async def stored(store: Store, *results: dict[str, Any], **fields: Any) -> str:
    """A trace with evaluations of record, oldest first; gives its id."""
    sent = trace(**fields)
    await store.add_traces(LOCAL, [NewTrace(sent)])
    for found in results:
        await store.add_evaluation(LOCAL, evaluation(found, sent["trace_id"]))
    return str(sent["trace_id"])


VETO = {"role": "veto"}


@pytest.mark.parametrize(
    "results, expected",
    [
        ([], ("unevaluated", "unevaluated", 0.1)),
        ([result("unknown")], ("unevaluated", "unevaluated", 0.1)),
        ([result()], ("pass", "normal-pass", 0.05)),
        ([result(), result("unknown")], ("pass", "normal-pass", 0.05)),
        ([failing("r")], ("fail", "normal-fail", 0.5)),
        ([result("fail", [])], ("fail", "normal-fail", 0.5)),
        ([failing("r"), result()], ("partial", "normal-fail", 0.4)),
        ([failing("r"), result("pass", [rule("r", passed=True)])], ("partial", "rule-collision", 0.7)),
        ([result("fail", [rule("r", passed=False, category="safety")])], ("fail", "safety-violation", 1.0)),
        ([result("pass", [rule("r", passed=False, category="safety")])], ("pass", "safety-violation", 1.0)),
        ([result("fail", [rule("r", passed=False, category="custom", **VETO)])], ("fail", "safety-violation", 1.0)),
        ([failing("r", critical_failures=["r"])], ("fail", "safety-violation", 1.0)),
        ([result("fail", [rule("r", passed=None, category="safety"), rule("q", passed=False)])], ("fail", "normal-fail", 0.5)),
    ],
)
async def test_verdict_and_kind_follow_the_evaluations(store: Store, results: list[dict[str, Any]], expected: tuple[str, str, float]) -> None:
    """Faults 205, 210, 214."""
    assert await kind_of(store, await stored(store, *results)) == expected


async def test_a_trace_stored_with_its_verdict_is_the_same_moment(store: Store) -> None:
    new = judged(failing("r"))
    await store.add_traces(LOCAL, [new])
    assert await kind_of(store, new.trace["trace_id"]) == ("fail", "normal-fail", 0.5)


async def test_an_evaluation_that_says_what_it_supersedes_replaces_it(store: Store) -> None:
    first = failing("r")
    again = result("pass", [rule("r", passed=True)], supersedes=first["id"])
    trace_id = await stored(store, first, again)
    assert await kind_of(store, trace_id) == ("pass", "normal-pass", 0.05)
    assert (await store.moments(LOCAL, TraceQuery(sort="rank"))).total == 0


async def test_the_first_failure_and_new_patterns_need_five_earlier_traces(store: Store) -> None:
    """Fault 205: both kinds can be reached."""
    early = await stored(store, failing("a"), agent_name="young")
    assert (await kind_of(store, early))[1] == "normal-fail"
    for _ in range(5):
        await stored(store, result())
    first = await stored(store, failing("a"))
    same = await stored(store, failing("a"))
    new = await stored(store, failing("a", "b"))
    assert [(await kind_of(store, t))[1:] for t in (first, same, new)] == [
        ("first-failure", 0.8), ("normal-fail", 0.5), ("novel-pattern", 0.75),
    ]  # fmt: skip


async def test_a_cost_far_above_the_agents_own_is_a_spike(store: Store) -> None:
    """Fault 206: not a fixed price, and not with under twenty traces before."""
    for i in range(19):
        await stored(store, cost_usd=0.010 + i % 5 / 1000)
    assert (await kind_of(store, await stored(store, result(), cost_usd=0.1)))[1] == "normal-pass"
    spike = await stored(store, result(), cost_usd=0.1)
    usual = await stored(store, result(), cost_usd=0.014)
    other = await stored(store, result(), cost_usd=5.0, agent_name="dear")
    assert [(await kind_of(store, t))[1:] for t in (spike, usual, other)] == [("cost-spike", 0.9), ("normal-pass", 0.05), ("normal-pass", 0.05)]
    assert [m["id"] for m in (await store.moments(LOCAL, TraceQuery(sort="rank"))).rows] == [spike]


async def test_where_costs_never_vary_a_tenth_more_is_a_spike(store: Store) -> None:
    for _ in range(25):
        await stored(store, cost_usd=0.01)
    assert [(await kind_of(store, await stored(store, cost_usd=cost)))[1] for cost in (0.0109, 0.0121)] == ["unevaluated", "cost-spike"]


async def test_only_costs_of_before_count_for_a_trace_that_comes_late(store: Store) -> None:
    for i in range(30):
        await stored(store, cost_usd=0.01 if i < 25 else 5.0, timestamp=at(hours=30 - i))
    late = await stored(store, cost_usd=1.0, timestamp=at(hours=6))
    assert (await kind_of(store, late))[1] == "cost-spike"


async def test_moments_tell_the_mean_score_and_which_rules_failed(store: Store) -> None:
    """Faults 226, 227: the whole evaluations are in the detail."""
    one = result("fail", [rule("a", passed=False), rule("b", passed=True), rule("c", passed=None)], score=0.2)
    two = result("pass", [rule("d", passed=True)], score=0.8)
    calls = [{"tool_name": "t"}]
    trace_id = await stored(store, one, two, input="i", output="o", cost_usd=0.5, latency_ms=7.0, tool_calls=calls)
    moment = await store.moment(LOCAL, trace_id)
    assert moment is not None
    assert (moment["overallScore"], moment["evalCount"], moment["verdict"]) == (0.5, 2, "partial")
    assert moment["ruleSnapshot"] == {"failed": ["a"], "skipped": ["c"], "passedCount": 2, "totalCount": 4}
    assert [e["id"] for e in moment["evals"]] == [two["id"], one["id"]]
    assert moment["evals"][1]["rule_results"] == one["rule_results"]
    assert (moment["toolCalls"], moment["input"], moment["costUsd"], moment["latencyMs"]) == (calls, "i", 0.5, 7.0)
    listed = (await store.moments(LOCAL, TraceQuery())).rows[0]
    assert listed == {k: v for k, v in moment.items() if k not in ("evals", "toolCalls", "spans")}
    assert all(len(m["significance"]["label"]) <= 30 for m in (moment, listed))


async def test_failures_are_ranked_by_significance_halved_each_day(store: Store) -> None:
    made = {}
    for hours in (0, 10, 20, 30, 50):
        for name, found in (("fail", failing("r")), ("safety", result("fail", [rule("s", passed=False, category="safety")])), ("pass", result())):
            new = judged(found, timestamp=at(hours=hours), created_at=at(hours=hours), agent_name=f"{name}{hours}")
            made[new.trace["trace_id"]] = (1.0 if name == "safety" else 0.5) * 0.5 ** (hours / 24) if name != "pass" else None
            await store.add_traces(LOCAL, [new])
    page = await store.moments(LOCAL, TraceQuery(sort="rank", limit=100))
    expected = sorted((t for t in made if made[t] is not None), key=lambda t: -float(made[t] or 0))
    assert [row["id"] for row in page.rows] == expected
    assert [row["rankScore"] for row in page.rows] == pytest.approx([made[t] for t in expected], abs=1e-6)
    assert page.total == 10


async def test_a_failure_dated_in_the_future_ranks_as_one_of_now(store: Store) -> None:
    ahead = judged(failing("r"), timestamp=at(hours=-100))
    severe = judged(result("fail", [rule("s", passed=False, category="safety")]), agent_name="b")
    await store.add_traces(LOCAL, [ahead, severe])
    rows = (await store.moments(LOCAL, TraceQuery(sort="rank"))).rows
    assert [(row["id"], row["rankScore"]) for row in rows] == [(severe.trace["trace_id"], 1.0), (ahead.trace["trace_id"], 0.5)]


async def test_moments_are_filtered_by_kind_verdict_and_significance(store: Store) -> None:
    """Fault 182: the total is that of the filter."""
    await stored(store, failing("r"))
    await stored(store, failing("r"), result())
    for _ in range(3):
        await stored(store, result())
    for where, n in (
        (Test("kind", "=", "normal-fail"), 2),
        (Test("verdict", "=", "partial"), 1),
        (Test("verdict", "in", ("fail", "partial")), 2),
        (Test("significance", ">=", 0.5), 1),
        (Test("kind", "=", "normal-pass"), 3),
    ):
        page = await store.moments(LOCAL, TraceQuery(where, limit=1))
        assert (page.total, page.complete) == (n, True), where
