"""The writes, as jobs of the writing thread."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from iris.store.interface import AuditEntry, NewEvaluation, NewTrace, StoreError
from iris.store.sqlite.moments import Costs, failed_rules, moment_of
from iris.store.sqlite.rollups import Deltas, evaluation_sums, trace_sums
from iris.store.sqlite.rows import COLUMNS, body_row, dumped, erased, text_of, trace_row

INSERT_TRACE = f"INSERT INTO traces ({', '.join(COLUMNS)}) VALUES ({', '.join(':' + c for c in COLUMNS)})"
INSERT_EVALUATION = """
INSERT INTO evaluations (tenant_id, id, trace_id, reference_trace_id, eval_type, score, passed, state, created_at, result,
  output_text, expected_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
JUDGED = """
UPDATE traces SET evaluation_id = ?, state = ?, score = ?, passed = ?, basis = ?, failed_rules = ?, rules_skipped = ?,
  verdict = ?, kind = ?, significance = ?, label = ?, reason = ?, rank = ? WHERE seq = ?
"""
REMARKED = "UPDATE traces SET verdict = ?, kind = ?, significance = ?, label = ?, reason = ?, rank = ? WHERE seq = ?"


def add_traces(db: sqlite3.Connection, deltas: Deltas, costs: Costs, tenant: str, traces: Sequence[NewTrace]) -> None:
    """Traces with their spans and verdicts."""
    for new in traces:
        _add_trace(db, deltas, costs, tenant, new)


def _add_trace(db: sqlite3.Connection, deltas: Deltas, costs: Costs, tenant: str, new: NewTrace) -> None:
    row = trace_row(tenant, new.trace, new.spans)
    seq = db.execute(INSERT_TRACE, row).lastrowid
    assert seq is not None
    db.execute("INSERT INTO bodies VALUES (?, ?, ?, ?)", body_row(seq, new.trace))
    _add_spans(db, seq, row["trace_id"], new.spans)
    spike = costs.spike(db, tenant, row["agent"], row["cost"])
    trace_sums(deltas, tenant, {**row, "state": "unjudged"})
    if new.evaluation is not None:
        _insert_evaluation(db, deltas, tenant, new.evaluation)
        _of_record(db, deltas, tenant, seq, {**row, "state": "unjudged"}, new.evaluation.result, spike)
    elif spike is not None:
        _remark(db, tenant, seq, row, spike)


def _add_spans(db: sqlite3.Connection, seq: int, trace_id: str, spans: Sequence[Mapping[str, Any]]) -> None:
    rows = [(seq, trace_id, i, text_of(s["span_id"]), dumped(dict(s))) for i, s in enumerate(spans)]
    try:
        db.executemany("INSERT INTO spans VALUES (?, ?, ?, ?, ?)", rows)
    except sqlite3.IntegrityError:
        raise StoreError("two spans of the trace have the same span_id", reason="duplicate_span") from None


def _remark(db: sqlite3.Connection, tenant: str, seq: int, row: Mapping[str, Any], spike: str) -> None:
    moment = moment_of(db, tenant, row, None, [], spike)
    values = (
        moment.verdict,
        moment.kind,
        moment.significance,
        moment.label,
        text_of(moment.reason),
        moment.rank(days(row["ts"])),
    )
    db.execute(REMARKED, (*values, seq))


def add_evaluation(db: sqlite3.Connection, deltas: Deltas, tenant: str, new: NewEvaluation) -> None:
    """An evaluation, as the verdict of record of its trace where it names one."""
    trace = None
    if new.trace_id is not None:
        sql = "SELECT seq, agent, ts, state, kind, reason FROM traces WHERE tenant_id = ? AND trace_id = ?"
        trace = db.execute(sql, (tenant, new.trace_id)).fetchone()
        if trace is None:
            raise StoreError("the trace is not stored", reason="unknown_trace")
    _insert_evaluation(db, deltas, tenant, new)
    if trace is not None:
        seq, agent, ts, state, kind, reason = trace
        row = {"trace_id": new.trace_id, "agent": agent, "ts": ts, "state": state}
        _of_record(db, deltas, tenant, seq, row, new.result, reason if kind == "cost-spike" else None)


def _insert_evaluation(db: sqlite3.Connection, deltas: Deltas, tenant: str, new: NewEvaluation) -> None:
    result = new.result
    state = (result.get("verdict") or {}).get("state")
    judged = (result.get("eval_type"), result.get("score"), int(bool(result.get("passed"))), state)
    texts = (text_of(new.output), text_of(new.expected))
    key = (tenant, result["id"], new.trace_id, new.reference_trace_id)
    db.execute(INSERT_EVALUATION, (*key, *judged, new.created_at, dumped(dict(result)), *texts))
    evaluation_sums(deltas, tenant, result, new.created_at)


def _of_record(
    db: sqlite3.Connection,
    deltas: Deltas,
    tenant: str,
    seq: int,
    row: Mapping[str, Any],
    result: Mapping[str, Any],
    spike: str | None,
) -> None:
    """Make a result the verdict of record of a trace."""
    verdict = result.get("verdict") or {}
    state = verdict.get("state") or ("pass" if result.get("passed") else "fail")
    sql = "SELECT passed FROM evaluations WHERE trace_id = ? AND state IN ('pass', 'fail') ORDER BY seq"
    passes = [r[0] for r in db.execute(sql, (row["trace_id"],))]
    moment = moment_of(db, tenant, row, result, passes, spike)
    failed = failed_rules(result)
    about = (moment.verdict, moment.kind, moment.significance, moment.label, text_of(moment.reason), moment.rank(days(row["ts"])))
    score = None if result.get("insufficient_data") else result.get("score")
    judged = (result["id"], state, score, int(bool(result.get("passed"))), verdict.get("basis"))
    db.execute(JUDGED, (*judged, dumped(failed), result.get("rules_skipped") or 0, *about, seq))
    if row["state"] != "unjudged":
        db.execute("DELETE FROM failed WHERE seq = ?", (seq,))
    db.executemany(
        "INSERT OR IGNORE INTO failed VALUES (?, ?, ?, ?)", [(tenant, text_of(rule), row["ts"], seq) for rule in failed]
    )
    if state != row["state"]:
        deltas.plus("counts", (tenant, "state", row["state"]), (-1,))
        deltas.plus("counts", (tenant, "state", state), (1,))
        fails = (state == "fail") - (row["state"] == "fail")
        if fails:
            deltas.plus("agents", (tenant, row["agent"]), (0, fails))


def days(ts: str) -> float:
    """An instant in days since 1970."""
    return datetime.fromisoformat(ts).timestamp() / 86_400


DELETED = "SELECT seq, agent, framework, ts, latency, cost, span_errors, state FROM traces WHERE tenant_id = ? AND trace_id = ?"


def delete_trace(db: sqlite3.Connection, deltas: Deltas, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
    """A trace and its spans, the texts of its evaluations, and a line in the log."""
    found = db.execute(DELETED, (tenant, trace_id)).fetchone()
    if found is None:
        return False
    names = ("seq", "agent", "framework", "ts", "latency", "cost", "span_errors", "state")
    row = dict(zip(names, found, strict=True))
    unindex(db, row["seq"])
    trace_sums(deltas, tenant, row, -1)
    if row["state"] == "fail":
        deltas.plus("agents", (tenant, row["agent"]), (0, -1))
    db.execute("DELETE FROM traces WHERE seq = ?", (row["seq"],))
    erase(db, trace_id, entry.ts)
    add_audit(db, tenant, entry)
    return True


def unindex(db: sqlite3.Connection, seq: int) -> None:
    """Take a trace's texts out of the full-text index, if they are in it."""
    marks = db.execute("SELECT value FROM marks WHERE name = 'indexed'").fetchone()
    if marks is not None and marks[0] >= seq:
        texts = db.execute("SELECT input, output FROM bodies WHERE seq = ?", (seq,)).fetchone()
        db.execute("INSERT INTO trace_text (trace_text, rowid, input, output) VALUES ('delete', ?, ?, ?)", (seq, *texts))


def erase(db: sqlite3.Connection, trace_id: str, when: str) -> None:
    """The texts of every evaluation that names a trace."""
    for column in ("trace_id", "reference_trace_id"):
        for seq, result in db.execute(f"SELECT seq, result FROM evaluations WHERE {column} = ?", (trace_id,)).fetchall():
            sql = "UPDATE evaluations SET result = ?, output_text = NULL, expected_text = NULL, erased_at = ? WHERE seq = ?"
            db.execute(sql, (erased(result, when), when, seq))


def add_audit(db: sqlite3.Connection, tenant: str, entry: AuditEntry) -> None:
    """A line of the audit log."""
    about = (entry.rule_id, entry.trace_id, entry.rule_name, dumped(dict(entry.details)))
    sql = "INSERT INTO audit (tenant_id, ts, action, user, rule_id, trace_id, rule_name, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    db.execute(sql, tuple(text_of(v) for v in (tenant, entry.ts, entry.action, entry.user, *about)))


def set_preferences(db: sqlite3.Connection, tenant: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Some preferences; null forgets one."""
    for name, value in values.items():
        if value is None:
            db.execute("DELETE FROM preferences WHERE tenant_id = ? AND name = ?", (tenant, name))
        else:
            db.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", (tenant, name, dumped(value)))
    rows = db.execute("SELECT name, value FROM preferences WHERE tenant_id = ?", (tenant,))
    return {name: json.loads(value) for name, value in rows}
