"""Traces, spans and evaluations to table rows and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from iris.store.interface import Row

COLUMNS = (
    "tenant_id", "trace_id", "agent", "framework", "session", "run", "case_key", "source", "model", "ts", "created_at",
    "latency", "cost", "tokens", "tokens_prompt", "tokens_completion", "calls", "errors", "span_errors",
)  # fmt: skip
"""Columns a trace brings along; the others say how it was judged."""


def text_of(value: Any) -> Any:
    """A text SQLite can hold: half a surrogate pair is replaced, everything else stays, NUL too."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "replace").decode("utf-8")
    return value


def dumped(value: Any) -> str:
    """JSON text SQLite can hold."""
    return str(text_of(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


def trace_row(tenant: str, trace: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of a trace."""
    usage = trace.get("token_usage") or {}
    prompt, completion, total = (usage.get(f"{k}_tokens") for k in ("prompt", "completion", "total"))
    if total is None and prompt is not None and completion is not None:
        total = prompt + completion
    calls = trace.get("tool_calls")
    metadata = trace.get("metadata")
    model = metadata.get("model") if isinstance(metadata, Mapping) else None
    row = {
        "tenant_id": tenant,
        "trace_id": trace["trace_id"],
        "agent": trace["agent_name"],
        "framework": trace.get("framework"),
        "session": trace.get("session_id"),
        "run": trace.get("run_id"),
        "case_key": trace.get("case_key"),
        "source": trace.get("source"),
        "model": model if isinstance(model, str) else None,
        "ts": trace["timestamp"],
        "created_at": trace["created_at"],
        "latency": _real(trace.get("latency_ms")),
        "cost": _real(trace.get("cost_usd")),
        "tokens": _real(total),
        "tokens_prompt": _real(prompt),
        "tokens_completion": _real(completion),
        "calls": None if calls is None else len(calls),
        "errors": None if calls is None else sum(1 for c in calls if c.get("error")),
        "span_errors": sum(1 for s in spans if s.get("status_code") == "ERROR"),
    }
    return {key: text_of(value) for key, value in row.items()}


def _real(value: Any) -> float | None:
    return None if value is None else float(value)


def body_row(seq: int, trace: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a trace says: its texts apart, for full-text search, and the rest as JSON."""
    rest = {k: v for k, v in trace.items() if k not in ("input", "output")}
    texts = (trace.get("input"), trace.get("output"))
    marks = {k: v for k, v in zip(("input", "output"), texts, strict=True) if v is not None and not isinstance(v, str)}
    return (seq, *(text_of(t) if isinstance(t, str) else None for t in texts), dumped({**rest, **marks}))


def trace_of(input_text: str | None, output: str | None, rest: str) -> Row:
    """The trace as it was sent."""
    trace: Row = json.loads(rest)
    if input_text is not None:
        trace["input"] = input_text
    if output is not None:
        trace["output"] = output
    trace.setdefault("cost_usd", None)
    return trace


EVALUATION = "result, trace_id, reference_trace_id, created_at, erased_at, output_text, expected_text"


def evaluation_of(row: Sequence[Any]) -> Row:
    """A stored evaluation from the columns of EVALUATION."""
    result, trace_id, reference, created_at, erased_at, output, expected = row
    evaluation: Row = json.loads(result)
    evaluation["created_at"] = created_at
    optional = {"trace_id": trace_id, "reference_trace_id": reference, "erased_at": erased_at}
    evaluation |= {key: value for key, value in optional.items() if value is not None}
    evaluation["output_text"], evaluation["expected_text"] = output, expected
    return evaluation


def erased(result: str, when: str) -> str:
    """A result without the texts it took from the run: messages, suggestions; the verdict, scores and offsets stay."""
    found = json.loads(result)
    found["suggestions"], found["erased_at"] = [], when
    for rule in found.get("rule_results", ()):
        rule["message"] = ""
        for key in ("say", "advice", "rationale"):
            rule.pop(key, None)
    return dumped(found)
