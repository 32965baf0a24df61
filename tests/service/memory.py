"""A store in memory: the smallest thing that keeps the promises of the interface, for tests of what stands on it."""

from __future__ import annotations

import copy
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from iris.store.filters import All, AnyOf, Filter, Not, Test
from iris.store.interface import (
    AuditEntry,
    AuditQuery,
    EvaluationQuery,
    NewEvaluation,
    NewTrace,
    Page,
    Row,
    StoreError,
    TraceQuery,
)  # fmt: skip

FIELDS = {
    "agent": "agent_name", "framework": "framework", "session": "session_id", "run": "run_id", "case": "case_key",
    "source": "source", "trace": "trace_id", "time": "timestamp", "cost": "cost_usd", "latency": "latency_ms",
}  # fmt: skip
HOURS = {"24h": 24, "2d": 48, "7d": 168, "14d": 336, "30d": 720, "60d": 1440, "90d": 2160, "180d": 4320, "all": 24 * 36500}
SCORES = {"safety-violation": 1.0, "normal-fail": 0.5, "normal-pass": 0.05, "unevaluated": 0.1}


class MemoryStore:
    """Everything in dictionaries and lists, copied in and out."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._traces: dict[str, Row] = {}
        self._spans: dict[str, list[Row]] = {}
        self._evaluations: list[Row] = []
        self._audit: list[Row] = []
        self._preferences: Row = {}

    async def open(self) -> None:
        """Nothing has to be opened."""

    async def close(self) -> None:
        """Nothing has to be closed."""

    async def check(self) -> Mapping[str, bool]:
        """Say that all is well."""
        return {"storage": True, "migrations": True}

    async def add_traces(self, tenant: str, traces: Sequence[NewTrace]) -> None:
        """Keep all of these or none."""
        known = {s["span_id"] for spans in self._spans.values() for s in spans}
        if any(s["span_id"] in known for new in traces for s in new.spans):
            raise StoreError("a span of that id is stored", reason="duplicate_span")
        for new in traces:
            self._traces[new.trace["trace_id"]] = copy.deepcopy(dict(new.trace))
            self._spans[new.trace["trace_id"]] = copy.deepcopy([dict(s) for s in new.spans])
            if new.evaluation:
                await self.add_evaluation(tenant, new.evaluation)

    async def add_evaluation(self, tenant: str, evaluation: NewEvaluation) -> None:
        """Keep an evaluation."""
        if evaluation.trace_id is not None and evaluation.trace_id not in self._traces:
            raise StoreError("there is no such trace", reason="unknown_trace")
        row = copy.deepcopy(dict(evaluation.result))
        row |= {"trace_id": evaluation.trace_id, "reference_trace_id": evaluation.reference_trace_id}
        row |= {"created_at": evaluation.created_at, "output_text": evaluation.output, "expected_text": evaluation.expected}
        self._evaluations.append(row)

    async def delete_trace(self, tenant: str, trace_id: str, entry: AuditEntry) -> bool:
        """Delete a trace, its spans and the texts of its evaluations."""
        if self._traces.pop(trace_id, None) is None:
            return False
        del self._spans[trace_id]
        for row in self._evaluations:
            if trace_id in (row["trace_id"], row["reference_trace_id"]):
                row |= {"output_text": None, "expected_text": None, "erased_at": entry.ts, "trace_id": None}
        await self.add_audit(tenant, entry)
        return True

    async def add_audit(self, tenant: str, entry: AuditEntry) -> None:
        """Append to the audit log."""
        row = {"ts": entry.ts, "action": entry.action, "user": entry.user, "details": dict(entry.details)}
        self._audit.append(row | {"ruleId": entry.rule_id, "traceId": entry.trace_id, "ruleName": entry.rule_name})

    async def set_preferences(self, tenant: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set some preferences."""
        self._preferences |= values
        return dict(self._preferences)

    async def preferences(self, tenant: str) -> Mapping[str, Any]:
        """All preferences."""
        return dict(self._preferences)

    async def trace(self, tenant: str, trace_id: str) -> Row | None:
        """One trace."""
        return copy.deepcopy(self._traces.get(trace_id))

    async def has_trace(self, tenant: str, trace_id: str) -> bool:
        """Whether there is such a trace."""
        return trace_id in self._traces

    async def spans(self, tenant: str, trace_id: str) -> list[Row]:
        """The spans of a trace by start."""
        return sorted(copy.deepcopy(self._spans.get(trace_id, [])), key=lambda s: str(s["start_time"]))

    async def evaluation(self, tenant: str, evaluation_id: str) -> Row | None:
        """One evaluation."""
        return next((copy.deepcopy(e) for e in self._evaluations if e["id"] == evaluation_id), None)

    async def evaluations_of(self, tenant: str, trace_id: str) -> list[Row]:
        """The evaluations that name a trace, newest first."""
        rows = [e for e in self._evaluations if trace_id in (e["trace_id"], e["reference_trace_id"])]
        return copy.deepcopy(rows[::-1])

    def _latest(self, trace_id: str) -> Row | None:
        return next((e for e in reversed(self._evaluations) if e["trace_id"] == trace_id), None)

    def _moment(self, trace: Row) -> Row:
        latest = self._latest(trace["trace_id"])
        state = latest["verdict"]["state"] if latest else "unjudged"
        kind = {"pass": "normal-pass", "fail": "normal-fail"}.get(state, "unevaluated")
        if state == "fail" and latest and latest["critical_failures"]:
            kind = "safety-violation"
        row = {"id": trace["trace_id"], "traceId": trace["trace_id"], "agentName": trace["agent_name"]}
        verdict = state if state in ("pass", "fail") else "unevaluated"
        significance = {"kind": kind, "score": SCORES[kind], "label": kind, "reason": ""}
        return row | {"timestamp": trace["timestamp"], "verdict": verdict, "significance": significance}

    def _value(self, trace: Row, field: str) -> Any:
        latest = self._latest(trace["trace_id"])
        if field == "state":
            return latest["verdict"]["state"] if latest else "unjudged"
        if field == "score":
            return latest["score"] if latest else None
        if field in ("kind", "significance"):
            return self._moment(trace)["significance"][{"significance": "score"}.get(field, field)]
        return trace.get(FIELDS[field])

    def _holds(self, where: Filter, trace: Row) -> bool:
        if isinstance(where, All):
            return all(self._holds(part, trace) for part in where.parts)
        if isinstance(where, AnyOf):
            return any(self._holds(part, trace) for part in where.parts)
        if isinstance(where, Not):
            return not self._holds(where.part, trace)
        value = self._value(trace, where.field)
        return value is not None and _compared(value, where)

    def _found(self, query: TraceQuery) -> list[Row]:
        rows = [t for t in self._traces.values() if self._holds(query.where, t)]
        words = [w.casefold() for w in query.text]
        rows = [t for t in rows if all(w in f"{t.get('input', '')} {t.get('output', '')}".casefold() for w in words)]
        if query.keep is not None:
            rows = [t for t in rows if query.keep(t)]
        rows.sort(key=lambda t: t["timestamp"], reverse=query.descending)
        field = {"score": "score", "rank": "significance", "significance": "significance"}.get(query.sort)
        if field or query.sort in ("cost_usd", "latency_ms"):
            rows.sort(key=lambda t: (self._value(t, field) if field else t.get(query.sort)) or 0, reverse=query.descending)
        return rows

    async def traces(self, tenant: str, query: TraceQuery) -> Page:
        """A page of traces."""
        rows = self._found(query)
        start = int(query.after) if query.after else query.offset
        page = copy.deepcopy(rows[start : start + query.limit])
        more = str(start + query.limit) if start + query.limit < len(rows) else None
        return Page(page, len(rows), more, len(self._traces))

    async def moments(self, tenant: str, query: TraceQuery) -> Page:
        """A page of moments."""
        page = await self.traces(tenant, query)
        return Page([self._moment(row) for row in page.rows], page.total, page.next, page.scanned)

    async def moment(self, tenant: str, trace_id: str) -> Row | None:
        """One moment."""
        trace = self._traces.get(trace_id)
        return None if trace is None else self._moment(trace) | {"evals": await self.evaluations_of(tenant, trace_id)}

    async def evaluations(self, tenant: str, query: EvaluationQuery) -> Page:
        """A page of evaluations."""
        rows = [
            e
            for e in reversed(self._evaluations)
            if query.eval_type in (None, e["eval_type"])
            and query.passed in (None, e["passed"])
            and query.trace_id in (None, e["trace_id"], e["reference_trace_id"])
            and (query.since or "") <= e["created_at"] <= (query.until or "9")
        ]
        return Page(copy.deepcopy(rows[query.offset : query.offset + query.limit]), len(rows))

    async def filters(self, tenant: str) -> Row:
        """The names of agents and frameworks."""
        rows = self._traces.values()
        frameworks = sorted({t["framework"] for t in rows if t.get("framework")})
        return {"agent_names": sorted({t["agent_name"] for t in rows}), "frameworks": frameworks}

    async def summary(self, tenant: str, hours: int) -> Row:
        """Totals of the last hours."""
        since = self._ago(hours)
        rows = [t for t in self._traces.values() if t["timestamp"] >= since]
        agents = Counter(t["agent_name"] for t in rows).most_common(10)
        cost = round(sum(t.get("cost_usd") or 0 for t in rows), 4)
        return {
            "total_traces": len(rows),
            "total_cost_usd": cost,
            "top_agents": [{"agent_name": a, "count": n} for a, n in agents],
        }

    def _ago(self, hours: float) -> str:
        return (datetime.fromisoformat(self._clock()) - timedelta(hours=hours)).isoformat()[:23] + "Z"

    def _since(self, hours: float) -> list[Row]:
        return [e for e in self._evaluations if e["created_at"] >= self._ago(hours)]

    async def statistics(self, tenant: str, period: str) -> Row:
        """Counts of a period."""
        rows = self._since(HOURS[period])
        rate = sum(e["passed"] for e in rows) / len(rows) if rows else None
        return {"passRate": rate, "totalEvals": len(rows)}

    async def trend(self, tenant: str, period: str) -> list[Row]:
        """One bucket of a period."""
        rows = self._since(HOURS[period])
        return [{"timestamp": self._ago(0), "evalCount": len(rows)}] if rows else []

    async def rule_statistics(self, tenant: str, period: str) -> list[Row]:
        """Counts of each rule."""
        items = [r for e in self._since(HOURS[period]) for r in e["rule_results"] if not r.get("skipped")]
        runs, fails = Counter(r["ruleName"] for r in items), Counter(r["ruleName"] for r in items if not r["passed"])
        rows = [{"rule": n, "passRate": 1 - fails[n] / runs[n], "totalRun": runs[n], "failCount": fails[n]} for n in runs]
        return sorted(rows, key=lambda r: r["passRate"])

    async def recent_failures(self, tenant: str, period: str, limit: int) -> list[Row]:
        """The newest failed evaluations."""
        return [copy.deepcopy(e) for e in reversed(self._since(HOURS[period])) if not e["passed"]][:limit]

    async def drift(self, tenant: str, period: str) -> tuple[Row, Row]:
        """Counts of two neighbouring windows."""
        hours = HOURS[period]
        first, second = self._ago(2 * hours), self._ago(hours)
        old = [e for e in self._evaluations if first <= e["created_at"] < second]
        windows = ((second, None, self._since(hours)), (first, second, old))
        current, prior = (
            {"since": a, "until": b, "evaluated": len(rows), "passed": sum(e["passed"] for e in rows)} for a, b, rows in windows
        )
        return current, prior

    async def audit(self, tenant: str, query: AuditQuery) -> Page:
        """A page of the audit log."""
        rows = [a for a in reversed(self._audit) if query.action in (None, a["action"]) and a["ts"] >= (query.since or "")]
        rows = [a for a in rows if (query.search or "").casefold() in str(a).casefold()]
        return Page(copy.deepcopy(rows[query.offset : query.offset + query.limit]), len(rows))

    async def rule_changes(self, tenant: str, since: str) -> Row | None:
        """Changes of rules since an instant."""
        rows = [a["ts"] for a in self._audit if a["action"] in ("rule.delete", "rule.toggle", "rule.update") and a["ts"] >= since]
        return {"count": len(rows), "last_change_at": max(rows)} if rows else None


def _compared(value: Any, test: Test) -> bool:
    wanted: Any = test.value
    if test.op == "in":
        return value in wanted
    if test.op == "prefix":
        return str(value).startswith(wanted)
    if test.op == "given":
        return wanted is True
    tests = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
    return bool(tests[test.op](value, wanted))
