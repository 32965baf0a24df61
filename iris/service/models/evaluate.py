"""What is to be judged."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iris.service.models.base import Absent, JsonText, Object, Strict
from iris.service.models.trace import Amount, EvalType, TokenUsage, ToolCalls, Tools

MAX_CUSTOM_RULES = 10
RuleType = Literal[
    "regex_match", "regex_no_match", "min_length", "max_length", "contains_keywords", "excludes_keywords",
    "json_schema", "cost_threshold", "expression",
]  # fmt: skip
Severity = Literal["low", "medium", "high", "critical"]
Weight = Annotated[float, Field(gt=0)]


class CustomRule(Strict):
    """A rule for this call only; high and critical ones gate."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    type: RuleType
    config: Object
    weight: Weight | Absent = None
    severity: Severity | Absent = None


class ExpectedCall(Strict):
    """A call the agent was expected to make."""

    tool_name: Annotated[str, Field(min_length=1)]
    input: Object | Absent = None


class ExpectedTrajectory(Strict):
    """The calls that were expected, and how closely."""

    tool_calls: Annotated[list[ExpectedCall], JsonText, Field(max_length=500)] | Absent = None
    mode: Literal["strict", "unordered", "subset", "superset", "ordered_subset"] = "ordered_subset"
    args: Literal["exact", "subset"] = "subset"
    step_budget: Annotated[int, Field(ge=1)] | Absent = None
    tolerance: Annotated[float, Field(ge=1)] = 1.5


class EvaluateOutput(Strict):
    """An answer to judge; with trace_id the stored trace supplies what is left out."""

    output: Annotated[str | Absent, Field(description="the answer; may be left out when trace_id names a trace that has one")] = (
        None
    )
    eval_type: Annotated[EvalType | Absent, Field(description="which bundle judges; all when left out")] = None
    input: Annotated[str | Absent, Field(description="what was asked; relevance and grounding need it")] = None
    expected: Annotated[str | Absent, Field(description="the reference answer; expected_coverage reads it")] = None
    expected_trajectory: Annotated[ExpectedTrajectory, JsonText] | Absent = None
    trace_id: Annotated[str | Absent, Field(description="the stored trace this is about")] = None
    tool_calls: ToolCalls | Absent = None
    tools: Tools | Absent = None
    cost_usd: Amount | Absent = None
    token_usage: Annotated[TokenUsage, JsonText] | Absent = None
    custom_rules: (
        Annotated[
            list[CustomRule], JsonText, Field(max_length=MAX_CUSTOM_RULES, description="rules for this call, whatever the bundle")
        ]
        | Absent
    ) = None


class Judge(Strict):
    """An answer for a model to judge."""

    output: Annotated[str, Field(min_length=1)]
    template: Literal["accuracy", "helpfulness", "safety", "correctness", "faithfulness", "task_completed", "relevance"]
    model: Annotated[str, Field(min_length=1)]
    provider: Literal["anthropic", "openai"] | Absent = None
    input: str | Absent = None
    expected: Annotated[str | Absent, Field(description="correctness needs it")] = None
    source_material: Annotated[str | Absent, Field(description="faithfulness needs it")] = None
    trace_id: str | Absent = None
    agent_model: str | Absent = None
    max_cost_usd: Annotated[float, Field(gt=0)] | Absent = None
    max_output_tokens: Annotated[int, Field(ge=1, le=4096)] = 512
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    timeout_ms: Annotated[int, Field(gt=0)] = 60_000


class VerifyCitations(Strict):
    """An answer whose citations are to be checked against their sources."""

    output: Annotated[str, Field(min_length=1)]
    model: Annotated[str, Field(min_length=1)]
    provider: Literal["anthropic", "openai"] | Absent = None
    allow_fetch: bool | Absent = None
    domain_allowlist: Annotated[list[str], JsonText] | Absent = None
    max_citations: Annotated[int, Field(ge=1, le=50)] = 20
    max_cost_usd_total: Annotated[float, Field(gt=0)] = 1.0
    per_source_timeout_ms: Annotated[int, Field(gt=0)] = 10_000
    per_source_max_bytes: Annotated[int, Field(gt=0)] = 5_242_880
    trace_id: str | Absent = None
