"""Lists: pages by place and by number are the same, filters mean what they say, words are literal."""

from __future__ import annotations

import operator
import random
from typing import Any

import pytest

from iris.store.filters import All, AnyOf, Filter, Not, Test
from iris.store.interface import LOCAL, NewTrace, Row, Store, StoreError, TraceQuery
from tests.store.making import at, failing, judged, result, rule, trace

AGENTS, RULES = ("a", "ab", "b"), ("r1", "r2", "s")


async def filled(store: Store, n: int = 120, seed: int = 3) -> list[Row]:
    """Traces of all kinds, many alike in one thing or another; gives them as they read back, in the order they came."""
    draw = random.Random(seed)
    ids = []
    for _ in range(n):
        fields: dict[str, Any] = {
            "agent_name": draw.choice(AGENTS),
            "framework": draw.choice((None, "f", "g")),
            "session_id": draw.choice((None, "s1", "s2")),
            "timestamp": at(hours=draw.randrange(30)),
            "cost_usd": draw.choice((None, 0.0, 0.1, 0.2)),
            "latency_ms": draw.choice((None, 5.0, 50.0)),
            "tool_calls": draw.choice((None, [], [{"tool_name": "t", "error": "e"}])),
            "output": draw.choice(("alpha beta", "beta", "gamma-delta")),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        failed = draw.sample(RULES, draw.randrange(3))
        state = "unjudged" if draw.random() < 0.3 else "fail" if failed else draw.choice(("pass", "unknown"))
        found = failing(*failed) if failed else result(state, [rule("r1", passed=True)])
        new = NewTrace(trace(**fields)) if state == "unjudged" else judged(found | {"score": round(draw.random(), 2)}, **fields)
        await store.add_traces(LOCAL, [new])
        ids.append(new.trace["trace_id"])
    return [row for i in ids if (row := await store.trace(LOCAL, i))]


def value(row: Row, field: str) -> Any:
    """What a field of a trace is, read from the trace itself."""
    latest = row["latest"] or {}
    names = {"agent": "agent_name", "framework": "framework", "session": "session_id", "time": "timestamp", "cost": "cost_usd", "latency": "latency_ms"}
    if field in names:
        return row.get(names[field])
    if field == "state":
        return latest.get("state", "unjudged")
    if field == "errors":
        calls = row.get("tool_calls")
        return None if calls is None else sum(1 for call in calls if call.get("error"))
    if field == "score" and latest.get("state") == "unknown":
        return None
    return latest.get(field)


OPERATORS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def holds(row: Row, node: Filter) -> bool | None:
    """Kleene logic over a trace in Python: the meaning the store has to give a filter."""
    if isinstance(node, Not):
        part = holds(row, node.part)
        return None if part is None else not part
    if isinstance(node, All | AnyOf):
        parts = [holds(row, part) for part in node.parts]
        decisive = isinstance(node, AnyOf)
        return decisive if decisive in parts else None if None in parts else not decisive
    if node.field == "rule":
        failed = row["latest"]["failed_rules"] if row["latest"] else None
        if node.op == "given":
            return bool(failed) is node.value
        return None if failed is None else (node.value in failed) is (node.op == "=")
    found = value(row, node.field)
    if node.op == "given":
        return (found is not None) is node.value
    if found is None:
        return False if node.op == "in" and not node.value else None
    if node.op == "in":
        return found in node.value
    return found.startswith(node.value) if node.op == "prefix" else bool(OPERATORS[node.op](found, node.value))


def some_test(draw: random.Random) -> Filter:
    field = draw.choice(("agent", "framework", "session", "time", "cost", "latency", "errors", "score", "state", "rule"))
    texts = {"agent": AGENTS, "framework": ("f", "x"), "session": ("s1", "s9"), "state": ("pass", "fail", "unknown", "unjudged"), "rule": RULES}
    if draw.random() < 0.15:
        return Test(field, "given", draw.random() < 0.5)
    if field == "rule":
        return Test(field, draw.choice(("=", "!=")), draw.choice(RULES))
    if field in texts:
        op = draw.choice(("=", "=", "!=", "in", "prefix"))
        chosen = tuple(draw.sample(texts[field], draw.randrange(2))) if op == "in" else draw.choice(texts[field])
        return Test(field, op, chosen)  # type: ignore[arg-type]
    bound: Any = at(hours=draw.randrange(30)) if field == "time" else draw.choice((0, 0.1, 0.5, 5, 50))
    return Test(field, draw.choice(tuple(OPERATORS)), bound)  # type: ignore[arg-type]


def some_filter(draw: random.Random, depth: int = 3) -> Filter:
    kind = draw.random()
    if depth == 0 or kind < 0.35:
        return some_test(draw)
    if kind < 0.5:
        return Not(some_filter(draw, depth - 1))
    parts = tuple(some_filter(draw, depth - 1) for _ in range(draw.randrange(4)))
    return All(parts) if kind < 0.8 else AnyOf(parts)


async def test_every_filter_means_what_the_same_logic_means_in_python(store: Store) -> None:
    rows = await filled(store)
    draw = random.Random(11)
    for _ in range(250):
        where = some_filter(draw)
        expected = {row["trace_id"] for row in rows if holds(row, where)}
        page = await store.traces(LOCAL, TraceQuery(where, limit=1000))
        assert {row["trace_id"] for row in page.rows} == expected, where
        assert (page.total, page.complete) == (len(expected), True), where
        counted = await store.traces(LOCAL, TraceQuery(where, limit=1))
        assert (counted.total, counted.complete) == (len(expected), True), where


SORTS = ("timestamp", "latency_ms", "cost_usd", "score", "significance", "rank")
WHERES = (
    All(()), Test("agent", "=", "a"), Test("rule", "=", "r1"), Test("state", "=", "fail"), Test("cost", ">", 0.05),
    All((Test("agent", "=", "ab"), Test("time", ">=", at(hours=20)), Test("score", "<", 0.9))),
)  # fmt: skip


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("descending", [True, False])
async def test_pages_by_place_are_the_pages_by_number_and_miss_nothing(store: Store, sort: Any, descending: bool) -> None:
    rows = {row["trace_id"]: row for row in await filled(store, 70)}
    for where in WHERES:
        whole = await store.traces(LOCAL, TraceQuery(where, sort=sort, descending=descending, limit=1000))
        after: str | None = None
        paged: list[Row] = []
        while True:
            page = await store.traces(LOCAL, TraceQuery(where, sort=sort, descending=descending, limit=7, after=after))
            numbered = await store.traces(LOCAL, TraceQuery(where, sort=sort, descending=descending, limit=7, offset=len(paged)))
            assert page.rows == numbered.rows
            assert numbered.total == whole.total
            paged += page.rows
            after = page.next
            if after is None:
                break
        assert paged == whole.rows
        if sort != "rank":
            assert {row["trace_id"] for row in paged} == {i for i, row in rows.items() if holds(row, where)}


@pytest.mark.parametrize(
    "sort, field, missing",
    [("timestamp", "time", ""), ("latency_ms", "latency", -1), ("cost_usd", "cost", -1), ("score", "score", 2)],
)
async def test_lists_are_in_their_order_and_have_rows_without_a_value(store: Store, sort: Any, field: str, missing: Any) -> None:
    """Fault 221: a trace without a cost is listed, below all that have one."""
    rows = await filled(store, 60)
    for descending in (True, False):
        page = await store.traces(LOCAL, TraceQuery(sort=sort, descending=descending, limit=1000))
        found = [missing if value(row, field) is None else value(row, field) for row in page.rows]
        assert found == sorted(found, reverse=descending)
        assert len(found) == len(rows)


@pytest.mark.parametrize("after", ["", "x", "bm8=", "W10=", "WyJ0aW1lc3RhbXAiLCAxXQ==", "\ud800", "[" * 5000, "WyJ0aW1lc3RhbXAiLCAxLCAiYSIsICJiIl0=", "é"])
async def test_what_is_no_cursor_is_refused(store: Store, after: str) -> None:
    with pytest.raises(StoreError) as refused:
        await store.traces(LOCAL, TraceQuery(after=after))
    assert refused.value.reason == "bad_cursor"


async def test_a_cursor_of_another_order_is_refused(store: Store) -> None:
    await filled(store, 10)
    page = await store.traces(LOCAL, TraceQuery(limit=2))
    for query in (TraceQuery(sort="cost_usd", after=page.next), TraceQuery(descending=False, after=page.next)):
        with pytest.raises(StoreError) as refused:
            await store.traces(LOCAL, query)
        assert refused.value.reason == "bad_cursor"


@pytest.mark.parametrize("test", [Test("cost", "=", "x"), Test("agent", "=", 3), Test("time", "prefix", "2026"), Test("nothing", "=", "x"), Test("cost", "<", True)])
async def test_a_test_that_can_not_be_asked_is_refused(store: Store, test: Test) -> None:
    with pytest.raises(StoreError) as refused:
        await store.traces(LOCAL, TraceQuery(test))
    assert refused.value.reason == "bad_filter"


@pytest.mark.parametrize("term", ["multi-agent", "don't", '"', "@nasa", "a AND", "50%", "NEAR(", "*"])
async def test_words_are_found_literally(store: Store, term: str) -> None:
    """Reports B199."""
    for text in (f"he said {term} today", "multi agents, 50 of them, dont near a nasa"):
        await store.add_traces(LOCAL, [NewTrace(trace(output=text))])
    for sort in ("timestamp", "relevance", "cost_usd"):
        page = await store.traces(LOCAL, TraceQuery(text=(term,), sort=sort))
        assert [row["output"] for row in page.rows] == [f"he said {term} today"], sort
        assert (page.total, page.complete) == (1, True)


async def test_all_words_must_occur_in_input_or_output_and_pages_follow(store: Store) -> None:
    for i in range(25):
        await store.add_traces(LOCAL, [NewTrace(trace(input=f"alpha {i}", output="beta Żółw" if i % 2 else "gamma"))])
    for sort in ("timestamp", "relevance", "latency_ms"):
        seen, after = [], None
        while True:
            page = await store.traces(LOCAL, TraceQuery(text=("Alpha", "beta", "żółw"), sort=sort, limit=5, after=after))
            assert page.total == 12
            seen += [row["input"] for row in page.rows]
            after = page.next
            if after is None:
                break
        assert sorted(seen) == sorted(f"alpha {i}" for i in range(25) if i % 2)


async def test_a_question_is_asked_of_at_most_so_many_rows(store: Store) -> None:
    rows = await filled(store, 90)
    asked: list[Row] = []

    def keep(row: Row) -> bool:
        asked.append(row)
        return bool(row["agent_name"] == "a")

    expected = [row["trace_id"] for row in (await store.traces(LOCAL, TraceQuery(limit=1000))).rows if row["agent_name"] == "a"]
    whole = await store.traces(LOCAL, TraceQuery(keep=keep, limit=1000))
    assert [row["trace_id"] for row in whole.rows] == expected
    assert (whole.total, whole.complete, whole.scanned, whole.next) == (len(expected), True, 90, None)
    assert {row["trace_id"]: row for row in asked} == {row["trace_id"]: row for row in rows}
    seen, after, asked[:] = [], None, []
    while True:
        page = await store.traces(LOCAL, TraceQuery(keep=keep, limit=4, scan=11, after=after))
        assert page.scanned <= 11
        seen += [row["trace_id"] for row in page.rows]
        after = page.next
        if after is None:
            break
    assert seen == expected
    second = await store.traces(LOCAL, TraceQuery(keep=keep, limit=4, offset=4))
    assert [row["trace_id"] for row in second.rows] == expected[4:8]


async def test_counting_may_be_left_out(store: Store) -> None:
    await filled(store, 20)
    page = await store.traces(LOCAL, TraceQuery(limit=5, count=False))
    assert (len(page.rows), page.total, page.complete) == (5, 6, False)
