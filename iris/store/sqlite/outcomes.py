"""What the store reads in the result of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iris.store.sqlite.text import clean, real

COUNTED = {"pii_leak": "pii", "injection": "injection", "fabrication": "hallucination"}
"""Failure classes that the statistics count apart, and their names there."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """State, score and rules of a result; `unsafe` are failed rules that veto or belong to the safety bundle."""

    state: str
    score: float | None
    flag: bool | None
    basis: str | None
    failed: tuple[str, ...]
    passed: tuple[str, ...]
    skipped: tuple[str, ...]
    unsafe: tuple[str, ...]
    violations: frozenset[str] = frozenset()
    supersedes: str | None = None

    def kept(self) -> dict[str, Any]:
        """What a later evaluation of the same trace has to know of this one."""
        names = ("state", "score", "failed", "passed", "skipped", "unsafe", "supersedes")
        return {name: getattr(self, name) for name in names}


def outcome_of(result: Mapping[str, Any]) -> Outcome:
    """Read a result; where it has no verdict, `passed` is one, and null is an unknown one."""
    verdict = result.get("verdict") or {}
    flag = result.get("passed")
    state = verdict.get("state") or ("unknown" if flag is None else "pass" if flag else "fail")
    score = None if result.get("insufficient_data") else real(result.get("score"))
    rules = [r for r in result.get("rule_results") or () if r.get("ruleName")]
    ran = [r for r in rules if not r.get("skipped")]
    failures = [r for r in ran if not r.get("passed")]
    critical = set(result.get("critical_failures") or ())
    return Outcome(
        state=state,
        score=score,
        flag=None if flag is None else bool(flag),
        basis=verdict.get("basis"),
        failed=_names(failures),
        passed=_names([r for r in ran if r.get("passed")]),
        skipped=_names([r for r in rules if r.get("skipped")]),
        unsafe=_names([r for r in failures if _unsafe(r, critical)]),
        violations=frozenset(name for r in failures for cls, name in COUNTED.items() if cls in (r.get("classes") or ())),
        supersedes=result.get("supersedes") or (result.get("provenance") or {}).get("supersedes"),
    )


def _names(rules: list[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(sorted({clean(str(r["ruleName"])) for r in rules}))


def _unsafe(rule: Mapping[str, Any], critical: set[str]) -> bool:
    return rule.get("category") == "safety" or rule.get("role") == "veto" or rule["ruleName"] in critical


def read(kept: Mapping[str, Any]) -> Outcome:
    """An outcome from what was kept of it."""
    failed, passed, skipped, unsafe = (tuple(kept[name]) for name in ("failed", "passed", "skipped", "unsafe"))
    return Outcome(kept["state"], kept["score"], None, None, failed, passed, skipped, unsafe, supersedes=kept["supersedes"])


def in_force(outcomes: Mapping[str, Outcome]) -> list[Outcome]:
    """The outcomes, by evaluation id, that no later one says it supersedes."""
    superseded = {o.supersedes for o in outcomes.values()}
    return [o for name, o in outcomes.items() if name not in superseded]
