"""Pages of traces and moments: the way is chosen by how much it leaves, and no page looks at more than a bound of rows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from iris.store.filters import Filter
from iris.store.interface import Page, Row, TraceQuery
from iris.store.sqlite import search
from iris.store.sqlite.conditions import COLUMNS, conjuncts, fields_of, sql_of
from iris.store.sqlite.counting import Counter
from iris.store.sqlite.cursor import Place, cursor_of, place_of
from iris.store.sqlite.shown import BODY, trace_of
from iris.store.sqlite.shown import COLUMNS as SHOWN
from iris.store.sqlite.text import clean
from iris.store.sqlite.ways import ORDERS, Way, Ways

Fetch = Callable[[str, tuple[Any, ...]], Awaitable[list[Any]]]
Make = Callable[[Row], Row]
FEW = 15_000
"""Rows that are sorted rather than walked to."""
WALKED = 20_000
"""Rows of an index looked at for one page; behind them the list goes on with `next`."""
FOUND = 1_000
"""The newest matches of a search for words that another order than arrival is made of."""
CHUNK = 200
COUNT_ON = 600
"""Rows a question is asked of beyond a full page, to say how many there are."""
LITERAL = (
    "EXISTS (SELECT 1 FROM bodies b WHERE b.seq = t.seq"
    " AND (instr(lower(b.input), lower(?)) OR instr(lower(b.output), lower(?))))"
)


@dataclass(slots=True)
class Plan:
    """A list as SQL: where rows come from, what is asked of each, how many are looked at, how they are sorted."""

    way: Way
    order: tuple[str, ...]
    rest: str = ""
    rest_values: list[Any] = field(default_factory=list)
    rest_columns: tuple[str, ...] = ()
    sorted: bool = False
    bound: int | None = None
    places: bool = True


class Lister:
    """Answers trace queries, given how to run a statement."""

    def __init__(self, fetch: Fetch, tenant: str, query: TraceQuery, *, fts: bool, behind: bool) -> None:
        self.fetch, self.tenant, self.query = fetch, tenant, query
        self.parts: list[Filter] = conjuncts(query.where)
        self.ways = Ways(tenant, self.parts)
        words = fts and any(search.searchable([term]) for term in query.text)
        self.words = [t for t in query.text if words and search.searchable([t])]
        self.literal = [t for t in query.text if t not in self.words or search.literal(t)]
        self.behind = behind and bool(self.words)

    async def page(self, make: Make, *, moments: bool) -> Page:
        """One page; `make` makes what is listed of a row."""
        plan = await self.plan()
        if self.query.keep is not None:
            return await self._kept(plan, make, moments=moments)
        place = place_of(self.query, len(plan.order) if plan.places else 1)
        offset = 0 if place is not None else self.query.offset
        rows = await self._rows(plan, place, self.query.limit + 1, offset, moments=moments)
        more, rows = len(rows) > self.query.limit, rows[: self.query.limit]
        stopped = None if more else await self._stopped(plan, place)
        following = self._next(plan, rows, place, offset) if more else stopped
        known = offset + len(rows) if following is None and place is None and (rows or not offset) else None
        least = offset + len(rows) + int(more)
        total, exact = (least, False) if stopped else await self._total(plan, known, least)
        return Page(await _made(make, rows), total, following, len(rows), exact and not self.behind)

    async def plan(self) -> Plan:
        """Choose the way."""
        order = ORDERS[self.query.sort]
        if self.words:
            return self._by_words(order)
        if self.query.sort == "relevance":
            order = ORDERS["timestamp"]
        sort = "timestamp" if self.query.sort == "relevance" else self.query.sort
        plan = self._planned(self.ways.of_order(sort), order)
        if plan.rest:
            few = await self._fewest()
            if few is not None:
                plan = self._planned(few, order)
                plan.sorted, plan.bound = True, None
                if sort == "rank":
                    plan.way.tests.append("t.rank IS NOT NULL")
        return plan

    def _planned(self, way: Way, order: tuple[str, ...]) -> Plan:
        """A way and what remains to be asked of its rows."""
        left = [part for i, part in enumerate(self.parts) if i not in way.covers]
        values: list[Any] = []
        asked = [f"({sql_of(part, values, {n: f't.{c}' for n, c in COLUMNS.items()})})" for part in left]
        for term in self.literal:
            asked.append(LITERAL)
            values += [clean(term)] * 2
        columns = tuple(sorted({COLUMNS[name] for part in left for name in fields_of(part)} - set(order)))
        return Plan(way, order, " AND ".join(asked), values, columns, bound=WALKED if asked else None)

    def _by_words(self, order: tuple[str, ...]) -> Plan:
        arrival = self.query.sort == "timestamp"
        plan = self._planned(self.ways.text(self.words), ("seq",) if arrival else order)
        if not arrival:
            plan.sorted, plan.bound, plan.places = True, FOUND, False
        return plan

    async def _fewest(self) -> Way | None:
        """The way that leaves the fewest rows, if they are few."""
        best: tuple[int, Way] | None = None
        for way in self.ways.selective():
            sql = f"SELECT count(*) FROM (SELECT 1 FROM {way.source} WHERE {' AND '.join(way.tests)} LIMIT ?)"
            most = FEW if best is None else best[0]
            n = (await self.fetch(sql, (*way.values, most)))[0][0]
            if n < most:
                best = (n, way)
            if n <= CHUNK:
                break
        return best[1] if best else None

    async def _rows(self, plan: Plan, place: Place | None, limit: int, offset: int, *, moments: bool) -> list[Row]:
        ids, values = self.ids(plan, place, limit, offset)
        bodies = self.query.bodies or moments or self.query.keep is not None
        columns = [f"t.{name}" for name in SHOWN] + [f"b.{name}" for name in BODY if bodies] + (["m.detail"] if moments else [])
        sql = f"SELECT {', '.join(columns)} FROM ({ids}) p CROSS JOIN traces t ON t.seq = p.seq"
        sql += " CROSS JOIN bodies b ON b.seq = p.seq" if bodies else ""
        sql += " LEFT JOIN moments m ON m.seq = p.seq" if moments else ""
        names = (*SHOWN, *(BODY if bodies else ()), *(("detail",) if moments else ()))
        return [dict(zip(names, row, strict=True)) for row in await self.fetch(sql, tuple(values))]

    def ids(self, plan: Plan, place: Place | None, limit: int, offset: int) -> tuple[str, list[Any]]:
        """The statement that gives the numbers of a page's rows, in order."""
        if not plan.places:
            return self._found(plan, limit, (int(place[0]) if place else 0) + offset)
        walk, values = self._walk(plan, place)
        if plan.bound is None:
            asked = f" AND {plan.rest}" if plan.rest else ""
            sql = f"SELECT {plan.way.column('seq')} AS seq FROM {walk}{asked} ORDER BY {self._by(plan)} LIMIT ? OFFSET ?"
            return sql, [*values, *plan.rest_values, limit, offset]
        names = ("seq", *(c for c in plan.order if c != "seq"), *plan.rest_columns)
        inner = ", ".join(f"{plan.way.column(name)} AS {name}" for name in names)
        sql = (
            f"SELECT t.seq FROM (SELECT {inner} FROM {walk} ORDER BY {self._by(plan)} LIMIT ?) t"
            f" WHERE {plan.rest} LIMIT ? OFFSET ?"
        )
        return sql, [*values, plan.bound, *plan.rest_values, limit, offset]

    def _walk(self, plan: Plan, place: Place | None) -> tuple[str, list[Any]]:
        """The rows behind a place, unsorted."""
        tests, values = list(plan.way.tests), list(plan.way.values)
        if place is not None:
            names = ", ".join(plan.way.column(name) for name in plan.order)
            tests.append(f"({names}) {'<' if self.query.descending else '>'} ({', '.join('?' * len(place))})")
            values += place
        return f"{plan.way.source} WHERE {' AND '.join(tests)}", values

    def _by(self, plan: Plan) -> str:
        way = "DESC" if self.query.descending else "ASC"
        return ", ".join(f"{plan.way.column(name)} {way}" for name in plan.order)

    def _found(self, plan: Plan, limit: int, offset: int) -> tuple[str, list[Any]]:
        """The newest matches of words, in another order."""
        walk, values = self._walk(plan, None)
        asked = f" AND {plan.rest}" if plan.rest else ""
        relevant = self.query.sort == "relevance"
        names = ("x.rank AS relevance",) if relevant else tuple(f"t.{name}" for name in plan.order if name != "seq")
        inner = ", ".join((*names, "t.seq AS seq"))
        way = "DESC" if self.query.descending else "ASC"
        best = "ASC" if self.query.descending else "DESC"  # the lower FTS5's rank, the better
        by = f"f.relevance {best}, f.seq {way}" if relevant else ", ".join(f"f.{name} {way}" for name in plan.order)
        newest = f"SELECT {inner} FROM {walk}{asked} ORDER BY x.rowid DESC LIMIT ?"
        values += [*plan.rest_values, FOUND, limit, offset]
        return f"SELECT f.seq FROM ({newest}) f ORDER BY {by} LIMIT ? OFFSET ?", values

    def _next(self, plan: Plan, rows: Sequence[Row], place: Place | None, offset: int) -> str:
        if plan.places:
            return cursor_of(self.query, [rows[-1][name] for name in plan.order])
        return cursor_of(self.query, [(place[0] if place else 0) + offset + len(rows)])

    async def _stopped(self, plan: Plan, place: Place | None) -> str | None:
        """Where to go on when a page ended at the bound of rows it may look at."""
        if plan.bound is None or not plan.places:
            return None
        walk, values = self._walk(plan, place)
        names = ", ".join(plan.way.column(name) for name in plan.order)
        sql = f"SELECT {names} FROM {walk} ORDER BY {self._by(plan)} LIMIT 1 OFFSET ?"
        last = await self.fetch(sql, (*values, plan.bound - 1))
        return cursor_of(self.query, last[0]) if last else None

    async def _total(self, plan: Plan, known: int | None, least: int) -> tuple[int, bool]:
        """How many rows match: exact, or at least so many."""
        if known is not None and not (plan.bound == FOUND and known >= FOUND):
            return known, True
        if not self.query.count:
            return least, False
        total, exact = await Counter(self.fetch, self.tenant, self.parts).total(self.query, plan, self._covering(plan))
        return (total, True) if exact else (max(total, least), False)

    def _covering(self, plan: Plan) -> Plan:
        """The same rows by an index that answers all tests, if there is one: they are counted along it."""
        if not plan.rest or self.query.text or self.query.sort == "rank":
            return plan
        ways = (self._planned(way, plan.order) for way in self.ways.selective())
        return next((other for other in ways if not other.rest), plan)

    async def _kept(self, plan: Plan, make: Make, *, moments: bool) -> Page:
        """The rows a question says yes to, of the first `scan` rows."""
        query, scanned = self.query, 0
        found: list[Row] = []
        assert query.keep is not None
        place, wanted = place_of(query, len(plan.order) if plan.places else 1), query.limit + 1
        wanted += 0 if place is not None else query.offset
        following, ended = None, False
        while not ended and scanned < query.scan:
            size = min(CHUNK, query.scan - scanned)
            rows = await self._rows(plan, place, size, 0, moments=moments)
            found += [row for row in rows if query.keep(trace_of(row, bodies=True))]
            scanned, ended = scanned + len(rows), len(rows) < size
            if rows:
                following = self._next(plan, rows, place, 0)
                place = place_of(replace(query, after=following), len(plan.order) if plan.places else 1)
            if len(found) >= wanted and (not query.count or scanned >= COUNT_ON):
                break
        stopped = await self._stopped(plan, place) if ended else None
        skip = wanted - query.limit - 1
        page = found[skip : skip + query.limit]
        if len(found) >= wanted and plan.places:
            following = cursor_of(query, [page[-1][name] for name in plan.order])
        elif ended:
            following = stopped
        complete = ended and stopped is None and not self.behind and query.after is None
        return Page(await _made(make, page), len(found), following, scanned, complete)


async def _made(make: Make, rows: Sequence[Row]) -> list[Row]:
    """What is listed of rows; of many in another thread, so that the loop goes on."""
    if len(rows) <= CHUNK:
        return [make(row) for row in rows]
    return await asyncio.to_thread(lambda: [make(row) for row in rows])
