"""What was looked at: the questions answered, the inputs carried, and what to change or supply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iris.verdict.items import Template
from iris.verdict.policy import Policy
from iris.verdict.tally import Skip, Tally

Question = dict[str, Any]
Carried = Mapping[str, bool]


def questions(policy: Policy, templates: Sequence[Template], skips: Sequence[Skip], carried: Carried) -> list[Question]:
    """Say of each question whether a rule judged it, and why not."""
    skipped = {s.position: s for s in skips}
    asked: dict[str, list[Skip | None]] = {name: [] for name in policy.questions}
    for position, t in enumerate(templates):
        if t.rule.question in asked:
            asked[t.rule.question].append(skipped.get(position))
    return [_question(name, rules, policy.questions[name], carried) for name, rules in asked.items()]


def _question(name: str, rules: Sequence[Skip | None], about: Sequence[str], carried: Carried) -> Question:
    if not rules:
        why = f"no rule of this evaluation asks it; it is about {', '.join(about)}"
        return {"id": name, "status": "not_applicable", "why": why}
    skips = [s for s in rules if s]
    judged = len(rules) - len(skips)
    question: Question = {"id": name, "status": "judged" if judged else "unjudged", "evaluated": judged, "of": len(rules)}
    if skips:
        question["why"] = "; ".join(_reasons(skips, carried))
    return question


def _reasons(skips: Sequence[Skip], carried: Carried) -> list[str]:
    reasons = []
    for why in ("defeated", "config_invalid"):
        names = [s.name for s in skips if s.why == why]
        if names:
            reasons.append(f"{why}: {', '.join(names)}")
    waiting = [s for s in skips if s.why == "not_applicable"]
    inputs = dict.fromkeys(name for s in waiting for name in missing(s, carried))
    if inputs:
        reasons.append(f"not supplied: {', '.join(inputs)}")
    idle = [s.name for s in waiting if not missing(s, carried)]
    if idle:
        reasons.append(f"did not apply: {', '.join(idle)}")
    return reasons


def missing(skip: Skip, carried: Carried) -> list[str]:
    """Name the inputs that a rule would have needed to judge."""
    needs = [name for name in skip.template.rule.needs if not carried.get(name)]
    return list(dict.fromkeys([*skip.finding.lacked, *needs]))


def inputs_to_supply(policy: Policy, skips: Sequence[Skip], carried: Carried) -> list[str]:
    """Say which inputs would let which rules judge, required evidence first."""
    lines = [f"Supply `{n}`: the verdict policy requires it." for n in policy.required_evidence if not carried.get(n)]
    waiting: dict[str, list[str]] = {}
    for skip in skips:
        if skip.why == "not_applicable":
            for name in missing(skip, carried):
                waiting.setdefault(name, []).append(skip.name)
    return lines + [f"Supply `{name}` so that {' and '.join(rules)} can judge." for name, rules in waiting.items()]


def suggestions(tally: Tally, supply: Sequence[str]) -> list[str]:
    """Say what to change, each thing once: remedies of failed rules, broken rules, inputs to supply."""
    if tally.items and not (supply or tally.failures or tally.skips):
        return []
    lines = [f.template.rule.remedy for f in tally.failures if f.template.rule.remedy]
    lines += [f"Correct the settings of {s.name}: {s.finding.skip_reason}" for s in tally.skips if s.why == "config_invalid"]
    if not tally.items:
        lines.append("No rule applies to this evaluation: choose another eval_type or deploy a rule.")
    return list(dict.fromkeys([*lines, *supply]))
