"""Running totals are what counting everything again would give, whatever was added, judged again, late or deleted."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from iris.store.interface import LOCAL, AuditEntry, NewTrace, TraceQuery
from iris.store.sqlite import SqliteStore
from iris.store.sqlite.rollups import WIDTHS
from iris.store.sqlite.windows import pieces
from tests.store.making import at, evaluation, micros, result, rule, trace

costs = st.sampled_from((None, 0.0, 0.1, 0.2, 1e300))
hours = st.sampled_from((0, 0.01, 1.5, 30, 700, 9000))
outcomes = st.tuples(st.sampled_from(("pass", "fail", "unknown")), st.sets(st.sampled_from("abc")), hours)
added = st.tuples(st.just("add"), st.sampled_from(("x", "y")), hours, costs, st.none() | outcomes)
others = st.tuples(st.sampled_from(("judge", "beside", "delete")), st.integers(0, 20), outcomes)


def found_of(outcome: tuple[str, set[str], float]) -> dict[str, Any]:
    state, failed, _ = outcome
    return result(state, [rule(name, passed=name not in failed, classes=["pii_leak"] if name == "a" else []) for name in "abc"])


async def played(store: SqliteStore, steps: list[tuple[Any, ...]]) -> None:
    ids: list[str] = []
    for step in steps:
        if step[0] == "add":
            _, agent, ago, cost, outcome = step
            sent = trace(agent_name=agent, timestamp=at(hours=ago), cost_usd=cost, latency_ms=ago)
            kept = None if outcome is None else evaluation(found_of(outcome), sent["trace_id"], created_at=at(hours=outcome[2]))
            await store.add_traces(LOCAL, [NewTrace(sent, (), kept)])
            ids.append(sent["trace_id"])
        elif ids:
            kind, place, outcome = step
            trace_id = ids[place % len(ids)]
            if kind == "delete":
                ids.remove(trace_id)
                await store.delete_trace(LOCAL, trace_id, AuditEntry(at(), "trace.delete"))
                continue
            named = {"trace_id": trace_id} if kind == "judge" else {"reference_trace_id": trace_id}
            await store.add_evaluation(LOCAL, evaluation(found_of(outcome), created_at=at(hours=outcome[2]), **named))


COUNTED = {
    "totals": "SELECT start, agent, sum(traces), sum(cost), sum(evaluations), sum(passed), sum(failed), sum(pii) FROM totals"
    " WHERE width = {} GROUP BY start, agent HAVING sum(traces) OR sum(evaluations)",
    "rules": "SELECT start, rule, sum(run), sum(failed) FROM rule_totals WHERE width = {} GROUP BY start, rule",
}


async def checked(store: SqliteStore) -> None:
    traces = await store._fetch("SELECT ts, agent, cost, state, verdict, kind, rank IS NOT NULL FROM traces")
    judged = await store._fetch("SELECT ts, state, outcome ->> 'failed' FROM evaluations")
    for width in WIDTHS:
        rows = await store._fetch(COUNTED["totals"].format(width))
        by_start = Counter({(start, agent): n for start, agent, n, *_ in rows if n})
        assert by_start == Counter((ts // 10**6 // width * width, agent) for ts, agent, *_ in traces)
        assert sum(row[3] for row in rows) == sum(round(min((c or 0) * 10**10, 10**15)) for _, _, c, *_ in traces)
        evaluated = Counter[int]()
        for start, _, _, _, n, *_ in rows:
            evaluated[start] += n
        assert +evaluated == Counter(ts // 10**6 // width * width for ts, *_ in judged)
        assert sum(row[5] for row in rows) == sum(state == "pass" for _, state, _ in judged)
        assert sum(row[6] for row in rows) == sum(state == "fail" for _, state, _ in judged)
        assert sum(row[7] for row in rows) == sum('"a"' in failed for _, _, failed in judged)
        rules = await store._fetch(COUNTED["rules"].format(width))
        assert sum(run for _, _, run, _ in rules) == 3 * len(judged)
        assert sum(fails for *_, fails in rules) == sum(failed.count('"') // 2 for _, _, failed in judged)
    tallies = await store._fetch("SELECT agent, state, verdict, kind, ranked, sum(n) FROM tallies GROUP BY 1, 2, 3, 4, 5 HAVING sum(n)")
    assert {tuple(row[:-1]): row[-1] for row in tallies} == Counter((agent, *rest) for _, agent, _, *rest in traces)
    listed = await store._fetch("SELECT count(*) FROM failures")
    assert listed[0][0] == (await store._fetch("SELECT ifnull(sum(json_array_length(failed)), 0) FROM traces"))[0][0]
    assert (await store.traces(LOCAL, TraceQuery(limit=1))).total == len(traces)


@settings(max_examples=40, deadline=None)
@given(st.lists(added | others, max_size=25))
def test_totals_are_what_counting_again_gives(steps: list[tuple[Any, ...]]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "a.db", clock=micros)
            await store.open()
            try:
                await played(store, steps)
                await checked(store)
            finally:
                await store.close()

    asyncio.run(run())


bounds = st.none() | st.integers(-3000, 3000).map(lambda minutes: minutes * 60)


@given(bounds, bounds, st.integers(-3000, 3000).map(lambda minutes: minutes * 60))
def test_the_pieces_of_a_window_hold_each_minute_of_it_once(first: int | None, last: int | None, minute: int) -> None:
    inside = (first is None or first <= minute) and (last is None or minute < last)
    held = 0
    for width, begin, end in pieces(first, last):
        start = minute // width * width
        held += (begin is None or begin <= start) and (end is None or start < end)
    assert held == int(inside)
