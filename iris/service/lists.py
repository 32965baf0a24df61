"""Reading stored traces and evaluations by page."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from iris.problems import Problem, ProblemsFound
from iris.search import Query
from iris.search import parse as parse_search
from iris.service.core import Core
from iris.service.cut import shortened
from iris.service.instants import bounds
from iris.service.match import match_of
from iris.service.models.lists import GetTraces, ListAudit, ListEvaluations, ListTraces
from iris.service.parse import refused
from iris.store.filters import All, Filter, Test
from iris.store.interface import AuditQuery, EvaluationQuery, Page, TraceQuery

Result = dict[str, Any]
Sort = Literal["timestamp", "latency_ms", "cost_usd", "score", "relevance", "rank", "significance"]
SUMMARY_HOURS = 1


async def get_traces(core: Core, args: GetTraces, tenant: str) -> Result:
    """Give a page of traces for a reading agent. Faults 149-151: bounds are checked, and the total is that of the filter."""
    result = await _page(core, args, tenant)
    if not args.include_text:
        result["traces"] = [shortened(trace) for trace in result["traces"]]
    if args.include_summary:
        result["summary"] = await core.store.summary(tenant, SUMMARY_HOURS)
    return result


async def list_traces(core: Core, args: ListTraces, tenant: str) -> Result:
    """Give a page of traces; the bounds are those of `get_traces`. Fault 152."""
    return await _page(core, args, tenant)


async def _page(core: Core, args: GetTraces | ListTraces, tenant: str) -> Result:
    search = searched(core, args.q)
    query = _query(args, search)
    page = await core.store.traces(tenant, query)
    result: Result = {"traces": page.rows, "total": page.total, "limit": args.limit, "offset": args.offset}
    result |= {"next": page.next, "complete": page.complete}
    if search is not None:
        result["search"] = told(search, page)
        for trace in page.rows:
            if match := match_of(trace, search.text):
                trace["match"] = match
    return result


def told(search: Query, page: Page) -> Result:
    """Say how a search was read and how far it looked."""
    return {"complete": page.complete, "scanned": page.scanned, "terms": list(search.chips), "words": list(search.text)}


def searched(core: Core, q: str | None) -> Query | None:
    """Read a search. Raises IRIS_INVALID_ARGUMENT saying where it breaks."""
    if q is None or not q.strip():
        return None
    try:
        return parse_search(q, core.evaluator, datetime.fromisoformat(core.clock()))
    except ProblemsFound as found:
        raise refused([{"field": "q", "message": _search_problem(p), "code": p.code} for p in found.problems]) from found


def _search_problem(problem: Problem) -> str:
    place = f" at character {problem.place.column}" if problem.place else ""
    return f"`q`{place}: {problem.message}" + (f" ({problem.help})" if problem.help else "")


def _query(args: GetTraces | ListTraces, search: Query | None) -> TraceQuery:
    where = [*named(args, search), *_scores(args)]
    sort, descending = _order(args, search)
    return TraceQuery(
        where=All(tuple(where)),
        text=search.text if search else (),
        keep=search.keep if search else None,
        sort=sort,
        descending=descending,
        limit=args.limit,
        offset=args.offset,
        after=args.after,
    )


def _order(args: GetTraces | ListTraces, search: Query | None) -> tuple[Sort, bool]:
    chosen = {"sort_by", "sort_order"} & args.model_fields_set
    if search and search.sort and not chosen:
        descending: bool = search.descending if search.descending is not None else True
        return search.sort, descending  # type: ignore[return-value]  # one of the store's orders
    if args.sort_by == "relevance" and not (search and search.text):
        message = "`sort_by: relevance` needs words to look for in `q`; sort by timestamp, latency_ms or cost_usd without them"
        raise refused([{"field": "sort_by", "message": message, "valid": ["timestamp", "latency_ms", "cost_usd"]}])
    return args.sort_by, args.sort_order == "desc"


def named(args: Any, search: Query | None) -> list[Filter]:
    """Give the tests of agent, framework, session and window, and those of the search."""
    tests: list[Filter] = []
    for field, name in (("agent", "agent_name"), ("framework", "framework"), ("session", "session")):
        value = getattr(args, name, None)
        if value is not None:
            tests.append(Test(field, "=", value))
    since, until = bounds(args.since, args.until)
    if since is not None:
        tests.append(Test("time", ">=", since))
    if until is not None:
        tests.append(Test("time", "<=", until))
    return [*tests, search.where] if search else tests


def _scores(args: GetTraces | ListTraces) -> list[Filter]:
    """Give the tests of the score of the verdict of record, never of an older or a foreign one. Fault 150."""
    low, high = args.min_score, args.max_score
    if low is not None and high is not None and low > high:
        message = f"`min_score` ({low}) is above `max_score` ({high}), so no trace could match"
        raise refused([{"field": "min_score", "message": message}])
    tests: list[Filter] = [] if low is None else [Test("score", ">=", low)]
    return tests if high is None else [*tests, Test("score", "<=", high)]


async def trace_detail(core: Core, trace_id: str, tenant: str) -> Result | None:
    """Give a trace with its spans and every evaluation that names it."""
    trace = await core.store.trace(tenant, trace_id)
    if trace is None:
        return None
    spans = await core.store.spans(tenant, trace_id)
    return {"trace": trace, "spans": spans, "evals": await core.store.evaluations_of(tenant, trace_id)}


async def evaluations(core: Core, args: ListEvaluations, tenant: str) -> Result:
    """Give a page of evaluations, newest first."""
    since, until = bounds(args.since, args.until)
    query = EvaluationQuery(args.eval_type, args.passed, args.trace_id, since, until, args.limit, args.offset)
    page = await core.store.evaluations(tenant, query)
    return {"results": page.rows, "total": page.total, "limit": args.limit, "offset": args.offset}


async def audit(core: Core, args: ListAudit, tenant: str) -> Result:
    """Give a page of the audit log, newest first."""
    since, _ = bounds(args.since, None)
    page = await core.store.audit(tenant, AuditQuery(args.action, args.search, since, args.limit, args.offset))
    return {"entries": page.rows, "total": page.total, "limit": args.limit, "offset": args.offset}
