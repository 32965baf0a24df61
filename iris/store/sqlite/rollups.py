"""Hourly totals and counts, gathered while a batch is written and added in the same transaction."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

COLUMNS = {
    "trace_hours": (("tenant_id", "hour", "agent"), ("traces", "errors", "latency_sum", "latency_n", "cost")),
    "evaluation_hours": (
        ("tenant_id", "hour"),
        ("evaluations", "judged", "passed", "score_sum", "pii", "injection", "hallucination"),
    ),
    "rule_hours": (("tenant_id", "hour", "rule"), ("run", "failed")),
    "agents": (("tenant_id", "agent"), ("traces", "fails")),
    "counts": (("tenant_id", "field", "value"), ("n",)),
}
"""Each table's key and its sums."""


def _upsert(table: str) -> str:
    keys, sums = COLUMNS[table]
    names, marks = ", ".join((*keys, *sums)), ", ".join("?" * (len(keys) + len(sums)))
    added = ", ".join(f"{s} = {s} + excluded.{s}" for s in sums)
    return f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {added}"


UPSERTS = {table: _upsert(table) for table in COLUMNS}


class Deltas:
    """Amounts to add, by table and key."""

    __slots__ = ("sums",)

    def __init__(self) -> None:
        self.sums: dict[str, dict[tuple[str, ...], list[float]]] = {table: {} for table in COLUMNS}

    def plus(self, table: str, key: tuple[str, ...], amounts: tuple[float, ...]) -> None:
        """Add amounts under a key."""
        known = self.sums[table].get(key)
        if known is None:
            self.sums[table][key] = list(amounts)
        else:
            for i, amount in enumerate(amounts):
                known[i] += amount

    def add(self, other: Deltas) -> None:
        """Add everything of another."""
        for table, rows in other.sums.items():
            for key, amounts in rows.items():
                self.plus(table, key, tuple(amounts))

    def flush(self, db: sqlite3.Connection) -> None:
        """Write the sums."""
        for table, rows in self.sums.items():
            if rows:
                db.executemany(UPSERTS[table], [(*key, *amounts) for key, amounts in rows.items()])


def trace_sums(deltas: Deltas, tenant: str, row: Mapping[str, Any], sign: int = 1) -> None:
    """Count one trace in, or out again."""
    latency, cost = row["latency"], row["cost"]
    amounts = (sign, sign * (row["span_errors"] > 0), sign * (latency or 0.0), sign * (latency is not None), sign * (cost or 0.0))
    deltas.plus("trace_hours", (tenant, row["ts"][:13], row["agent"]), amounts)
    deltas.plus("agents", (tenant, row["agent"]), (sign, 0))
    for field in ("agent", "framework", "state"):
        if row[field] is not None:
            deltas.plus("counts", (tenant, field, row[field]), (sign,))
    deltas.plus("counts", (tenant, "all", ""), (sign,))


VIOLATIONS = {"no_pii": 0, "no_injection_patterns": 1, "no_hallucination_markers": 2}
"""Built-in rules whose failures are counted apart, as the statistics name them."""


def evaluation_sums(deltas: Deltas, tenant: str, result: Mapping[str, Any], created_at: str) -> None:
    """Count one evaluation."""
    hour = created_at[:13]
    violations = [0, 0, 0]
    for rule in result.get("rule_results", ()):
        if rule.get("skipped"):
            continue
        failed = not rule.get("passed")
        deltas.plus("rule_hours", (tenant, hour, str(rule.get("ruleName", ""))), (1, int(failed)))
        place = VIOLATIONS.get(str(rule.get("ruleName", "")))
        if failed and place is not None:
            violations[place] = 1
    judged = not result.get("insufficient_data")
    score = float(result.get("score") or 0.0) if judged else 0.0
    amounts = (1, int(judged), int(judged and bool(result.get("passed"))), score, *violations)
    deltas.plus("evaluation_hours", (tenant, hour), amounts)


def rows_of(db_rows: list[tuple[Any, ...]]) -> dict[str, list[float]]:
    """Sums by hour."""
    out: dict[str, list[float]] = defaultdict(list)
    for hour, *amounts in db_rows:
        out[hour] = list(amounts)
    return out
