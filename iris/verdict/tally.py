"""Counting findings: the items, what failed and what skipped, and the weighted scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from iris.run.finding import Finding
from iris.verdict.items import Item, Template, add_extras, failed_item, settled, skip_class, skipped_item
from iris.verdict.policy import BUNDLES

Sum = list[float]
"""Of one bundle: weighted scores and weights. A plain list: it is touched for every finding."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule that failed, and the role in which it did; `position` is its place among the findings."""

    position: int
    finding: Finding
    template: Template
    role: str

    @property
    def name(self) -> str:
        """Name the rule."""
        return self.template.rule.name

    @property
    def classes(self) -> tuple[str, ...]:
        """Give the failure classes of what was found, or those of the rule."""
        return self.finding.classes or self.template.rule.classes

    @property
    def key(self) -> tuple[int, tuple[str, ...]]:
        """Tell this failure from others of the same rules."""
        return self.position, self.finding.classes


@dataclass(frozen=True, slots=True)
class Skip:
    """A rule that did not judge; `position` is its place among the findings."""

    position: int
    finding: Finding
    template: Template

    @property
    def name(self) -> str:
        """Name the rule."""
        return self.template.rule.name

    @property
    def why(self) -> str:
        """Give the class of the skip."""
        return skip_class(self.finding)

    @property
    def key(self) -> tuple[int, str, tuple[str, ...]]:
        """Tell this skip from others of the same rules."""
        return self.position, self.why, self.finding.lacked


@dataclass(slots=True)
class Tally:
    """All findings of a run, counted. `score` is 0..1 with three decimals; `sums` has one row per bundle."""

    items: list[Item]
    templates: Sequence[Template]
    failures: list[Failure]
    skips: list[Skip]
    sums: list[Sum]
    score: float

    @property
    def judged(self) -> int:
        """Count the rules that judged."""
        return len(self.items) - len(self.skips)

    def best_score(self) -> float:
        """Give the score there would be if every rule that waits for another input had passed."""
        sums: list[Sum] = [[0.0, 0.0] for _ in BUNDLES]
        scores: list[float] = []
        for item, t in zip(self.items, self.templates, strict=True):
            if "skipped" not in item or "lacked" in item or t.may_change:
                scores.append(1.0 if "skipped" in item else item["score"])
                total = sums[t.bundle]
                total[0] += t.weight * scores[-1]
                total[1] += t.weight
        return mean(sums, lambda: scores)

    def critical_failures(self) -> list[Failure]:
        """Give the critical rules that failed."""
        return [f for f in self.failures if f.template.critical]

    def critical_skips(self) -> list[Skip]:
        """Give the critical rules that did not judge."""
        return [s for s in self.skips if s.template.critical]

    def asked_for(self) -> list[str]:
        """Give the inputs that the critical rules somebody chose had to do without, in the order of the rules."""
        return [name for s in self.critical_skips() if s.template.asked for name in s.finding.lacked]


def count(findings: Sequence[Finding], templates: Sequence[Template]) -> Tally:
    """Write the items and add the scores up, in the order of the findings."""
    items: list[Item] = []
    failures: list[Failure] = []
    skips: list[Skip] = []
    sums: list[Sum] = [[0.0, 0.0] for _ in BUNDLES]
    for finding, t in zip(findings, templates, strict=True):
        score = finding.score
        if not 0.0 <= score <= 1.0:
            finding = settled(finding)
            score = finding.score
        if finding.state == "passes":
            # Most rules pass, so this item is written here: a call per rule would cost a tenth of the whole verdict.
            item = t.item.copy()
            item["score"] = score
            item["message"] = finding.message
            item["classes"] = t.classes.copy()
            item["saw"] = t.saw.copy()
            item["uncertainty"] = quiet = t.quiet.copy()
            for key, value in t.nested:
                quiet[key] = value.copy()
            if finding.own_number:
                item["role"] = t.own_role
            if finding.evidence:
                item["evidence"] = [e.copy() for e in finding.evidence]
            if finding.value or finding.unchecked or finding.advice or finding.capped or finding.lacked:
                add_extras(item, finding)
            items.append(item)
        elif finding.state == "fails":
            role = t.own_role if finding.own_number else t.role
            failures.append(Failure(len(items), finding, t, role))
            items.append(failed_item(finding, t, role))
        else:
            skips.append(Skip(len(items), finding, t))
            items.append(skipped_item(finding, t))
            continue
        total, weight = sums[t.bundle], t.weight
        total[0] += weight * score
        total[1] += weight
    return Tally(items, templates, failures, skips, sums, mean(sums, lambda: judged_scores(items)))


def mean(sums: Iterable[Sum], plain: Callable[[], Sequence[float]]) -> float:
    """Give the weighted mean with three decimals; the mean of `plain` when no rule has a weight."""
    scores = weights = 0.0
    for bundle_scores, bundle_weights in sums:
        scores += bundle_scores
        weights += bundle_weights
    return round(scores / weights, 3) if weights else plain_mean(plain())


def plain_mean(scores: Sequence[float]) -> float:
    """Give the unweighted mean with three decimals; 0 when there is none."""
    return round(sum(scores) / len(scores), 3) if scores else 0.0


def judged_scores(items: Iterable[Item]) -> list[float]:
    """Give the scores of the rules that judged."""
    return [item["score"] for item in items if "skipped" not in item]
