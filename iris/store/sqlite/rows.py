"""Traces, spans and evaluations to table rows, made before the writing thread gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iris.store.interface import NewEvaluation, NewTrace, StoreError
from iris.store.sqlite.outcomes import Outcome, outcome_of
from iris.store.sqlite.text import clean, cleaned, dump, key, micros, real, storable

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """An evaluation ready to be inserted."""

    columns: Columns
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace ready to be inserted, its spans and its verdict of record."""

    columns: Columns
    texts: tuple[str | None, str | None, str]
    spans: list[tuple[str, int, str]]
    evaluation: EvaluationRow | None


def trace_row(tenant: str, new: NewTrace) -> TraceRow:
    """Make the rows of a trace. Raises StoreError "bad_time" and "duplicate_span"."""
    trace = new.trace
    calls, usage, metadata = trace.get("tool_calls"), trace.get("token_usage") or {}, trace.get("metadata")
    columns = {
        "tenant_id": tenant,
        "trace_id": key(trace["trace_id"]),
        "ts": micros(trace["timestamp"]),
        "agent": clean(trace["agent_name"]),
        "framework": cleaned(trace.get("framework")),
        "session": cleaned(trace.get("session_id")),
        "run": cleaned(trace.get("run_id")),
        "case_key": cleaned(trace.get("case_key")),
        "source": cleaned(trace.get("source")),
        "model": cleaned(metadata.get("model")) if isinstance(metadata, Mapping) else None,
        "cost": real(trace.get("cost_usd")),
        "latency": real(trace.get("latency_ms")),
        "calls": None if calls is None else len(calls),
        "errors": None if calls is None else sum(1 for call in calls if call.get("error")),
        "broken": int(any(span.get("status_code") == "ERROR" for span in new.spans)),
    }
    evaluation = None if new.evaluation is None else evaluation_row(tenant, new.evaluation)
    return TraceRow(columns | _tokens(usage), _texts(trace), _spans(new.spans), evaluation)


def _tokens(usage: Mapping[str, Any]) -> Columns:
    prompt, completion, total = (usage.get(f"{part}_tokens") for part in ("prompt", "completion", "total"))
    if total is None and prompt is not None and completion is not None:
        total = prompt + completion
    return {"tokens": real(total), "tokens_prompt": real(prompt), "tokens_completion": real(completion)}


def _texts(trace: Mapping[str, Any]) -> tuple[str | None, str | None, str]:
    """Input and output apart, for the search, and the rest as JSON; it keeps a text the columns can not hold exactly."""
    rest = dict(trace)
    found: list[str | None] = []
    for name in ("input", "output"):
        text = rest.get(name)
        if isinstance(text, str):
            found.append(clean(text))
            if storable(text):
                del rest[name]
        else:
            found.append(None)
    return found[0], found[1], dump(rest)


def _spans(spans: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, str]]:
    """The spans in their order of start: id, place, JSON."""
    ordered = sorted(spans, key=lambda span: str(span.get("start_time") or ""))
    rows = [(key(str(span["span_id"])), place, dump(dict(span))) for place, span in enumerate(ordered)]
    if len({row[0] for row in rows}) < len(rows):
        raise StoreError("two spans of one trace have the same span_id", reason="duplicate_span")
    return rows


def evaluation_row(tenant: str, new: NewEvaluation) -> EvaluationRow:
    """Make the row of an evaluation. Raises StoreError "bad_time"."""
    outcome = outcome_of(new.result)
    columns = {
        "tenant_id": tenant,
        "evaluation_id": key(new.result["id"]),
        "trace_id": None if new.trace_id is None else key(new.trace_id),
        "reference_trace_id": None if new.reference_trace_id is None else key(new.reference_trace_id),
        "eval_type": clean(str(new.result.get("eval_type") or "")),
        "ts": micros(new.created_at),
        "created_at": new.created_at,
        "state": outcome.state,
        "score": outcome.score,
        "passed": None if outcome.flag is None else int(outcome.flag),
        "outcome": dump(outcome.kept()),
        "output": None if new.output is None else dump(new.output),
        "expected": None if new.expected is None else dump(new.expected),
        "result": dump(dict(new.result)),
    }
    return EvaluationRow(columns, outcome)
