"""What a verdict must be told about the call and the plan, besides the findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Envelope:
    """The call's own facts. `judged_at` is UTC ISO 8601 with `Z`; `note` is true when eval_type was omitted."""

    id: str
    judged_at: str
    trace_id: str | None = None
    note: bool = False


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Which Iris, plan, labelled corpus and packs judged."""

    iris_version: str
    plan_hash: str
    corpus_version: str
    pack_versions: Mapping[str, str] = field(default_factory=dict)
