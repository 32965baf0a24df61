"""What executing one rule over one run gives: the hand-over from `run` to `verdict`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Evidence = dict[str, Any]
"""One item of `rule_results[].evidence`: span, pattern, toolCall, citation or count."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """The constant facts of a rule that a verdict needs; made once, when a plan is loaded."""

    name: str
    title: str
    bundle: str
    kind: str
    question: str | None
    classes: tuple[str, ...]
    critical: bool
    weight: float
    version: int
    status: str
    remedy: str
    needs: tuple[str, ...]
    """Inputs (contract names such as `tool_calls`) without which the rule cannot pass."""
    reads: tuple[str, ...]
    """Every input the rule may read, the optional ones too."""
    settings: tuple[str, ...]
    """Names of the config keys the rule reads."""
    origin: str
    """`built-in` or `custom`."""
    rule_id: str | None
    hash: str


@dataclass(slots=True)
class Finding:
    """One rule's result on one run.

    `score` is 0..1. `value` is the number the rule compared: (stat, unit, value).
    `own_number` is true when a count that decided carries our default as its threshold.
    `classes` are the failure classes of what was found, not of the rule.
    """

    rule: RuleInfo
    state: str
    """`fails`, `passes` or `skipped`."""
    score: float
    message: str
    evidence: list[Evidence]
    classes: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    lacked: tuple[str, ...] = ()
    skip_reason: str | None = None
    skip_class: str | None = None
    """`not_applicable`, `defeated` or `config_invalid` for a skipped rule."""
    value: tuple[str, str, float] | None = None
    own_number: bool = False
    capped: bool = False
    """A detector stopped at its cap, so counts are lower bounds."""
    why: Callable[[], Mapping[str, Any]] | None = None
    """Computes the tree of sub-expressions that made the result; on demand only."""
