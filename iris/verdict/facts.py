"""What a verdict must be told about the call and the plan, besides the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Envelope:
    """The call's own facts. `judged_at` is UTC ISO 8601 with `Z`; `note` is true when eval_type was omitted.

    `trace_id` makes it the verdict of a trace, which supersedes the evaluation named; `reference_trace_id` stands it
    beside the trace, from which it differs in `beside`. `remarks` are sentences for the note. `unread` names what the call
    carried and no rule reads. `rules_changed` says that rules were changed of late. `declared` are inputs that whoever
    recorded the run called complete, so that a verdict needs them; `unproven` are carried inputs that are no evidence.
    """

    id: str
    judged_at: str
    trace_id: str | None = None
    note: bool = False
    reference_trace_id: str | None = None
    supersedes: str | None = None
    beside: tuple[str, ...] = ()
    narrowed: Sequence[Mapping[str, Any]] = ()
    trace_context: Mapping[str, Any] | None = None
    rules_changed: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Which Iris, plan, labelled corpus and packs judged."""

    iris_version: str
    plan_hash: str
    corpus_version: str
    pack_versions: Mapping[str, str] = field(default_factory=dict)
