"""What deserves a look: failures ranked by significance and age, and decision moments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from iris.service.core import Core
from iris.service.lists import named, searched, told
from iris.service.models.lists import ListFailures, ListMoments
from iris.service.parse import refused
from iris.store.filters import All, AnyOf, Filter, Test
from iris.store.interface import Page, TraceQuery

Result = dict[str, Any]
FLAGGED = ("safety-violation", "cost-spike", "regression-alarm")
"""Kinds of moments that are listed as failures even where the verdict is not one."""
HALF_LIFE_HOURS = 24.0
WORTH_A_LOOK = AnyOf((Test("state", "=", "fail"), Test("kind", "in", FLAGGED)))


async def failures(core: Core, args: ListFailures, tenant: str) -> Result:
    """Give failures by rank: significance halved with every day of age, ties newest first."""
    search = searched(core, args.q)
    where = All((*named(args, search), WORTH_A_LOOK))
    keep = search.keep if search else None
    text = search.text if search else ()
    query = TraceQuery(where, text, keep, sort="rank", limit=args.limit, after=args.after)
    page = await core.store.moments(tenant, query)
    now = datetime.fromisoformat(core.clock())
    rows = [{**row, "rankScore": rank_score(row, now)} for row in page.rows]
    result: Result = {"failures": rows, "scanned": page.scanned, "total": page.total, "limit": args.limit}
    result |= {"next": page.next, "complete": page.complete}
    return result | {"search": told(search, page)} if search else result


def rank_score(moment: Mapping[str, Any], now: datetime) -> float:
    """Give significance x 0.5 ^ (age / 24 h); a moment of the future counts as of now."""
    hours = max(0.0, (now - datetime.fromisoformat(moment["timestamp"])).total_seconds() / 3600)
    score: float = moment["significance"]["score"]
    return round(score * float(0.5 ** (hours / HALF_LIFE_HOURS)), 6)


async def moments(core: Core, args: ListMoments, tenant: str) -> Result:
    """Give moments by time or significance. Fault 182: the total is that of the filter, and `offset` counts moments.

    `window` narrows a ranked or filtered reading to the newest traces of the range; without it all of them are read.
    """
    ranked = args.sort_by == "significance"
    narrowed = any(v is not None for v in (args.verdict, args.min_significance, args.significance_kind))
    _refuse_idle(args, ranked, narrowed)
    base = named(args, None)
    window: Result | None = None
    if ranked or narrowed:
        window = await _window(core, tenant, base, args.window)
        if args.window is not None and window["oldest"] is not None:
            base = [*base, Test("time", ">=", window["oldest"])]
    query = TraceQuery(
        All((*base, *_narrowing(args))),
        sort="significance" if ranked else "timestamp",
        descending=args.sort_order == "desc",
        limit=args.limit,
        offset=args.offset,
    )
    page = await core.store.moments(tenant, query)
    result = {"moments": page.rows, "total": page.total, "limit": args.limit, "offset": args.offset}
    return result | {"window": window} if window else result


def _refuse_idle(args: ListMoments, ranked: bool, narrowed: bool) -> None:
    if args.window is not None and not (ranked or narrowed):
        message = "`window` narrows a reading that is ranked or filtered; this one is neither"
        raise refused([{"field": "window", "message": message}])
    if ranked and args.sort_order == "asc":
        message = "`sort_order: asc` is not for a ranked reading; the most significant come first"
        raise refused([{"field": "sort_order", "message": message, "valid": ["desc"]}])


def _narrowing(args: ListMoments) -> list[Filter]:
    tests: list[Filter] = []
    if args.verdict is not None:
        tests.append(Test("verdict", "=", args.verdict))
    if args.significance_kind is not None:
        tests.append(Test("kind", "=", args.significance_kind))
    if args.min_significance is not None:
        tests.append(Test("significance", ">=", args.min_significance))
    return tests


async def _window(core: Core, tenant: str, base: list[Filter], size: int | None) -> Result:
    """Say which traces a ranked or filtered reading looked at."""
    where = All(tuple(base))
    newest = await _at(core, tenant, where, 0, descending=True)
    in_range = newest.total
    scanned = min(size or in_range, in_range)
    oldest = await _at(core, tenant, where, max(scanned - 1, 0), descending=True) if size else None
    if oldest is None:
        oldest = await _at(core, tenant, where, 0, descending=False)
    return {
        "size": size,
        "scanned": scanned,
        "tracesInRange": in_range,
        "newest": _time(newest),
        "oldest": _time(oldest),
    }


async def _at(core: Core, tenant: str, where: Filter, place: int, *, descending: bool) -> Page:
    query = TraceQuery(where, limit=1, offset=place, descending=descending, bodies=False, count=descending and not place)
    return await core.store.traces(tenant, query)


def _time(page: Page) -> str | None:
    return page.rows[0]["timestamp"] if page.rows else None
