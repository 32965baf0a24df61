"""Filters to SQL with parameters; SQL's own three-valued logic is the one they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iris.store.filters import FIELDS, All, AnyOf, Filter, Not, Test
from iris.store.interface import StoreError
from iris.store.sqlite.text import clean, key, micros, real

COLUMNS = {
    "agent": "agent", "framework": "framework", "session": "session", "run": "run", "case": "case_key", "source": "source",
    "model": "model", "trace": "trace_id", "time": "ts", "score": "score", "cost": "cost", "latency": "latency",
    "tokens": "tokens", "tokens.prompt": "tokens_prompt", "tokens.completion": "tokens_completion", "calls": "calls",
    "errors": "errors", "state": "state", "basis": "basis", "kind": "kind", "significance": "significance",
    "verdict": "verdict", "rule": "failed",
}  # fmt: skip
"""The column of each field; that of `rule` is the list of failed rules."""
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
LAST = "\U0010ffff"
"""The last character there is: what begins with a prefix lies before the prefix and this."""


def sql_of(node: Filter, values: list[Any], columns: Mapping[str, str]) -> str:
    """An SQL condition over columns; its values are appended to `values`. Raises StoreError "bad_filter"."""
    if isinstance(node, All):
        return " AND ".join(f"({sql_of(part, values, columns)})" for part in node.parts) or "1"
    if isinstance(node, AnyOf):
        return " OR ".join(f"({sql_of(part, values, columns)})" for part in node.parts) or _never(values)
    if isinstance(node, Not):
        return f"NOT ({sql_of(node.part, values, columns)})"
    if node.field not in columns or node.field not in FIELDS:
        raise _bad(node)
    return (_rule if node.field == "rule" else _compared)(columns[node.field], node, values)


def _compared(column: str, test: Test, values: list[Any]) -> str:
    if test.op == "given":
        return f"{column} IS {'NOT ' if test.value else ''}NULL"
    if test.op == "in":
        if not test.value:
            return _never(values)
        values.extend(_value(test, part) for part in test.value)
        return f"{column} IN ({', '.join('?' * len(test.value))})"
    if test.op == "prefix":
        if FIELDS[test.field] != "text":
            raise _bad(test)
        values.extend((_value(test, test.value), _value(test, test.value) + LAST))
        return f"({column} >= ? AND {column} < ?)"
    if test.op not in COMPARISONS:
        raise _bad(test)
    values.append(_value(test, test.value))
    return f"{column} {test.op} ?"


def _never(values: list[Any]) -> str:
    """False, as a parameter: beside a literal one SQLite refuses to use a partial index it was told to use."""
    values.append(0)
    return "?"


def _rule(column: str, test: Test, values: list[Any]) -> str:
    """Whether any failed rule is meant; unknown while no evaluation is of record."""
    if test.op == "given":
        return f"ifnull({column}, '[]') {'<>' if test.value else '='} '[]'"
    asked = Test("rule", "=", test.value) if test.op == "!=" else test
    some = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE {_compared('value', asked, values)})"
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE {'NOT ' if test.op == '!=' else ''}{some} END"


def _value(test: Test, value: Any) -> Any:
    """A value as its column holds it."""
    kind = FIELDS[test.field]
    if value is None:
        return None
    if kind == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        return real(value)
    if kind != "number" and isinstance(value, str):
        return micros(value) if kind == "time" else key(value) if test.field == "trace" else clean(value)
    raise _bad(test)


def _bad(test: Test) -> StoreError:
    return StoreError(f"`{test.field} {test.op}` can not be asked of stored traces with that value", reason="bad_filter")


def conjuncts(node: Filter) -> list[Filter]:
    """The parts of a filter that must all hold."""
    return [c for part in node.parts for c in conjuncts(part)] if isinstance(node, All) else [node]


def fields_of(node: Filter) -> Iterator[str]:
    """The fields a filter asks about."""
    if isinstance(node, Test):
        yield node.field
    elif isinstance(node, Not):
        yield from fields_of(node.part)
    else:
        for part in node.parts:
            yield from fields_of(part)
