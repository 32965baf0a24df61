"""Custom rules: deploy, list, switch, delete, try."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from iris.service.models.base import Absent, JsonText, Object, Strict
from iris.service.models.evaluate import RuleType, Severity, Weight

Bundle = Literal["completeness", "relevance", "safety", "cost", "custom"]


class Definition(Strict):
    """What a deployed rule tests."""

    type: RuleType
    config: Object
    weight: Weight | Absent = None
    name: Annotated[str | Absent, Field(description="ignored: the rule's own name is used")] = None


class DeployRule(Strict):
    """A rule that judges every run from now on."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    description: Annotated[str, Field(max_length=500)] = ""
    eval_type: Annotated[
        Bundle,
        Field(validation_alias=AliasChoices("eval_type", "evalType"), description="the bundle it joins; evalType works too"),
    ]
    severity: Annotated[Severity, Field(description="high and critical ones gate")] = "medium"
    definition: Annotated[Definition, JsonText]
    source_moment_id: Annotated[
        str | Absent,
        Field(validation_alias=AliasChoices("source_moment_id", "sourceMomentId"), description="the trace it came from"),
    ] = None
    replace: Annotated[bool, Field(description="retire the deployed rule of the same name")] = False


class ListRules(Strict):
    """Which custom rules are listed; the built-in ones always are."""

    eval_type: Bundle | Absent = None
    enabled_only: bool = False


class DeleteRule(Strict):
    """A deployed rule to delete, or to switch when `enabled` is given."""

    rule_id: Annotated[str, Field(pattern=r"^rule-[0-9a-f]+$")]
    enabled: Annotated[bool | Absent, Field(description="switch it on or off instead of deleting it")] = None


class DeleteTrace(Strict):
    """A stored trace to delete."""

    trace_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class PreviewRule(Strict):
    """A rule to try on stored runs before it is deployed."""

    definition: Annotated[Definition, JsonText]
    evalType: Bundle = "custom"  # noqa: N815 - the name of the contract
    windowDays: Annotated[int, Field(ge=1, le=30)] = 7  # noqa: N815
    maxTraces: Annotated[int, Field(ge=1, le=5000)] = 1000  # noqa: N815
    sampleOutput: Annotated[str | Absent, Field(max_length=100_000)] = None  # noqa: N815


class PatchRule(Strict):
    """A deployed rule to switch."""

    enabled: bool
