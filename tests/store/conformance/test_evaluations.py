"""Evaluations: of record and beside, lists, statistics."""

from __future__ import annotations

import pytest

from iris.store.filters import All, Test
from iris.store.interface import LOCAL, EvaluationQuery, NewTrace, Store, StoreError, TraceQuery
from tests.store.making import at, evaluation, failing, judged, result, rule, trace


async def test_an_evaluation_reads_back_with_its_texts(store: Store) -> None:
    sent = trace()
    await store.add_traces(LOCAL, [NewTrace(sent)])
    found = result("pass", [rule("r", passed=True)])
    await store.add_evaluation(LOCAL, evaluation(found, sent["trace_id"], output="o\0\ud800", expected="e"))
    row = await store.evaluation(LOCAL, found["id"])
    assert row == found | {"trace_id": sent["trace_id"], "created_at": at(), "output_text": "o\0\ud800", "expected_text": "e"}
    assert await store.evaluation(LOCAL, "no") is None


async def test_an_evaluation_of_an_unknown_trace_is_refused_and_not_kept(store: Store) -> None:
    """Fault 163."""
    with pytest.raises(StoreError) as refused:
        await store.add_evaluation(LOCAL, evaluation(result(), "0" * 32))
    assert refused.value.reason == "unknown_trace"
    assert (await store.evaluations(LOCAL, EvaluationQuery())).total == 0
    await store.add_evaluation(LOCAL, evaluation(result(), None, reference_trace_id="0" * 32))
    assert (await store.evaluations(LOCAL, EvaluationQuery())).total == 1


async def test_the_newest_evaluation_of_record_is_the_verdict_and_one_beside_is_not(store: Store) -> None:
    """Fault 150: the latest evaluation only is filtered by."""
    new = judged(result(score=0.95))
    trace_id = new.trace["trace_id"]
    await store.add_traces(LOCAL, [new])
    await store.add_evaluation(LOCAL, evaluation(failing("r", score=0.05), trace_id))
    await store.add_evaluation(LOCAL, evaluation(result(score=0.5), None, reference_trace_id=trace_id))
    row = await store.trace(LOCAL, trace_id)
    assert row is not None
    assert row["latest"]["score"] == 0.05
    assert row["latest"]["failed_rules"] == ["r"]
    middle = TraceQuery(All((Test("score", ">=", 0.4), Test("score", "<=", 0.6))))
    assert (await store.traces(LOCAL, middle)).total == 0
    assert (await store.traces(LOCAL, TraceQuery(Test("score", "<", 0.1)))).total == 1
    rows = await store.evaluations_of(LOCAL, trace_id)
    assert [r["score"] for r in rows] == [0.5, 0.05, 0.95]
    assert rows[0]["reference_trace_id"] == trace_id


@pytest.mark.parametrize(
    "query, expected",
    [
        (EvaluationQuery(), "abcde"),
        (EvaluationQuery(passed=False), "bd"),
        (EvaluationQuery(eval_type="safety"), "ac"),
        (EvaluationQuery(eval_type="all", passed=False), "bd"),
        (EvaluationQuery(since=at(hours=2)), "abc"),
        (EvaluationQuery(until=at(hours=2)), "cde"),
        (EvaluationQuery(limit=2, offset=1), "bc"),
    ],
)
async def test_lists_of_evaluations_are_newest_first_and_inclusive(store: Store, query: EvaluationQuery, expected: str) -> None:
    for i, name in enumerate("abcde"):
        found = (failing("r") if name in "bd" else result()) | {"id": name, "eval_type": "safety" if name in "ac" else "all"}
        await store.add_evaluation(LOCAL, evaluation(found, created_at=at(hours=i)))
    page = await store.evaluations(LOCAL, query)
    assert [row["id"] for row in page.rows] == list(expected)
    assert page.total == (5 if query.offset else len(expected))


async def test_an_evaluation_20_hours_old_is_in_the_last_day_and_one_of_25_is_not(store: Store) -> None:
    """Fault 129: instants are compared as instants."""
    for hours in (0.5, 20, 23.9, 24.1, 25):
        await store.add_evaluation(LOCAL, evaluation(failing("r"), created_at=at(hours=hours)))
    assert (await store.statistics(LOCAL, "24h"))["totalEvals"] == 3
    assert (await store.rule_statistics(LOCAL, "24h"))[0]["totalRun"] == 3
    assert len(await store.recent_failures(LOCAL, "24h", 10)) == 3
    current, prior = await store.drift(LOCAL, "24h")
    assert (current["evaluated"], prior["evaluated"]) == (3, 2)
    assert sum(bucket["evalCount"] for bucket in await store.trend(LOCAL, "24h")) == 3


