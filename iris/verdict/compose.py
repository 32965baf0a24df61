"""Findings become the whole result of `evaluate_output`.

The same findings, policy, settings and envelope always give the same result, byte for byte. The score that is
printed is the one that is compared. `layers` says how the verdict comes about, `risk` how the estimate does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from iris.run.finding import Finding, RuleInfo
from iris.verdict.categories import categories
from iris.verdict.coverage import Question, inputs_to_supply, questions, suggestions
from iris.verdict.facts import Envelope, PlanFacts
from iris.verdict.items import Template, template_of
from iris.verdict.layers import Evidence, verdict
from iris.verdict.policy import BUNDLES, Policy
from iris.verdict.provenance import config_hash, per_rule, ruleset_hash
from iris.verdict.risk import Bound, Counts, RiskModel
from iris.verdict.settings import Settings
from iris.verdict.tally import Skip, Tally, count

__all__ = ["Composer", "Counts", "Envelope", "PlanFacts", "compose"]

KEPT = 256

Dormant = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What the coverage and provenance of a run have in common with all runs whose same rules judged."""

    questions: list[Question]
    supply: list[str]
    ruleset: str


@dataclass(slots=True)
class Lineup:
    """The rules of a call, in order, for calls that carry the same inputs."""

    rules: tuple[RuleInfo, ...]
    templates: list[Template]
    measured: bool
    """Some rule has enough labelled runs to enter the risk."""
    sizes: tuple[int, ...]
    """How many of the rules are in each bundle."""
    looked: dict[tuple[Any, ...], Looked] = field(default_factory=dict)
    risks: dict[tuple[Any, ...], Bound | None] = field(default_factory=dict)


class Composer:
    """Composes verdicts under one policy, plan and settings. Build it once: what is constant is worked out once.

    `settings.problems(rules)` tells beforehand whether the settings fit the rules.
    """

    def __init__(
        self,
        policy: Policy,
        settings: Settings,
        rules: Sequence[RuleInfo],
        plan: PlanFacts,
        accuracy: Mapping[str, Counts] | None = None,
    ) -> None:
        self.policy = settings.effective(policy)
        self.settings = settings
        self.plan = plan
        self.config_hash = config_hash(self.policy, settings)
        self._per_rule = per_rule(settings)
        self._model = RiskModel(self.policy, accuracy or {})
        self._lineups: dict[tuple[Any, ...], Lineup] = {}
        self._model.prepare(rules)

    def compose(
        self, findings: Sequence[Finding], eval_type: str, carried: Mapping[str, bool], envelope: Envelope, dormant: Dormant = ()
    ) -> dict[str, Any]:
        """Give the result of one evaluation. `carried` says of each input, by its contract name, whether the call had it."""
        lineup = self._lineup(findings, carried)
        tally = count(findings, lineup.templates)
        looked = self._looked(lineup, tally.skips, carried)
        risk = self._risk(lineup, tally)
        decision = verdict(Evidence(self.policy, tally, carried, risk, envelope.declared, envelope.unproven))
        result: dict[str, Any] = {
            "id": envelope.id,
            "eval_type": eval_type,
            "score": tally.score,
            "passed": decision["passed"],
            "rule_results": tally.items,
            "suggestions": suggestions(tally, looked.supply),
            "rules_evaluated": tally.judged,
            "rules_skipped": len(tally.skips),
            "insufficient_data": not tally.judged,
            "verdict": decision,
            "coverage": {
                "inputs": dict(carried),
                "questions": [q.copy() for q in looked.questions],
                "dormant": [dict(d) for d in dormant],
            },
            "provenance": self._provenance(looked, envelope),
            "critical_failures": [f.name for f in tally.critical_failures()],
            "critical_skipped": [s.name for s in tally.critical_skips()],
        }
        if eval_type == "all":
            result["categories"] = categories(self.policy, tally, lineup.sizes)
        _add_call(result, envelope, lineup.rules)
        return result

    def _lineup(self, findings: Sequence[Finding], carried: Mapping[str, bool]) -> Lineup:
        # A lineup holds its rules, so none of the ids in its key can come to mean another rule while it is kept.
        key = (tuple([id(f.rule) for f in findings]), tuple(carried.items()))
        lineup = self._lineups.get(key)
        if lineup is None:
            rules = tuple(f.rule for f in findings)
            templates = [template_of(rule, self.policy, self.settings, self._model, carried) for rule in rules]
            sizes = tuple(sum(r.bundle == name for r in rules) for name in BUNDLES)
            lineup = Lineup(rules, templates, any(t.measured for t in templates), sizes)
            if len(self._lineups) >= KEPT:
                self._lineups.clear()
            self._lineups[key] = lineup
        return lineup

    def _looked(self, lineup: Lineup, skips: Sequence[Skip], carried: Mapping[str, bool]) -> Looked:
        key = tuple([s.key for s in skips])
        looked = lineup.looked.get(key)
        if looked is None:
            skipped = {s.position for s in skips}
            judged = [t for i, t in enumerate(lineup.templates) if i not in skipped]
            looked = Looked(
                questions(self.policy, lineup.templates, skips, carried),
                inputs_to_supply(self.policy, skips, carried),
                ruleset_hash(judged),
            )
            if len(lineup.looked) >= KEPT:
                lineup.looked.clear()
            lineup.looked[key] = looked
        return looked

    def _risk(self, lineup: Lineup, tally: Tally) -> Bound | None:
        if not lineup.measured:
            return None
        key = (tuple([f.key for f in tally.failures]), tuple([s.position for s in tally.skips]))
        if key not in lineup.risks:
            answered = {f.position for f in tally.failures} | {s.position for s in tally.skips}
            fired = [(f.template.rule, f.classes) for f in tally.failures]
            quiet = [rule for i, rule in enumerate(lineup.rules) if i not in answered]
            if len(lineup.risks) >= KEPT:
                lineup.risks.clear()
            lineup.risks[key] = self._model.estimate(fired, quiet)
        return lineup.risks[key]

    def _provenance(self, looked: Looked, envelope: Envelope) -> dict[str, Any]:
        provenance: dict[str, Any] = {
            "irisVersion": self.plan.iris_version,
            "rulesetHash": looked.ruleset,
            "configHash": self.config_hash,
            "thresholds": {"default": self.policy.threshold, "perRule": deepcopy(self._per_rule) if self._per_rule else {}},
            "corpusVersion": self.plan.corpus_version,
            "judgedAt": envelope.judged_at,
            "planHash": self.plan.plan_hash,
            "packs": dict(self.plan.pack_versions),
        }
        _add_standing(provenance, envelope)
        return provenance


