"""Which rows of a list."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris.service.models.base import Absent, Strict

Score = Annotated[float, Field(ge=0, le=1)]
When = Annotated[str, Field(description="an ISO 8601 instant with its offset, or a calendar date (UTC); inclusive")]
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0, le=10**12)]


class GetTraces(Strict):
    """Stored traces, newest first unless sorted otherwise."""

    agent_name: str | Absent = None
    framework: str | Absent = None
    session: str | Absent = None
    q: Annotated[
        str | Absent, Field(max_length=4000, description="words to find, key:value terms, or a condition such as cost > 0.05usd")
    ] = None
    since: When | Absent = None
    until: When | Absent = None
    min_score: Annotated[Score | Absent, Field(description="of the latest evaluation of record")] = None
    max_score: Score | Absent = None
    limit: Limit = 50
    offset: Offset = 0
    after: Annotated[str | Absent, Field(max_length=200, description="the `next` of the page before; replaces offset")] = None
    sort_by: Literal["timestamp", "latency_ms", "cost_usd", "relevance"] = "timestamp"
    sort_order: Literal["asc", "desc"] = "desc"
    include_summary: bool = False
    include_text: Annotated[bool, Field(description="whole texts; otherwise each is cut and `cut` says how long it is")] = False


class ListTraces(Strict):
    """`GET /api/v1/traces`: the same without what only a reading agent needs."""

    agent_name: str | Absent = None
    framework: str | Absent = None
    session: str | Absent = None
    q: Annotated[str | Absent, Field(max_length=4000)] = None
    since: When | Absent = None
    until: When | Absent = None
    min_score: Score | Absent = None
    max_score: Score | Absent = None
    limit: Limit = 50
    offset: Offset = 0
    after: Annotated[str | Absent, Field(max_length=200)] = None
    sort_by: Literal["timestamp", "latency_ms", "cost_usd", "relevance"] = "timestamp"
    sort_order: Literal["asc", "desc"] = "desc"


class ListEvaluations(Strict):
    """`GET /api/v1/evaluations`."""

    eval_type: Literal["completeness", "relevance", "safety", "cost", "custom", "all"] | Absent = None
    passed: bool | Absent = None
    trace_id: str | Absent = None
    since: When | Absent = None
    until: When | Absent = None
    limit: Limit = 50
    offset: Offset = 0


class Hours(Strict):
    """A window that ends now."""

    hours: Annotated[int, Field(ge=1, le=8760)] = 24


Period = Literal["24h", "2d", "7d", "14d", "30d", "60d", "90d", "180d", "all"]


class PeriodQuery(Strict):
    """A named window that ends now."""

    period: Period = "24h"


class DriftQuery(Strict):
    """Two neighbouring windows."""

    period: Period = "7d"
    run: str | Absent = None


class RecentFailures(Strict):
    """The newest failed evaluations."""

    period: Period = "24h"
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class ListFailures(Strict):
    """Failures worth looking at, best first."""

    agent_name: str | Absent = None
    q: Annotated[str | Absent, Field(max_length=4000)] = None
    since: When | Absent = None
    until: When | Absent = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    after: Annotated[str | Absent, Field(max_length=200)] = None


Kind = Literal[
    "safety-violation", "cost-spike", "regression-alarm", "first-failure", "novel-pattern", "rule-collision",
    "normal-fail", "unevaluated", "normal-pass",
]  # fmt: skip


class ListMoments(Strict):
    """Decision moments: a trace with its verdict and how much it deserves a look."""

    agent_name: Annotated[str | Absent, Field(max_length=200)] = None
    verdict: Literal["pass", "fail", "partial", "unevaluated"] | Absent = None
    min_significance: Score | Absent = None
    significance_kind: Kind | Absent = None
    since: When | Absent = None
    until: When | Absent = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    offset: Offset = 0
    sort_by: Literal["timestamp", "significance"] = "timestamp"
    sort_order: Literal["asc", "desc"] = "desc"
    window: Annotated[int | Absent, Field(ge=1, le=500)] = None


class ListAudit(Strict):
    """`GET /api/v1/audit`."""

    action: Literal["rule.deploy", "rule.delete", "rule.toggle", "rule.update", "trace.delete"] | Absent = None
    since: When | Absent = None
    search: Annotated[str | Absent, Field(max_length=200)] = None
    limit: Limit = 100
    offset: Offset = 0
