"""Deleting a trace takes its texts with it; the audit log; preferences."""

from __future__ import annotations

import json

from iris.store.filters import Test
from iris.store.interface import LOCAL, AuditEntry, AuditQuery, NewTrace, Store, TraceQuery
from tests.store.making import at, evaluation, failing, judged, result, rule


async def test_deleting_a_trace_erases_what_its_evaluations_took_from_it(store: Store) -> None:
    """Faults 132, 40: of record and beside, in the transaction of the deletion, which is logged."""
    secret = "correct horse battery"
    rules = [rule("r", passed=False, message=secret, evidence=[{"type": "span", "source": "output", "start": 3, "end": 9, "label": "l"}])]
    found = result("fail", rules, suggestions=[secret])
    new = judged(found, output=f"the {secret}")
    trace_id = new.trace["trace_id"]
    await store.add_traces(LOCAL, [NewTrace(new.trace, [{"span_id": "s", "name": secret, "start_time": at()}], new.evaluation)])
    beside = result("pass", [rule("r", passed=True, message=secret)])
    await store.add_evaluation(LOCAL, evaluation(beside, None, reference_trace_id=trace_id, output=secret, expected=secret))
    assert (await store.traces(LOCAL, TraceQuery(text=("horse",)))).total == 1

    assert await store.delete_trace(LOCAL, trace_id, AuditEntry(at(), "trace.delete", trace_id=trace_id))

    assert await store.trace(LOCAL, trace_id) is None
    assert await store.spans(LOCAL, trace_id) == []
    rows = await store.evaluations_of(LOCAL, trace_id)
    assert len(rows) == 2
    assert secret not in json.dumps(rows)
    for row, before in zip(rows, (beside, found), strict=True):
        assert row["erased_at"] == at()
        assert (row["verdict"], row["score"]) == (before["verdict"], before["score"])
        assert (row["output_text"], row["expected_text"], row["suggestions"]) == (None, None, [])
    assert rows[1]["rule_results"][0]["evidence"] == rules[0]["evidence"]
    for query in (TraceQuery(text=("horse",)), TraceQuery(Test("rule", "=", "r")), TraceQuery(sort="rank")):
        assert (await store.traces(LOCAL, query)).total == 0
    logged = await store.audit(LOCAL, AuditQuery(action="trace.delete"))
    assert [entry["traceId"] for entry in logged.rows] == [trace_id]


async def test_deleting_what_is_not_there_says_so_and_logs_nothing(store: Store) -> None:
    assert not await store.delete_trace(LOCAL, "0" * 32, AuditEntry(at(), "trace.delete", trace_id="0" * 32))
    assert (await store.audit(LOCAL, AuditQuery())).total == 0


async def test_statistics_keep_the_evaluations_of_a_deleted_trace_and_lose_the_trace(store: Store) -> None:
    new = judged(failing("r"), cost_usd=0.1)
    kept = judged(result(), cost_usd=0.2)
    await store.add_traces(LOCAL, [new, kept])
    await store.delete_trace(LOCAL, new.trace["trace_id"], AuditEntry(at(), "trace.delete", trace_id=new.trace["trace_id"]))
    found = await store.statistics(LOCAL, "24h")
    assert (found["totalEvals"], found["passRate"], found["totalCost"]) == (2, 0.5, 0.2)
    assert (await store.summary(LOCAL, 24))["total_traces"] == 1
    assert (await store.moments(LOCAL, TraceQuery(sort="rank"))).total == 0


async def test_a_trace_stored_after_the_newest_was_deleted_is_searched(store: Store) -> None:
    first = judged(result(), output="alpha")
    await store.add_traces(LOCAL, [first])
    assert (await store.traces(LOCAL, TraceQuery(text=("alpha",)))).total == 1
    await store.delete_trace(LOCAL, first.trace["trace_id"], AuditEntry(at(), "trace.delete"))
    await store.add_traces(LOCAL, [judged(result(), output="beta")])
    assert (await store.traces(LOCAL, TraceQuery(text=("beta",)))).total == 1
    assert (await store.traces(LOCAL, TraceQuery(text=("alpha",)))).total == 0


async def test_the_audit_log_is_read_newest_first_and_searched_literally(store: Store) -> None:
    for i, name in enumerate(("50%_off", "plain", "it's \"x\"")):
        entry = AuditEntry(at(hours=3 - i), "rule.deploy" if i else "rule.delete", rule_id=f"rule-{i}", rule_name=name, details={"n": i})
        await store.add_audit(LOCAL, entry)
    page = await store.audit(LOCAL, AuditQuery())
    assert [row["ruleName"] for row in page.rows] == ["it's \"x\"", "plain", "50%_off"]
    assert page.rows[0] == {"ts": at(hours=1), "action": "rule.deploy", "user": "local", "ruleId": "rule-2", "ruleName": "it's \"x\"", "details": {"n": 2}}
    for search, n in (("50%", 1), ("%", 1), ("_", 1), ("PLAIN", 1), ("rule-", 3), ("'", 1), ("absent", 0)):
        assert (await store.audit(LOCAL, AuditQuery(search=search))).total == n, search
    assert (await store.audit(LOCAL, AuditQuery(since=at(hours=2)))).total == 2
    assert (await store.audit(LOCAL, AuditQuery(action="rule.deploy", limit=1, offset=1))).rows[0]["ruleName"] == "plain"
    assert await store.rule_changes(LOCAL, at(hours=24)) == {"count": 1, "last_change_at": at(hours=3)}
    assert await store.rule_changes(LOCAL, at(hours=2.5)) is None


async def test_preferences_are_merged_and_null_forgets_one(store: Store) -> None:
    assert await store.preferences(LOCAL) == {}
    await store.set_preferences(LOCAL, {"theme": "dark", "list": ["a", {"b": None}]})
    assert await store.set_preferences(LOCAL, {"theme": None, "density": "compact"}) == {"density": "compact", "list": ["a", {"b": None}]}
    assert await store.preferences(LOCAL) == {"density": "compact", "list": ["a", {"b": None}]}
