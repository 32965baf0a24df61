"""What a list is narrowed by, independent of any database: a tree of tests on named fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "prefix", "given"]

FIELDS: dict[str, str] = {
    "agent": "text",
    "framework": "text",
    "session": "text",
    "run": "text",
    "case": "text",
    "source": "text",
    "model": "text",
    "trace": "text",
    "time": "time",
    "score": "number",
    "cost": "number",
    "latency": "number",
    "tokens": "number",
    "tokens.prompt": "number",
    "tokens.completion": "number",
    "calls": "number",
    "errors": "number",
    "state": "text",
    "basis": "text",
    "kind": "text",
    "significance": "number",
    "verdict": "text",
    "rule": "text",
}
"""Each field a stored trace can be filtered by, and its type.

`time` is UTC ISO 8601 with `Z`; `cost` USD; `latency` ms; `calls` and `errors` counts of tool calls and of failed ones;
`state` pass, fail, unknown or unjudged (the verdict of record); `kind`, `significance` and `verdict` (pass, fail, partial or
unevaluated: over all its evaluations) those of its moment; `rule` is true of any rule that failed in the evaluation of
record, and unknown of a trace without one.
"""


@dataclass(frozen=True, slots=True)
class Test:
    """One field compared with a value; unknown (SQL NULL) where the trace has none. `in` takes a tuple, `given` a flag."""

    __test__: ClassVar[bool] = False  # no test case, whatever its name makes pytest think

    field: str
    op: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class All:
    """True when every part is."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """True when some part is."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """True when the part is false; unknown stays unknown."""

    part: Filter


Filter: TypeAlias = Test | All | AnyOf | Not
EVERYTHING = All(())
