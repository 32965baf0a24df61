"""The ways a list can be read: which index is walked, which tests it answers, and in which order it gives rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from iris.store.filters import Filter, Test
from iris.store.sqlite import search
from iris.store.sqlite.conditions import COLUMNS, sql_of

BY_TIME = ("ts", "seq")
ORDERS: dict[str, tuple[str, ...]] = {
    "timestamp": BY_TIME,
    "cost_usd": ("cost_order", "seq"),
    "latency_ms": ("latency_order", "seq"),
    "score": ("score_order", "seq"),
    "significance": ("significance", "ts", "seq"),
    "rank": ("rank", "seq"),
    "relevance": ("seq",),
}
"""The columns each order compares, most important first."""
EQUAL = {
    "session": "traces_session", "case": "traces_case", "run": "traces_run", "kind": "traces_kind", "verdict": "traces_verdict",
    "state": "traces_state", "framework": "traces_framework", "agent": "traces_agent",
}  # fmt: skip
"""Indexes of one value in the order of time, those that usually leave least first."""
RANGES = {
    "cost": ("traces_cost", "cost_order", "cost_order >= 0"),
    "latency": ("traces_latency", "latency_order", "latency_order >= 0"),
    "score": ("traces_score", "score_order", "score_order <= 1"),
    "significance": ("traces_significance", "significance", "1"),
}
"""Indexes of numbers: their column, and what leaves out the rows without one."""
ORDER_INDEX = {
    "timestamp": "traces_time", "cost_usd": "traces_cost", "latency_ms": "traces_latency", "score": "traces_score",
    "significance": "traces_significance", "rank": "traces_rank",
}  # fmt: skip
SORT_FIELD = {"cost_usd": "cost", "latency_ms": "latency", "score": "score", "significance": "significance"}
COMPARED = ("=", "<", "<=", ">", ">=")
FAILURES = "failures f LEFT JOIN traces t ON t.seq = f.seq"
"""SQLite leaves the join out where nothing of the trace is asked for."""


@dataclass(slots=True)
class Way:
    """An index, the tests it answers (by their place among the conjuncts), and the order it gives."""

    source: str
    order: tuple[str, ...]
    tests: list[str]
    values: list[Any]
    covers: set[int] = field(default_factory=set)
    own: str = "t"

    def column(self, name: str) -> str:
        """A column as this way names it; `own` has the time and the number of a row, the trace has the others."""
        if self.own == "x" and name == "seq":
            return "x.rowid"
        return f"{self.own if name in ('ts', 'seq') and self.own == 'f' else 't'}.{name}"


class Ways:
    """All ways for one filter."""

    def __init__(self, tenant: str, parts: Sequence[Filter]) -> None:
        self.tenant, self.parts = tenant, parts
        self.times = {i for i, p in enumerate(parts) if isinstance(p, Test) and p.field == "time" and p.op in COMPARED}

    def of_order(self, sort: str) -> Way:
        """The best way that gives rows in an order without sorting."""
        if sort == "timestamp":
            ways = self.equal()
            return ways[0] if ways else self._by_time()
        agent = self._place("agent") if sort == "rank" else None
        index = "traces_agent_rank" if agent is not None else ORDER_INDEX[sort]
        way = self._way(index, ORDERS[sort])
        if agent is not None:
            self._cover(way, agent)
        if sort == "rank":
            way.tests.append("t.rank IS NOT NULL")
        elif sort in SORT_FIELD:
            self._range(way, SORT_FIELD[sort])
        return way

    def selective(self) -> list[Way]:
        """Every way that leaves something out."""
        times = [self._by_time()] if self.times else []
        return [*self.equal(), *times, *(way for name in RANGES if (way := self._by_number(name)).covers)]

    def equal(self) -> list[Way]:
        """The ways by one value, in the order of time."""
        trace, rule = self._place("trace"), self._place("rule")
        ways = [] if trace is None else [self._cover(self._way("sqlite_autoindex_traces_1", BY_TIME), trace)]
        ways += [] if rule is None else [self._by_rule(rule)]
        found = [(index, self._place(name)) for name, index in EQUAL.items()]
        ways += [self._cover(self._way(index, BY_TIME), place) for index, place in found if place is not None]
        return [self._timed(way) for way in ways]

    def text(self, terms: Sequence[str]) -> Way:
        """The way by words, newest arrivals first."""
        tests = ["x.trace_text MATCH ?", "t.tenant_id = ?"]
        return Way(search.FROM, ("seq",), tests, [search.match_of(terms), self.tenant], own="x")

    def _way(self, index: str, order: tuple[str, ...]) -> Way:
        return Way(f"traces t INDEXED BY {index}", order, ["t.tenant_id = ?"], [self.tenant])

    def _by_time(self) -> Way:
        return self._timed(self._way("traces_time", BY_TIME))

    def _by_rule(self, place: int) -> Way:
        part = self.parts[place]
        assert isinstance(part, Test)
        values: list[Any] = [self.tenant]
        asked = sql_of(Test("agent", "=", part.value), values, {"agent": "f.rule"})
        return Way(FAILURES, BY_TIME, ["f.tenant_id = ?", asked], values, {place}, "f")

    def _by_number(self, name: str) -> Way:
        index, column, _ = RANGES[name]
        order = ("significance", "ts", "seq") if name == "significance" else (column, "seq")
        return self._range(self._way(index, order), name)

    def _range(self, way: Way, name: str) -> Way:
        """Narrow a way by the tests of its number."""
        _, column, given = RANGES[name]
        places = [i for i, p in enumerate(self.parts) if isinstance(p, Test) and p.field == name and p.op in COMPARED]
        for place in places:
            self._cover(way, place, {name: f"t.{column}"})
        if places:
            way.tests.append(given if given == "1" else f"t.{given}")
        return way

    def _timed(self, way: Way) -> Way:
        for place in sorted(self.times):
            self._cover(way, place, {"time": way.column("ts")})
        return way

    def _cover(self, way: Way, place: int, columns: dict[str, str] | None = None) -> Way:
        way.tests.append(sql_of(self.parts[place], way.values, columns or {n: f"t.{c}" for n, c in COLUMNS.items()}))
        way.covers.add(place)
        return way

    def _place(self, name: str) -> int | None:
        """Where a field is asked to have one value."""
        found = (i for i, p in enumerate(self.parts) if isinstance(p, Test) and p.field == name and p.op == "=")
        return next(found, None)
