"""What a deployment or a call set over the policy and the packs, each value with the layer it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

from iris.problems import Problem
from iris.run.finding import RuleInfo
from iris.verdict.policy import INPUTS, ON_SKIPPED, Policy
from iris.verdict.reading import nearest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """A value and the layer that set it: config, environment, flag or call."""

    value: T
    source: str = "config"


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set over the policy; None and empty mean that nobody did. `rules` maps rule and config key."""

    threshold: Setting[float] | None = None
    defaults_gate: Setting[bool] | None = None
    on_critical_skipped: Setting[str] | None = None
    required_evidence: Setting[tuple[str, ...]] | None = None
    false_pass_cost: Setting[float] | None = None
    priors: Mapping[str, Setting[float]] = field(default_factory=dict)
    rules: Mapping[str, Mapping[str, Setting[Any]]] = field(default_factory=dict)
    critical_rules: tuple[str, ...] = ()
    non_critical_rules: tuple[str, ...] = ()

    def effective(self, policy: Policy) -> Policy:
        """Give the policy in force."""
        changes: dict[str, Any] = {s.name: v.value for s in fields(self) if isinstance(v := getattr(self, s.name), Setting)}
        if self.priors:
            changes["priors"] = {**policy.priors, **{name: prior.value for name, prior in self.priors.items()}}
            changes["own_priors"] = policy.own_priors | frozenset(self.priors)
        return replace(policy, **changes) if changes else policy

    def over(self, lower: Settings) -> Settings:
        """Give these settings with what they leave open taken from a lower layer; a list set here replaces the lower one."""
        mixed: dict[str, Any] = {s.name: getattr(self, s.name) or getattr(lower, s.name) for s in fields(self)}
        mixed["priors"] = {**lower.priors, **self.priors}
        mixed["rules"] = {n: {**lower.rules.get(n, {}), **self.rules.get(n, {})} for n in {**lower.rules, **self.rules}}
        return Settings(**mixed)

    def critical(self, rule: RuleInfo) -> tuple[bool, str]:
        """Say whether a rule is critical here, and who decided: default or config.

        Only built-in rules are named: a custom rule that shares a built-in's name keeps its own severity.
        """
        if rule.origin == "built-in":
            if rule.name in self.critical_rules:
                return True, "config"
            if rule.name in self.non_critical_rules:
                return False, "config"
        return rule.critical, "default"

    def sets_a_number_of(self, rule: RuleInfo) -> bool:
        """Say whether somebody set one of the rule's config keys."""
        return any(key in self.rules.get(rule.name, ()) for key in rule.settings)

    def problems(self, rules: Sequence[RuleInfo]) -> list[Problem]:
        """List every mistake in the settings, given all the rules of the plan."""
        return [*self._unknown_rules(rules), *self._unknown_keys(rules), *self._in_both_lists(), *self._wrong_values()]

    def _unknown_rules(self, rules: Sequence[RuleInfo]) -> Iterable[Problem]:
        built_in = {r.name for r in rules if r.origin == "built-in"}
        known = {r.name for r in rules}
        for key, names, valid in (
            ("critical_rules", self.critical_rules, built_in),
            ("non_critical_rules", self.non_critical_rules, built_in),
            ("rules", self.rules, known),
        ):
            for name in names:
                if name not in valid:
                    message = f"`{key}` names a rule that does not exist: `{name}`"
                    yield Problem("E811", message, None, "unknown rule", nearest(name, valid))

    def _unknown_keys(self, rules: Sequence[RuleInfo]) -> Iterable[Problem]:
        keys = {r.name: r.settings for r in rules}
        for name, settings in self.rules.items():
            for key in settings:
                if name in keys and key not in keys[name]:
                    help_line = nearest(key, keys[name]) or "this rule has no settings"
                    yield Problem("E814", f"the rule `{name}` has no setting `{key}`", None, "unknown setting", help_line)

    def _in_both_lists(self) -> Iterable[Problem]:
        for name in self.critical_rules:
            if name in self.non_critical_rules:
                message = f"`{name}` is in critical_rules and in non_critical_rules"
                yield Problem("E812", message, None, "in both lists", "keep it in one of them")

    def _wrong_values(self) -> Iterable[Problem]:
        checks: list[tuple[str, Any, Callable[[Any], bool], str]] = [
            ("threshold", self.threshold, _is_ratio, "a number from 0 to 1"),
            ("defaults_gate", self.defaults_gate, lambda v: isinstance(v, bool), "true or false"),
            ("on_critical_skipped", self.on_critical_skipped, lambda v: v in ON_SKIPPED, "unknown, fail or pass"),
            ("required_evidence", self.required_evidence, _are_inputs, "a list of " + ", ".join(INPUTS)),
            ("false_pass_cost", self.false_pass_cost, _is_cost, "a number of at least 0"),
            *((f"priors.{name}", prior, _is_chance, "a number between 0 and 1") for name, prior in self.priors.items()),
        ]
        for name, setting, right, wanted in checks:
            if setting is not None and not right(setting.value):
                message = f"`{name}` must be {wanted}"
                yield Problem("E813", message, None, f"not {wanted}", f"set by {setting.source} to `{setting.value}`")


def _is_ratio(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and 0 <= value <= 1


def _is_chance(value: object) -> bool:
    return _is_ratio(value) and value not in (0, 1)


def _is_cost(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and 0 <= value < float("inf")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_inputs(value: object) -> bool:
    return isinstance(value, tuple | list) and all(v in INPUTS for v in value)