def compose(
    findings: Sequence[Finding],
    *,
    policy: Policy,
    settings: Settings,
    eval_type: str,
    carried: Mapping[str, bool],
    envelope: Envelope,
    plan: PlanFacts,
    accuracy: Mapping[str, Counts] | None = None,
    dormant: Dormant = (),
) -> dict[str, Any]:
    """Compose one verdict. For many verdicts under one plan build a Composer, which is faster."""
    composer = Composer(policy, settings, [f.rule for f in findings], plan, accuracy)
    return composer.compose(findings, eval_type, carried, envelope, dormant)


def _add_call(result: dict[str, Any], envelope: Envelope, rules: Sequence[RuleInfo]) -> None:
    """Add what is only known of some calls."""
    if envelope.trace_id is not None:
        result["trace_id"] = envelope.trace_id
    if envelope.reference_trace_id is not None:
        result["reference_trace_id"] = envelope.reference_trace_id
    notes = (*((_note(rules),) if envelope.note else ()), *envelope.remarks)
    if notes:
        result["note"] = " ".join(notes)
    if envelope.unread:
        result["coverage"]["unread"] = list(envelope.unread)
    if envelope.rules_changed:
        result["rules_changed"] = dict(envelope.rules_changed)


def _add_standing(provenance: dict[str, Any], envelope: Envelope) -> None:
    """Add how the evaluation stands to a trace and to the settings of the operator."""
    if envelope.supersedes is not None:
        provenance["supersedes"] = envelope.supersedes
    if envelope.beside:
        provenance["beside"] = list(envelope.beside)
    if envelope.narrowed:
        provenance["narrowed"] = [dict(n) for n in envelope.narrowed]
    if envelope.trace_context:
        provenance["traceContext"] = dict(envelope.trace_context)


def _note(rules: Sequence[RuleInfo]) -> str:
    counts = [(name, sum(r.bundle == name for r in rules)) for name in BUNDLES]
    ran = ", ".join(f"{name} ({n} rule{'s' * (n != 1)})" for name, n in counts if n) or "none has a rule"
    choices = f"{', '.join(BUNDLES[:-1])} or {BUNDLES[-1]}"
    return f"eval_type was omitted, so every bundle ran: {ran}. To run one, set eval_type to {choices}."