async def test_a_date_supplied_by_an_import_is_kept(store: Store) -> None:
    """Fault 136."""
    new = judged(result(), timestamp=at(hours=500), created_at=at(hours=400))
    await store.add_traces(LOCAL, [new])
    found = await store.trace(LOCAL, new.trace["trace_id"])
    assert found is not None
    assert (found["timestamp"], found["created_at"]) == (at(hours=500), at(hours=400))


async def test_no_evaluations_give_no_rate(store: Store) -> None:
    """Fault 212."""
    found = await store.statistics(LOCAL, "24h")
    assert (found["passRate"], found["avgScore"], found["totalEvals"]) == (None, None, 0)
    assert (await store.summary(LOCAL, 24))["eval_pass_rate"] is None


async def test_a_verdict_that_could_not_tell_counts_in_no_rate(store: Store) -> None:
    """Fault 201."""
    for state in ("pass", "fail", "unknown", "unknown"):
        await store.add_evaluation(LOCAL, evaluation(result(state)))
    found = await store.statistics(LOCAL, "24h")
    assert (found["totalEvals"], found["passRate"], found["avgScore"]) == (4, 0.5, 0.625)
    assert (await store.drift(LOCAL, "24h"))[0]["evaluated"] == 2


async def test_violations_are_counted_in_passed_evaluations_too(store: Store) -> None:
    """Faults 213, 215: by the classes of what failed, not by names or the verdict."""
    rules = [rule("mine", passed=False, classes=["pii_leak"]), rule("pii_like", passed=True, classes=["pii_leak"])]
    await store.add_evaluation(LOCAL, evaluation(result("pass", rules)))
    await store.add_evaluation(LOCAL, evaluation(result("fail", [rule("x", passed=None, classes=["injection"])])))
    assert (await store.statistics(LOCAL, "24h"))["safetyViolations"] == {"pii": 1, "injection": 0, "hallucination": 0}


async def test_rules_that_were_skipped_are_left_out_and_the_worst_comes_first(store: Store) -> None:
    rules = [rule("good", passed=True), rule("bad", passed=False), rule("idle", passed=None)]
    for _ in range(3):
        await store.add_evaluation(LOCAL, evaluation(result("fail", rules)))
    assert await store.rule_statistics(LOCAL, "24h") == [
        {"rule": "bad", "passRate": 0.0, "totalRun": 3, "failCount": 3},
        {"rule": "good", "passRate": 1.0, "totalRun": 3, "failCount": 0},
    ]


async def test_recent_failures_cut_their_output_at_200_characters(store: Store) -> None:
    await store.add_evaluation(LOCAL, evaluation(failing("r"), output="x" * 500))
    await store.add_evaluation(LOCAL, evaluation(result(), output="fine"))
    rows = await store.recent_failures(LOCAL, "24h", 10)
    assert [row["output_text"] for row in rows] == ["x" * 200]


async def test_the_summary_adds_up(store: Store) -> None:
    spans = [{"span_id": "s", "name": "n", "status_code": "ERROR", "start_time": at()}]
    for i in range(4):
        sent = trace(agent_name=f"a{i % 3}", timestamp=at(hours=i * 10), cost_usd=0.1, latency_ms=100.0 * i if i else None)
        await store.add_traces(LOCAL, [NewTrace(sent, spans if i == 1 else ())])
    assert await store.summary(LOCAL, 24) == {
        "total_traces": 3,
        "avg_latency_ms": 150.0,
        "total_cost_usd": 0.3,
        "error_rate": 0.3333,
        "eval_pass_rate": None,
        "traces_per_hour": [{"hour": f"{hour}:00:00.000Z", "count": 1} for hour in ("2026-03-09T16", "2026-03-10T02", "2026-03-10T12")],
        "top_agents": [{"agent_name": f"a{i}", "count": 1} for i in range(3)],
    }
    assert (await store.statistics(LOCAL, "24h"))["agentCount"] == 3
    assert await store.filters(LOCAL) == {"agent_names": ["a0", "a1", "a2"], "frameworks": []}
