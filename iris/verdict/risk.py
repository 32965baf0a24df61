"""The risk that a run is bad, from what rules got right and wrong on labelled runs.

A rule that fires multiplies the odds of its failure class by sens / (1 - spec); a quiet one by
(1 - sens) / spec. Sens and spec are Beta posteriors under Jeffreys' prior, Beta(right + 1/2, wrong + 1/2)
(Brown, Cai & DasGupta 2001). Four choices keep the estimate honest:

- The prior of a class is fixed, so it does not matter what else a call carried.
- A finding counts once, in the most common of the classes it found, however many it names.
- Detectors of one group do not multiply: the strongest stands for them.
- The lower end rests on fires alone. A quiet rule can lower the middle, never the lower end, and the
  verdict fails on the lower end: another input can not buy a pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from iris.run.finding import RuleInfo
from iris.verdict.beta import beta_quantiles
from iris.verdict.policy import Policy

POINTS = 64

Fired = tuple[RuleInfo, tuple[str, ...]]
"""A rule that failed, and the failure classes it found."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a rule got right and wrong on labelled runs, and which runs those were."""

    tp: int
    fp: int
    fn: int
    tn: int
    version: str
    release: str
    labelling: str
    """`same-model` or `human-verified`."""

    @property
    def n(self) -> int:
        """Count the labelled runs."""
        return self.tp + self.fp + self.fn + self.tn

    def corpus(self) -> dict[str, Any]:
        """Give the counts as a verdict prints them."""
        counts = {"n": self.n, "tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        return {**counts, "version": self.version, "release": self.release, "labelling": self.labelling}


@dataclass(frozen=True, slots=True)
class Bound:
    """A number with its central interval."""

    point: float
    lo: float
    hi: float

    def of(self, number: Callable[[float], float]) -> Bound:
        """Map all three by a rising function."""
        return Bound(number(self.point), number(self.lo), number(self.hi))

    def printed(self, middle: str = "point") -> dict[str, float]:
        """Give the three numbers with four decimals."""
        return {middle: round(self.point, 4), "lo": round(self.lo, 4), "hi": round(self.hi, 4)}


class RiskModel:
    """Estimates from published counts. Counts of a built-in rule are keyed by its name, of a custom one by its id."""

    def __init__(self, policy: Policy, accuracy: Mapping[str, Counts]) -> None:
        self._policy = policy
        self._accuracy = accuracy

    def prepare(self, rules: Iterable[RuleInfo]) -> None:
        """Work out the likelihood ratios of the measured rules now, so that no evaluation has to (about 2 ms a rule)."""
        for rule in rules:
            counts = self.measured(rule)
            if counts:
                self._ratio(counts)

    def published(self, rule: RuleInfo) -> Counts | None:
        """Give the counts published for a rule, however few."""
        key = rule.name if rule.origin == "built-in" else rule.rule_id
        return self._accuracy.get(key) if key else None

    def measured(self, rule: RuleInfo) -> Counts | None:
        """Give the counts of a rule that enters the risk: of a kind that may, and on enough runs."""
        counts = self.published(rule)
        enters = self._policy.roles[rule.kind].measured is not None
        return counts if counts and enters and counts.n >= self._policy.minimum_runs else None

    def why_unmeasured(self, rule: RuleInfo) -> str:
        """Say why a rule has no measured accuracy."""
        counts = self.published(rule)
        if self._policy.roles[rule.kind].measured is None:
            return f"a {rule.kind} has no published accuracy"
        if counts is None:
            return "no labelled runs of this rule are published"
        return f"measured on {counts.n} labelled runs; {self._policy.minimum_runs} are needed"

    def chance(self, rule: RuleInfo, counts: Counts, classes: Sequence[str], fired: bool) -> tuple[Bound, float]:
        """Give the probability that the failure is there, after one rule alone, and the prior it started from."""
        prior = self._policy.prior(self._class_of(rule, classes))
        ratio = self._ratio(counts)[0 if fired else 1]
        return ratio.of(lambda r: _posterior(prior, r)), prior

    def prior_source(self, rule: RuleInfo, classes: Sequence[str]) -> str:
        """Say whether the deployment set the prior that `chance` starts from."""
        return "config" if self._class_of(rule, classes) in self._policy.own_priors else "default"

    def estimate(self, fired: Sequence[Fired], quiet: Sequence[RuleInfo]) -> Bound | None:
        """Give the probability that a run is bad from its measured rules, or None when none was measured."""
        fires = self._by_class(fired, 0)
        quiets = self._by_class([(rule, rule.classes) for rule in quiet], 1)
        if not fires and not quiets:
            return None
        bad = {name: self._combined(name, found, _strengthened) for name, found in fires.items()}
        missed = {name: self._combined(name, found, _weakened) for name, found in quiets.items() if name not in bad}
        chances = [*bad.values(), *(Bound(c.point, 0.0, c.hi) for c in missed.values())]
        point, lo, hi = (_either(getattr(c, end) for c in chances) for end in ("point", "lo", "hi"))
        return Bound(point, lo, hi)

    def _by_class(self, rules: Sequence[Fired], side: int) -> dict[str, dict[int | str, list[Bound]]]:
        found: dict[str, dict[int | str, list[Bound]]] = {}
        for rule, classes in rules:
            counts = self.measured(rule)
            if counts:
                name = self._class_of(rule, classes)
                group = self._group_of(name, rule)
                found.setdefault(name, {}).setdefault(group, []).append(self._ratio(counts)[side])
        return found

    def _combined(
        self, name: str, groups: Mapping[int | str, list[Bound]], together: Callable[[Iterable[list[float]]], float]
    ) -> Bound:
        prior = self._policy.prior(name)
        point, lo, hi = (
            _posterior(prior, together([getattr(r, end) for r in ratios] for ratios in groups.values()))
            for end in ("point", "lo", "hi")
        )
        return Bound(point, lo, hi)

    def _class_of(self, rule: RuleInfo, classes: Sequence[str]) -> str:
        # Without a class a rule stands for a failure of its own.
        return max(classes or (rule.name,), key=self._policy.prior)

    def _group_of(self, name: str, rule: RuleInfo) -> int | str:
        if rule.origin != "built-in":
            return rule.rule_id or rule.name
        for i, members in enumerate(self._policy.groups.get(name, ())):
            if rule.name in members:
                return i
        return rule.name

    def _ratio(self, counts: Counts) -> tuple[Bound, Bound]:
        return likelihood_ratios(counts, self._policy.interval)


@lru_cache(maxsize=1024)
def likelihood_ratios(counts: Counts, interval: float) -> tuple[Bound, Bound]:
    """Give by how much a fire and a silence multiply the odds of a failure, with central intervals."""
    sens = (counts.tp + 0.5) / (counts.tp + counts.fn + 1)
    false = (counts.fp + 0.5) / (counts.fp + counts.tn + 1)
    senses = beta_quantiles(counts.tp + 0.5, counts.fn + 0.5, POINTS)
    falses = beta_quantiles(counts.fp + 0.5, counts.tn + 0.5, POINTS)
    fired = _spread(sens / false, [s / f for s in senses for f in falses], interval)
    quiet = _spread((1 - sens) / (1 - false), [(1 - s) / (1 - f) for s in senses for f in falses], interval)
    return fired, quiet


def _spread(point: float, values: list[float], interval: float) -> Bound:
    values.sort()
    tail = (1.0 - interval) / 2
    low, high = values[int(tail * len(values))], values[min(len(values) - 1, math.ceil((1 - tail) * len(values)))]
    return Bound(point, min(low, point), max(high, point))


def _posterior(prior: float, ratio: float) -> float:
    odds = prior / (1 - prior) * ratio
    return odds / (1 + odds)


def _strengthened(groups: Iterable[list[float]]) -> float:
    # A weak detector's fire must not argue against a stronger one's, so only ratios over 1 multiply.
    strongest = [max(ratios) for ratios in groups]
    return math.prod(r for r in strongest if r > 1) if max(strongest) > 1 else max(strongest)


def _weakened(groups: Iterable[list[float]]) -> float:
    # The quietest of a group stands for it; a silence that tells nothing is not held against the run.
    return math.prod(min(1.0, min(ratios)) for ratios in groups)


def _either(chances: Iterable[float]) -> float:
    return 1.0 - math.prod(1.0 - c for c in chances)
