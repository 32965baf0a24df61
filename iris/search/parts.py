"""Parts of a search: what an index can answer exactly, and what must be asked of each stored run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iris.store.filters import All, AnyOf, Filter, Not, Test

Row = Mapping[str, Any]
Known = Callable[[Row], bool | None]
"""True, false, or None where the run does not say."""


@dataclass(frozen=True, slots=True)
class Part:
    """One condition: `filter` says the same for an index (None: no index can), `test` asks one stored run.

    `implied` is what an index can say beforehand of a condition it can not answer: it is true wherever `test` is.
    """

    filter: Filter | None
    test: Known
    implied: Filter | None = None


def one_test(field: str, op: Any, value: Any) -> Part:
    """A test of one stored field."""
    test = Test(field, op, value)
    return Part(test, lambda row: holds(test, row))


def asked(test: Known) -> Part:
    """A part that only the run itself can answer."""
    return Part(None, test)


def both(parts: Sequence[Part]) -> Part:
    """All of the parts."""
    filters = tuple(f for p in parts if (f := p.filter or p.implied) is not None)
    tests = [p.test for p in parts]
    exact = all(p.filter is not None for p in parts)
    implied = All(filters) if filters else None
    return Part(implied if exact else None, lambda row: kleene_and([t(row) for t in tests]), implied)


def either(parts: Sequence[Part]) -> Part:
    """Any of the parts."""
    filters = [p.filter for p in parts if p.filter is not None]
    tests = [p.test for p in parts]
    return Part(AnyOf(tuple(filters)) if len(filters) == len(parts) else None, lambda row: kleene_or([t(row) for t in tests]))


def opposite(part: Part) -> Part:
    """The part negated; unknown stays unknown."""
    test = part.test

    def negated(row: Row) -> bool | None:
        known = test(row)
        return None if known is None else not known

    return Part(None if part.filter is None else Not(part.filter), negated)


def kleene_and(values: Sequence[bool | None]) -> bool | None:
    """False beats unknown beats true."""
    return False if False in values else None if None in values else True


def kleene_or(values: Sequence[bool | None]) -> bool | None:
    """True beats unknown beats false."""
    return True if True in values else None if None in values else False


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
    "in": lambda a, b: a in b,
    "prefix": lambda a, b: str(a).startswith(b),
}


def holds(test: Test, row: Row) -> bool | None:
    """A test asked of one row, as the index would answer it."""
    if test.field == "rule":
        return _rule(test, row)
    value = value_of(row, test.field)
    if test.op == "given":
        return (value is not None) == bool(test.value)
    return None if value is None else COMPARE[test.op](value, test.value)


def _rule(test: Test, row: Row) -> bool | None:
    """Whether any failed rule is meant; unknown while no evaluation is of record."""
    latest = row.get("latest")
    if test.op == "given":
        return (latest is not None) == bool(test.value)
    if not latest:
        return None
    asked = "=" if test.op == "!=" else test.op
    found = any(COMPARE[asked](name, test.value) for name in latest.get("failed_rules") or ())
    return found != (test.op == "!=")


PLAIN = {
    "agent": "agent_name",
    "framework": "framework",
    "session": "session_id",
    "run": "run_id",
    "case": "case_key",
    "source": "source",
    "trace": "trace_id",
    "time": "timestamp",
    "cost": "cost_usd",
    "latency": "latency_ms",
}
TOKENS = {"tokens": "total_tokens", "tokens.prompt": "prompt_tokens", "tokens.completion": "completion_tokens"}


def value_of(row: Row, field: str) -> Any:
    """The value of a stored field (see `iris.store.filters.FIELDS`) in a row of a list; None where there is none."""
    if field in PLAIN:
        return row.get(PLAIN[field])
    if field in TOKENS:
        usage = row.get("token_usage") or {}
        if field == "tokens" and usage.get("total_tokens") is None:
            counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
            return sum(counts) if None not in counts else None
        return usage.get(TOKENS[field])
    if field in ("calls", "errors"):
        calls = row.get("tool_calls")
        return None if calls is None else len(calls) if field == "calls" else sum(1 for c in calls if c.get("error"))
    if field in ("kind", "significance", "verdict"):
        return (row.get("moment") or {}).get(field)
    if field == "model":
        return (row.get("metadata") or {}).get("model")
    latest = row.get("latest") or {}
    return latest.get(field, "unjudged" if field == "state" and not latest else None)
