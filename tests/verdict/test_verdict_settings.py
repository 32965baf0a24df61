"""Settings over the policy."""

from __future__ import annotations

from typing import Any

import pytest

from iris.verdict.policy import Policy
from iris.verdict.settings import Setting, Settings

from .builders import POLICY, rule

RULES = [rule("no_pii", critical=True), rule("max_steps", kind="policy", settings=("max_steps",)), rule("mine", origin="custom")]


def test_nothing_set_leaves_the_policy_as_it_is() -> None:
    assert Settings().effective(POLICY) is POLICY


def test_what_is_set_replaces_the_policys_value() -> None:
    settings = Settings(
        threshold=Setting(0.9, "call"),
        defaults_gate=Setting(True),
        on_critical_skipped=Setting("fail"),
        required_evidence=Setting(("input",)),
        false_pass_cost=Setting(3.0),
        priors={"stub": Setting(0.3)},
    )
    policy: Policy = settings.effective(POLICY)
    assert policy.threshold == 0.9
    assert policy.defaults_gate is True
    assert policy.on_critical_skipped == "fail"
    assert policy.required_evidence == ("input",)
    assert policy.loss_limit == 0.25
    assert policy.prior("stub") == 0.3
    assert policy.prior("off_task") == POLICY.prior("off_task")
    assert policy.own_priors == frozenset({"stub"})


def test_a_higher_layer_wins_value_by_value() -> None:
    low = Settings(
        threshold=Setting(0.6),
        defaults_gate=Setting(True),
        rules={"max_steps": {"max_steps": Setting(9)}, "no_pii": {}},
        critical_rules=("max_steps",),
    )
    high = Settings(threshold=Setting(0.8, "call"), rules={"max_steps": {"max_steps": Setting(5, "call")}})
    both = high.over(low)
    assert both.threshold == Setting(0.8, "call")
    assert both.defaults_gate == Setting(True)
    assert both.rules["max_steps"]["max_steps"] == Setting(5, "call")
    assert "no_pii" in both.rules
    assert both.critical_rules == ("max_steps",)


def test_a_higher_layer_can_set_a_flag_back() -> None:
    low, high = Settings(defaults_gate=Setting(True)), Settings(defaults_gate=Setting(False, "flag"))
    assert high.over(low).defaults_gate == Setting(False, "flag")


def test_critical_lists_promote_and_demote_built_in_rules() -> None:
    settings = Settings(critical_rules=("max_steps",), non_critical_rules=("no_pii",))
    assert settings.critical(RULES[1]) == (True, "config")
    assert settings.critical(RULES[0]) == (False, "config")


def test_a_custom_rule_with_a_built_ins_name_keeps_its_own_severity() -> None:
    settings = Settings(critical_rules=("max_steps",), non_critical_rules=("no_pii",))
    assert settings.critical(rule("no_pii", origin="custom", critical=True)) == (True, "default")
    assert settings.critical(rule("max_steps", origin="custom")) == (False, "default")


def test_right_settings_have_no_problem() -> None:
    settings = Settings(
        threshold=Setting(0.5),
        priors={"stub": Setting(0.2)},
        rules={"max_steps": {"max_steps": Setting(3)}},
        critical_rules=("max_steps",),
        required_evidence=Setting(("input",)),
        false_pass_cost=Setting(0.0),
        on_critical_skipped=Setting("pass"),
        defaults_gate=Setting(False),
    )
    assert settings.problems(RULES) == []


@pytest.mark.parametrize(
    "code, settings, help_line",
    [
        ("E811", Settings(critical_rules=("no_pi",)), "did you mean `no_pii`?"),
        ("E811", Settings(non_critical_rules=("zzz",)), "valid: max_steps, no_pii"),
        ("E811", Settings(critical_rules=("mine",)), "valid: max_steps, no_pii"),
        ("E811", Settings(rules={"max_step": {}}), "did you mean `max_steps`?"),
        ("E812", Settings(critical_rules=("no_pii",), non_critical_rules=("no_pii",)), "keep it in one of them"),
        ("E814", Settings(rules={"max_steps": {"max": Setting(1)}}), "valid: max_steps"),
        ("E814", Settings(rules={"no_pii": {"max": Setting(1)}}), "this rule has no settings"),
    ],
)
def test_a_name_that_fits_no_rule_is_a_problem(code: str, settings: Settings, help_line: str) -> None:
    (problem,) = settings.problems(RULES)
    assert (problem.code, problem.help) == (code, help_line)


@pytest.mark.parametrize(
    "name, value",
    [
        ("threshold", 1.01),
        ("threshold", "0.7"),
        ("threshold", float("nan")),
        ("defaults_gate", "yes"),
        ("on_critical_skipped", "maybe"),
        ("required_evidence", ("inputs",)),
        ("false_pass_cost", -1),
        ("false_pass_cost", float("inf")),
    ],
)
def test_a_value_out_of_range_is_a_problem(name: str, value: Any) -> None:
    wrong: dict[str, Any] = {name: Setting(value, "environment")}
    settings = Settings(**wrong)
    (problem,) = settings.problems(RULES)
    assert problem.code == "E813"
    assert "environment" in problem.help


def test_a_prior_must_lie_between_0_and_1() -> None:
    assert [p.code for p in Settings(priors={"stub": Setting(1.0), "format": Setting(0.5)}).problems(RULES)] == ["E813"]
