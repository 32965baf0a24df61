"""Delete a trace, and the texts every evaluation took from it."""

from __future__ import annotations

import json
import sqlite3

from iris.store.interface import AuditEntry
from iris.store.sqlite.audit import add_audit
from iris.store.sqlite.insert import forget_failures, trace_columns
from iris.store.sqlite.rollups import Deltas, count_trace
from iris.store.sqlite.search import forget_texts
from iris.store.sqlite.text import dump, key


def delete_trace(db: sqlite3.Connection, deltas: Deltas, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
    """Delete a trace with its spans, erase the texts of its evaluations, log it. False: there is none."""
    row = trace_columns(db, tenant, key(trace_id))
    if row is None:
        return False
    forget_failures(db, row)
    forget_texts(db, row["seq"])
    db.execute("DELETE FROM traces WHERE seq = ?", (row["seq"],))
    _erase_evaluations(db, tenant, row["trace_id"], entry.ts)
    count_trace(deltas, row, -1)
    add_audit(db, tenant, entry)
    return True


def _erase_evaluations(db: sqlite3.Connection, tenant: str, trace_id: str, when: str) -> None:
    for column in ("trace_id", "reference_trace_id"):
        sql = f"SELECT seq, result FROM evaluations WHERE tenant_id = ? AND {column} = ?"
        for seq, result in db.execute(sql, (tenant, trace_id)).fetchall():
            change = "UPDATE evaluations SET result = ?, output = NULL, expected = NULL, erased_at = ? WHERE seq = ?"
            db.execute(change, (erased(result, when), when, seq))


def erased(result: str, when: str) -> str:
    """A result without the texts it took from the run; verdict, scores, names of rules and offsets stay."""
    found = json.loads(result)
    found["suggestions"], found["erased_at"] = [], when
    for rule in found.get("rule_results") or ():
        rule["message"] = ""
        for name in ("say", "advice", "rationale", "skipReason"):
            if name in rule:
                rule[name] = ""
        for evidence in rule.get("evidence") or ():
            if "url" in evidence:
                evidence["url"] = ""
    return dump(found)
