"""Running totals by minute, hour and day, kept in the transaction that changes what they count.

All amounts are integers, so taking a trace out again leaves exactly what was there before it came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from operator import add
from typing import Any

from iris.store.sqlite.outcomes import Outcome
from iris.store.sqlite.text import SECOND

WIDTHS = (60, 3_600, 86_400)
"""Seconds of a bucket."""
COST_UNIT, LATENCY_UNIT, SCORE_UNIT = 10**10, 1_000, 10**6
"""Units of a sum in one USD, one millisecond, one point of score."""
LARGEST = 10**15
"""What a single trace adds at most, so that no sum leaves 63 bits."""
TRACE_SUMS = ("traces", "broken", "cost", "latency", "timed")
EVALUATION_SUMS = ("evaluations", "passed", "failed", "score", "scored", "pii", "injection", "hallucination")
SUMS = TRACE_SUMS + EVALUATION_SUMS


def _upsert(table: str, keys: tuple[str, ...], sums: tuple[str, ...]) -> str:
    added = ", ".join(f"{name} = {name} + excluded.{name}" for name in sums)
    marks = ", ".join("?" * (len(keys) + len(sums)))
    names = ", ".join(keys + sums)
    return f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {added}"


TALLY_KEYS = ("tenant_id", "agent", "framework", "state", "verdict", "kind", "significance", "ranked")
UPSERTS = {
    "totals": _upsert("totals", ("tenant_id", "width", "start", "agent"), SUMS),
    "rule_totals": _upsert("rule_totals", ("tenant_id", "width", "start", "rule"), ("run", "failed")),
    "tallies": _upsert("tallies", TALLY_KEYS, ("n",)),
    "evaluation_tallies": _upsert("evaluation_tallies", ("tenant_id", "eval_type", "passed"), ("n",)),
}


Sums = dict[tuple[Any, ...], tuple[int, ...]]


class Deltas:
    """What a transaction adds to the totals; written once at its end.

    Rules are gathered as the lists of those that passed and failed together, which mostly are the same lists.
    """

    def __init__(self) -> None:
        self._sums: dict[str, Sums] = {table: {} for table in UPSERTS}

    def plus(self, table: str, keys: tuple[Any, ...], amounts: tuple[int, ...]) -> None:
        """Add amounts under a key."""
        rows = self._sums[table]
        known = rows.get(keys)
        rows[keys] = amounts if known is None else tuple(map(add, known, amounts))

    def add(self, other: Deltas) -> None:
        """Add everything of another."""
        for table, rows in other._sums.items():
            for keys, amounts in rows.items():
                self.plus(table, keys, amounts)

    def flush(self, db: sqlite3.Connection) -> None:
        """Write the sums, those of a minute to its hour and day too."""
        sums = self._sums | {"totals": _spread(self._sums["totals"]), "rule_totals": _spread(_rules(self._sums["rule_totals"]))}
        for table, rows in sums.items():
            if rows:
                db.executemany(UPSERTS[table], [(*keys, *amounts) for keys, amounts in rows.items()])


def _spread(minutes: Sums) -> Sums:
    """Sums by tenant, minute and name, for each width of bucket."""
    out: Sums = {}
    for (tenant, minute, name), amounts in minutes.items():
        for width in WIDTHS:
            keys = (tenant, width, minute - minute % width, name)
            known = out.get(keys)
            out[keys] = amounts if known is None else tuple(map(add, known, amounts))
    return out


def _rules(lists: Sums) -> Sums:
    """How often each rule ran and failed, of how often each list of rules did."""
    out: Sums = {}
    for (tenant, minute, passed, failed), (n,) in lists.items():
        for rules, fails in ((passed, 0), (failed, n)):
            for rule in rules:
                run, known = out.get((tenant, minute, rule), (0, 0))
                out[tenant, minute, rule] = (run + n, known + fails)
    return out


def units(value: float | None, unit: int) -> int:
    """A measured value in whole units, within what can be summed."""
    if value is None:
        return 0
    return round(max(-LARGEST, min(LARGEST, value)) * unit) if abs(value) * unit < LARGEST else LARGEST


def minute_of(ts: int) -> int:
    """The minute an instant lies in: its start in seconds."""
    return ts // (WIDTHS[0] * SECOND) * WIDTHS[0]


def count_trace(deltas: Deltas, row: Mapping[str, Any], sign: int = 1) -> None:
    """Count a trace in, or out again."""
    latency, cost = row["latency"], row["cost"]
    sums = (1, row["broken"], units(cost, COST_UNIT), units(latency, LATENCY_UNIT), int(latency is not None))
    amounts = tuple(sign * n for n in sums) + (0,) * len(EVALUATION_SUMS)
    deltas.plus("totals", (row["tenant_id"], minute_of(row["ts"]), row["agent"]), amounts)
    count_verdict(deltas, row, sign)


def count_verdict(deltas: Deltas, row: Mapping[str, Any], sign: int = 1) -> None:
    """Count what a trace's verdict of record and moment are."""
    keys = (row["tenant_id"], row["agent"], row["framework"] or "", row["state"], row["verdict"], row["kind"])
    deltas.plus("tallies", (*keys, row["significance"], int(row["rank"] is not None)), (sign,))


def count_evaluation(deltas: Deltas, tenant: str, agent: str, ts: int, eval_type: str, outcome: Outcome) -> None:
    """Count an evaluation and the rules it ran."""
    state, score = outcome.state, outcome.score
    judged = (1, int(state == "pass"), int(state == "fail"), units(score, SCORE_UNIT), int(score is not None))
    violations = tuple(int(name in outcome.violations) for name in EVALUATION_SUMS[-3:])
    amounts = (0,) * len(TRACE_SUMS) + judged + violations
    deltas.plus("totals", (tenant, minute_of(ts), agent), amounts)
    deltas.plus("rule_totals", (tenant, minute_of(ts), outcome.passed, outcome.failed), (1,))
    passed = -1 if outcome.flag is None else int(outcome.flag)
    deltas.plus("evaluation_tallies", (tenant, eval_type, passed), (1,))
