"""The store as the rest of Iris sees it. Every call names its tenant; every instant is UTC ISO 8601 with `Z`.

Objects that cross the interface are plain dictionaries in the form the API shows them, so that a trace read back is the
trace that was sent. A write has reached the disk when its call returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from iris.store.filters import EVERYTHING, Filter

LOCAL = "local"
"""The one tenant of an installation without accounts."""

Row = dict[str, Any]


class StoreError(Exception):
    """The store could not do it. `retryable` when the same call may succeed later (busy, upgrading); no path in the text."""

    def __init__(self, message: str, *, retryable: bool = False, reason: str = "failed") -> None:
        super().__init__(message)
        self.retryable = retryable
        self.reason = reason


@dataclass(frozen=True, slots=True)
class NewEvaluation:
    """A result of `evaluate_output` to keep, with the texts it judged.

    `result` carries id, eval_type, score, passed, verdict, rule_results, provenance …; `trace_id` makes it the trace's
    verdict of record, `reference_trace_id` only names the trace it was about.
    """

    result: Mapping[str, Any]
    created_at: str
    output: str | None = None
    expected: str | None = None
    trace_id: str | None = None
    reference_trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewTrace:
    """A trace to keep: its fields as the API shows them (spans apart), and its verdict of record where there is one."""

    trace: Mapping[str, Any]
    spans: Sequence[Mapping[str, Any]] = ()
    evaluation: NewEvaluation | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log. `action` such as rule.deploy, rule.delete, rule.toggle, trace.delete."""

    ts: str
    action: str
    user: str = "local"
    rule_id: str | None = None
    trace_id: str | None = None
    rule_name: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """Which traces, in which order, which page.

    `text` are full-text terms, all of which must occur in input or output. `keep` is what no index can answer: it is
    asked of each row's whole trace, and at most `scan` rows are examined for one page. `after` is the `next` of the page
    before and replaces `offset`.
    """

    where: Filter = EVERYTHING
    text: tuple[str, ...] = ()
    keep: Callable[[Row], bool] | None = None
    sort: Literal["timestamp", "latency_ms", "cost_usd", "score", "relevance", "rank", "significance"] = "timestamp"
    descending: bool = True
    limit: int = 50
    offset: int = 0
    after: str | None = None
    scan: int = 5_000
    bodies: bool = True
    count: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list. `total` is exact when `complete`; `next` is the cursor of the following page or None."""

    rows: list[Row]
    total: int
    next: str | None = None
    scanned: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class EvaluationQuery:
    """Which evaluations, newest first. `since` and `until` are inclusive."""

    eval_type: str | None = None
    passed: bool | None = None
    trace_id: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which audit entries, newest first. `search` is literal text in names, ids and details."""

    action: str | None = None
    search: str | None = None
    since: str | None = None
    limit: int = 100
    offset: int = 0


class Store(Protocol):
    """What every backend does; the conformance suite in tests/store runs on each."""

    async def open(self) -> None:
        """Open, create or upgrade. Raises StoreError naming what to do: unwritable, newer database, not a database."""

    async def close(self) -> None:
        """Finish queued writes and close; later calls raise StoreError."""

    async def check(self) -> Mapping[str, bool]:
        """Say whether `storage` answers, can be written, and its `migrations` are done."""

    # Writes: durable when they return.

    async def add_traces(self, tenant: str, traces: Sequence[NewTrace]) -> None:
        """Keep all of these with their spans and evaluations, or none. Raises StoreError (reason "duplicate_span")."""

    async def add_evaluation(self, tenant: str, evaluation: NewEvaluation) -> None:
        """Keep an evaluation; with `trace_id` it becomes that trace's verdict of record. StoreError "unknown_trace"."""

    async def delete_trace(self, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
        """Delete a trace and its spans, erase the texts of its evaluations and log it, at once. False: there is none."""

    async def add_audit(self, tenant: str, entry: AuditEntry) -> None:
        """Append to the audit log."""

    async def set_preferences(self, tenant: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set some preferences and give all of them."""

    # Reads.

    async def trace(self, tenant: str, trace_id: str) -> Row | None:
        """One whole trace."""

    async def has_trace(self, tenant: str, trace_id: str) -> bool:
        """Whether there is such a trace."""

    async def spans(self, tenant: str, trace_id: str) -> list[Row]:
        """The spans of a trace in their order of start."""

    async def evaluation(self, tenant: str, evaluation_id: str) -> Row | None:
        """One stored evaluation: its result with trace_id, reference_trace_id, created_at, output_text, expected_text."""

    async def evaluations_of(self, tenant: str, trace_id: str) -> list[Row]:
        """All evaluations that name a trace, newest first, those beside it too."""

    async def traces(self, tenant: str, query: TraceQuery) -> Page:
        """A page of traces; each row also has `latest` {evaluation_id, score, passed, state, basis, failed_rules} or None."""

    async def evaluations(self, tenant: str, query: EvaluationQuery) -> Page:
        """A page of evaluations."""

    async def moments(self, tenant: str, query: TraceQuery) -> Page:
        """A page of decision moments (see docs/moments.md) over the same fields as `traces`."""

    async def moment(self, tenant: str, trace_id: str) -> Row | None:
        """One decision moment with its evaluations, calls and spans."""

    async def filters(self, tenant: str) -> Row:
        """The distinct `agent_names` and `frameworks`, from a table that is kept up to date."""

    async def summary(self, tenant: str, hours: int) -> Row:
        """Totals of the last hours: total_traces, avg_latency_ms, total_cost_usd, error_rate, eval_pass_rate, …"""

    async def statistics(self, tenant: str, period: str) -> Row:
        """passRate, avgScore, totalEvals, safetyViolations, totalCost, agentCount of a period such as 24h, 7d or all."""

    async def trend(self, tenant: str, period: str) -> list[Row]:
        """Buckets of a period: timestamp, avgScore, passRate, evalCount."""

    async def rule_statistics(self, tenant: str, period: str) -> list[Row]:
        """rule, passRate, totalRun, failCount of each rule, worst first, skips left out."""

    async def recent_failures(self, tenant: str, period: str, limit: int) -> list[Row]:
        """The newest failed evaluations, their output cut at 200 characters."""

    async def drift(self, tenant: str, period: str) -> tuple[Row, Row]:
        """Counts (evaluated, passed, since, until) of a period and of the one before it."""

    async def audit(self, tenant: str, query: AuditQuery) -> Page:
        """A page of audit entries."""

    async def rule_changes(self, tenant: str, since: str) -> Row | None:
        """{count, last_change_at} of rule.delete, rule.toggle and rule.update since an instant; None when there is none."""

    async def preferences(self, tenant: str) -> Mapping[str, Any]:
        """All preferences that were set."""
