"""Keep traces and evaluations: jobs of the writing thread, each inside its transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from iris.store.interface import StoreError
from iris.store.sqlite.history import AgentPast, Costs
from iris.store.sqlite.moments import Moment, moment_of
from iris.store.sqlite.outcomes import Outcome, in_force, read
from iris.store.sqlite.rollups import Deltas, count_evaluation, count_trace, count_verdict
from iris.store.sqlite.rows import Columns, EvaluationRow, TraceRow
from iris.store.sqlite.text import dump

GIVEN = (
    "tenant_id", "trace_id", "ts", "agent", "framework", "session", "run", "case_key", "source", "model", "cost", "latency",
    "tokens", "tokens_prompt", "tokens_completion", "calls", "errors", "broken",
)  # fmt: skip
JUDGED = ("evaluation_id", "state", "score", "passed", "basis", "failed", "verdict", "kind", "significance", "rank")
"""Columns that say how a trace was judged; the only ones that ever change."""
EVALUATED = (
    "tenant_id", "evaluation_id", "trace_id", "reference_trace_id", "eval_type", "ts", "created_at", "state", "score", "passed",
    "outcome", "output", "expected", "result",
)  # fmt: skip
UNJUDGED: Columns = {"evaluation_id": None, "state": "unjudged", "score": None, "passed": None, "basis": None, "failed": None}
CONSIDERED = 50
"""Evaluations of one trace its moment is made of, the newest."""


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(f':{name}' for name in columns)})"


INSERT_TRACE = _insert("traces", GIVEN + JUDGED)
INSERT_EVALUATION = _insert("evaluations", EVALUATED)
UPDATE_JUDGED = f"UPDATE traces SET {', '.join(f'{name} = :{name}' for name in JUDGED)} WHERE seq = :seq"
KNOWN = f"SELECT seq, {', '.join((*GIVEN, *JUDGED))} FROM traces WHERE trace_id = ? AND tenant_id = ?"


def add_traces(db: sqlite3.Connection, deltas: Deltas, costs: Costs, now: int, rows: Sequence[TraceRow]) -> None:
    """Keep traces with their spans and verdicts. `now` in microseconds."""
    costs.check(db)
    for row in rows:
        _add_trace(db, deltas, costs, now, row)


def _add_trace(db: sqlite3.Connection, deltas: Deltas, costs: Costs, now: int, new: TraceRow) -> None:
    own = new.columns
    tenant, agent, ts = own["tenant_id"], own["agent"], own["ts"]
    spike = costs.spike(db, (tenant, agent), ts, own["cost"])
    outcomes = [] if new.evaluation is None else [new.evaluation.outcome]
    moment = moment_of(outcomes, spike, AgentPast(db, tenant, agent))
    row = own | _judged(new.evaluation, moment, ts, now)
    try:
        seq = db.execute(INSERT_TRACE, row).lastrowid
    except sqlite3.IntegrityError:
        raise StoreError("a trace of that id is stored already", reason="duplicate_trace") from None
    assert seq is not None
    db.execute("INSERT INTO bodies VALUES (?, ?, ?, ?, ?)", (seq, tenant, *new.texts))
    if new.spans:
        spans = [(seq, span_id, tenant, own["trace_id"], place, span) for span_id, place, span in new.spans]
        db.executemany("INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?)", spans)
    count_trace(deltas, row)
    _remember(db, tenant, seq, moment)
    if new.evaluation is not None:
        _keep(db, deltas, agent, new.evaluation)
        _failures(db, tenant, ts, seq, new.evaluation.outcome)


def _judged(evaluation: EvaluationRow | None, moment: Moment, ts: int, now: int) -> Columns:
    """The columns that say how a trace was judged."""
    found = {"verdict": moment.verdict, "kind": moment.kind, "significance": moment.significance, "rank": moment.rank(ts, now)}
    if evaluation is None:
        return UNJUDGED | found
    columns, outcome = evaluation.columns, evaluation.outcome
    record = {name: columns[name] for name in ("evaluation_id", "state", "score", "passed")}
    return record | {"basis": outcome.basis, "failed": dump(list(outcome.failed))} | found


def _remember(db: sqlite3.Connection, tenant: str, seq: int, moment: Moment) -> None:
    """Keep what a moment shows besides its columns; a trace nobody judged has nothing to show."""
    if moment.kind != "unevaluated" or moment.detail["count"]:
        detail = moment.detail | {"label": moment.label, "reason": moment.reason}
        db.execute("INSERT OR REPLACE INTO moments VALUES (?, ?, ?)", (seq, tenant, dump(detail)))


def _failures(db: sqlite3.Connection, tenant: str, ts: int, seq: int, outcome: Outcome) -> None:
    if outcome.failed:
        db.executemany("INSERT INTO failures VALUES (?, ?, ?, ?)", [(tenant, rule, ts, seq) for rule in outcome.failed])


def _keep(db: sqlite3.Connection, deltas: Deltas, agent: str, new: EvaluationRow) -> None:
    columns = new.columns
    try:
        db.execute(INSERT_EVALUATION, columns)
    except sqlite3.IntegrityError:
        raise StoreError("an evaluation of that id is stored already", reason="duplicate_evaluation") from None
    count_evaluation(deltas, columns["tenant_id"], agent, columns["ts"], columns["eval_type"], new.outcome)


def add_evaluation(db: sqlite3.Connection, deltas: Deltas, now: int, new: EvaluationRow) -> None:
    """Keep an evaluation; with a trace_id it becomes the verdict of record. Raises StoreError "unknown_trace"."""
    columns = new.columns
    of_record, about = columns["trace_id"], columns["trace_id"] or columns["reference_trace_id"]
    known = None if about is None else trace_columns(db, columns["tenant_id"], about)
    if of_record is not None and known is None:
        raise StoreError("no trace of that id is stored", reason="unknown_trace")
    _keep(db, deltas, known["agent"] if known else "", new)
    if of_record is not None and known is not None:
        _of_record(db, deltas, now, known, new)


def trace_columns(db: sqlite3.Connection, tenant: str, trace_id: str) -> Columns | None:
    """The columns of a stored trace."""
    found = db.execute(KNOWN, (trace_id, tenant)).fetchone()
    return None if found is None else dict(zip(("seq", *GIVEN, *JUDGED), found, strict=True))


def _of_record(db: sqlite3.Connection, deltas: Deltas, now: int, before: Columns, new: EvaluationRow) -> None:
    """Move the verdict of record of a trace, and what is counted by it."""
    tenant, seq, ts = before["tenant_id"], before["seq"], before["ts"]
    moment = moment_of(_outcomes(db, before), _spike(db, seq), AgentPast(db, tenant, before["agent"], seq))
    after = before | _judged(new, moment, ts, now)
    db.execute(UPDATE_JUDGED, after)
    forget_failures(db, before)
    _failures(db, tenant, ts, seq, new.outcome)
    _remember(db, tenant, seq, moment)
    count_verdict(deltas, before, -1)
    count_verdict(deltas, after)


def forget_failures(db: sqlite3.Connection, row: Mapping[str, Any]) -> None:
    """Take the failed rules of a trace out of the lists by rule."""
    rules = json.loads(row["failed"] or "[]")
    keys = [(row["tenant_id"], rule, row["ts"], row["seq"]) for rule in rules]
    db.executemany("DELETE FROM failures WHERE tenant_id = ? AND rule = ? AND ts = ? AND seq = ?", keys)


def _outcomes(db: sqlite3.Connection, row: Columns) -> list[Outcome]:
    """The outcomes of a trace's evaluations that are in force, oldest first."""
    sql = "SELECT evaluation_id, outcome FROM evaluations WHERE tenant_id = ? AND trace_id = ? ORDER BY seq DESC LIMIT ?"
    found = db.execute(sql, (row["tenant_id"], row["trace_id"], CONSIDERED)).fetchall()
    return in_force({name: read(json.loads(kept)) for name, kept in reversed(found)})


def _spike(db: sqlite3.Connection, seq: int) -> str | None:
    """Why the cost of a stored trace was a spike when it came."""
    found = db.execute("SELECT detail ->> 'spike' FROM moments WHERE seq = ?", (seq,)).fetchone()
    return found[0] if found else None
