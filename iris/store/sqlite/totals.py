"""Summaries and statistics, read from running totals only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from iris.store.interface import Row
from iris.store.sqlite.rollups import COST_UNIT, LATENCY_UNIT, SCORE_UNIT, WIDTHS
from iris.store.sqlite.shown import instant
from iris.store.sqlite.text import SECOND
from iris.store.sqlite.windows import HOURS, since, source

Fetch = Callable[[str, tuple[Any, ...]], Awaitable[list[Any]]]
HOUR = 3_600
BUCKET = {"24h": HOUR, "2d": HOUR, "7d": 6 * HOUR, "14d": 6 * HOUR}
"""Seconds of a bucket of the trend; a day for longer periods."""
TOP, DIGITS = 10, 4


class Totals:
    """Answers over windows that end now; each begins at a full minute."""

    def __init__(self, fetch: Fetch, tenant: str, now: int) -> None:
        self.fetch, self.tenant, self.now = fetch, tenant, now

    async def summary(self, hours: int) -> Row:
        """Totals of the last hours over traces and evaluations."""
        first = since(hours, self.now)
        sums = "sum(traces), sum(broken), total(latency), sum(timed), total(cost), sum(passed), sum(failed)"
        found = (await self._of("totals", f"SELECT {sums} FROM {{}}", first))[0]
        traces, broken, latency, timed, cost, passed, failed = (n or 0 for n in found)
        hourly = await self._of(
            "totals",
            f"SELECT start - start % {HOUR} h, sum(traces) n FROM {{}} GROUP BY h HAVING n > 0 ORDER BY h",
            first,
            widths=WIDTHS[:2],
        )
        top = f"SELECT agent, sum(traces) n FROM {{}} GROUP BY agent HAVING n > 0 ORDER BY n DESC, agent LIMIT {TOP}"
        return {
            "total_traces": traces,
            "avg_latency_ms": round(latency / LATENCY_UNIT / timed, 2) if timed else 0,
            "total_cost_usd": round(cost / COST_UNIT, DIGITS),
            "error_rate": round(broken / traces, DIGITS) if traces else 0,
            "eval_pass_rate": _rate(passed, failed),
            "traces_per_hour": [{"hour": instant(hour), "count": n} for hour, n in hourly],
            "top_agents": [{"agent_name": agent, "count": n} for agent, n in await self._of("totals", top, first)],
        }

    async def statistics(self, period: str) -> Row:
        """How a period's evaluations came out, and what its traces cost. All evaluations count, superseded ones too."""
        names = "evaluations", "passed", "failed", "scored", "pii", "injection", "hallucination"
        sums = ", ".join(f"sum({name})" for name in names)
        agents = "count(DISTINCT CASE WHEN traces > 0 THEN agent END)"
        sql = f"SELECT total(score), total(cost), {agents}, {sums} FROM {{}}"
        found = (await self._of("totals", sql, since(HOURS[period], self.now)))[0]
        score, cost, agent_count, count, passed, failed, scored, pii, injection, hallucination = (n or 0 for n in found)
        return {
            "period": period,
            "passRate": _rate(passed, failed),
            "avgScore": round(score / SCORE_UNIT / scored, DIGITS) if scored else None,
            "totalEvals": count,
            "safetyViolations": {"pii": pii, "injection": injection, "hallucination": hallucination},
            "totalCost": round(cost / COST_UNIT, DIGITS),
            "agentCount": agent_count,
        }

    async def trend(self, period: str) -> list[Row]:
        """Buckets that have evaluations, oldest first."""
        size = BUCKET.get(period, WIDTHS[-1])
        sql = (
            f"SELECT start - start % {size} b, sum(evaluations) n, sum(passed), sum(failed), total(score), sum(scored)"
            " FROM {} GROUP BY b HAVING n > 0 ORDER BY b"
        )
        widths = tuple(width for width in WIDTHS if width <= size)
        rows = await self._of("totals", sql, since(HOURS[period], self.now), widths=widths)
        return [
            {
                "timestamp": instant(start),
                "avgScore": round(score / SCORE_UNIT / scored, DIGITS) if scored else None,
                "passRate": _rate(passed, failed),
                "evalCount": n,
            }
            for start, n, passed, failed, score, scored in rows
        ]

    async def rules(self, period: str) -> list[Row]:
        """How often each rule failed of how often it ran, worst first."""
        sql = "SELECT rule, sum(run) n, sum(failed) f FROM {} GROUP BY rule HAVING n > 0 ORDER BY 1.0 * f / n DESC, f DESC, rule"
        rows = await self._of("rule_totals", sql, since(HOURS[period], self.now))
        return [{"rule": rule, "passRate": round(1 - f / n, DIGITS), "totalRun": n, "failCount": f} for rule, n, f in rows]

    async def drift(self, period: str) -> tuple[Row, Row]:
        """Decided evaluations of a period and of the one of the same length before it; before all time there is none."""
        hours, until = HOURS[period], instant(self.now // SECOND)
        middle = since(hours, self.now)
        if hours is None or middle is None:
            return await self._window(None, None, until), {"since": None, "until": None, "evaluated": 0, "passed": 0}
        return await self._window(middle, None, until), await self._window(middle - hours * HOUR, middle, instant(middle))

    async def _window(self, first: int | None, last: int | None, until: str) -> Row:
        sql = "SELECT ifnull(sum(passed) + sum(failed), 0), ifnull(sum(passed), 0) FROM {}"
        evaluated, passed = (await self._of("totals", sql, first, last))[0]
        begin = None if first is None else instant(first)
        return {"since": begin, "until": until, "evaluated": evaluated, "passed": passed}

    async def _of(
        self, table: str, sql: str, first: int | None, last: int | None = None, widths: tuple[int, ...] = WIDTHS
    ) -> list[Any]:
        """The rows of a statement over a window."""
        window, values = source(table, self.tenant, first, last, widths)
        return await self.fetch(sql.format(window), tuple(values))


def _rate(passed: int, failed: int) -> float | None:
    """The part of decided verdicts that passed; none when nothing was decided."""
    return round(passed / (passed + failed), DIGITS) if passed + failed else None
