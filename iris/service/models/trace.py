"""What an agent did, as it is logged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from iris.service.models.base import Absent, JsonText, Object, Strict

MAX_TOOLS = 200
"""Entries of a tools catalogue; a longer one is refused, never cut."""
EvalType = Literal["completeness", "relevance", "safety", "cost", "custom", "all"]
Amount = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""A whole number that every reader of JSON keeps exactly."""


class TokenUsage(Strict):
    """Tokens of a run or a call."""

    prompt_tokens: Count | Absent = None
    completion_tokens: Count | Absent = None
    total_tokens: Count | Absent = None


class ToolCall(Strict):
    """One call of a tool, in the order they were made."""

    tool_name: Annotated[str, Field(min_length=1)]
    input: Annotated[Any, Field(description="arguments: an object, or any JSON value")] = None
    output: Annotated[Any, Field(description="what the tool gave back, any JSON value")] = None
    latency_ms: Amount | Absent = None
    error: Annotated[str | Absent, Field(description="the failure, when the call failed")] = None
    call_id: str | Absent = None
    truncated: Annotated[bool | Absent, Field(description="the output was cut before it was sent here")] = None
    token_usage: Annotated[TokenUsage, JsonText] | Absent = None
    cost_usd: Amount | Absent = None


class SpanEvent(Strict):
    """Something that happened at one moment of a span."""

    name: str
    timestamp: str
    attributes: Object | Absent = None


class Span(Strict):
    """A part of the run with a start and an end."""

    span_id: Annotated[str, Field(min_length=1, max_length=128)] | Absent = None
    parent_span_id: str | Absent = None
    name: str
    kind: Literal["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER", "LLM", "TOOL"] = "INTERNAL"
    status_code: Literal["UNSET", "OK", "ERROR"] = "UNSET"
    status_message: str | Absent = None
    start_time: Annotated[str | Absent, Field(description="ISO 8601; the trace's timestamp when left out")] = None
    end_time: str | Absent = None
    attributes: Object | Absent = None
    events: Annotated[list[SpanEvent], JsonText] | Absent = None


class Tool(Strict):
    """An entry of the agent's tools/list, verbatim; what Iris does not read is kept."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False, frozen=True)

    name: Annotated[str, Field(min_length=1)]
    description: str | Absent = None
    inputSchema: Object | Absent = None  # noqa: N815 - the name MCP gives it
    annotations: Object | Absent = None


ToolCalls = Annotated[list[ToolCall], JsonText, Field(description="[] means none were made; left out means nobody recorded them")]
Tools = Annotated[
    list[Tool], JsonText, Field(max_length=MAX_TOOLS, description="the tools the agent had, as its tools/list says")
]


class LogTrace(Strict):
    """One execution of an agent."""

    RESERVED: ClassVar[Mapping[str, str]] = {
        "trace_id": "is minted by Iris and given back; keep an id of your own in `metadata`",
        "capture": "is not taken from an agent's own tools; a harness declares it over HTTP or the command line",
        "source": "is set by Iris from the way the trace came in",
        "created_at": "is set by Iris; `timestamp` says when the run was",
    }

    agent_name: Annotated[str, Field(min_length=1, max_length=500)]
    framework: str | Absent = None
    input: Annotated[str | Absent, Field(description="what was asked")] = None
    output: Annotated[str | Absent, Field(description="what was answered")] = None
    tool_calls: ToolCalls | Absent = None
    latency_ms: Amount | Absent = None
    token_usage: Annotated[TokenUsage, JsonText] | Absent = None
    cost_usd: Amount | Absent = None
    metadata: Annotated[Object | Absent, Field(description="anything else worth keeping")] = None
    spans: Annotated[list[Span], JsonText] | Absent = None
    timestamp: Annotated[
        str | Absent, Field(description="when it ran, ISO 8601, UTC unless it names an offset; now when left out")
    ] = None
    tools: Tools | Absent = None
    run: Annotated[str | Absent, Field(max_length=500, description="the batch this run is part of")] = None
    case_key: Annotated[
        str | Absent, Field(max_length=500, description="what was asked, across runs; from the input when left out")
    ] = None
    session_id: Annotated[str | Absent, Field(max_length=500)] = None
    evaluate: Annotated[bool, Field(description="judge it too; needs output")] = False
    eval_type: Annotated[EvalType | Absent, Field(description="which bundle judges, with evaluate; all when left out")] = None


class Capture(Strict):
    """Who recorded the run, and which of its parts are known to be complete. Not for an agent's own tools."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    version: str | Absent = None
    complete: Annotated[list[Literal["input", "tool_calls", "tool_outputs"]], JsonText] | Absent = None


class IngestTrace(LogTrace):
    """A run that code or a harness posts."""

    capture: Annotated[Capture, JsonText] | Absent = None
