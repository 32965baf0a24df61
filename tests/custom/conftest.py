"""The evaluator with the built-in packs, and one custom rule judged by it."""

from __future__ import annotations

from typing import Any

import pytest

from iris.evaluate import Evaluator
from iris.flow import compile_packs

from .definitions import VALIDATOR, Judge


@pytest.fixture(scope="session")
def evaluator() -> Evaluator:
    """An evaluator with the built-in packs."""
    plan = compile_packs(cases=False).plan
    assert plan is not None
    return Evaluator(plan)


@pytest.fixture(scope="session")
def judge(evaluator: Evaluator) -> Judge:
    """Judge a run by one custom rule: passed (None when skipped) and score. The whole result meets the contract."""

    def judged(kind: str, config: dict[str, Any], run: str | dict[str, Any], **more: Any) -> tuple[bool | None, float]:
        rules = evaluator.custom([{"name": "own", "type": kind, "config": config, **more}])
        wire = run if isinstance(run, dict) else {"output": run}
        result = evaluator.evaluate(wire, "custom", evaluation_id="e1", custom_rules=rules)
        assert list(VALIDATOR.iter_errors(result)) == []
        (item,) = result["rule_results"]
        return (None if item.get("skipped") else item["passed"]), item["score"]

    return judged
