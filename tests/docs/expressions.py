"""Evaluate an expression over a run with the real plan, and show its value as docs/language.md writes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iris import flow
from iris.check.expression import ExpressionChecker
from iris.check.inline import world_of_plan
from iris.check.scope import Scope
from iris.packs.documents import SettingDoc, Text
from iris.packs.source import Scalar, Source
from iris.plan.lower import Unit
from iris.problems import Problem
from iris.report.problems import render_problems
from iris.run.compile import UNSET
from iris.run.context import Context
from iris.run.engine import Engine
from iris.run.values import Bag, Call, Partial, Range, Unknown
from iris.run.values import Text as Value
from iris.run.wire import from_case


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The engine with the built-in packs."""
    compiled = flow.compile_packs(cases=False)
    assert compiled.plan is not None, render_problems(compiled.problems, "text")
    return Engine(compiled.plan)


def problems_of(expression: str) -> list[Problem]:
    """What is wrong with an expression."""
    return _checked(expression)[1]


def _checked(expression: str) -> tuple[Any, list[Problem]]:
    problems: list[Problem] = []
    scalar = Scalar(Source.of("docs/language.md", expression), 0, len(expression), expression, "plain")
    limit = SettingDoc("limit", scalar, "usd", 0.5, False, "")
    scope = Scope(world_of_plan(engine().plan), "rule", config={"limit": limit})
    return ExpressionChecker(problems).check(Text(expression, scalar), scope), problems


def value_of(expression: str, run: Mapping[str, Any]) -> str:
    """The value of an expression over a run in the language's words."""
    sound, problems = _checked(expression)
    assert sound is not None, render_problems(problems, "text")
    unit = Unit({d["name"]: i for i, d in enumerate(engine().plan["detectors"])})
    lowered = unit.text(sound)
    assert lowered is not None
    closure = engine().builder.build(lowered["x"])
    frame = [Context(engine(), from_case(run)), {"limit": 0.5}, None, *[UNSET] * unit.size]
    return shown(closure(frame))


def shown(value: Any) -> str:
    """A value as the page writes it."""
    if isinstance(value, Unknown):
        return "unknown: " + ", ".join(value.reasons)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return f"{value:.4g}"
    if isinstance(value, Range):
        return f"{value.low:g} to {value.high:g}"
    if isinstance(value, Value):
        return f'"{value.s}"'
    if isinstance(value, Call):
        return f"call {value.index}"
    if isinstance(value, Partial):
        return f"[{', '.join(map(shown, value))}] and {len(value.undecided)} undecided"
    if isinstance(value, list | Bag):
        return f"[{', '.join(map(shown, value.items() if isinstance(value, Bag) else value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
