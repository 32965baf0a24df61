"""Filters to SQL with parameters; SQL's own three-valued logic is the one they mean."""

from __future__ import annotations

from typing import Any

from iris.store.filters import All, AnyOf, Filter, Not, Test

COLUMN = {
    "agent": "agent", "framework": "framework", "session": "session", "run": "run", "case": "case_key", "source": "source",
    "model": "model", "trace": "trace_id", "time": "ts", "score": "score", "cost": "cost", "latency": "latency", "tokens": "tokens",
    "tokens.prompt": "tokens_prompt", "tokens.completion": "tokens_completion", "calls": "calls", "errors": "errors",
    "state": "state", "verdict": "verdict", "basis": "basis", "kind": "kind", "significance": "significance",
}  # fmt: skip
"""The column of each field but `rule`."""


def sql_of(node: Filter, parameters: list[Any], table: str = "t") -> str:
    """An SQL condition; its values are appended to `parameters`."""
    if isinstance(node, All):
        return " AND ".join(f"({sql_of(p, parameters, table)})" for p in node.parts) or "1"
    if isinstance(node, AnyOf):
        return " OR ".join(f"({sql_of(p, parameters, table)})" for p in node.parts) or "0"
    if isinstance(node, Not):
        return f"NOT ({sql_of(node.part, parameters, table)})"
    return _test(node, parameters, table)


def _test(test: Test, parameters: list[Any], table: str) -> str:
    if test.field == "rule":
        inner = _compared("f.rule", test, parameters)
        return f"EXISTS (SELECT 1 FROM failed f WHERE f.seq = {table}.seq AND {inner})"
    return _compared(f"{table}.{COLUMN[test.field]}", test, parameters)


def _compared(column: str, test: Test, parameters: list[Any]) -> str:
    if test.op == "given":
        return f"{column} IS {'NOT ' if test.value else ''}NULL"
    if test.op == "in":
        parameters.extend(test.value)
        return f"{column} IN ({', '.join('?' * len(test.value))})"
    if test.op == "prefix":
        parameters.extend((test.value, test.value + "\U0010ffff"))
        return f"({column} >= ? AND {column} < ?)"
    parameters.append(test.value)
    return f"{column} {test.op} ?"


def conjuncts(node: Filter) -> list[Filter]:
    """The parts of a filter that must all hold."""
    return [c for p in node.parts for c in conjuncts(p)] if isinstance(node, All) else [node]


def driving_rule(node: Filter) -> str | None:
    """The rule whose failures are asked for, when the filter demands one."""
    for part in conjuncts(node):
        if isinstance(part, Test) and part.field == "rule" and part.op == "=":
            return str(part.value)
    return None


def one_value(node: Filter) -> tuple[str, str] | None:
    """The field and value of a filter that is one equality (or none: all)."""
    parts = conjuncts(node)
    if not parts:
        return "all", ""
    if (
        len(parts) == 1
        and isinstance(parts[0], Test)
        and parts[0].op == "="
        and parts[0].field in ("agent", "framework", "state")
    ):
        return parts[0].field, str(parts[0].value)
    return None
