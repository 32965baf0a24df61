"""What a reporter is given: one run, what was decided about it, and where it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iris.problems import Problem

RuleResult = Mapping[str, Any]
"""One item of `rule_results` of the evaluate_output contract."""

DECIDING_ROLES = frozenset({"gate", "veto"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A run in its wire form with its evaluate_output result, or with the problem that prevented one."""

    run_id: str
    run: Mapping[str, Any]
    result: Mapping[str, Any] | None
    error: Problem | None
    line: int
    """Line of the file the run was read from, from 1; 0 when unknown."""
    file: str


def verdict_of(judged: Judged) -> Mapping[str, Any]:
    """Return the verdict object of a result, empty when there is none."""
    verdict = (judged.result or {}).get("verdict")
    return verdict if isinstance(verdict, Mapping) else {}


def state_of(judged: Judged) -> str:
    """Return `pass`, `fail` or `unknown`, or `error` for a run that was not judged."""
    if judged.result is None:
        return "error"
    state = verdict_of(judged).get("state")
    if state in ("pass", "fail", "unknown"):
        return str(state)
    if judged.result["insufficient_data"]:
        return "unknown"
    return "pass" if judged.result["passed"] else "fail"


def has_passed(judged: Judged) -> bool:
    """Tell whether the run may ship; one that was not judged may not."""
    return judged.result is not None and bool(verdict_of(judged).get("passed", judged.result["passed"]))


def bases_of(judged: Judged) -> tuple[str, ...]:
    """Return the basis of a verdict that is not a pass, then each layer that would have decided alone."""
    verdict = verdict_of(judged)
    if has_passed(judged) or not verdict:
        return ()
    others = [str(also["basis"]) for also in verdict.get("also", ())]
    return tuple(dict.fromkeys([str(verdict["basis"]), *others]))


def deciding_rules(judged: Judged) -> tuple[str, ...]:
    """Return the names of the rules that decided the verdict."""
    return tuple(str(name) for name in verdict_of(judged).get("by", ()))


def decision(judged: Judged) -> str:
    """Say in a few words which layer decided and by which rules; empty without a verdict."""
    basis = verdict_of(judged).get("basis", "")
    rules = deciding_rules(judged)
    return f"{basis} by {', '.join(rules)}" if basis and rules else str(basis)


def results_of(judged: Judged) -> tuple[RuleResult, ...]:
    """Return every rule result of a run."""
    return tuple((judged.result or {}).get("rule_results", ()))


def failed_rules(judged: Judged) -> tuple[RuleResult, ...]:
    """Return the results of the rules that judged and failed: those that decided first, then by weight of their role."""
    deciding = deciding_rules(judged)
    failed = (r for r in results_of(judged) if not r["passed"] and not r.get("skipped", False))
    return tuple(sorted(failed, key=lambda r: (r["ruleName"] not in deciding, not weighs(r))))


def weighs(result: RuleResult) -> bool:
    """Tell whether a failed rule can decide a verdict alone; another one advises or lowers the score."""
    return bool(result.get("critical")) or result.get("role") in DECIDING_ROLES


def advisories(judged: Judged) -> int:
    """Return how many rules point at something although the run passes."""
    return len(failed_rules(judged)) if state_of(judged) == "pass" else 0


def skipped_rules(judged: Judged) -> tuple[RuleResult, ...]:
    """Return the results of the rules that did not judge."""
    return tuple(r for r in results_of(judged) if r.get("skipped", False))


def place_of(judged: Judged) -> str:
    """Write where a run was read, as `file:line`; empty when it came from no file."""
    if not judged.file:
        return ""
    return f"{judged.file}:{judged.line}" if judged.line > 0 else judged.file
