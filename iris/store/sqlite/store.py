"""The store: writes go to the writing thread, reads to connections of their own."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

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
from iris.store.sqlite import audit, evaluations, insert, search
from iris.store.sqlite.checkpoint import Checkpointer
from iris.store.sqlite.erase import delete_trace
from iris.store.sqlite.history import Costs
from iris.store.sqlite.lists import Lister, Make
from iris.store.sqlite.reader import Readers
from iris.store.sqlite.rollups import Deltas
from iris.store.sqlite.rows import TraceRow, evaluation_row, trace_row
from iris.store.sqlite.shown import BODY, COLUMNS, EVALUATION, evaluation_of, moment_of, trace_of
from iris.store.sqlite.text import key
from iris.store.sqlite.totals import Totals
from iris.store.sqlite.writer import Writer

SMALL_BATCH = 50
"""Traces whose rows are made at once; more are made in another thread, so that the loop goes on."""


def system_clock() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1_000


class SqliteStore:
    """Implements `iris.store.interface.Store` in one file. `clock` gives microseconds since 1970."""

    def __init__(self, path: Path, clock: Callable[[], int] = system_clock) -> None:
        self.path, self._clock = Path(path), clock
        self._costs = Costs()
        self._writer = Writer(self.path, self._tend, self._costs.forget)
        self._readers = Readers(self.path)
        self._checkpointer = Checkpointer(self.path)
        self._fetch = self._readers.fetch

    async def open(self) -> None:
        """Open, create or upgrade. Raises StoreError."""
        await self._writer.start()
        try:
            await self._readers.open()
        except StoreError:
            await self.close()
            raise
        self._checkpointer.start()

    def _tend(self, db: sqlite3.Connection) -> bool:
        """Tend the index; when the last deleted word has left it, the log of writes is emptied of them too."""
        before = search.unmerged(db)
        more = search.tend(db)
        if before and not search.unmerged(db):
            self._checkpointer.empty()
        return more

    async def close(self) -> None:
        """Finish queued writes and close."""
        await self._writer.stop()
        await self._readers.close()
        await asyncio.to_thread(self._checkpointer.stop)

    async def check(self) -> Mapping[str, bool]:
        """Whether reads and writes work, and the schema is that of this Iris."""
        found = {"storage": False, "migrations": False}
        try:
            found["migrations"] = bool(await self._fetch("SELECT 1 FROM _iris_migrations"))
            await self._writer.write(lambda db, deltas: None)
        except StoreError:
            return found
        return found | {"storage": True}

    async def add_traces(self, tenant: str, traces: Sequence[NewTrace]) -> None:
        """Keep all of these, or none."""
        if not traces:
            return
        make = _trace_rows
        rows = make(tenant, traces) if len(traces) <= SMALL_BATCH else await asyncio.to_thread(make, tenant, traces)
        now = self._clock()
        await self._writer.write(lambda db, deltas: insert.add_traces(db, deltas, self._costs, now, rows))

    async def add_evaluation(self, tenant: str, evaluation: NewEvaluation) -> None:
        """Keep an evaluation."""
        row, now = evaluation_row(tenant, evaluation), self._clock()
        await self._writer.write(lambda db, deltas: insert.add_evaluation(db, deltas, now, row))

    async def delete_trace(self, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
        """Delete a trace and the texts taken from it; the log of writes is emptied soon after."""

        def job(db: sqlite3.Connection, deltas: Deltas) -> bool:
            self._costs.forget()
            return delete_trace(db, deltas, tenant, trace_id, entry)

        deleted: bool = await self._writer.write(job)
        if deleted:
            self._checkpointer.empty()
        return deleted

    async def add_audit(self, tenant: str, entry: AuditEntry) -> None:
        """Append to the audit log."""
        await self._writer.write(lambda db, deltas: audit.add_audit(db, tenant, entry))

    async def set_preferences(self, tenant: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set some preferences and give all of them."""
        found: Mapping[str, Any] = await self._writer.write(lambda db, deltas: audit.set_preferences(db, tenant, values))
        return found

    async def trace(self, tenant: str, trace_id: str) -> Row | None:
        """One whole trace."""
        row = await self._row(tenant, trace_id)
        return None if row is None else trace_of(row, bodies=True)

    async def _row(self, tenant: str, trace_id: str) -> Row | None:
        names = [*(f"t.{name}" for name in COLUMNS), *(f"b.{name}" for name in BODY), "m.detail"]
        sql = (
            f"SELECT {', '.join(names)} FROM traces t JOIN bodies b ON b.seq = t.seq LEFT JOIN moments m ON m.seq = t.seq"
            " WHERE t.trace_id = ? AND t.tenant_id = ?"
        )
        rows = await self._fetch(sql, (key(trace_id), tenant))
        return dict(zip((*COLUMNS, *BODY, "detail"), rows[0], strict=True)) if rows else None

    async def has_trace(self, tenant: str, trace_id: str) -> bool:
        """Whether there is such a trace."""
        sql = "SELECT 1 FROM traces WHERE trace_id = ? AND tenant_id = ?"
        return bool(await self._fetch(sql, (key(trace_id), tenant)))

    async def spans(self, tenant: str, trace_id: str) -> list[Row]:
        """The spans of a trace in their order of start."""
        sql = (
            "SELECT s.span FROM traces t JOIN spans s ON s.seq = t.seq WHERE t.trace_id = ? AND t.tenant_id = ? ORDER BY s.place"
        )
        return [json.loads(row[0]) for row in await self._fetch(sql, (key(trace_id), tenant))]

    async def evaluation(self, tenant: str, evaluation_id: str) -> Row | None:
        """One stored evaluation."""
        sql = f"SELECT {EVALUATION} FROM evaluations WHERE evaluation_id = ? AND tenant_id = ?"
        rows = await self._fetch(sql, (key(evaluation_id), tenant))
        return evaluation_of(rows[0]) if rows else None

    async def evaluations_of(self, tenant: str, trace_id: str) -> list[Row]:
        """All evaluations that name a trace, newest first, those beside it too."""
        return await evaluations.of_trace(self._fetch, tenant, trace_id)

    async def traces(self, tenant: str, query: TraceQuery) -> Page:
        """A page of traces."""
        bodies = query.bodies
        return await self._listed(tenant, query, lambda row: trace_of(row, bodies=bodies), moments=False)

    async def evaluations(self, tenant: str, query: EvaluationQuery) -> Page:
        """A page of evaluations, newest first."""
        return await evaluations.page(self._fetch, tenant, query)

    async def moments(self, tenant: str, query: TraceQuery) -> Page:
        """A page of decision moments; in the order of rank, of the failures only."""
        now = self._clock()
        return await self._listed(tenant, query, lambda row: moment_of(row, now), moments=True)

    async def _listed(self, tenant: str, query: TraceQuery, make: Make, *, moments: bool) -> Page:
        fts = self._writer.searchable
        behind = fts and bool(query.text) and await self._index_behind()
        return await Lister(self._fetch, tenant, query, fts=fts, behind=behind).page(make, moments=moments)

    async def _index_behind(self) -> bool:
        """Whether words of the newest traces are not indexed, after having waited for some of them."""
        if (await self._fetch(search.PENDING, ()))[0][0]:
            return bool(await self._writer.write(lambda db, deltas: search.index_some(db, search.CATCH_UP)))
        return False

    async def moment(self, tenant: str, trace_id: str) -> Row | None:
        """One decision moment with its evaluations, calls and spans."""
        row = await self._row(tenant, trace_id)
        if row is None:
            return None
        told = {"evals": await self.evaluations_of(tenant, trace_id), "spans": await self.spans(tenant, trace_id)}
        return moment_of(row, self._clock()) | told | {"toolCalls": trace_of(row, bodies=True).get("tool_calls") or []}

    async def filters(self, tenant: str) -> Row:
        """The distinct names of agents and frameworks that traces have."""
        sql = "SELECT {0} FROM tallies WHERE tenant_id = ? AND {0} <> '' GROUP BY {0} HAVING sum(n) > 0 ORDER BY {0}"
        names = {name: [row[0] for row in await self._fetch(sql.format(name), (tenant,))] for name in ("agent", "framework")}
        return {"agent_names": names["agent"], "frameworks": names["framework"]}

    def _totals(self, tenant: str) -> Totals:
        return Totals(self._fetch, tenant, self._clock())

    async def summary(self, tenant: str, hours: int) -> Row:
        """Totals of the last hours."""
        return await self._totals(tenant).summary(hours)

    async def statistics(self, tenant: str, period: str) -> Row:
        """How a period's evaluations came out."""
        return await self._totals(tenant).statistics(period)

    async def trend(self, tenant: str, period: str) -> list[Row]:
        """Buckets of a period."""
        return await self._totals(tenant).trend(period)

    async def rule_statistics(self, tenant: str, period: str) -> list[Row]:
        """How often each rule failed, worst first."""
        return await self._totals(tenant).rules(period)

    async def recent_failures(self, tenant: str, period: str, limit: int) -> list[Row]:
        """The newest failed evaluations, their output cut."""
        return await evaluations.recent_failures(self._fetch, tenant, period, limit, self._clock())

    async def drift(self, tenant: str, period: str) -> tuple[Row, Row]:
        """Counts of a period and of the one before it."""
        return await self._totals(tenant).drift(period)

    async def audit(self, tenant: str, query: AuditQuery) -> Page:
        """A page of audit entries."""
        return await audit.page(self._fetch, tenant, query)

    async def rule_changes(self, tenant: str, since: str) -> Row | None:
        """How often rules were changed since an instant, and when last."""
        return await audit.rule_changes(self._fetch, tenant, since)

    async def preferences(self, tenant: str) -> Mapping[str, Any]:
        """All preferences that were set."""
        return await audit.preferences(self._fetch, tenant)


def _trace_rows(tenant: str, traces: Sequence[NewTrace]) -> list[TraceRow]:
    return [trace_row(tenant, new) for new in traces]
