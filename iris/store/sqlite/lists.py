"""Pages of traces: which index is walked, how far, and where the next page begins."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

from iris.store.interface import Page, Row, StoreError, TraceQuery
from iris.store.sqlite.filters import driving_rule, one_value, sql_of
from iris.store.sqlite.rows import trace_of

JUDGED = (
    "seq", "trace_id", "agent", "ts", "latency", "cost", "evaluation_id", "state", "score", "passed", "basis", "failed_rules",
    "rules_skipped", "verdict", "kind", "significance", "label", "reason", "rank",
)  # fmt: skip
SORT = {
    "timestamp": "ts", "latency_ms": "latency", "cost_usd": "cost", "score": "score", "rank": "rank", "significance": "significance",
    "relevance": "ts",
}  # fmt: skip
COUNT_BOUND = 20_000
"""Matches that are counted one by one; beyond it a total is only a lower bound."""


@dataclass(slots=True)
class Statement:
    """A list as SQL."""

    source: str
    where: str
    order: str
    parameters: list[Any] = field(default_factory=list)
    column: str = "ts"
    down: bool = True


def statement(tenant: str, query: TraceQuery, *, searchable: bool) -> Statement:
    """How a query is answered."""
    column = SORT[query.sort]
    text = bool(query.text) and searchable
    rule = None if text or column != "ts" else driving_rule(query.where)
    parameters: list[Any] = []
    if text:
        source, own, by = "trace_text x JOIN traces t ON t.seq = x.rowid", "x.trace_text MATCH ? AND t.tenant_id = ?", "t.seq"
        parameters += [match_of(query.text), tenant]
        column = "seq"
    elif rule is not None:
        source, own, by = "failed d JOIN traces t ON t.seq = d.seq", "d.tenant_id = ? AND d.rule = ?", "d.ts"
        parameters += [tenant, rule]
    else:
        source, own, by = "traces t", "t.tenant_id = ?", f"t.{column}"
        parameters.append(tenant)
        if column not in ("ts", "significance"):
            own += f" AND {by} IS NOT NULL"
    where = f"{own} AND ({sql_of(query.where, parameters)})"
    if query.text and not text:
        where += _like(query.text, parameters)
    way = "DESC" if query.descending else "ASC"
    tie = f", t.ts {way}" if column == "significance" else ""
    order = f"x.rowid {way}" if column == "seq" else f"{by} {way}{tie}, {'d' if rule is not None else 't'}.seq {way}"
    return Statement(source, where, order, parameters, column, query.descending)


def match_of(terms: tuple[str, ...]) -> str:
    """Terms as a full-text query: each literal, all of them wanted."""
    return " ".join('"' + term.replace('"', '""').replace("\0", " ") + '"' for term in terms)


def _like(terms: tuple[str, ...], parameters: list[Any]) -> str:
    parts = []
    for term in terms:
        escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        parameters += [f"%{escaped}%"] * 2
        parts.append(
            " AND EXISTS (SELECT 1 FROM bodies l WHERE l.seq = t.seq AND (l.input LIKE ? ESCAPE '\\' OR l.output LIKE ? ESCAPE '\\'))"
        )
    return "".join(parts)


def after(cursor: str, plan: Statement) -> str:
    """The condition of the rows behind a cursor. Raises StoreError for what is none."""
    try:
        column, values = json.loads(urlsafe_b64decode(cursor.encode()))
        wanted = 1 if column == "seq" else 3 if column == "significance" else 2
        if column != plan.column or len(values) != wanted or not all(isinstance(v, int | float | str) for v in values):
            raise ValueError(column)
    except (ValueError, TypeError):
        raise StoreError("`after` is no cursor of this list; take `next` of the page before", reason="bad_cursor") from None
    names = {"seq": "t.seq", "significance": "t.significance, t.ts, t.seq"}.get(column, f"t.{column}, t.seq")
    plan.parameters += values
    return f" AND ({names}) {'<' if plan.down else '>'} ({', '.join('?' * len(values))})"


def cursor_of(row: Row, plan: Statement) -> str:
    """Where the page after a row begins."""
    names = {"seq": ("seq",), "significance": ("significance", "ts", "seq")}.get(plan.column, (plan.column, "seq"))
    return urlsafe_b64encode(json.dumps([plan.column, [row[n] for n in names]]).encode()).decode()


def judged_of(values: tuple[Any, ...]) -> Row:
    """The columns of a row by name."""
    row = dict(zip(JUDGED, values, strict=True))
    row["failed_rules"] = json.loads(row["failed_rules"])
    return row


def latest_of(row: Row) -> Row | None:
    """What the evaluation of record said."""
    if row["evaluation_id"] is None:
        return None
    keys = ("evaluation_id", "score", "state", "basis", "failed_rules")
    return {key: row[key] for key in keys} | {"passed": bool(row["passed"])}


def shown(row: Row, body: tuple[Any, Any, str] | None) -> Row:
    """A trace as a list shows it."""
    trace = {"trace_id": row["trace_id"], "agent_name": row["agent"], "timestamp": row["ts"]} if body is None else trace_of(*body)
    if body is None:
        trace |= {"latency_ms": row["latency"], "cost_usd": row["cost"]}
    trace["latest"] = latest_of(row)
    trace["kind"], trace["significance"] = row["kind"], row["significance"]
    return trace


SELECT = "SELECT " + ", ".join(f"t.{name}" for name in JUDGED)
CHUNK = 200


class Lister:
    """Answers trace queries on one connection, given how to run a statement."""

    def __init__(self, run: Any, *, searchable: bool) -> None:
        self.run, self.searchable = run, searchable

    async def page(self, tenant: str, query: TraceQuery, make: Any = None) -> Page:
        """A page; `make` turns the columns of a row and its body into what is listed."""
        plan = statement(tenant, query, searchable=self.searchable)
        base = list(plan.parameters)
        behind = after(query.after, plan) if query.after else ""
        if query.keep is None:
            offset = 0 if query.after else query.offset
            rows = await self._rows(plan, behind, query.limit + 1, offset)
            more, rows = len(rows) > query.limit, rows[: query.limit]
            bodies = await self._bodies(rows) if query.bodies else {}
            total, exact = await self._total(tenant, query, plan, base, len(rows) + offset if not more else None)
            following = cursor_of(rows[-1], plan) if more else None
            return Page([(make or shown)(r, bodies.get(r["seq"])) for r in rows], total, following, len(rows), exact)
        return await self._kept(plan, behind, query, make or shown)

    async def _kept(self, plan: Statement, behind: str, query: TraceQuery, make: Any) -> Page:
        """Rows that a question has to be asked of: newest first, at most `scan` of them."""
        found: list[Row] = []
        scanned, skip, last, exhausted = 0, 0 if query.after else query.offset, None, False
        while scanned < query.scan and len(found) <= query.limit + skip and not exhausted:
            rows = await self._rows(plan, behind, min(CHUNK, query.scan - scanned), scanned)
            exhausted = len(rows) < min(CHUNK, query.scan - scanned)
            bodies = await self._bodies(rows)
            assert query.keep is not None
            for row in rows:
                scanned, last = scanned + 1, row
                if query.keep(shown(row, bodies.get(row["seq"]))):
                    found.append(make(row, bodies.get(row["seq"])))
                    if len(found) == query.limit + skip:
                        break
            else:
                continue
            break
        complete = exhausted and (last is None or len(found) <= query.limit + skip)
        following = cursor_of(last, plan) if last is not None and not complete else None
        return Page(found[skip : skip + query.limit], len(found), following, scanned, complete)

    async def _rows(self, plan: Statement, behind: str, limit: int, offset: int) -> list[Row]:
        sql = f"{SELECT} FROM {plan.source} WHERE {plan.where}{behind} ORDER BY {plan.order} LIMIT ? OFFSET ?"
        return [judged_of(r) for r in await self.run(sql, (*plan.parameters, limit, offset))]

    async def _bodies(self, rows: list[Row]) -> dict[int, tuple[Any, Any, str]]:
        if not rows:
            return {}
        marks = ", ".join("?" * len(rows))
        found = await self.run(f"SELECT seq, input, output, rest FROM bodies WHERE seq IN ({marks})", [r["seq"] for r in rows])
        return {seq: (i, o, rest) for seq, i, o, rest in found}

    async def _total(
        self, tenant: str, query: TraceQuery, plan: Statement, base: list[Any], known: int | None
    ) -> tuple[int, bool]:
        """How many rows match, and whether that is exact."""
        if known is not None and not query.after:
            return known, True
        if not query.count:
            return 0, False
        single = None if query.text or plan.column != "ts" else one_value(query.where)
        if single is not None:
            rows = await self.run("SELECT n FROM counts WHERE tenant_id = ? AND field = ? AND value = ?", (tenant, *single))
            return (rows[0][0] if rows else 0), True
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {plan.source} WHERE {plan.where} LIMIT ?)"
        n = (await self.run(sql, (*base, COUNT_BOUND)))[0][0]
        return n, n < COUNT_BOUND
