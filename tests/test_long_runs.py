"""Long runs are judged by the built-in rules, not given up at the cap of examined elements."""

from __future__ import annotations

from typing import Any

import pytest

from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.run.finding import Finding
from iris.run.wire import from_case

SAID = {"input": "Pay all of them.", "output": "All is done."}


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(load_plan())


def judged(evaluator: Evaluator, rule: str, calls: list[dict[str, Any]]) -> Finding:
    rules = [r for r in evaluator.engine.rules if r.info.name == rule]
    return evaluator.engine.judge(from_case({**SAID, "calls": calls}), rules)[0]


def failing(n: int, tool: str) -> list[dict[str, Any]]:
    return [{"tool": tool.format(i), "args": {"account": f"a{i}"}, "error": "busy"} for i in range(n)]


@pytest.mark.parametrize("tool", ["pay", "pay_{}"])
def test_two_thousand_failing_calls_are_judged(evaluator: Evaluator, tool: str) -> None:
    finding = judged(evaluator, "no_silent_tool_failure", failing(2000, tool))
    assert finding.state == "fails", finding.message
    assert "500 are not owned up to" in finding.message


def test_failing_calls_among_as_many_that_went_well_are_judged(evaluator: Evaluator) -> None:
    good = [{"tool": "look", "args": {"account": f"b{i}"}, "result": "fine"} for i in range(250)]
    finding = judged(evaluator, "no_silent_tool_failure", [c for pair in zip(failing(250, "pay"), good, strict=True) for c in pair])
    assert finding.state == "fails", finding.message
    assert "250 are not owned up to" in finding.message


def huge(i: int) -> dict[str, Any]:
    return {"tool": "pay", "args": {"account": f"a{i}", "rows": [f"row {k}" for k in range(300)]}}


def test_a_loop_of_calls_with_huge_arguments_is_found(evaluator: Evaluator) -> None:
    finding = judged(evaluator, "no_tool_loop", [huge(1)] * 500)
    assert finding.state == "fails"
    assert finding.signals[0] == "repeat"


def test_calls_with_huge_arguments_that_differ_are_no_loop(evaluator: Evaluator) -> None:
    finding = judged(evaluator, "no_tool_loop", [huge(i) for i in range(500)])
    assert finding.state == "passes", finding.message
