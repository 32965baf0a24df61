"""What leaves a loop: closed work is done once, and conjuncts that do not use an inner variable are asked before its loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from iris.run.operators import implementations
from iris.run.wire import from_case
from tests.support import Expression, engine_of, head, plan_of, value


def nodes(value: Any) -> Iterator[list[Any]]:
    """Every plan node below a value."""
    if isinstance(value, list):
        if value and isinstance(value[0], str) and len(value) > 3:
            yield value
        for item in value:
            yield from nodes(item)


def written(text: str, node: list[Any]) -> str:
    """The part of an expression that a node was made from."""
    return text[node[1] : node[2]]


def hoisted(text: str) -> set[str]:
    """What of an expression is worked out once."""
    return {written(text, n) for n in nodes(Expression(text).node) if n[0] == "hoist"}


HOISTED = [
    ("some c in calls satisfies c.tool in words(output)", {"words(output)"}),
    ("some c in calls satisfies c.tool in words(c.result)", set()),
    ('each s in sentences(output) where found(d.hedge, input) and contains(s, "a")', {"found(d.hedge, input)"}),
    ("some a in calls, b in calls satisfies (a.tool == b.tool and any(terms(input)))", {"any(terms(input))", "terms(input)"}),
    (
        "some c in calls satisfies size(each w in words(output) where w == c.tool) > size(words(input))",
        {"words(output)", "size(words(input))", "words(input)"},
    ),
    (
        "some c in calls satisfies (some w in words(output) satisfies size(w) > 3)",
        {"some w in words(output) satisfies size(w) > 3", "words(output)"},
    ),
    ("size(words(output))", set()),
    ("some c in calls satisfies given(input)", set()),
    ("some c in calls satisfies c.index > 3", set()),
]


@pytest.mark.parametrize("text, wanted", HOISTED)
def test_work_that_uses_no_loop_variable_is_done_once(text: str, wanted: set[str]) -> None:
    assert hoisted(text) == wanted


def loops(node: Any) -> list[list[Any]]:
    """The quantifier nodes of an expression, the outermost first."""
    return [n for n in nodes(node) if n[0] == "quant"]


def test_a_conjunct_of_the_outer_variable_is_asked_before_the_inner_loop() -> None:
    text = 'some a in calls, b in calls after a satisfies (b.tool == a.tool and a.tool == "x")'
    outer, inner = loops(Expression(text).node)
    assert outer[8][0] == "and"
    first, second = outer[8][3]
    assert written(text, first) == 'a.tool == "x"'
    assert second == inner
    assert written(text, inner[8]) == "b.tool == a.tool"


def test_nothing_is_moved_out_of_every() -> None:
    text = 'every a in calls, b in calls satisfies (b.tool == a.tool and a.tool == "x")'
    outer, inner = loops(Expression(text).node)
    assert outer[8] == inner
    assert inner[8][0] == "and"


def test_no_over_pairs_is_no_outer_element_with_some_inner_one() -> None:
    outer, inner = loops(Expression("no a in calls, b in calls after a satisfies a.tool == b.tool").node)
    assert (outer[3], inner[3]) == ("no", "some")


CALLS = {"calls": [{"tool": "x"}, {"tool": "y"}, {"tool": "x"}]}
PAIRS = [
    ('some a in calls, b in calls after a satisfies (b.tool == a.tool and a.tool == "x")', True),
    ('some a in calls, b in calls after a satisfies (b.tool == a.tool and a.tool == "y")', False),
    ('no a in calls, b in calls after a satisfies (b.tool == a.tool and a.tool == "y")', True),
    ('every a in calls, b in calls satisfies (b.tool == a.tool and a.tool == "x")', False),
    ('some a in calls, b in calls satisfies a.tool == "y"', True),
    ('some a in calls, b in [] satisfies a.tool == "y"', False),
    ('every a in calls, b in [] satisfies a.tool == "z"', True),
    ('some a in calls, b in calls after a, c in calls after b satisfies (c.tool == a.tool and b.tool == "y")', True),
    ("some a in calls, b in calls before a satisfies a.index == 0", False),
]


@pytest.mark.parametrize("text, wanted", PAIRS)
def test_moving_conjuncts_changes_no_answer(text: str, wanted: bool) -> None:
    assert value(text, CALLS) is wanted


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count how often `similar` is worked out."""
    done: list[int] = []
    similar = implementations()["similar"]

    def counted(*arguments: Any) -> Any:
        done.append(1)
        return similar(*arguments)

    monkeypatch.setitem(implementations(), "similar", counted)
    return done


def test_closed_work_is_done_once_however_often_the_loop_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    done = counting(monkeypatch)
    found = Expression("some c in calls satisfies (c.index > 99 or similar(output, input) > 2)")
    assert found.value({**CALLS, "output": "a", "input": "b"}) is False
    assert len(done) == 1


def test_lets_are_worked_out_once_and_only_when_read(monkeypatch: pytest.MonkeyPatch) -> None:
    done = counting(monkeypatch)
    rule = f"{head()}let:\n  alike: similar(output, input)\nsignals:\n  a: blank(output) and alike > 1\n  b: alike > 2\n  c: alike > 3\n"
    engine = engine_of(rule)
    assert engine.judge(from_case({"output": "", "input": "b"}), engine.rules)[0].state == "passes"
    assert len(done) == 1


def test_a_slot_is_used_for_one_thing() -> None:
    text = "some a in calls, b in calls satisfies (a.tool in words(output) and b.tool in words(input) and (some c in calls satisfies c == a))"
    slots = [n[3] for n in nodes(Expression(text).node) if n[0] == "hoist"] + [n[4] for n in loops(Expression(text).node)]
    assert len(slots) == len(set(slots)) == 5
    assert max(slots) < Expression(text).rule.size


def test_a_plan_names_its_format_and_its_packs() -> None:
    plan = plan_of(f"{head()}fail_when: blank(output)\n")
    assert (plan["format"], plan["packs"]) == (1, [{"name": "house", "version": "1.0.0", "built_in": True}])
    assert {n for s in plan["sets"] for n in s} == set()


@pytest.mark.parametrize("join, first", [("or", "found(d.hedge, output)"), ("|", "hits(d.hedge, output)")])
def test_a_long_chain_of_lets_that_read_each_other_twice_is_compiled_and_judged(join: str, first: str) -> None:
    lets = "".join(f"  l{i}: l{i - 1} {join} l{i - 1}\n" for i in range(1, 50))
    fail = "l49" if join == "or" else "any(l49)"
    engine = engine_of(f"{head()}let:\n  l0: {first}\n{lets}fail_when: {fail}\n")
    states = [engine.judge(from_case({"output": o}), engine.rules)[0].state for o in ("I am here.", "Nothing at all.")]
    assert states == ["passes", "passes"]
