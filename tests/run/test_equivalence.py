"""The compiled plan, with hoisting, gates and moved conjuncts, gives what walking the tree gives, on runs with holes."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from iris.run.compile import UNSET
from iris.run.context import Context
from iris.run.engine import Engine
from iris.run.trace import Tracer
from iris.run.wire import from_case
from tests.support import engine_of, head, indented, plain

from .conditions import RUNS, rules

GENEROUS = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
Rule = tuple[list[tuple[str, str]], list[str]]


def compiled(rule: Rule) -> Engine:
    """An engine with one rule: the lets, and one signal a condition."""
    lets, conditions = rule
    text = head()
    used = " ".join(conditions)
    for name, body in reversed(lets):
        if name in used:
            used += body
    lets = [(name, body) for name, body in lets if name in used]
    text += "let:\n" + "".join(f"  {name}: |\n{indented(body)}" for name, body in lets) if lets else ""
    text += "signals:\n" + "".join(f"  s{i}: |\n{indented(body)}" for i, body in enumerate(conditions))
    return engine_of(text)


def frame(engine: Engine, run: dict[str, Any]) -> list[Any]:
    """A fresh frame of the one rule."""
    rule = engine.rules[0]
    return [Context(engine, from_case(run)), rule.defaults, 0, *[UNSET] * (rule.size - 3)]


def traced(engine: Engine, run: dict[str, Any], node: Any) -> Any:
    """The value of a condition by walking the tree."""
    return plain(Tracer(engine.builder, engine.units, frame(engine, run), {}).trace(node).value)


@GENEROUS
@given(rules(), st.lists(RUNS, min_size=1, max_size=4))
def test_closures_give_what_walking_the_tree_gives(rule: Rule, runs: list[dict[str, Any]]) -> None:
    engine = compiled(rule)
    for run in runs:
        shared = frame(engine, run)
        for condition in engine.rules[0].signals:
            found = plain(condition.run(shared))
            event(f"value {found}")
            assert found == traced(engine, run, condition.node), condition.text


@GENEROUS
@given(rules(), st.lists(RUNS, min_size=1, max_size=4))
def test_a_gate_closes_only_on_what_is_false(rule: Rule, runs: list[dict[str, Any]]) -> None:
    engine = compiled(rule)
    for run in runs:
        for condition in engine.rules[0].signals:
            if condition.closed is not None:
                shut = condition.closed(frame(engine, run))
                event(f"gate closed: {shut}")
                assert not shut or traced(engine, run, condition.node) is False, condition.text
                assert not condition.shut(frame(engine, run), {}) or traced(engine, run, condition.node) is False, condition.text


@GENEROUS
@given(rules(), st.lists(RUNS, min_size=1, max_size=4))
def test_a_rule_fails_exactly_when_a_condition_is_true(rule: Rule, runs: list[dict[str, Any]]) -> None:
    engine = compiled(rule)
    ready = engine.rules[0]
    for run in runs:
        inputs = from_case(run)
        (finding,) = engine.judge(inputs, [ready])
        values = {c.name: traced(engine, run, c.node) for c in ready.signals}
        event(finding.state)
        assert set(finding.signals) == {name for name, value in values.items() if value is True}
        assert (finding.state == "fails") is (True in values.values())
        if finding.state == "passes":
            assert set(values.values()) == {False}
            assert inputs.carried.issuperset(ready.required)


@GENEROUS
@given(rules(), st.lists(RUNS, min_size=1, max_size=4))
def test_an_absent_input_settles_no_condition_that_is_true(rule: Rule, runs: list[dict[str, Any]]) -> None:
    engine = compiled(rule)
    ready = engine.rules[0]
    for run in runs:
        if not ready.hopeless <= from_case(run).carried:
            event("hopeless")
            assert all(traced(engine, run, c.node) is not True for c in ready.signals)
