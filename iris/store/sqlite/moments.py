"""How much a trace deserves a look, decided when it is written, so that ranked lists are index walks.

The kinds and their weights are those of the published interface; docs/moments.md says what each means. A cost is a spike
when its modified z-score (Iglewicz and Hoaglin, 1993) over the agent's last costs is above 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any, Protocol

from iris.store.sqlite.outcomes import Outcome
from iris.store.sqlite.text import SECOND

HISTORY, ENOUGH, SPIKE, CONSISTENCY = 200, 20, 3.5, 0.6745
"""Costs looked back on, costs needed, the z-score of a spike, and the factor that makes a MAD a standard deviation."""
STEADY = 1.1
"""Where at least half the costs are the same, a spike is more than this times the highest."""
BEFORE = 5
"""Traces an agent must have before its first failure or a new pattern means anything."""
WEIGHTS = {
    "safety-violation": 1.0, "cost-spike": 0.9, "regression-alarm": 0.85, "first-failure": 0.8, "novel-pattern": 0.75,
    "rule-collision": 0.7, "normal-fail": 0.5, "unevaluated": 0.1, "normal-pass": 0.05,
}  # fmt: skip
PARTIAL = 0.4
FLAGGED = ("safety-violation", "cost-spike", "regression-alarm")
"""Kinds that are listed among the failures whatever the verdict."""
DAY = 86_400 * SECOND
LABEL = 30


class Past(Protocol):
    """What an agent did before this trace; asked only where it matters."""

    def known(self) -> bool:
        """Whether it has at least BEFORE other traces."""

    def failed(self) -> bool:
        """Whether another of its traces failed."""

    def failed_so(self, rules: Sequence[str]) -> bool:
        """Whether another of its traces failed exactly these rules."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The verdict over the evaluations of a trace and what is remarkable about it."""

    verdict: str
    kind: str
    significance: float
    label: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)

    def rank(self, ts: int, now: int) -> float | None:
        """The logarithm of significance x 0.5 ^ days, freed of the time it is asked: its order never changes.

        Null for what is no failure. A trace dated later than it came counts as of when it came.
        """
        listed = self.verdict in ("fail", "partial") or self.kind in FLAGGED
        return log2(self.significance) + min(ts, now) / DAY if listed else None


def moment_of(outcomes: Sequence[Outcome], spike: str | None, past: Past) -> Moment:
    """Judge what is remarkable about a trace; `outcomes` are those of its evaluations in force, oldest first."""
    verdict = verdict_of(outcomes)
    kind, label, reason = _kind(outcomes, verdict, spike, past)
    weight = PARTIAL if (kind, verdict) == ("normal-fail", "partial") else WEIGHTS[kind]
    return Moment(verdict, kind, weight, label[:LABEL], reason, _detail(outcomes, spike))


def verdict_of(outcomes: Sequence[Outcome]) -> str:
    """Pass or fail where all evaluations that decided agree, else partial; unevaluated where none decided."""
    states = {o.state for o in outcomes} & {"pass", "fail"}
    return "partial" if len(states) == 2 else states.pop() if states else "unevaluated"


def _kind(outcomes: Sequence[Outcome], verdict: str, spike: str | None, past: Past) -> tuple[str, str, str]:
    unsafe = _union(o.unsafe for o in outcomes)
    if unsafe:
        return "safety-violation", f"Safety: {unsafe[0]}", f"failed a rule of safety or one that vetoes: {_list(unsafe)}"
    if spike is not None:
        return "cost-spike", "Cost spike", spike
    if verdict in ("fail", "partial"):
        return _failure(outcomes, verdict, past)
    if verdict == "unevaluated":
        return "unevaluated", "Not judged", "no evaluation decided about it"
    return "normal-pass", "Passed", "every evaluation that decided passed it"


def _failure(outcomes: Sequence[Outcome], verdict: str, past: Past) -> tuple[str, str, str]:
    failed = _union(o.failed for o in outcomes)
    named = _list(failed) if failed else "no single rule"
    if past.known():
        if not past.failed():
            return "first-failure", "First failure", f"the agent's first failure: {named}"
        if not past.failed_so(failed):
            return "novel-pattern", "New failure pattern", f"these rules never failed together before: {named}"
    both = [rule for rule in failed if any(rule in o.passed for o in outcomes)]
    if both:
        return "rule-collision", "Rule collision", f"passed in one evaluation and failed in another: {_list(both)}"
    if verdict == "partial":
        return "normal-fail", "Evaluations disagree", f"some evaluations passed it, others failed it: {named}"
    return "normal-fail", f"Failed: {failed[0]}" if failed else "Failed", f"failed: {named}"


def _union(names: Any) -> list[str]:
    return sorted({name for part in names for name in part})


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _detail(outcomes: Sequence[Outcome], spike: str | None) -> dict[str, Any]:
    """The mean score and which rules failed, passed and were skipped, over all evaluations in force."""
    scores = [o.score for o in outcomes if o.score is not None]
    failed = _union(o.failed for o in outcomes)
    passed = [rule for rule in _union(o.passed for o in outcomes) if rule not in failed]
    skipped = [rule for rule in _union(o.skipped for o in outcomes) if rule not in failed and rule not in passed]
    detail: dict[str, Any] = {"count": len(outcomes), "failed": failed, "skipped": skipped, "passed": len(passed)}
    if scores:
        detail["score"] = round(sum(scores) / len(scores), 6)
    return detail if spike is None else detail | {"spike": spike}


def spike_of(cost: float, before: Sequence[float]) -> str | None:
    """Say why a cost is far above what the agent's runs cost before (lowest first), or None."""
    if len(before) < ENOUGH:
        return None
    middle = _middle(before)
    if cost <= middle:
        return None
    spread = _middle(sorted([abs(other - middle) for other in before]))
    if spread == 0:
        highest = before[-1]
        return f"${cost:.4g}, and none of its runs before cost more than ${highest:.4g}" if cost > STEADY * highest else None
    far = CONSISTENCY * (cost - middle) / spread > SPIKE
    return f"${cost:.4g}, while half of the agent's runs before cost ${middle:.4g} or less" if far else None


def _middle(ordered: Sequence[float]) -> float:
    """The median of numbers in order."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
