"""How SQLite answers: along indexes, and totals by their key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iris.store.filters import All, AnyOf, Filter, Test
from iris.store.interface import LOCAL, TraceQuery
from iris.store.sqlite.lists import Lister
from iris.store.sqlite.ways import ORDERS
from tests.store.making import at, evaluation, failing, judged, result
from tests.store.opening import opened

LISTS: list[tuple[str, Filter]] = [
    ("timestamp", All(())),
    ("cost_usd", All(())),
    ("latency_ms", All(())),
    ("score", All(())),
    ("significance", All(())),
    ("rank", All(())),
    *(("timestamp", Test(f, "=", "x")) for f in ("agent", "framework", "session", "run", "case", "state", "kind", "verdict", "rule", "trace")),
    *(("timestamp", All((Test(f, "=", "x"), Test("time", ">=", at())))) for f in ("agent", "state", "rule")),
    ("timestamp", Test("time", ">=", at())),
    ("rank", Test("agent", "=", "x")),
    ("cost_usd", Test("cost", ">", 1)),
    ("timestamp", AnyOf((Test("state", "=", "fail"), Test("kind", "=", "cost-spike")))),
]


@pytest.mark.parametrize("sort, where", LISTS)
async def test_no_list_scans_the_table_or_sorts_it(tmp_path: Path, sort: Any, where: Filter) -> None:
    async with opened(tmp_path / "a.db") as store:
        await store.add_traces(LOCAL, [judged(failing("x"), agent_name="x")])
        for after in (None, (1,) * (3 if sort == "significance" else 2)):
            lister = Lister(store._fetch, LOCAL, TraceQuery(where, sort=sort), fts=True, behind=False)
            plan = lister._planned(lister.ways.of_order(sort), ORDERS[sort])
            sql, values = lister.ids(plan, after, 50, 0)
            steps = [row[3] for row in await store._fetch(f"EXPLAIN QUERY PLAN {sql}", tuple(values))]
            assert not [s for s in steps if s.startswith(("SCAN traces", "SCAN failures", "SCAN f", "USE TEMP B-TREE"))] or (
                isinstance(where, Test) and where.field == "trace"
            ), steps
            assert any("USING" in s for s in steps), steps


async def test_totals_are_read_by_their_key(tmp_path: Path) -> None:
    async with opened(tmp_path / "a.db") as store:
        seen: list[str] = []
        fetch = store._fetch

        async def explained(sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
            seen.extend(row[3] for row in await fetch(f"EXPLAIN QUERY PLAN {sql}", values))
            return list(await fetch(sql, values))

        store._fetch = explained
        await store.add_evaluation(LOCAL, evaluation(result()))
        await store.summary(LOCAL, 24)
        await store.statistics(LOCAL, "7d")
        await store.trend(LOCAL, "30d")
        await store.rule_statistics(LOCAL, "all")
        await store.drift(LOCAL, "24h")
        assert seen
        assert not [s for s in seen if s.startswith("SCAN") and "totals" in s]
        assert not [s for s in seen if "traces" in s or "evaluations" in s]
