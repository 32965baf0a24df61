"""The layers of a verdict, one by one and together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from iris.verdict.policy import RoleRow
from iris.verdict.settings import Setting, Settings

from .builders import (
    EVERYTHING,
    POLICY,
    fails,
    judged,
    passes,
    rule,
    skips,
)

OTHERS = [passes(rule(f"other_{i}")) for i in range(9)]
LIMIT = rule("limit", kind="policy", settings=("limit",))
VETO = rule("no_pii", critical=True)


def verdict_of(*findings: Any, **changes: Any) -> dict[str, Any]:
    verdict: dict[str, Any] = judged(*findings, **changes)["verdict"]
    return verdict


def test_a_critical_custom_policy_fails_a_run_whose_score_is_high() -> None:
    safety = [passes(rule(f"safety_{i}", weight=w)) for i, w in enumerate((2.0, 2.0, 2.0, 1.5, 1.0))]
    mine = rule("no_internal_hostnames", bundle="custom", kind="policy", origin="custom", critical=True, rule_id="rule-1")
    result = judged(*safety, fails(mine), eval_type="safety")
    assert result["score"] == 0.895
    assert result["passed"] is False
    assert result["critical_failures"] == ["no_internal_hostnames"]
    assert result["verdict"] == {
        "state": "fail",
        "passed": False,
        "basis": "policy_gate",
        "by": ["no_internal_hostnames"],
        "confidence": "decisive",
        "risk": None,
        "also": [],
    }
    assert "categories" not in result


def test_a_run_without_a_failure_is_clean() -> None:
    result = judged(*OTHERS)
    assert result["passed"] is True
    assert (result["verdict"]["state"], result["verdict"]["basis"], result["verdict"]["by"]) == ("pass", "clean", [])
    assert result["suggestions"] == []
    assert (result["critical_failures"], result["critical_skipped"]) == ([], [])


def test_a_policy_that_somebody_chose_gates() -> None:
    verdict = verdict_of(fails(LIMIT), *OTHERS)
    assert (verdict["basis"], verdict["by"]) == ("policy_gate", ["limit"])


def test_a_policy_that_rests_on_our_own_number_only_advises() -> None:
    result = judged(fails(LIMIT, own_number=True), *OTHERS)
    assert result["passed"] is True
    assert result["rule_results"][0]["role"] == "advisory"


def test_our_own_number_gates_when_the_deployment_says_so() -> None:
    settings = Settings(defaults_gate=Setting(True))
    assert verdict_of(fails(LIMIT, own_number=True), *OTHERS, settings=settings)["basis"] == "policy_gate"


def test_our_own_number_gates_when_the_rule_is_made_critical() -> None:
    result = judged(fails(LIMIT, own_number=True), *OTHERS, settings=Settings(critical_rules=("limit",)))
    assert result["verdict"]["basis"] == "policy_gate"
    assert result["critical_failures"] == ["limit"]
    assert result["rule_results"][0]["criticalSource"] == "config"


def test_a_custom_policy_that_is_not_critical_only_advises() -> None:
    result = judged(fails(rule("mine", kind="policy", origin="custom")), *OTHERS)
    assert result["passed"] is True
    assert result["rule_results"][0]["role"] == "advisory"


def test_a_custom_policy_never_gates_by_its_number() -> None:
    settings = Settings(defaults_gate=Setting(True))
    assert judged(fails(rule("mine", kind="policy", origin="custom"), own_number=True), *OTHERS, settings=settings)["passed"]


def test_a_policy_that_passes_shows_the_role_its_number_gives_it() -> None:
    roles = [i["role"] for i in judged(passes(LIMIT, own_number=True), passes(LIMIT))["rule_results"]]
    assert roles == ["advisory", "gate"]


def test_any_failing_judgment_gates() -> None:
    assert verdict_of(fails(rule("judge", kind="judgment")), *OTHERS)["basis"] == "policy_gate"


@pytest.mark.parametrize("kind", ["detection", "inference", "measurement", "verification"])
def test_a_critical_rule_of_another_kind_vetoes(kind: str) -> None:
    result = judged(fails(rule("one", kind=kind, critical=True)), *OTHERS)
    assert (result["verdict"]["basis"], result["verdict"]["by"]) == ("detector_veto", ["one"])
    assert result["rule_results"][0]["role"] == "veto"


def test_a_veto_by_definition_is_decisive() -> None:
    assert verdict_of(fails(rule("one", kind="measurement", critical=True)), *OTHERS)["confidence"] == "decisive"


def test_a_critical_failure_never_passes_even_under_a_policy_that_forgot_to_let_it_decide() -> None:
    lax = replace(POLICY, roles={**POLICY.roles, "detection": RoleRow(critical="advisory", otherwise="advisory")})
    assert judged(fails(VETO), *OTHERS, policy=lax)["passed"] is False


def test_a_demoted_rule_does_not_veto() -> None:
    result = judged(fails(VETO), *OTHERS, settings=Settings(non_critical_rules=("no_pii",)))
    assert result["passed"] is True
    assert result["critical_failures"] == []
    assert result["rule_results"][0]["criticalSource"] == "config"


@pytest.mark.parametrize("skip_class", ["defeated", "config_invalid"])
def test_a_critical_rule_that_could_not_judge_is_unknown(skip_class: str) -> None:
    result = judged(skips(VETO, skip_class), *OTHERS)
    verdict = result["verdict"]
    assert (verdict["state"], verdict["basis"], verdict["by"]) == ("unknown", "critical_unknown", ["no_pii"])
    assert result["passed"] is False
    assert result["critical_skipped"] == ["no_pii"]
    assert "confidence" not in verdict


def test_a_critical_rule_that_was_never_asked_is_named_and_does_not_decide() -> None:
    result = judged(skips(VETO, "not_applicable"), *OTHERS)
    assert result["passed"] is True
    assert result["critical_skipped"] == ["no_pii"]


@pytest.mark.parametrize("choice, state", [("fail", "fail"), ("pass", "pass"), ("unknown", "unknown")])
def test_the_deployment_chooses_what_an_unjudged_critical_rule_does(choice: str, state: str) -> None:
    settings = Settings(on_critical_skipped=Setting(choice))
    result = judged(skips(VETO, "defeated"), *OTHERS, settings=settings)
    assert result["verdict"]["state"] == state
    assert result["passed"] is (state == "pass")
    assert result["categories"]["safety"]["passed"] is (state == "pass")


def test_missing_required_evidence_is_unknown_and_says_what_to_supply() -> None:
    settings = Settings(required_evidence=Setting(("output", "tool_calls")))
    result = judged(*OTHERS, settings=settings)
    verdict = result["verdict"]
    assert (verdict["state"], verdict["basis"], verdict["by"]) == ("unknown", "required_evidence_missing", ["tool_calls"])
    assert result["suggestions"] == ["Supply `tool_calls`: the verdict policy requires it."]
    assert judged(*OTHERS, settings=settings, carried=EVERYTHING)["passed"] is True


WAITING = rule("expected_coverage", kind="measurement", needs=("output", "expected"))


def test_a_rule_that_the_settings_made_critical_and_that_lacks_an_input_is_missing_evidence() -> None:
    settings = Settings(critical_rules=("expected_coverage",))
    result = judged(skips(WAITING, lacked=("expected",)), *OTHERS, settings=settings)
    verdict = result["verdict"]
    assert (verdict["state"], verdict["basis"], verdict["by"]) == ("unknown", "required_evidence_missing", ["expected"])
    assert result["passed"] is False
    assert result["categories"]["safety"]["passed"] is False
    assert judged(passes(WAITING), *OTHERS, settings=settings, carried=EVERYTHING)["verdict"]["basis"] == "clean"


def test_a_critical_custom_rule_that_lacks_an_input_is_missing_evidence() -> None:
    mine = rule("mine", bundle="custom", origin="custom", critical=True, needs=("tool_calls",), rule_id="rule-1")
    verdict = verdict_of(skips(mine, lacked=("tool_calls",)), *OTHERS)
    assert (verdict["basis"], verdict["by"]) == ("required_evidence_missing", ["tool_calls"])


@pytest.mark.parametrize(
    "finding, settings",
    [
        (skips(WAITING, lacked=("expected",)), Settings()),
        (skips(rule("own", critical=True, needs=("tool_calls",)), lacked=("tool_calls",)), Settings()),
        (skips(WAITING, reason="no calls were made"), Settings(critical_rules=("expected_coverage",))),
        (skips(VETO, lacked=("input",)), Settings(critical_rules=("other_1",), non_critical_rules=("no_pii",))),
    ],
    ids=["nobody asked", "critical by itself", "nothing lacked", "demoted"],
)
def test_a_skip_that_nobody_waits_for_leaves_a_run_clean(finding: Any, settings: Settings) -> None:
    assert verdict_of(finding, *OTHERS, settings=settings)["basis"] == "clean"


def test_a_score_below_the_threshold_fails() -> None:
    result = judged(fails(rule("a", kind="measurement"), 0.3), passes(rule("b", kind="measurement")))
    verdict = result["verdict"]
    assert (verdict["state"], verdict["basis"], verdict["by"]) == ("fail", "score_below_threshold", ["a"])
    assert verdict["confidence"] == "decisive"
    assert result["score"] == 0.65


def test_a_low_score_of_unmeasured_detections_is_marginal() -> None:
    assert verdict_of(fails(rule("a")), passes(rule("b")))["confidence"] == "marginal"


def test_a_low_score_without_a_failure_names_the_low_rules() -> None:
    verdict = verdict_of(passes(rule("a"), 0.2), passes(rule("b")), passes(rule("c"), 0.5))
    assert (verdict["basis"], verdict["by"]) == ("score_below_threshold", ["a", "c"])


def test_a_low_score_that_a_missing_input_could_lift_is_unknown_and_not_passed() -> None:
    waiting = rule("expected_coverage", kind="measurement", needs=("output", "expected"), weight=3.0)
    result = judged(fails(rule("a")), passes(rule("b")), skips(waiting, lacked=("expected",)))
    assert (result["verdict"]["state"], result["verdict"]["basis"]) == ("unknown", "score_below_threshold")
    assert result["passed"] is False


@pytest.mark.parametrize("reads, lacked", [(("output",), ("output",)), (("output", "input"), ())])
def test_a_rule_waits_when_it_lacked_something_or_reads_an_input_the_call_had_not(
    reads: tuple[str, ...], lacked: tuple[str, ...]
) -> None:
    waiting = rule("waiting", reads=reads, weight=3.0)
    assert verdict_of(fails(rule("a")), passes(rule("b")), skips(waiting, lacked=lacked))["state"] == "unknown"


def test_a_low_score_that_no_input_could_lift_fails() -> None:
    idle = rule("idle", weight=30.0)
    assert verdict_of(fails(rule("a")), passes(rule("b")), skips(idle))["state"] == "fail"


def test_the_printed_score_is_the_one_compared() -> None:
    below, at = [passes(rule("a", kind="measurement"), s) for s in (0.6994, 0.6995)]
    assert (judged(below)["score"], judged(below)["passed"]) == (0.699, False)
    assert (judged(at)["score"], judged(at)["passed"]) == (0.7, True)


def test_rules_without_weight_are_averaged_plainly() -> None:
    weightless = [rule(name, weight=0.0) for name in "ab"]
    result = judged(passes(weightless[0]), fails(weightless[1], 0.5))
    assert result["score"] == 0.75
    assert result["categories"]["safety"]["score"] == 0.75


def test_a_fail_outranks_an_unknown_and_every_layer_that_decided_is_told() -> None:
    settings = Settings(required_evidence=Setting(("input",)))
    critical = rule("no_injection_patterns", critical=True)
    verdict = verdict_of(skips(critical, "defeated"), fails(VETO), fails(LIMIT), passes(rule("x")), settings=settings)
    assert (verdict["basis"], verdict["by"]) == ("policy_gate", ["limit"])
    assert verdict["also"] == [
        {"basis": "detector_veto", "state": "fail", "by": ["no_pii"]},
        {"basis": "critical_unknown", "state": "unknown", "by": ["no_injection_patterns"]},
        {"basis": "required_evidence_missing", "state": "unknown", "by": ["input"]},
        {"basis": "score_below_threshold", "state": "fail", "by": ["no_pii", "limit"]},
    ]


def test_a_later_fail_outranks_an_earlier_unknown() -> None:
    verdict = verdict_of(skips(VETO, "defeated"), fails(rule("a")), passes(rule("b")))
    assert (verdict["state"], verdict["basis"]) == ("fail", "score_below_threshold")
    assert [n["basis"] for n in verdict["also"]] == ["critical_unknown"]


def test_the_policy_orders_the_layers() -> None:
    policy = replace(POLICY, layers=("veto", "gate", "unknown", "evidence", "risk", "score"))
    assert verdict_of(fails(LIMIT), fails(VETO), *OTHERS, policy=policy)["basis"] == "detector_veto"
