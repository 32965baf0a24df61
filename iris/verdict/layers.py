"""The layers of a verdict, asked one after the other: does this fail the run, or could it not tell?

All are asked. The first that fails gives the basis; when none fails, the first that could not tell does; the
others that decided are told in `also`. Adding an input never turns a fail into a pass unless a rule's own
answer changed:

- gate and veto rest on single failures, which nothing else can lift;
- risk fails on the lower end of the estimate, which only fires enter (see `risk`);
- the score is a mean, and a mean rises when more rules pass. So a score below the threshold fails only when it
  would stay below even if every rule that waits for an input had passed; until then the layer can not tell.
  Without such rules this is the plain comparison. `passed` is false in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from iris.verdict.policy import Policy
from iris.verdict.risk import Bound
from iris.verdict.tally import Failure, Tally

DEFINED = ("policy", "measurement")
"""Kinds whose answer is a matter of definition, not of detection."""


@dataclass(slots=True)
class Evidence:
    """What the layers look at."""

    policy: Policy
    tally: Tally
    carried: Mapping[str, bool]
    risk: Bound | None
    declared: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """Name the inputs without which no verdict is given: those of the policy and those that were called complete."""
        return tuple(dict.fromkeys((*self.policy.required_evidence, *self.declared)))


@dataclass(frozen=True, slots=True)
class Node:
    """A layer that decided: its basis, fail or unknown, and the rules or inputs it rests on."""

    basis: str
    state: str
    by: tuple[str, ...] = ()

    def printed(self) -> dict[str, Any]:
        """Give the node as `verdict.also` lists it."""
        return {"basis": self.basis, "state": self.state, "by": list(self.by)}


def _gate(e: Evidence) -> Node | None:
    by = tuple(f.name for f in e.tally.failures if f.role == "gate")
    return Node("policy_gate", "fail", by) if by else None


def _veto(e: Evidence) -> Node | None:
    by = tuple(f.name for f in e.tally.failures if f.role == "veto")
    return Node("detector_veto", "fail", by) if by else None


def _unknown(e: Evidence) -> Node | None:
    by = tuple(s.name for s in e.tally.critical_skips() if s.why != "not_applicable")
    if not by or e.policy.on_critical_skipped == "pass":
        return None
    return Node("critical_unknown", e.policy.on_critical_skipped, by)


def _evidence(e: Evidence) -> Node | None:
    required = [name for name in e.required if not e.carried.get(name) or name in e.unproven]
    by = tuple(dict.fromkeys([*required, *e.tally.asked_for()]))
    return Node("required_evidence_missing", "unknown", by) if by else None


def _risk(e: Evidence) -> Node | None:
    if e.risk is None or round(e.risk.lo, 4) <= e.policy.loss_limit:
        return None
    return Node("risk_over_loss", "fail", tuple(f.name for f in e.tally.failures if f.template.measured))


def _score(e: Evidence) -> Node | None:
    if not e.tally.judged or e.tally.score >= e.policy.threshold:
        return None
    by = tuple(f.name for f in e.tally.failures) or _lowest(e.tally)
    return Node("score_below_threshold", "fail" if e.tally.best_score() < e.policy.threshold else "unknown", by)


def _lowest(tally: Tally) -> tuple[str, ...]:
    # Every rule passes, so their scores alone are low.
    return tuple(item["ruleName"] for item in tally.items if "skipped" not in item and item["score"] < 1.0)


ASK: dict[str, Callable[[Evidence], Node | None]] = {
    "gate": _gate,
    "veto": _veto,
    "unknown": _unknown,
    "evidence": _evidence,
    "risk": _risk,
    "score": _score,
}


def verdict(e: Evidence) -> dict[str, Any]:
    """Give state, passed, basis, by, confidence, risk and also."""
    if _is_plainly_clean(e):
        return {"state": "pass", "passed": True, "basis": "clean", "by": [], "confidence": "marginal", "risk": None, "also": []}
    nodes = [] if e.tally.judged else [Node("no_rules", "unknown")]
    nodes += [node for layer in e.policy.layers if (node := ASK[layer](e))]
    decided = next((n for n in nodes if n.state == "fail"), nodes[0] if nodes else Node("clean", "pass"))
    clean = decided.state == "pass" and not e.tally.critical_failures()
    passed = clean and e.tally.score >= e.policy.threshold
    result: dict[str, Any] = {"state": decided.state, "passed": passed, "basis": decided.basis, "by": list(decided.by)}
    sure = _confidence(e, decided)
    if sure:
        result["confidence"] = sure
    result["risk"] = e.risk.printed("pBad") if e.risk else None
    result["also"] = [n.printed() for n in nodes if n is not decided]
    return result


def _is_plainly_clean(e: Evidence) -> bool:
    # No layer has anything to look at: the same answer as asking them all, in a tenth of the time.
    tally = e.tally
    quiet = not (tally.failures or tally.skips or e.risk or e.policy.required_evidence or e.declared)
    return quiet and bool(tally.items) and tally.score >= e.policy.threshold


def _confidence(e: Evidence, node: Node) -> str | None:
    """Say decisive only where a definition or labelled runs carry the verdict; an unknown has no confidence."""
    if node.state == "unknown":
        return None
    return "decisive" if _is_carried(e, node) else "marginal"


def _is_carried(e: Evidence, node: Node) -> bool:
    if node.basis in ("policy_gate", "risk_over_loss"):
        return True
    if node.basis == "detector_veto":
        return any(_is_sure(e, f) for f in e.tally.failures if f.role == "veto")
    if node.basis == "score_below_threshold":
        return _falls_short_by_definition(e)
    return node.basis == "clean" and e.risk is not None and e.risk.hi < e.policy.loss_limit


def _is_sure(e: Evidence, failure: Failure) -> bool:
    rule, model = failure.template.rule, failure.template.model
    counts = model.measured(rule)
    if counts is None:
        return rule.kind in DEFINED
    chance, _ = model.chance(rule, counts, failure.classes, fired=True)
    return chance.lo > e.policy.loss_limit


def _falls_short_by_definition(e: Evidence) -> bool:
    shortfall = total = 0.0
    for item, t in zip(e.tally.items, e.tally.templates, strict=True):
        total += t.weight
        if "skipped" not in item and t.rule.kind in DEFINED:
            shortfall += t.weight * (1.0 - item["score"])
    return total > 0 and shortfall > (1.0 - e.policy.threshold) * total
