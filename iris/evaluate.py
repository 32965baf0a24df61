"""Plan + run -> `evaluate_output` result: the one way in for the command line, the server and Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from iris import __version__
from iris.language.paths import CONTRACT_NEEDS
from iris.problems import ProblemsFound
from iris.run.engine import Engine
from iris.run.finding import Finding
from iris.run.rule import CompiledRule
from iris.run.wire import from_wire
from iris.verdict.compose import Composer
from iris.verdict.facts import Envelope, PlanFacts
from iris.verdict.policy import policy_from
from iris.verdict.settings import Settings

UNMEASURED = "unmeasured"
"""The corpus version while no accuracy has been published."""


def utc_now() -> str:
    """The time now, UTC ISO 8601 in milliseconds with `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Evaluator:
    """An engine with the policy and settings in force. Build one, evaluate many."""

    def __init__(self, plan: Mapping[str, Any], settings: Settings | None = None) -> None:
        self.engine = Engine(plan)
        self.settings = settings or Settings()
        infos = [r.info for r in self.engine.rules]
        problems = self.settings.problems(infos)
        if problems:
            raise ProblemsFound(problems)
        packs = {p["name"]: p["version"] for p in plan["packs"]}
        self.plan_facts = PlanFacts(__version__, plan["hash"], UNMEASURED, packs)
        self.composer = Composer(policy_from(plan["policy"]), self.settings, infos, self.plan_facts)
        self.overrides = {
            rule: {key: (setting.value, _layer(setting.source)) for key, setting in keys.items()}
            for rule, keys in self.settings.rules.items()
        }

    def templates(self) -> dict[str, dict[str, Any]]:
        """The parameters of each template by its name."""
        return {r["name"]: r["config"] for r in self.engine.plan["rules"] if r["template"]}

    def custom(self, definitions: Sequence[Any]) -> list[CompiledRule]:
        """Make rules of inline definitions; raises ProblemsFound naming each wrong field."""
        from iris.check.custom import check_definition

        out, problems, templates = [], [], self.templates()
        for i, definition in enumerate(definitions):
            rule, found = check_definition(definition, templates)
            problems += found
            if rule is None:
                continue
            facts = {"weight": rule.weight, "critical": rule.critical, "origin": "custom", "title": rule.name}
            if rule.condition is None:
                out.append(self.engine.instance(rule.name, rule.type, rule.arguments, facts))
            else:
                out += self._condition(rule.name, rule.condition, facts, f"custom_rules[{i}].config.fail_when", problems)
        if problems:
            raise ProblemsFound(problems)
        return out

    def _condition(self, name: str, condition: str, facts: dict[str, Any], file: str, problems: list[Any]) -> list[CompiledRule]:
        from iris.check.inline import check_condition
        from iris.plan.inline import condition_rule

        sound, needs, found = check_condition(self.engine.plan, condition, file)
        problems += found
        if sound is None or found:
            return []
        return [self.engine.compiled(condition_rule(self.engine.plan, name, sound, needs, facts))]

    def findings(self, run: Mapping[str, Any], eval_type: str = "all") -> list[Finding]:
        """The findings of a run, each with its `why` at hand."""
        return self.engine.judge(from_wire(run), self.engine.choose(eval_type), self.overrides)

    def evaluate(
        self,
        run: Mapping[str, Any],
        eval_type: str | None = None,
        *,
        evaluation_id: str,
        judged_at: str | None = None,
        trace_id: str | None = None,
        custom_rules: Sequence[CompiledRule] = (),
        dormant: Sequence[Mapping[str, str]] = (),
    ) -> dict[str, Any]:
        """Judge one run (wire fields) and compose its verdict; `eval_type` None means all, and the result says so."""
        envelope = Envelope(evaluation_id, judged_at or utc_now(), trace_id, eval_type is None)
        return self.judge(run, eval_type, envelope, custom_rules, dormant)

    def judge(
        self,
        run: Mapping[str, Any],
        eval_type: str | None,
        envelope: Envelope,
        custom_rules: Sequence[CompiledRule] = (),
        dormant: Sequence[Mapping[str, str]] = (),
    ) -> dict[str, Any]:
        """Judge one run for a call whose own facts are in `envelope`.

        `custom_rules` join the built-in ones, whatever their bundle; `dormant` are rules that should judge and can not.
        """
        inputs = from_wire(run)
        chosen = self.engine.choose(eval_type or "all")
        rules = [*chosen, *custom_rules] if custom_rules else chosen
        findings = self.engine.judge(inputs, rules, self.overrides)
        carried = {need: need in inputs.carried for need in CONTRACT_NEEDS}
        return self.composer.compose(findings, eval_type or "all", carried, envelope, dormant)


def _layer(source: str) -> str:
    """The four threshold sources of evidence: a flag or the environment counts as config."""
    return source if source in ("default", "call", "rule") else "config"
