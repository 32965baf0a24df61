"""Tool calls read from TOOL spans, for a run that carries spans and no `tool_calls`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

NAMES = (
    "tool.name",
    "tool_name",
    "gen_ai.tool.name",
    "tool_call.function.name",
    "traceloop.entity.name",
    "ai.toolCall.name",
)
INPUTS = (
    "tool.input",
    "tool_input",
    "gen_ai.tool.call.arguments",
    "tool_call.function.arguments",
    "input.value",
    "traceloop.entity.input",
    "ai.toolCall.args",
    "input",
)
OUTPUTS = (
    "tool.output",
    "tool_output",
    "gen_ai.tool.call.result",
    "output.value",
    "traceloop.entity.output",
    "ai.toolCall.result",
    "output",
)
TRUNCATED = "iris.output.truncated"
"""Attribute names in order of precedence: Iris, OpenTelemetry GenAI, OpenInference, Traceloop, Vercel AI."""


def calls_of_spans(spans: Any) -> list[dict[str, Any]] | None:
    """The calls of TOOL spans by start time, then span id; None when there is no TOOL span."""
    tools = [s for s in spans if isinstance(s, Mapping) and s.get("kind") == "TOOL"] if isinstance(spans, Sequence) else []
    if not tools:
        return None
    tools.sort(key=lambda s: (str(s.get("start_time") or ""), str(s.get("span_id") or "")))
    return [_call(span) for span in tools]


def _call(span: Mapping[str, Any]) -> dict[str, Any]:
    found = span.get("attributes")
    attributes = found if isinstance(found, Mapping) else {}
    out: dict[str, Any] = {"tool_name": str(_first(attributes, NAMES) or span.get("name") or "")}
    arguments = _first(attributes, INPUTS)
    if arguments is not None:
        out["input"] = _arguments(arguments)
    result = _first(attributes, OUTPUTS)
    if result is not None:
        out["output"] = result
    out["error"] = str(span.get("status_message") or "error") if span.get("status_code") == "ERROR" else None
    if isinstance(attributes.get(TRUNCATED), bool):
        out["truncated"] = attributes[TRUNCATED]
    started, ended = _time(span.get("start_time")), _time(span.get("end_time"))
    if started is not None:
        out["started"] = started
        if ended is not None and ended >= started:
            out["latency_ms"] = ended - started
    return out


def _first(attributes: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((attributes[n] for n in names if attributes.get(n) is not None), None)


def _arguments(value: Any) -> Any:
    """Arguments written as JSON text are read; an object of nothing but empty `args` and `kwargs` is the kwargs."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, Mapping) and set(value) <= {"args", "kwargs"} and not value.get("args") and value.get("kwargs"):
        return value["kwargs"]
    return value


def _time(value: Any) -> float | None:
    """Milliseconds since the epoch of an ISO 8601 time."""
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000
    except ValueError:
        return None
