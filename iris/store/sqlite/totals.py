"""Summaries and statistics, read from the hourly totals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from iris.store.interface import Row

Run = Callable[[str, Any], Awaitable[list[tuple[Any, ...]]]]
PERIODS = {"24h": 24, "2d": 48, "7d": 168, "14d": 336, "30d": 720, "60d": 1440, "90d": 2160, "180d": 4320, "all": None}
"""Hours of each period."""
BUCKET = {"24h": 1, "2d": 1, "7d": 6, "14d": 6}
"""Hours of a bucket of the trend; a day for longer periods."""
TOP = 10


def since_hour(hours: int | None, now: datetime) -> str:
    """The first whole hour of a window that ends now; empty for all time."""
    return "" if hours is None else (now - timedelta(hours=hours)).astimezone(UTC).strftime("%Y-%m-%dT%H")


async def summary(run: Run, tenant: str, hours: int, now: datetime) -> Row:
    """Totals of the last hours over traces and evaluations."""
    since = since_hour(hours, now)
    sums = "sum(traces), sum(errors), sum(latency_sum), sum(latency_n), sum(cost)"
    traces, errors, latency, timed, cost = (
        await run(f"SELECT {sums} FROM trace_hours WHERE tenant_id = ? AND hour >= ?", (tenant, since))
    )[0]
    judged, passed = (
        await run("SELECT sum(judged), sum(passed) FROM evaluation_hours WHERE tenant_id = ? AND hour >= ?", (tenant, since))
    )[0]
    hourly = await run(
        "SELECT hour, sum(traces) FROM trace_hours WHERE tenant_id = ? AND hour >= ? GROUP BY hour HAVING sum(traces) > 0 ORDER BY hour",
        (tenant, since),
    )
    agents = await run(
        "SELECT agent, sum(traces) n FROM trace_hours WHERE tenant_id = ? AND hour >= ? GROUP BY agent HAVING n > 0"
        " ORDER BY n DESC, agent LIMIT ?",
        (tenant, since, TOP),
    )
    return {
        "total_traces": traces or 0,
        "avg_latency_ms": round(latency / timed, 2) if timed else 0,
        "total_cost_usd": round(cost or 0, 4),
        "error_rate": round(errors / traces, 4) if traces else 0,
        "eval_pass_rate": round(passed / judged, 4) if judged else None,
        "traces_per_hour": [{"hour": f"{h}:00:00.000Z", "count": n} for h, n in hourly],
        "top_agents": [{"agent_name": a, "count": n} for a, n in agents],
        "since": f"{since}:00:00.000Z",
    }


SUMS = "sum(evaluations), sum(judged), sum(passed), sum(score_sum), sum(pii), sum(injection), sum(hallucination)"


async def statistics(run: Run, tenant: str, period: str, now: datetime) -> Row:
    """How a period's evaluations came out."""
    since = since_hour(PERIODS[period], now)
    total, judged, passed, score, pii, injection, hallucination = (
        await run(f"SELECT {SUMS} FROM evaluation_hours WHERE tenant_id = ? AND hour >= ?", (tenant, since))
    )[0]
    cost, agents = (
        await run("SELECT sum(cost), count(DISTINCT agent) FROM trace_hours WHERE tenant_id = ? AND hour >= ?", (tenant, since))
    )[0]
    return {
        "period": period,
        "passRate": round(passed / judged, 4) if judged else None,
        "avgScore": round(score / judged, 4) if judged else None,
        "totalEvals": total or 0,
        "safetyViolations": {"pii": pii or 0, "injection": injection or 0, "hallucination": hallucination or 0},
        "totalCost": round(cost or 0, 4),
        "agentCount": agents or 0,
    }


async def trend(run: Run, tenant: str, period: str, now: datetime) -> list[Row]:
    """Buckets with evaluations in them, oldest first."""
    since = since_hour(PERIODS[period], now)
    rows = await run(
        "SELECT hour, evaluations, judged, passed, score_sum FROM evaluation_hours WHERE tenant_id = ? AND hour >= ? ORDER BY hour",
        (tenant, since),
    )
    size = BUCKET.get(period, 24)
    buckets: dict[str, list[float]] = {}
    for hour, *amounts in rows:
        start = f"{hour[:11]}{int(hour[11:13]) // size * size:02d}:00:00.000Z"
        known = buckets.setdefault(start, [0, 0, 0, 0.0])
        buckets[start] = [a + b for a, b in zip(known, amounts, strict=True)]
    return [
        {
            "timestamp": start,
            "avgScore": round(score / judged, 4) if judged else None,
            "passRate": round(passed / judged, 4) if judged else None,
            "evalCount": int(count),
        }
        for start, (count, judged, passed, score) in buckets.items()
    ]


async def rule_statistics(run: Run, tenant: str, period: str, now: datetime) -> list[Row]:
    """How often each rule failed of how often it judged, worst first."""
    rows = await run(
        "SELECT rule, sum(run) n, sum(failed) f FROM rule_hours WHERE tenant_id = ? AND hour >= ? GROUP BY rule"
        " ORDER BY CAST(f AS REAL) / n DESC, f DESC, rule",
        (tenant, since_hour(PERIODS[period], now)),
    )
    return [{"rule": rule, "passRate": round(1 - f / n, 4), "totalRun": n, "failCount": f} for rule, n, f in rows if n]


async def drift(run: Run, tenant: str, period: str, now: datetime) -> tuple[Row, Row]:
    """Counts of a period and of the one of the same length before it; of all time there is none before."""
    hours = PERIODS[period]
    middle = since_hour(hours, now)
    start = since_hour(None if hours is None else 2 * hours, now) if hours is not None else middle
    end = now.astimezone(UTC).strftime("%Y-%m-%dT%H")
    return (
        await _window(run, tenant, middle, end + "~", end),
        await _window(run, tenant, start, middle, middle) if hours is not None else _empty(),
    )


async def _window(run: Run, tenant: str, since: str, before: str, until: str) -> Row:
    sql = "SELECT sum(judged), sum(passed) FROM evaluation_hours WHERE tenant_id = ? AND hour >= ? AND hour < ?"
    judged, passed = (await run(sql, (tenant, since, before)))[0]
    bounds = [f"{hour}:00:00.000Z" if hour else None for hour in (since, until)]
    return {"since": bounds[0], "until": bounds[1], "evaluated": judged or 0, "passed": passed or 0}


def _empty() -> Row:
    return {"since": None, "until": None, "evaluated": 0, "passed": 0}
