"""The audit log and the preferences."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from iris.store.interface import AuditEntry, AuditQuery, Page, Row
from iris.store.sqlite.text import clean, dump, key, micros

Fetch = Callable[[str, tuple[Any, ...]], Awaitable[list[Any]]]
CHANGES = ("rule.delete", "rule.toggle", "rule.update")
COLUMNS = "at, action, user, rule_id, trace_id, rule_name, details"
HAYSTACK = "ifnull(rule_id, '') || ' ' || ifnull(trace_id, '') || ' ' || ifnull(rule_name, '') || ' ' || details"


def add_audit(db: sqlite3.Connection, tenant: str, entry: AuditEntry) -> None:
    """Append a line."""
    names = tuple(None if name is None else key(name) for name in (entry.rule_id, entry.trace_id, entry.rule_name))
    row = (tenant, micros(entry.ts), entry.ts, entry.action, clean(entry.user), *names, dump(dict(entry.details)))
    names_of = "tenant_id, ts, at, action, user, rule_id, trace_id, rule_name, details"
    db.execute(f"INSERT INTO audit ({names_of}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


async def page(fetch: Fetch, tenant: str, query: AuditQuery) -> Page:
    """The log, newest first; `search` is literal, whatever its case."""
    tests, values = ["tenant_id = ?"], [tenant]
    if query.action is not None:
        tests.append("action = ?")
        values.append(query.action)
    if query.since is not None:
        tests.append("ts >= ?")
        values.append(micros(query.since))  # type: ignore[arg-type]
    if query.search:
        tests.append(f"instr(lower({HAYSTACK}), lower(?))")
        values.append(clean(query.search))
    where = " AND ".join(tests)
    order = "ORDER BY ts DESC, seq DESC LIMIT ? OFFSET ?"
    rows = await fetch(f"SELECT {COLUMNS} FROM audit WHERE {where} {order}", (*values, query.limit, query.offset))
    total = (await fetch(f"SELECT count(*) FROM audit WHERE {where}", tuple(values)))[0][0]
    return Page([_entry(row) for row in rows], total, scanned=len(rows))


def _entry(row: tuple[Any, ...]) -> Row:
    at, action, user, rule_id, trace_id, rule_name, details = row
    entry: Row = {"ts": at, "action": action, "user": user}
    entry |= {k: v for k, v in (("ruleId", rule_id), ("traceId", trace_id), ("ruleName", rule_name)) if v is not None}
    return entry | {"details": json.loads(details)}


async def rule_changes(fetch: Fetch, tenant: str, since: str) -> Row | None:
    """How often rules were deleted, switched or changed since an instant, and when last."""
    marks = ", ".join("?" * len(CHANGES))
    sql = f"SELECT at FROM audit WHERE tenant_id = ? AND ts >= ? AND action IN ({marks}) ORDER BY ts DESC, seq DESC"
    rows = await fetch(sql, (tenant, micros(since), *CHANGES))
    return {"count": len(rows), "last_change_at": rows[0][0]} if rows else None


def set_preferences(db: sqlite3.Connection, tenant: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Set some; null forgets one."""
    for name, value in values.items():
        if value is None:
            db.execute("DELETE FROM preferences WHERE tenant_id = ? AND name = ?", (tenant, key(name)))
        else:
            db.execute("INSERT OR REPLACE INTO preferences VALUES (?, ?, ?)", (tenant, key(name), dump(value)))
    rows = db.execute("SELECT name, value FROM preferences WHERE tenant_id = ? ORDER BY name", (tenant,))
    return {name: json.loads(value) for name, value in rows}


async def preferences(fetch: Fetch, tenant: str) -> dict[str, Any]:
    """All that were set."""
    rows = await fetch("SELECT name, value FROM preferences WHERE tenant_id = ? ORDER BY name", (tenant,))
    return {name: json.loads(value) for name, value in rows}
