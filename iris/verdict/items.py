"""One `rule_results` item per finding. What does not depend on the run is written down once per rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from iris.run.finding import Finding, RuleInfo
from iris.verdict.policy import BUNDLES, INPUTS, QUESTIONS, Policy, RoleRow
from iris.verdict.risk import RiskModel
from iris.verdict.settings import Settings

Item = dict[str, Any]
EXTRAS = ("signals", "unchecked", "advice", "lacked")


@dataclass(frozen=True, slots=True)
class Template:
    """The constant part of a rule's items for calls that carry the same inputs.

    `own_role` is its role when its count carries a number of ours, `role` otherwise.
    """

    rule: RuleInfo
    weight: float
    bundle: int
    critical: bool
    role: str
    own_role: str
    skip_role: str
    measured: bool
    item: Item
    classes: list[str]
    saw: list[str]
    quiet: Item
    nested: tuple[tuple[str, Item], ...]
    """The mappings within `quiet`: each item gets its own, so that changing one result changes no other."""
    model: RiskModel
    may_change: bool
    """The rule reads an input that the call did not carry, so another input may change its answer."""
    asked: bool
    """Somebody made the rule critical: the settings did, or it is a custom rule that says so itself."""


def template_of(rule: RuleInfo, policy: Policy, settings: Settings, model: RiskModel, carried: Mapping[str, bool]) -> Template:
    """Write down what every item of a rule has in common."""
    critical, source = settings.critical(rule)
    saw = [name for name in INPUTS if (name in rule.needs or name in rule.reads) and carried.get(name)]
    row, measured = policy.roles[rule.kind], model.measured(rule) is not None
    role = role_of(row, critical, rule.origin == "built-in", measured)
    own_role = role_of(row, critical, rule.origin == "built-in" and policy.defaults_gate, measured)
    quiet = uncertainty(rule, model, rule.classes, fired=False)
    ours = bool(rule.settings) and not settings.sets_a_number_of(rule)
    return Template(
        rule=rule,
        weight=rule.weight,
        bundle=BUNDLES.index(rule.bundle),
        critical=critical,
        role=role,
        own_role=own_role,
        skip_role=own_role if ours else role,
        measured=measured,
        item=_constant(rule, critical, source, role),
        classes=list(rule.classes),
        saw=saw,
        quiet=quiet,
        nested=tuple((key, value) for key, value in quiet.items() if isinstance(value, dict)),
        model=model,
        may_change=not all(carried.get(name) for name in (*rule.needs, *rule.reads)),
        asked=critical and (source == "config" or rule.origin == "custom"),
    )


def _constant(rule: RuleInfo, critical: bool, source: str, role: str) -> Item:
    item: Item = {"ruleName": rule.name}
    if rule.rule_id:
        item["ruleId"] = rule.rule_id
    item.update(passed=True, score=1.0, message="", category=rule.bundle, critical=critical, criticalSource=source)
    item.update(kind=rule.kind, role=role)
    if rule.question in QUESTIONS:
        item["question"] = rule.question
    item.update(classes=[], ruleVersion=rule.version, saw=[])
    return item


def role_of(row: RoleRow, critical: bool, decides: bool, measured: bool) -> str:
    """Give the role of a rule: the first column of its kind's row that applies."""
    if critical:
        return row.critical
    if decides and row.decides:
        return row.decides
    if measured and row.measured:
        return row.measured
    return row.otherwise


def settled(f: Finding) -> Finding:
    """Give a finding whose score is a number from 0 to 1.

    A score that is not finite says nothing: a pass, or a measurement, was then not evaluated, and its rule
    skips as defeated. Any other rule that fails has said so without its score, and the failure stands at 0.
    """
    if f.state == "skipped" or math.isfinite(f.score):
        return replace(f, score=min(1.0, max(0.0, f.score)) if math.isfinite(f.score) else 0.0)
    if f.state == "fails" and f.rule.kind != "measurement":
        return replace(f, score=0.0)
    reason = "the rule's score is not a number"
    return replace(f, state="skipped", score=0.0, skip_reason=reason, skip_class="defeated", value=None)


def failed_item(f: Finding, t: Template, role: str) -> Item:
    """Write the item of a rule that fails; its classes are those of what was found."""
    item = t.item.copy()
    classes = f.classes or t.rule.classes
    item.update(passed=False, score=f.score, message=f.message, role=role, classes=list(classes), saw=t.saw.copy())
    if f.evidence:
        item["evidence"] = [e.copy() for e in f.evidence]
    item["uncertainty"] = uncertainty(t.rule, t.model, classes, fired=True)
    add_extras(item, f)
    return item


def skipped_item(f: Finding, t: Template) -> Item:
    """Write the item of a rule that did not judge: it neither passed nor scored, and says why."""
    item = t.item.copy()
    reason = f.skip_reason or f.message
    item.update(passed=False, score=0.0, message=f.message or reason, role=t.skip_role)
    item.update(classes=t.classes.copy(), saw=t.saw.copy(), skipped=True, skipReason=reason, skipClass=skip_class(f))
    if f.skip_class == "config_invalid":
        item["configInvalid"] = True
    if f.evidence:
        item["evidence"] = [e.copy() for e in f.evidence]
    add_extras(item, f)
    return item


def skip_class(f: Finding) -> str:
    """Give why a rule did not judge; not_applicable unless the run stage says otherwise."""
    return f.skip_class or "not_applicable"


def add_extras(item: Item, f: Finding) -> None:
    """Add what only some findings have."""
    if f.value and math.isfinite(f.value[2]):
        stat, unit, value = f.value
        item["value"] = {"stat": stat, "unit": unit, "value": value}
    for name in EXTRAS:
        names = getattr(f, name)
        if names:
            item[name] = list(names)
    if f.capped:
        item["capped"] = True


def uncertainty(rule: RuleInfo, model: RiskModel, classes: tuple[str, ...], *, fired: bool) -> Item:
    """Say how sure a rule's answer is, and from what."""
    if rule.kind == "policy":
        return {"basis": "policy"}
    if rule.kind == "measurement":
        # A formula is right by definition; its counts, if any, are how often it agreed with its cases.
        seen = model.published(rule)
        conformance = {"n": seen.n, "matched": seen.tp + seen.tn} if seen else {"n": 0, "matched": 0}
        return {"basis": "definition", "conformance": conformance}
    counts = model.measured(rule)
    if counts is None:
        return {"basis": "unmeasured", "why": model.why_unmeasured(rule)}
    chance, prior = model.chance(rule, counts, classes, fired)
    return {
        "basis": "published_accuracy",
        "fired": fired,
        "ppv" if fired else "missRate": chance.printed(),
        "prior": {"pi": prior, "source": model.prior_source(rule, classes)},
        "corpus": counts.corpus(),
    }
