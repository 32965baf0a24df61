"""A logged run as it is stored and shown: ids minted, instants in UTC, what was left out left out."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from iris.service.instants import utc
from iris.service.models.trace import IngestTrace, LogTrace, Span, Tool
from iris.service.parse import refused
from iris.service.tracing import baggage_session, trace_context

Row = dict[str, Any]


def trace_row(args: LogTrace, now: str, source: str, context: Mapping[str, Any] | None) -> Row:
    """Write the trace of a call that came in at `now`. Raises IRIS_INVALID_ARGUMENT."""
    row: Row = {"trace_id": secrets.token_hex(16), "agent_name": args.agent_name}
    row["timestamp"] = utc(args.timestamp, "timestamp") if args.timestamp is not None else now
    row["created_at"] = now
    row["source"] = source
    for name in ("framework", "input", "output", "latency_ms"):
        value = getattr(args, name)
        if value is not None:
            row[name] = value
    row["cost_usd"] = args.cost_usd
    if args.cost_usd is not None:
        row["cost_source"] = "reported"
    row.update(run_parts(args))
    _add_names(row, args, context)
    return row


def run_parts(args: Any) -> Row:
    """Write the calls, tools and tokens of a run or of an evaluation, as they were sent."""
    parts: Row = {}
    if args.tool_calls is not None:
        parts["tool_calls"] = [call.model_dump(exclude_unset=True) for call in args.tool_calls]
    if args.token_usage is not None:
        parts["token_usage"] = args.token_usage.model_dump(exclude_none=True)
    if args.tools is not None:
        refuse_repeated_tools(args.tools)
        parts["tools"] = [tool.model_dump(exclude_unset=True) for tool in args.tools]
    return parts


def refuse_repeated_tools(tools: Sequence[Tool]) -> None:
    """Refuse a catalogue in which two tools share a name: nobody could say which of them a call meant."""
    seen: dict[str, int] = {}
    for i, tool in enumerate(tools):
        if tool.name in seen:
            message = f"`tools[{i}].name` is that of tools[{seen[tool.name]}] too: {tool.name[:80]!r}; each tool has its own name"
            raise refused([{"field": f"tools[{i}].name", "message": message}])
        seen[tool.name] = i


def _add_names(row: Row, args: LogTrace, context: Mapping[str, Any] | None) -> None:
    kept = trace_context(context)
    if args.metadata is not None or kept:
        row["metadata"] = {**(args.metadata or {}), **({"trace_context": kept} if kept else {})}
    if args.run is not None:
        row["run_id"] = args.run
    key = args.case_key if args.case_key is not None else case_key(args.input)
    if key is not None:
        row["case_key"] = key
    session = args.session_id if args.session_id is not None else baggage_session(context)
    if session is not None:
        row["session_id"] = session
    if isinstance(args, IngestTrace) and args.capture is not None:
        row["capture"] = args.capture.model_dump(exclude_none=True)


def case_key(question: str | None) -> str | None:
    """Give the same key to the same question: form, case and white space aside. None for no question."""
    if question is None or not question.strip():
        return None
    normal = " ".join(unicodedata.normalize("NFKC", question).casefold().split())
    return "case-" + sha256(normal.encode()).hexdigest()[:16]


def span_rows(spans: Sequence[Span], trace: Row, seen: set[str]) -> list[Row]:
    """Write the spans of a trace; raises IRIS_INVALID_ARGUMENT for an id that `seen` has. `seen` is added to."""
    rows: list[Row] = []
    own: set[str] = set()
    for i, span in enumerate(spans):
        number = span.span_id or secrets.token_hex(8)
        if number in seen or number in own:
            message = f"`spans[{i}].span_id` is that of another span: {number[:80]!r}"
            raise refused([{"field": f"spans[{i}].span_id", "message": message}])
        own.add(number)
        rows.append({"span_id": number, "trace_id": trace["trace_id"], **_span(span, trace["timestamp"], f"spans[{i}]")})
    seen |= own
    return rows


def _span(span: Span, started: str, path: str) -> Row:
    row: Row = {"name": span.name, "kind": span.kind, "status_code": span.status_code}
    row["start_time"] = instant(span.start_time, f"{path}.start_time") if span.start_time is not None else instant(started, path)
    for name in ("parent_span_id", "status_message", "attributes"):
        value = getattr(span, name)
        if value is not None:
            row[name] = value
    if span.end_time is not None:
        row["end_time"] = instant(span.end_time, f"{path}.end_time")
    if span.events is not None:
        row["events"] = [
            {**e.model_dump(exclude_none=True), "timestamp": instant(e.timestamp, f"{path}.events[{k}].timestamp")}
            for k, e in enumerate(span.events)
        ]
    return row


def instant(text: str, field: str) -> str:
    """Give the instant of a span: all have microseconds, so that their order is kept."""
    return utc(text, field, digits="microseconds")
