"""Lists of evaluations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from iris.store.interface import EvaluationQuery, Page, Row
from iris.store.sqlite.shown import EVALUATION, evaluation_of
from iris.store.sqlite.text import SECOND, clean, key, micros
from iris.store.sqlite.windows import HOURS, since

Fetch = Callable[[str, tuple[Any, ...]], Awaitable[list[Any]]]
COUNTED = 100_000
PREVIEW = 200
"""Characters of the output of a recent failure."""
INDEXES = {
    (False, False): "evaluations_time",
    (True, False): "evaluations_type",
    (False, True): "evaluations_passed",
    (True, True): "evaluations_type_passed",
}
"""The index in the order of time, by whether a type and a verdict are asked for."""


def tests_of(tenant: str, query: EvaluationQuery) -> tuple[list[str], list[Any]]:
    """The conditions of a list, and their values."""
    asked = (
        ("eval_type = ?", None if query.eval_type is None else clean(query.eval_type)),
        ("passed = ?", None if query.passed is None else int(query.passed)),
        ("trace_id = ?", None if query.trace_id is None else key(query.trace_id)),
        ("ts >= ?", None if query.since is None else micros(query.since)),
        ("ts <= ?", None if query.until is None else micros(query.until)),
    )
    given = [(test, value) for test, value in asked if value is not None]
    return ["tenant_id = ?", *(test for test, _ in given)], [tenant, *(value for _, value in given)]


def statement(query: EvaluationQuery) -> str:
    """The table, by the index a list walks; the few of one trace are sorted."""
    index = INDEXES[query.eval_type is not None, query.passed is not None]
    return f"evaluations INDEXED BY {index if query.trace_id is None else 'evaluations_trace'}"


async def page(fetch: Fetch, tenant: str, query: EvaluationQuery) -> Page:
    """Evaluations, newest first."""
    tests, values = tests_of(tenant, query)
    source = f"{statement(query)} WHERE {' AND '.join(tests)}"
    picked = f"SELECT seq FROM {source} ORDER BY ts DESC, seq DESC LIMIT ? OFFSET ?"
    columns = ", ".join(f"e.{name}" for name in EVALUATION.split(", "))
    sql = f"SELECT {columns} FROM ({picked}) p CROSS JOIN evaluations e ON e.seq = p.seq"
    rows = await fetch(sql, (*values, query.limit, query.offset))
    total, exact = await _total(fetch, tenant, query, source, values)
    return Page([evaluation_of(row) for row in rows], total, scanned=len(rows), complete=exact)


async def _total(fetch: Fetch, tenant: str, query: EvaluationQuery, source: str, values: list[Any]) -> tuple[int, bool]:
    if query.trace_id is None and query.since is None and query.until is None:
        tests, asked = tests_of(tenant, query)
        sql = f"SELECT ifnull(sum(n), 0) FROM evaluation_tallies WHERE {' AND '.join(tests)}"
        return (await fetch(sql, tuple(asked)))[0][0], True
    n = (await fetch(f"SELECT count(*) FROM (SELECT 1 FROM {source} LIMIT ?)", (*values, COUNTED)))[0][0]
    return n, n < COUNTED


async def of_trace(fetch: Fetch, tenant: str, trace_id: str) -> list[Row]:
    """All that name a trace, newest first, those beside it too."""
    some = f"SELECT {EVALUATION}, seq FROM evaluations INDEXED BY {{}} WHERE tenant_id = ?1 AND {{}} = ?2"
    own, beside = some.format("evaluations_trace", "trace_id"), some.format("evaluations_beside", "reference_trace_id")
    sql = f"{own} UNION ALL {beside} AND trace_id IS NOT ?2 ORDER BY seq DESC"
    return [evaluation_of(row[:-1]) for row in await fetch(sql, (tenant, key(trace_id)))]


async def recent_failures(fetch: Fetch, tenant: str, period: str, limit: int, now: int) -> list[Row]:
    """The newest failed evaluations, their output cut."""
    first = since(HOURS[period], now)
    columns = ", ".join(EVALUATION.split(", "))
    sql = (
        f"SELECT {columns} FROM evaluations INDEXED BY evaluations_failed"
        " WHERE tenant_id = ? AND state = 'fail' AND ts >= ? ORDER BY ts DESC, seq DESC LIMIT ?"
    )
    rows = await fetch(sql, (tenant, -(2**62) if first is None else first * SECOND, limit))
    return [_cut(evaluation_of(row)) for row in rows]


def _cut(row: Row) -> Row:
    text = row["output_text"]
    return row if text is None else row | {"output_text": text[:PREVIEW]}
