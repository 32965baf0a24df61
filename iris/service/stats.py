"""Numbers over windows of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.service.core import Core
from iris.service.instants import ago
from iris.service.intervals import newcombe, smallest_detectable, wilson
from iris.service.models.lists import DriftQuery
from iris.store.filters import All, Test
from iris.store.interface import TraceQuery

Result = dict[str, Any]
MINIMUM_PER_WINDOW = 10
HOURS = {"24h": 24, "2d": 48, "7d": 168, "14d": 336, "30d": 720, "60d": 1440, "90d": 2160, "180d": 4320}
DIGITS = 4


async def statistics(core: Core, period: str, tenant: str) -> Result:
    """Give pass rate, mean score, violations and cost of a period. Fault 213: violations of every evaluation count."""
    return {**await core.store.statistics(tenant, period), "period": period}


async def drift(core: Core, args: DriftQuery, tenant: str) -> Result:
    """Compare the pass rate of a period with that of the one before. Faults 195, 201.

    A verdict that could not tell counts in neither rate; under ten evaluations in a window no difference is given.
    """
    if args.run is None:
        current, prior = await core.store.drift(tenant, args.period)
    else:
        current, prior = await _of_run(core, tenant, args.period, args.run)
    n1, n2 = current["evaluated"], prior["evaluated"]
    enough = min(n1, n2) >= MINIMUM_PER_WINDOW
    hits1, hits2 = current["passed"], prior["passed"]
    return {
        "period": args.period,
        "run": args.run,
        "current": _window(current),
        "prior": _window(prior),
        "difference": _difference(*newcombe(hits1, n1, hits2, n2)) if enough else None,
        "enoughEvidence": enough,
        "minimumPerWindow": MINIMUM_PER_WINDOW,
        "smallestDetectable": round(smallest_detectable(hits1, n1, hits2, n2), DIGITS) if n1 and n2 else None,
    }


def _difference(delta: float, low: float, high: float) -> Result:
    told = {"delta": round(delta, DIGITS), "lo": round(low, DIGITS), "hi": round(high, DIGITS)}
    return told | {"significant": told["lo"] > 0 or told["hi"] < 0}


def _window(row: Mapping[str, Any]) -> Result:
    """Add rate and interval to a window; both null where nothing was evaluated. Fault 212."""
    n, hits = row["evaluated"], row["passed"]
    interval = wilson(hits, n) if n else None
    told = {"passRate": round(hits / n, DIGITS) if n else None}
    return {**row, **told, "interval": interval and {"lo": round(interval[0], DIGITS), "hi": round(interval[1], DIGITS)}}


async def _of_run(core: Core, tenant: str, period: str, run: str) -> tuple[Result, Result]:
    now = core.clock()
    if period == "all":
        return await _counts(core, tenant, run, None, now), {"since": None, "until": None, "evaluated": 0, "passed": 0}
    middle, start = ago(now, hours=HOURS[period]), ago(now, hours=2 * HOURS[period])
    return await _counts(core, tenant, run, middle, now), await _counts(core, tenant, run, start, middle)


async def _counts(core: Core, tenant: str, run: str, since: str | None, until: str) -> Result:
    window = [Test("run", "=", run), Test("time", "<", until)]
    if since is not None:
        window.append(Test("time", ">=", since))
    counts = {}
    for state in ("pass", "fail"):
        where = All((*window, Test("state", "=", state)))
        counts[state] = (await core.store.traces(tenant, TraceQuery(where, limit=1, bodies=False))).total
    return {"since": since, "until": until, "evaluated": sum(counts.values()), "passed": counts["pass"]}
