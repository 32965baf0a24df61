"""The store: writes go to the writing thread, reads to connections of their own."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiosqlite

from iris.store.interface import (
    AuditEntry,
    AuditQuery,
    EvaluationQuery,
    NewEvaluation,
    NewTrace,
    Page,
    Row,
    StoreError,
    TraceQuery,
)
from iris.store.sqlite import totals, write
from iris.store.sqlite.connect import BUSY_MS, store_error
from iris.store.sqlite.lists import JUDGED, Lister, judged_of, shown
from iris.store.sqlite.moment_rows import detail, listed
from iris.store.sqlite.moments import Costs
from iris.store.sqlite.rows import EVALUATION, evaluation_of
from iris.store.sqlite.searching import index_some
from iris.store.sqlite.writer import Writer

READERS = 3


class SqliteStore:
    """Implements `iris.store.interface.Store` in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._costs = Costs()
        self._writer = Writer(path, index_some)
        self._readers: list[aiosqlite.Connection] = []
        self._turn = 0

    async def open(self) -> None:
        """Open, create or upgrade. Raises StoreError."""
        await self._writer.start()
        try:
            for _ in range(READERS):
                reader = await aiosqlite.connect(self.path, isolation_level=None, timeout=BUSY_MS / 1000)
                await reader.execute("PRAGMA query_only = ON")
                await reader.execute("PRAGMA cache_size = -16000")
                self._readers.append(reader)
        except sqlite3.Error as error:
            raise store_error(error) from error

    async def close(self) -> None:
        """Finish queued writes and close."""
        await self._writer.stop()
        readers, self._readers = self._readers, []
        for reader in readers:
            await reader.close()

    async def check(self) -> Mapping[str, bool]:
        """Whether reads and writes work."""
        try:
            await self._run("SELECT 1 FROM _iris_migrations LIMIT 1")
            await self._writer.write(lambda db, deltas: db.execute("INSERT OR REPLACE INTO marks VALUES ('checked', 1)") and None)
        except StoreError:
            return {"storage": False, "migrations": bool(self._readers)}
        return {"storage": True, "migrations": True}

    async def _run(self, sql: str, parameters: Any = ()) -> list[Any]:
        """The rows of a statement, on one of the reading connections."""
        if not self._readers:
            raise StoreError("the store is closed", reason="closed")
        self._turn = (self._turn + 1) % len(self._readers)
        try:
            return list(await self._readers[self._turn].execute_fetchall(sql, parameters))
        except (sqlite3.Error, OverflowError) as error:
            raise store_error(error) from error

    # Writes.

    async def add_traces(self, tenant: str, traces: Sequence[NewTrace]) -> None:
        """Keep all of these, or none."""
        await self._writer.write(lambda db, deltas: write.add_traces(db, deltas, self._costs, tenant, traces))

    async def add_evaluation(self, tenant: str, evaluation: NewEvaluation) -> None:
        """Keep an evaluation."""
        await self._writer.write(lambda db, deltas: write.add_evaluation(db, deltas, tenant, evaluation))

    async def delete_trace(self, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
        """Delete a trace, erase the texts of its evaluations, log it; then shrink the log file, off the loop."""
        deleted: bool = await self._writer.write(lambda db, deltas: write.delete_trace(db, deltas, tenant, trace_id, entry))
        if deleted:
            await asyncio.to_thread(self._shrink)
        return deleted

    def _shrink(self) -> None:
        """Empty the write-ahead log, so that deleted bytes do not stay in it; a reader in the way only delays that."""
        db = sqlite3.connect(self.path, timeout=0.2)
        try:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError:
            return
        finally:
            db.close()

    async def add_audit(self, tenant: str, entry: AuditEntry) -> None:
        """Append to the audit log."""
        await self._writer.write(lambda db, deltas: write.add_audit(db, tenant, entry))

    async def set_preferences(self, tenant: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set some preferences and give all of them."""
        found: Mapping[str, Any] = await self._writer.write(lambda db, deltas: write.set_preferences(db, tenant, values))
        return found

    # Reads.

    async def trace(self, tenant: str, trace_id: str) -> Row | None:
        """One whole trace."""
        row = await self._judged(tenant, trace_id)
        return None if row is None else shown(row, (await self._bodies([row]))[row["seq"]])

    async def _judged(self, tenant: str, trace_id: str) -> Row | None:
        sql = f"SELECT {', '.join(JUDGED)} FROM traces WHERE trace_id = ? AND tenant_id = ?"
        rows = await self._run(sql, (trace_id, tenant))
        return judged_of(rows[0]) if rows else None

    async def _bodies(self, rows: list[Row]) -> dict[int, Any]:
        return await self._lister()._bodies(rows)

    def _lister(self) -> Lister:
        return Lister(self._run, searchable=self._writer.searchable)

    async def has_trace(self, tenant: str, trace_id: str) -> bool:
        """Whether there is such a trace."""
        return bool(await self._run("SELECT 1 FROM traces WHERE trace_id = ? AND tenant_id = ?", (trace_id, tenant)))

    async def spans(self, tenant: str, trace_id: str) -> list[Row]:
        """The spans of a trace in their order of start."""
        sql = (
            "SELECT s.span FROM traces t JOIN spans s ON s.seq = t.seq WHERE t.trace_id = ? AND t.tenant_id = ? ORDER BY s.place"
        )
        spans = [json.loads(r[0]) for r in await self._run(sql, (trace_id, tenant))]
        return sorted(spans, key=lambda s: str(s.get("start_time") or ""))

    async def evaluation(self, tenant: str, evaluation_id: str) -> Row | None:
        """One stored evaluation."""
        sql = f"SELECT {EVALUATION} FROM evaluations WHERE id = ? AND tenant_id = ?"
        rows = await self._run(sql, (evaluation_id, tenant))
        return evaluation_of(rows[0]) if rows else None

    async def evaluations_of(self, tenant: str, trace_id: str) -> list[Row]:
        """All evaluations that name a trace, newest first."""
        sql = (
            f"SELECT {EVALUATION}, seq FROM evaluations WHERE trace_id = ?1 AND tenant_id = ?2"
            f" UNION ALL SELECT {EVALUATION}, seq FROM evaluations WHERE reference_trace_id = ?1 AND tenant_id = ?2 ORDER BY seq DESC"
        )
        return [evaluation_of(r[:-1]) for r in await self._run(sql, (trace_id, tenant))]

    async def traces(self, tenant: str, query: TraceQuery) -> Page:
        """A page of traces."""
        return await self._lister().page(tenant, query)

    async def evaluations(self, tenant: str, query: EvaluationQuery) -> Page:
        """A page of evaluations, newest first."""
        where, parameters = "tenant_id = ?", [tenant]
        tests: tuple[tuple[str, Any], ...] = (
            ("eval_type = ?", query.eval_type),
            ("passed = ?", None if query.passed is None else int(query.passed)),
            ("trace_id = ?", query.trace_id),
            ("created_at >= ?", query.since),
            ("created_at <= ?", query.until),
        )
        for test, value in tests:
            if value is not None:
                where, parameters = f"{where} AND {test}", [*parameters, value]
        sql = f"SELECT {EVALUATION} FROM evaluations WHERE {where} ORDER BY created_at DESC, seq DESC LIMIT ? OFFSET ?"
        rows = await self._run(sql, (*parameters, query.limit, query.offset))
        bound = max(20_000, query.offset + query.limit)
        n = (await self._run(f"SELECT count(*) FROM (SELECT 1 FROM evaluations WHERE {where} LIMIT ?)", (*parameters, bound)))[0][
            0
        ]
        return Page([evaluation_of(r) for r in rows], n, None, len(rows), n < bound)

    async def moments(self, tenant: str, query: TraceQuery) -> Page:
        """A page of decision moments."""
        return await self._lister().page(tenant, query, listed)

    async def moment(self, tenant: str, trace_id: str) -> Row | None:
        """One moment with its evaluations, calls and spans."""
        row = await self._judged(tenant, trace_id)
        if row is None:
            return None
        body = (await self._bodies([row]))[row["seq"]]
        evaluations = await self.evaluations_of(tenant, trace_id)
        return detail(row, body, evaluations, await self.spans(tenant, trace_id))

    async def filters(self, tenant: str) -> Row:
        """Distinct names of agents and frameworks."""
        sql = "SELECT value FROM counts WHERE tenant_id = ? AND field = ? AND n > 0 ORDER BY value LIMIT 1000"
        names = {field: [r[0] for r in await self._run(sql, (tenant, field))] for field in ("agent", "framework")}
        return {"agent_names": names["agent"], "frameworks": names["framework"]}

    async def summary(self, tenant: str, hours: int) -> Row:
        """Totals of the last hours."""
        return await totals.summary(self._run, tenant, hours, datetime.now(UTC))

    async def statistics(self, tenant: str, period: str) -> Row:
        """How a period's evaluations came out."""
        return await totals.statistics(self._run, tenant, period, datetime.now(UTC))

    async def trend(self, tenant: str, period: str) -> list[Row]:
        """Buckets of a period."""
        return await totals.trend(self._run, tenant, period, datetime.now(UTC))

    async def rule_statistics(self, tenant: str, period: str) -> list[Row]:
        """How often each rule failed."""
        return await totals.rule_statistics(self._run, tenant, period, datetime.now(UTC))

    async def recent_failures(self, tenant: str, period: str, limit: int) -> list[Row]:
        """The newest failed evaluations, their output cut."""
        since = totals.since_hour(totals.PERIODS[period], datetime.now(UTC))
        sql = (
            f"SELECT {EVALUATION} FROM evaluations WHERE tenant_id = ? AND passed = 0 AND created_at >= ?"
            " ORDER BY created_at DESC, seq DESC LIMIT ?"
        )
        rows = [evaluation_of(r) for r in await self._run(sql, (tenant, since, limit))]
        return [{**row, "output_text": (row["output_text"] or "")[:200]} for row in rows]

    async def drift(self, tenant: str, period: str) -> tuple[Row, Row]:
        """Counts of a period and of the one before."""
        return await totals.drift(self._run, tenant, period, datetime.now(UTC))

    async def audit(self, tenant: str, query: AuditQuery) -> Page:
        """A page of the audit log, newest first."""
        where, parameters = "tenant_id = ?", [tenant]
        for test, value in (("action = ?", query.action), ("ts >= ?", query.since)):
            if value is not None:
                where, parameters = f"{where} AND {test}", [*parameters, value]
        if query.search:
            where += " AND instr(lower(coalesce(rule_id,'')||' '||coalesce(trace_id,'')||' '||coalesce(rule_name,'')||' '||details), ?)"
            parameters.append(query.search.lower())
        columns = "ts, tenant_id, action, user, rule_id, trace_id, rule_name, details"
        sql = f"SELECT {columns} FROM audit WHERE {where} ORDER BY ts DESC, seq DESC LIMIT ? OFFSET ?"
        rows = [_audit(r) for r in await self._run(sql, (*parameters, query.limit, query.offset))]
        n = (await self._run(f"SELECT count(*) FROM audit WHERE {where}", parameters))[0][0]
        return Page(rows, n)

    async def rule_changes(self, tenant: str, since: str) -> Row | None:
        """How often rules were deleted or changed since an instant."""
        sql = (
            "SELECT count(*), max(ts) FROM audit WHERE tenant_id = ? AND ts >= ?"
            " AND action IN ('rule.delete', 'rule.toggle', 'rule.update')"
        )
        count, last = (await self._run(sql, (tenant, since)))[0]
        return {"count": count, "last_change_at": last} if count else None

    async def preferences(self, tenant: str) -> Mapping[str, Any]:
        """All preferences."""
        rows = await self._run("SELECT name, value FROM preferences WHERE tenant_id = ?", (tenant,))
        return {name: json.loads(value) for name, value in rows}


def _audit(row: tuple[Any, ...]) -> Row:
    ts, tenant, action, user, rule_id, trace_id, rule_name, details = row
    entry: Row = {"ts": ts, "tenantId": tenant, "action": action, "user": user}
    entry |= {k: v for k, v in (("ruleId", rule_id), ("traceId", trace_id), ("ruleName", rule_name)) if v is not None}
    return entry | {"details": json.loads(details)}
