"""How many rows a list has: from running totals where they tell, else counted within a bound."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from iris.store.filters import All, Filter, Test
from iris.store.interface import TraceQuery
from iris.store.sqlite.conditions import fields_of, sql_of
from iris.store.sqlite.text import SECOND, micros
from iris.store.sqlite.windows import source

if TYPE_CHECKING:
    from iris.store.sqlite.lists import Plan

Fetch = Callable[[str, tuple[Any, ...]], Awaitable[list[Any]]]
TALLIED = {
    "agent": "agent", "framework": "nullif(framework, '')", "state": "state", "verdict": "verdict", "kind": "kind",
    "significance": "significance",
}  # fmt: skip
"""The fields running totals are kept by, and their columns there."""
INDEXED, ASKED, WORDS = 100_000, 10_000, 10_000
"""Rows counted along an index, rows a filter is asked of, and matches of words counted."""


class Counter:
    """Counts the traces a filter leaves."""

    def __init__(self, fetch: Fetch, tenant: str, parts: Sequence[Filter]) -> None:
        self.fetch, self.tenant, self.parts = fetch, tenant, parts
        self.fields = {name for part in parts for name in fields_of(part)}

    async def total(self, query: TraceQuery, plan: Plan, covering: Plan) -> tuple[int, bool]:
        """The number of rows, and whether it is all of them; `covering` is the plan to count by."""
        if not query.text:
            if self.fields <= TALLIED.keys():
                return await self._tallied(ranked=query.sort == "rank"), True
            window = self._window() if query.sort != "rank" else None
            if window is not None:
                return await self._in_window(*window), True
        if query.text:
            return await self._counted(plan, WORDS)
        few = plan.sorted and plan.bound is None
        return await self._counted(covering, ASKED if covering.rest and not few else INDEXED)

    async def _tallied(self, *, ranked: bool) -> int:
        values: list[Any] = [self.tenant]
        sql = f"SELECT ifnull(sum(n), 0) FROM tallies WHERE tenant_id = ? AND {sql_of(All(tuple(self.parts)), values, TALLIED)}"
        return int((await self.fetch(sql + (" AND ranked" if ranked else ""), tuple(values)))[0][0])

    def _window(self) -> tuple[list[Test], list[Filter]] | None:
        """The tests of time and of agent, when there are no others and a lower bound is among them."""
        times = [p for p in self.parts if isinstance(p, Test) and p.field == "time" and p.op in ("<", "<=", ">", ">=")]
        others = [p for p in self.parts if p not in times]
        if {name for part in others for name in fields_of(part)} <= {"agent"}:
            return times, others
        return None

    async def _in_window(self, times: Sequence[Test], others: Sequence[Filter]) -> int:
        """Whole minutes from the totals, the minutes at the edges from the index."""
        low, high = _bounds(times)
        first, last = -(-low // (60 * SECOND)) * 60 if low is not None else None, None
        if high is not None:
            last = high // (60 * SECOND) * 60
        if first is not None and last is not None and last <= first:
            return await self._between(low, high, others)
        window, values = source("totals", self.tenant, first, last)
        asked = sql_of(All(tuple(others)), values, {"agent": "agent"})
        total = int((await self.fetch(f"SELECT ifnull(sum(traces), 0) FROM {window} WHERE {asked}", tuple(values)))[0][0])
        if first is not None and low is not None:
            total += await self._between(low, first * SECOND, others)
        if last is not None and high is not None:
            total += await self._between(last * SECOND, high, others)
        return total

    async def _between(self, low: int | None, high: int | None, others: Sequence[Filter]) -> int:
        """Traces from `low` to before `high`, counted along the index of time."""
        values: list[Any] = [self.tenant]
        asked = sql_of(All(tuple(others)), values, {"agent": "agent"})
        index = "traces_agent" if any(isinstance(p, Test) and p.op == "=" for p in others) else "traces_time"
        sql = f"SELECT count(*) FROM traces INDEXED BY {index} WHERE tenant_id = ? AND {asked} AND ts >= ? AND ts < ?"
        return int((await self.fetch(sql, (*values, low, high)))[0][0])

    async def _counted(self, plan: Plan, most: int) -> tuple[int, bool]:
        """The rows of a way, a filter asked of each, up to a bound."""
        tests, source = " AND ".join(plan.way.tests), plan.way.source
        if not plan.rest:
            sql = f"SELECT count(*) FROM (SELECT 1 FROM {source} WHERE {tests} LIMIT ?)"
            n = int((await self.fetch(sql, (*plan.way.values, most)))[0][0])
            return n, n < most
        names = sorted({"seq", *plan.rest_columns, *plan.order})
        inner = ", ".join(f"{plan.way.column(name)} AS {name}" for name in names)
        by = ", ".join(f"{plan.way.column(name)} DESC" for name in plan.way.order)
        looked_at = f"SELECT {inner} FROM {source} WHERE {tests} ORDER BY {by} LIMIT ?"
        sql = f"SELECT count(*), ifnull(sum(({plan.rest}) IS TRUE), 0) FROM ({looked_at}) t"
        walked, n = (await self.fetch(sql, (*plan.rest_values, *plan.way.values, most)))[0]
        return int(n), walked < most


def _bounds(times: Sequence[Test]) -> tuple[int | None, int | None]:
    """The window the tests leave, in microseconds: from the first to before the second."""
    lows = [micros(t.value) + (t.op == ">") for t in times if t.op in (">", ">=")]
    highs = [micros(t.value) + (t.op == "<=") for t in times if t.op in ("<", "<=")]
    return max(lows, default=None), min(highs, default=None)
