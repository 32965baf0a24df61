"""Searches: short terms, words, conditions, and that index and run give the same answer."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.problems import ProblemsFound
from iris.search import Query, parse
from iris.search.keys import IS, KEYS, SORTS
from iris.search.parts import both, either, holds, kleene_and, kleene_or, one_test, opposite
from iris.store.filters import All, AnyOf, Filter, Not, Test

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@cache
def evaluator() -> Evaluator:
    return Evaluator(load_plan())


def read(search: str) -> Query:
    return parse(search, evaluator(), NOW)


def known(node: Filter, row: dict[str, Any]) -> bool | None:
    """A filter asked of a row, as a database would."""
    if isinstance(node, Test):
        return holds(node, row)
    if isinstance(node, Not):
        inner = known(node.part, row)
        return None if inner is None else not inner
    parts = [known(p, row) for p in node.parts]
    return kleene_and(parts) if isinstance(node, All) else kleene_or(parts)


def finds(search: str, row: dict[str, Any]) -> bool:
    query = read(search)
    text = f"{row.get('input') or ''} {row.get('output') or ''}".casefold()
    return (
        known(query.where, row) is True
        and all(w.casefold() in text for w in query.text)
        and (query.keep is None or query.keep(row))
    )


FAILED = {
    "trace_id": "a" * 32, "agent_name": "planner", "timestamp": "2026-03-02T11:30:00.000Z", "cost_usd": 0.1, "latency_ms": 2500.0,
    "input": "Refund order 7", "output": "I have refunded it.", "token_usage": {"prompt_tokens": 100, "completion_tokens": 20},
    "tool_calls": [{"tool_name": "refund", "input": {"order": 7}, "error": "gateway timeout"}],
    "metadata": {"model": "small-1", "env": "prod", "shard": 3}, "session_id": "s-1", "source": "http",
    "latest": {"state": "fail", "score": 0.4, "basis": "detector_veto", "failed_rules": ["no_pii"]},
}  # fmt: skip
PASSED = {
    "trace_id": "b" * 32, "agent_name": "writer", "timestamp": "2026-02-01T08:00:00.000Z", "cost_usd": 0.01, "latency_ms": 90.0,
    "input": "Say hello", "output": "Hello there.", "tool_calls": [],
    "latest": {"state": "pass", "score": 1.0, "basis": "clean", "failed_rules": []},
}  # fmt: skip
BARE = {"trace_id": "c" * 32, "agent_name": "planner-2", "timestamp": "2026-03-01T00:00:00.000Z", "latest": None}


@pytest.mark.parametrize(
    "search, found",
    [
        ("", "fpb"),
        ("agent:planner", "f"),
        ("agent:planner*", "fb"),
        ("agent:planner,writer", "fp"),
        ('agent:"planner"', "f"),
        ("-agent:planner", "pb"),
        ("agent!=planner", "pb"),
        ("cost>0.05", "f"),
        ("cost>$0.05", "f"),
        ("cost<=0.01usd", "p"),
        ("duration>=2s", "f"),
        ("latency<1s", "p"),
        ("tokens=120", "f"),
        ("score<50%", "f"),
        ("is:failed", "f"),
        ("is:passed", "p"),
        ("is:unjudged", "b"),
        ("is:error", "f"),
        ("state:pass,unjudged", "pb"),
        ("verdict:fail", "f"),
        ("rule:no_pii", "f"),
        ("-rule:no_pii", "p"),
        ("rule:no_*", "f"),
        ("severity:critical", "f"),
        ("pack:safety", "f"),
        ("pack:cost", ""),
        ("basis:clean", "p"),
        ("tool:refund", "f"),
        ("tool:ref*", "f"),
        ("tool:search", ""),
        ("error:timeout", "f"),
        ("error:*", "f"),
        ("env:prod", "f"),
        ("tag.shard:3", "f"),
        ("tag.env:*", "f"),
        ("tag.env:test", ""),
        ("model:small-1", "f"),
        ("session:*", "f"),
        ("last:24h", "f"),
        ("last:7d", "fb"),
        ("since:2026-03-01", "fb"),
        ("until:2026-03-01", "pb"),
        ("since:2026-03-02T13:30:00+02:00", "f"),
        ("refund", "f"),
        ("-refund is:failed", ""),
        ('"order 7"', "f"),
        ('text:"hello there"', "p"),
        ("text:hello,order", "fp"),
        ("-text:hello", "fb"),
        ("cost > 0.05usd", "f"),
        ("0.05usd < cost", "f"),
        ("cost > 0.05usd and some c in calls satisfies c.failed", "f"),
        ("no c in calls satisfies c.failed", "p"),
        ('agent in ["planner", "writer"]', "fp"),
        ('agent not in ["planner", "writer"]', "b"),
        ('cost > 0.05usd or agent == "writer"', "fp"),
        ('not (state == "fail")', "pb"),
        ("given(cost)", "fp"),
        ("not (given(cost))", "b"),
        ("latency > 2s", "f"),
        ("tokens.prompt >= 100", "f"),
        ('contains(output, "hello") and agent == "writer"', "p"),
        ('contains(output, "hello") or agent == "planner"', "fp"),
        ("agent:planner and cost > 0.05usd", "f"),
        ("is:failed some c in calls satisfies c.tool == \"refund\"", "f"),
        ("found(personal, output)", ""),
    ],
)  # fmt: skip
def test_a_search_finds_the_runs_it_describes(search: str, found: str) -> None:
    rows: dict[str, dict[str, Any]] = {"f": FAILED, "p": PASSED, "b": BARE}
    assert "".join(name for name, row in rows.items() if finds(search, row)) == found


@pytest.mark.parametrize("search", ["multi-agent", "don't", '"', "@nasa", "a AND", "50%", "NEAR(", "*", "a:b:c d", "http://x.example/y"])
def test_text_that_only_looks_like_syntax_is_words(search: str) -> None:
    """Reports B199."""
    if ":" in search:
        with pytest.raises(ProblemsFound) as refused:
            read(search)
        assert refused.value.problems[0].code == "E721"
        assert read(f'"{search}"').text == (search,)
    else:
        assert read(search).text == tuple(search.split())


def test_an_order_is_taken_out_of_the_conditions() -> None:
    query = read("is:failed sort:cost")
    assert (query.sort, query.descending) == ("cost_usd", True)
    assert query.chips == ("is:failed", "sort:cost")


def test_what_an_index_can_answer_is_never_asked_of_each_run() -> None:
    assert read('agent == "a" and cost > 1usd or score < 0.5').keep is None
    half = read('agent == "a" and contains(output, "x")')
    assert half.where == All((Test("agent", "=", "a"),))
    assert half.keep is not None


def test_a_condition_that_only_narrows_is_given_to_the_index_too() -> None:
    query = read("tool:pay")
    assert query.where == All((All((Test("calls", ">", 0),)),))
    assert query.keep is not None


def test_every_mistake_of_a_search_is_named_with_its_place() -> None:
    with pytest.raises(ProblemsFound) as refused:
        read("agnt:x cost>cheap foo == 3")
    codes = [(p.code, p.place.column if p.place else 0) for p in refused.value.problems]
    assert codes == [("E721", 1), ("E722", 8), ("E013", 19)]


VALUES = st.sampled_from([None, 0.0, 0.5, 1.0])
ROWS = st.fixed_dictionaries({"cost_usd": VALUES, "latency_ms": VALUES})
TESTS = st.builds(one_test, st.sampled_from(["cost", "latency"]), st.sampled_from(["=", "<", ">=", "given"]), st.sampled_from([0.5, 1.0]))
PARTS = st.recursive(
    TESTS,
    lambda inner: st.one_of(st.lists(inner, min_size=1, max_size=3).map(both), st.lists(inner, min_size=1, max_size=3).map(either), inner.map(opposite)),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(PARTS, ROWS)
def test_the_filter_and_the_question_agree(part: Any, row: dict[str, Any]) -> None:
    assert part.filter is not None
    assert known(part.filter, row) == part.test(row)
    assert isinstance(part.filter, Test | All | AnyOf | Not)


def test_every_key_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
    assert [key for key in (*KEYS, *IS, *SORTS) if f"`{key}`" not in page] == []
