"""Counts over judged runs, kept while they stream by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from iris.report.judged import Judged, advisories, bases_of, failed_rules, has_passed, state_of


@dataclass(slots=True)
class Tally:
    """How many runs came out which way, and which layers and rules made them."""

    states: Counter[str] = field(default_factory=Counter)
    """Runs per `pass`, `fail`, `unknown` and `error`."""
    bases: Counter[str] = field(default_factory=Counter)
    """Runs that did not pass, per layer that would have decided so."""
    rules: Counter[str] = field(default_factory=Counter)
    """Runs in which a rule failed, per rule name."""
    not_passed: int = 0
    advised: int = 0
    """Runs that passed although a rule points at something."""

    def add(self, judged: Judged) -> None:
        """Count one run."""
        self.states[state_of(judged)] += 1
        self.bases.update(bases_of(judged))
        self.rules.update({str(r["ruleName"]) for r in failed_rules(judged)})
        self.not_passed += not has_passed(judged)
        self.advised += advisories(judged) > 0

    @property
    def runs(self) -> int:
        """Number of runs counted."""
        return self.states.total()

    def failures(self) -> list[tuple[str, int]]:
        """Return rule names with their failures, most first, then by name."""
        return sorted(self.rules.items(), key=lambda pair: (-pair[1], pair[0]))

    def as_json(self) -> dict[str, Any]:
        """Return the counts as the summary of a JSON report."""
        return {
            "runs": self.runs,
            "passed": self.states["pass"],
            "failed": self.states["fail"],
            "unknown": self.states["unknown"],
            "errors": self.states["error"],
            "failures": dict(self.failures()),
        }


def tally_of(judged: Iterable[Judged]) -> Tally:
    """Count many runs at once."""
    tally = Tally()
    for one in judged:
        tally.add(one)
    return tally


def plural(count: int, noun: str) -> str:
    """Write a count with its noun."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {noun.removesuffix('y')}ies" if noun.endswith("y") else f"{count} {noun}s"


def totals(tally: Tally) -> str:
    """Say in one line how many runs came out which way."""
    states = tally.states
    advised = f" ({tally.advised} with advisories)" if tally.advised else ""
    parts = f"{states['pass']} passed{advised}, {states['fail']} failed, {states['unknown']} unknown"
    return f"{plural(tally.runs, 'run')}: {parts}, {plural(states['error'], 'error')}"
