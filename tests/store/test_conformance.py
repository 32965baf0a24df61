"""What every store does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from iris.search.parts import holds, kleene_and, kleene_or
from iris.store.filters import All, AnyOf, Filter, Not, Test
from iris.store.interface import LOCAL, AuditEntry, AuditQuery, EvaluationQuery, NewTrace, Store, StoreError, TraceQuery

from .made import OUTPUT, evaluation, instant, result, trace, trace_id

DELETE = AuditEntry(instant(3000), "trace.delete")


async def ids(store: Store, **query: Any) -> list[int]:
    page = await store.traces(LOCAL, TraceQuery(**query))
    return [int(row["trace_id"], 16) for row in page.rows]


async def test_a_trace_comes_back_as_it_was_sent(store: Store) -> None:
    """Reports B195, B197."""
    fields: dict[str, Any] = {
        "framework": "own", "tool_calls": [{"tool_name": "a", "input": {"n": 2**70}, "output": [1, None]}], "token_usage": {"prompt_tokens": 3},
        "metadata": {"n": 9223372036854775808, "deep": [[[]]], "model": "m"}, "latency_ms": 5.5, "cost_usd": 0.25, "session_id": "s", "case_key": "c",
        "input": "before\0after", "output": "naïve 😀",
    }  # fmt: skip
    sent = trace(
        1, **fields, spans=[{"span_id": "b", "name": "x", "start_time": "2"}, {"span_id": "a", "name": "y", "start_time": "1"}]
    )
    await store.add_traces(LOCAL, [sent])
    found = await store.trace(LOCAL, trace_id(1))
    assert found is not None
    assert {k: found[k] for k in sent.trace} == dict(sent.trace)
    assert found["latest"] is None
    assert [s["span_id"] for s in await store.spans(LOCAL, trace_id(1))] == ["a", "b"]
    assert await store.has_trace(LOCAL, trace_id(1))


async def test_half_a_surrogate_pair_comes_back_as_it_was(store: Store) -> None:
    await store.add_traces(LOCAL, [trace(1, agent="a\ud800b", output="\udfff z", metadata={"k": "\ud800"})])
    found = await store.trace(LOCAL, trace_id(1))
    assert found is not None
    assert (found["agent_name"], found["output"]) == ("a\ud800b", "\udfff z")


async def test_what_is_not_there_is_none(store: Store) -> None:
    assert await store.trace(LOCAL, trace_id(9)) is None
    assert await store.evaluation(LOCAL, "nothing") is None
    assert await store.moment(LOCAL, trace_id(9)) is None
    assert not await store.has_trace(LOCAL, trace_id(9))
    assert await store.spans(LOCAL, trace_id(9)) == []
    assert await store.evaluations_of(LOCAL, trace_id(9)) == []


async def test_tenants_see_only_their_own(store: Store) -> None:
    """Fault 123."""
    await store.add_traces("a", [trace(1, failed=("no_pii",))])
    await store.add_audit("a", DELETE)
    await store.set_preferences("a", {"theme": "dark"})
    assert await store.trace("b", trace_id(1)) is None
    assert (await store.traces("b", TraceQuery())).rows == []
    assert (await store.moments("b", TraceQuery())).total == 0
    assert (await store.evaluations("b", EvaluationQuery())).rows == []
    assert (await store.audit("b", AuditQuery())).rows == []
    assert await store.preferences("b") == {}
    assert (await store.summary("b", 8760))["total_traces"] == 0
    assert (await store.filters("b"))["agent_names"] == []
    assert await store.delete_trace("b", trace_id(1), DELETE) is False
    assert await store.trace("a", trace_id(1)) is not None


async def test_a_batch_is_kept_whole_or_not_at_all(store: Store) -> None:
    """Faults 93, 139."""
    twice = trace(2, spans=[{"span_id": "x", "name": "a"}, {"span_id": "x", "name": "b"}])
    with pytest.raises(StoreError) as refused:
        await store.add_traces(LOCAL, [trace(1, failed=()), twice])
    assert refused.value.reason == "duplicate_span"
    assert (await store.traces(LOCAL, TraceQuery())).total == 0
    assert (await store.summary(LOCAL, 8760))["total_traces"] == 0
    assert (await store.evaluations(LOCAL, EvaluationQuery())).total == 0
    await store.add_traces(
        LOCAL, [trace(1, spans=[{"span_id": "x", "name": "a"}]), trace(3, spans=[{"span_id": "x", "name": "a"}])]
    )
    assert (await store.traces(LOCAL, TraceQuery())).total == 2


async def test_one_write_that_fails_leaves_those_beside_it(store: Store) -> None:
    bad = trace(50, spans=[{"span_id": "x", "name": "a"}] * 2)
    done = await asyncio.gather(*(store.add_traces(LOCAL, [t]) for t in (trace(1), bad, trace(2))), return_exceptions=True)
    assert [isinstance(d, StoreError) for d in done] == [False, True, False]
    assert await ids(store) == [2, 1]


async def test_a_cancelled_wait_neither_loses_nor_halves_a_write(store: Store) -> None:
    """Reports B203."""
    task = asyncio.create_task(store.add_traces(LOCAL, [trace(1, failed=(), spans=[{"span_id": "a", "name": "a"}])]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.add_traces(LOCAL, [trace(2)])
    assert await ids(store) == [2, 1]
    assert len(await store.spans(LOCAL, trace_id(1))) == 1


async def test_the_newest_evaluation_of_record_is_the_verdict(store: Store) -> None:
    """Fault 150."""
    await store.add_traces(LOCAL, [trace(1, failed=("no_pii",))])
    await store.add_evaluation(LOCAL, evaluation(2, 1, minute=5))
    await store.add_evaluation(LOCAL, evaluation(3, 1, ("sentence_count",), minute=6, beside=True))
    found = await store.trace(LOCAL, trace_id(1))
    assert found is not None
    assert found["latest"] == {
        "evaluation_id": result(2)["id"], "score": 1.0, "passed": True, "state": "pass", "basis": "clean", "failed_rules": [],
    }  # fmt: skip
    assert [e["id"] for e in await store.evaluations_of(LOCAL, trace_id(1))] == [result(n)["id"] for n in (3, 2, 10_001)]
    assert await ids(store, where=Test("rule", "=", "no_pii")) == []
    assert await ids(store, where=Test("state", "=", "pass")) == [1]


async def test_a_verdict_beside_a_trace_changes_nothing_about_it(store: Store) -> None:
    """Faults 11-13."""
    await store.add_traces(LOCAL, [trace(1)])
    await store.add_evaluation(LOCAL, evaluation(2, 1, ("no_pii",), beside=True))
    assert await ids(store, where=Test("state", "=", "unjudged")) == [1]
    kept = await store.evaluation(LOCAL, result(2)["id"])
    assert kept is not None
    assert (kept.get("trace_id"), kept["reference_trace_id"]) == (None, trace_id(1))


async def test_an_evaluation_of_a_trace_that_is_not_there_is_refused(store: Store) -> None:
    """Fault 163."""
    with pytest.raises(StoreError) as refused:
        await store.add_evaluation(LOCAL, evaluation(2, 7))
    assert refused.value.reason == "unknown_trace"
    assert (await store.evaluations(LOCAL, EvaluationQuery())).total == 0


async def test_deleting_erases_what_was_said_and_keeps_what_was_found(store: Store) -> None:
    """Faults 40, 132, 133."""
    await store.add_traces(LOCAL, [trace(1, failed=("no_pii",), spans=[{"span_id": "a", "name": "a"}]), trace(2, failed=())])
    await store.add_evaluation(LOCAL, evaluation(3, 1, ("no_pii",), beside=True))
    assert await store.delete_trace(LOCAL, trace_id(1), replace(DELETE, trace_id=trace_id(1)))
    assert not await store.delete_trace(LOCAL, trace_id(1), DELETE)
    assert await store.trace(LOCAL, trace_id(1)) is None
    assert await store.spans(LOCAL, trace_id(1)) == []
    for kept in await store.evaluations_of(LOCAL, trace_id(1)):
        assert kept["erased_at"] == DELETE.ts
        assert (kept["output_text"], kept["expected_text"], kept["suggestions"]) == (None, None, [])
        assert {r["message"] for r in kept["rule_results"]} == {""}
        assert (kept["score"], kept["verdict"]["state"]) == (0.75, "fail")
        assert kept["rule_results"][0]["evidence"][0]["end"] == 3
    assert len(await store.evaluations_of(LOCAL, trace_id(1))) == 2
    log = await store.audit(LOCAL, AuditQuery())
    assert [(e["action"], e["traceId"]) for e in log.rows] == [("trace.delete", trace_id(1))]
    assert await ids(store) == [2]
    assert (await store.filters(LOCAL))["agent_names"] == ["planner"]


FIELDS: dict[str, list[Any]] = {"agent": ["planner", "writer"], "framework": ["own", None], "session": ["s", None], "source": ["http", "tool"]}


@st.composite
def stored(draw: Any) -> list[NewTrace]:
    """Some traces with values that meet and differ."""
    traces = []
    for n in range(draw(st.integers(1, 8))):
        chosen = {name: draw(st.sampled_from(values)) for name, values in FIELDS.items()}
        traces.append(
            trace(
                n + 1,
                minute=draw(st.sampled_from([5, 5, 70, 3000])),
                agent=chosen["agent"],
                framework=chosen["framework"],
                session_id=chosen["session"],
                source=chosen["source"],
                failed=draw(st.sampled_from([None, (), ("no_pii",), ("no_pii", "sentence_count")])),
                cost_usd=draw(st.sampled_from([None, 0.0, 0.5, 2.0])),
                latency_ms=draw(st.sampled_from([None, 10.0, 900.0])),
                tool_calls=draw(st.sampled_from([None, [], [{"tool_name": "a", "error": "x"}, {"tool_name": "b"}]])),
                token_usage=draw(st.sampled_from([None, {"prompt_tokens": 1, "completion_tokens": 2}, {"total_tokens": 9}])),
            )
        )
    return traces


NUMBER = st.builds(
    Test,
    st.sampled_from(["cost", "latency", "score", "tokens", "calls", "errors", "significance"]),
    st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 10.0]),
)
TEXT = st.builds(
    Test,
    st.sampled_from(["agent", "framework", "session", "source", "state", "basis", "rule"]),
    st.sampled_from(["=", "!=", "prefix"]),
    st.sampled_from(["planner", "p", "own", "s", "http", "fail", "pass", "unjudged", "no_pii", "clean"]),
)
OTHER = st.one_of(
    st.builds(Test, st.sampled_from(["cost", "framework", "latency", "calls"]), st.just("given"), st.booleans()),
    st.builds(
        Test, st.sampled_from(["agent", "state", "framework"]), st.just("in"), st.sampled_from([("planner", "fail"), ("own",)])
    ),
    st.builds(Test, st.just("time"), st.sampled_from(["<", ">="]), st.just(instant(60))),
)
TESTS = st.one_of(NUMBER, TEXT, OTHER)
FILTERS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda p: All(tuple(p)), st.lists(inner, max_size=3)),
        st.builds(lambda p: AnyOf(tuple(p)), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


def known(node: Filter, row: dict[str, Any]) -> bool | None:
    if isinstance(node, Test):
        return holds(node, row)
    if isinstance(node, Not):
        inner = known(node.part, row)
        return None if inner is None else not inner
    parts = [known(p, row) for p in node.parts]
    return kleene_and(parts) if isinstance(node, All) else kleene_or(parts)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(traces=stored(), filters=st.lists(FILTERS, min_size=1, max_size=6))
async def test_a_filter_finds_what_the_question_would(store: Store, traces: list[NewTrace], filters: list[Filter]) -> None:
    tenant = str(uuid4())
    named = [_of(tenant, t) for t in traces]
    await store.add_traces(tenant, named)
    rows = (await store.traces(tenant, TraceQuery(limit=100))).rows
    assert len(rows) == len(named)
    for where in filters:
        wanted = [r["trace_id"] for r in rows if known(where, r) is True]
        page = await store.traces(tenant, TraceQuery(where=where, limit=100))
        note(repr(where))
        assert [r["trace_id"] for r in page.rows] == wanted
        assert page.total == len(wanted)


def _of(tenant: str, new: NewTrace) -> NewTrace:
    """The same with ids of its own."""
    own = trace_id(hash((tenant, new.trace["trace_id"])) & (2**128 - 1))
    judged = new.evaluation and replace(new.evaluation, trace_id=own, result={**new.evaluation.result, "id": f"{tenant}-{own}"})
    return replace(new, trace={**new.trace, "trace_id": own}, evaluation=judged)


@pytest.mark.parametrize("sort", ["timestamp", "latency_ms", "cost_usd", "score", "rank", "significance"])
@pytest.mark.parametrize("descending", [True, False])
async def test_cursors_and_offsets_give_the_same_pages(sort: Any, descending: bool, store: Store) -> None:
    made = [
        trace(
            n,
            minute=n // 3,
            cost_usd=float(n % 4),
            latency_ms=float(n % 5),
            failed=() if n % 2 else ("no_pii",) if n % 3 else ("sentence_count",),
        )
        for n in range(1, 24)
    ]
    await store.add_traces(LOCAL, made)
    query = TraceQuery(sort=sort, descending=descending, limit=5)
    by_offset, by_cursor, cursor = [], [], None
    for page in range(6):
        by_offset += [r["trace_id"] for r in (await store.traces(LOCAL, replace(query, offset=5 * page))).rows]
        found = await store.traces(LOCAL, replace(query, after=cursor))
        by_cursor += [r["trace_id"] for r in found.rows]
        cursor = found.next
        if cursor is None:
            break
    assert by_cursor == by_offset
    assert len(set(by_cursor)) == len(by_cursor) == (await store.traces(LOCAL, query)).total


@pytest.mark.parametrize("cursor", ["nonsense", "W10=", "WyJ0cyIsWzFdXQ==", "ü"])
async def test_a_cursor_of_something_else_is_refused(cursor: str, store: Store) -> None:
    with pytest.raises(StoreError) as refused:
        await store.traces(LOCAL, TraceQuery(after=cursor))
    assert refused.value.reason == "bad_cursor"


async def test_a_question_no_index_answers_is_asked_of_a_bounded_number(store: Store) -> None:
    await store.add_traces(LOCAL, [trace(n) for n in range(1, 41)])
    query = TraceQuery(keep=lambda row: int(row["trace_id"], 16) % 10 == 0, limit=2)
    first = await store.traces(LOCAL, query)
    assert [int(r["trace_id"], 16) for r in first.rows] == [40, 30]
    assert first.next is not None
    second = await store.traces(LOCAL, replace(query, after=first.next))
    assert [int(r["trace_id"], 16) for r in second.rows] == [20, 10]
    bounded = await store.traces(LOCAL, replace(query, keep=lambda row: False, scan=15))
    assert (bounded.rows, bounded.scanned, bounded.complete) == ([], 15, False)
    whole = await store.traces(LOCAL, replace(query, keep=lambda row: row["trace_id"] == trace_id(1)))
    assert (len(whole.rows), whole.complete, whole.scanned) == (1, True, 40)


WORDS = ["multi-agent", "don't", '"', "@nasa", "a AND", "50%", "NEAR(", "*"]


@pytest.mark.parametrize("word", WORDS)
async def test_any_text_can_be_looked_for(word: str, store: Store) -> None:
    """Reports B199."""
    await store.add_traces(
        LOCAL, [trace(1, output=f"it says {word} here", input="x"), trace(2, output="nothing of it", input="y")]
    )
    await _indexed(store)
    found = await ids(store, text=(word,))
    assert found in ([1], [] if not any(c.isalnum() for c in word) else [1])


async def test_words_are_found_in_input_and_output_newest_first(store: Store) -> None:
    await store.add_traces(
        LOCAL,
        [
            trace(1, input="refund order"),
            trace(2, output="the refund"),
            trace(3, input="else", output="else"),
            trace(4, output="refund and order\0 refund"),
        ],
    )
    await _indexed(store)
    assert await ids(store, text=("refund",)) == [4, 2, 1]
    assert await ids(store, text=("refund", "order")) == [4, 1]
    assert await ids(store, text=("refund order",)) == [1]
    assert await ids(store, text=("refund",), where=Test("trace", "=", trace_id(2))) == [2]
    await store.delete_trace(LOCAL, trace_id(1), DELETE)
    assert await ids(store, text=("order",)) == [4]


async def _indexed(store: Store) -> None:
    """Wait until what was written can be found."""
    for _ in range(100):
        if await ids(store, text=("here",)) or await ids(store, text=("refund",)):
            await asyncio.sleep(0.1)
            return
        await asyncio.sleep(0.05)


async def test_evaluations_are_listed_newest_first_and_narrowed(store: Store) -> None:
    await store.add_traces(LOCAL, [trace(1)])
    for n in range(2, 8):
        await store.add_evaluation(
            LOCAL,
            evaluation(
                n, 1 if n % 2 else None, ("no_pii",) if n % 3 == 0 else (), minute=n, eval_type="safety" if n > 4 else "all"
            ),
        )

    async def listed(**query: Any) -> list[int]:
        return [int(e["id"][-4:], 16) for e in (await store.evaluations(LOCAL, EvaluationQuery(**query))).rows]

    assert await listed() == [7, 6, 5, 4, 3, 2]
    assert await listed(passed=False) == [6, 3]
    assert await listed(eval_type="safety", passed=True) == [7, 5]
    assert await listed(trace_id=trace_id(1)) == [7, 5, 3]
    assert await listed(since=instant(4), until=instant(6)) == [6, 5, 4]
    assert await listed(limit=2, offset=1) == [6, 5]


async def test_the_log_is_listed_and_searched_literally(store: Store) -> None:
    for n, action in enumerate(("rule.deploy", "rule.toggle", "rule.delete")):
        await store.add_audit(
            LOCAL, AuditEntry(instant(n), action, rule_id=f"rule-{n}", rule_name=f"100% of {n}", details={"severity": "high"})
        )
    assert [e["action"] for e in (await store.audit(LOCAL, AuditQuery())).rows] == ["rule.delete", "rule.toggle", "rule.deploy"]
    assert [e["ruleId"] for e in (await store.audit(LOCAL, AuditQuery(search="100% OF 1"))).rows] == ["rule-1"]
    assert (await store.audit(LOCAL, AuditQuery(search="%"))).total == 3
    assert (await store.audit(LOCAL, AuditQuery(search="_"))).total == 0
    assert (await store.audit(LOCAL, AuditQuery(action="rule.deploy", since=instant(0)))).total == 1
    assert await store.rule_changes(LOCAL, instant(1)) == {"count": 2, "last_change_at": instant(2)}
    assert await store.rule_changes(LOCAL, instant(5)) is None


async def test_preferences_are_set_one_by_one_and_forgotten(store: Store) -> None:
    assert await store.set_preferences(LOCAL, {"theme": "dark", "density": None, "tours": ["a"]}) == {
        "theme": "dark",
        "tours": ["a"],
    }
    assert await store.set_preferences(LOCAL, {"theme": None}) == {"tours": ["a"]}
    assert await store.preferences(LOCAL) == {"tours": ["a"]}


async def test_a_store_says_how_it_is(store: Store) -> None:
    assert await store.check() == {"storage": True, "migrations": True}
    await store.close()
    assert (await store.check())["storage"] is False
    with pytest.raises(StoreError):
        await store.add_traces(LOCAL, [trace(1)])


def test_the_made_traces_say_something() -> None:
    assert OUTPUT in str(trace(1).trace)
