"""Every route as data: the router, the OpenAPI document and docs/http-api.md are made of this table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web
from pydantic import BaseModel

from iris.serve.http import handlers as h
from iris.serve.http import ingest
from iris.serve.http.answers import Answer
from iris.service.models import lists as ls
from iris.service.models import rules as rl
from iris.service.models.preferences import Preferences
from iris.service.models.trace import IngestTrace

if TYPE_CHECKING:
    from iris.serve.http.api import Api

Handler = Callable[..., Awaitable[Answer]]
PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `answers` are the statuses beside those every route has, and what each says."""

    method: str
    path: str
    summary: str
    handler: Handler
    answers: dict[int, str]
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    open: bool = False
    raw: bool = False


NOT_FOUND = "There is none with that id."
TABLE: tuple[Route, ...] = (
    Route("GET", "/api/v1/health", "Whether everything works.", h.health, {200: "It does.", 503: "A check failed."}, open=True),
    Route("GET", "/health", "The same.", h.health, {200: "It does.", 503: "A check failed."}, open=True),
    Route("GET", "/api/v1/capabilities", "What this server can do, its rules and limits.", h.capabilities, {200: "The capabilities."}),
    Route("GET", "/api/v1/openapi.json", "This document.", h.openapi, {200: "OpenAPI 3.1."}),
    Route(
        "POST", "/api/v1/traces", "Store one run, an array of them, or (application/x-ndjson) a run a line.", ingest.post,
        {201: "Stored, with the verdict where `evaluate` asks for it.", 207: "Some of several were stored; each says which."},
        body=IngestTrace, raw=True,
    ),
    Route("GET", "/api/v1/traces", "Stored runs, newest first.", h.traces, {200: "A page."}, query=ls.ListTraces),
    Route("GET", "/api/v1/traces/{id}", "One run with its spans and evaluations.", h.trace, {200: "The run.", 404: NOT_FOUND}),
    Route("DELETE", "/api/v1/traces/{id}", "Delete a run; the texts of its evaluations go with it.", h.delete_trace, {204: "Deleted.", 404: NOT_FOUND}),
    Route("GET", "/api/v1/evaluations", "Stored evaluations, newest first.", h.evaluations, {200: "A page."}, query=ls.ListEvaluations),
    Route("GET", "/api/v1/evaluations/{id}", "One evaluation.", h.evaluation, {200: "The evaluation.", 404: NOT_FOUND}),
    Route(
        "POST", "/api/v1/evaluations/{id}/reevaluate", "Judge again what an evaluation judged, by the rules of today.", h.reevaluate,
        {201: "The new evaluation beside the old.", 404: NOT_FOUND, 409: "There is nothing left to judge."},
    ),
    Route("GET", "/api/v1/summary", "Totals of the last hours.", h.summary, {200: "The totals."}, query=ls.Hours),
    Route("GET", "/api/v1/filters", "Names to filter by.", h.filters, {200: "The names."}),
    Route("GET", "/api/v1/eval-stats", "How the evaluations of a period came out.", h.statistics, {200: "The statistics."}, query=ls.PeriodQuery),
    Route("GET", "/api/v1/eval-stats/trend", "The same over time.", h.trend, {200: "Buckets."}, query=ls.PeriodQuery),
    Route("GET", "/api/v1/eval-stats/rules", "How often each rule failed, worst first.", h.rule_statistics, {200: "The rules."}, query=ls.PeriodQuery),
    Route("GET", "/api/v1/eval-stats/failures", "The newest failed evaluations.", h.recent_failures, {200: "The failures."}, query=ls.RecentFailures),
    Route("GET", "/api/v1/eval-stats/drift", "A period against the one before it.", h.drift, {200: "Both and their difference."}, query=ls.DriftQuery),
    Route("GET", "/api/v1/failures", "Failures worth a look, best first.", h.failures, {200: "A page."}, query=ls.ListFailures),
    Route("GET", "/api/v1/moments", "Runs with their verdict and how much each deserves a look.", h.moments, {200: "A page."}, query=ls.ListMoments),
    Route("GET", "/api/v1/moments/{id}", "One of them with everything behind it.", h.moment, {200: "The moment.", 404: NOT_FOUND}),
    Route("GET", "/api/v1/rules/builtin", "The built-in rules.", h.builtin_rules, {200: "The roster."}),
    Route("GET", "/api/v1/rules/custom", "The deployed rules.", h.custom_rules, {200: "The rules."}),
    Route(
        "POST", "/api/v1/rules/custom", "Deploy a rule.", h.deploy,
        {201: "Deployed; it judges the next run.", 409: "A rule of that name is deployed."}, body=rl.DeployRule,
    ),
    Route(
        "POST", "/api/v1/rules/custom/preview", "Try a rule on stored runs and on a sample.", h.preview,
        {200: "What it would have said.", 422: "The definition can not be used."}, body=rl.PreviewRule,
    ),
    Route("PATCH", "/api/v1/rules/custom/{id}", "Switch a rule on or off.", h.switch, {200: "The rule.", 404: NOT_FOUND}, body=rl.PatchRule),
    Route("DELETE", "/api/v1/rules/custom/{id}", "Delete a rule.", h.remove, {204: "Deleted.", 404: NOT_FOUND}),
    Route("GET", "/api/v1/audit", "The audit log, newest first.", h.audit, {200: "A page."}, query=ls.ListAudit),
    Route("GET", "/api/v1/preferences", "What the pages remember.", h.preferences, {200: "The preferences."}),
    Route("PATCH", "/api/v1/preferences", "Set some of it; null forgets.", h.set_preferences, {200: "All of it."}, body=Preferences),
    Route("GET", "/api/v1/events", "Live events (text/event-stream).", h.no_answer, {200: "A stream."}, raw=True),
)  # fmt: skip


class Router:
    """Finds the route of a request."""

    def __init__(self) -> None:
        self._exact: dict[str, dict[str, Route]] = {}
        self._with_id: list[tuple[str, str, dict[str, Route]]] = []
        for route in TABLE:
            before, sign, after = route.path.partition("{id}")
            if not sign:
                self._exact.setdefault(route.path, {})[route.method] = route
            else:
                known = next((methods for b, a, methods in self._with_id if (b, a) == (before, after)), None)
                if known is None:
                    self._with_id.append((before, after, {route.method: route}))
                else:
                    known[route.method] = route

    def find(self, path: str) -> tuple[dict[str, Route], str | None]:
        """The routes of a path by method, and the id in it."""
        exact = self._exact.get(path)
        if exact is not None:
            return exact, None
        for before, after, methods in self._with_id:
            if path.startswith(before) and path.endswith(after):
                middle = path[len(before) : len(path) - len(after) if after else None]
                if middle and "/" not in middle:
                    return methods, middle
        return {}, None


Request = web.BaseRequest
__all__ = ["TABLE", "Any", "Api", "Request", "Route", "Router"]
