"""Faults that were reported of other evaluators, as they must come out here."""

from __future__ import annotations

import math

import pytest

from iris.verdict.settings import Setting, Settings

from .builders import EVERYTHING, fails, judged, passes, rule, skips

NAN = float("nan")


@pytest.mark.parametrize("findings", [[], [skips(rule("a")), skips(rule("b", bundle="cost"))]])
def test_a_run_in_which_no_rule_judged_is_not_passed(findings: list[object]) -> None:  # B111
    result = judged(*findings)  # type: ignore[arg-type]
    assert result["passed"] is False
    assert result["insufficient_data"] is True
    assert (result["score"], result["rules_evaluated"]) == (0.0, 0)
    assert (result["verdict"]["state"], result["verdict"]["basis"]) == ("unknown", "no_rules")
    assert all(c["passed"] is None and c["score"] is None for c in result["categories"].values())


def test_an_evaluation_without_rules_says_what_to_do() -> None:  # B111
    assert judged()["suggestions"] == ["No rule applies to this evaluation: choose another eval_type or deploy a rule."]


def test_no_rule_judged_beside_an_unjudged_critical_rule_tells_both() -> None:  # B111
    verdict = judged(skips(rule("a", critical=True), "defeated"))["verdict"]
    assert (verdict["basis"], [n["basis"] for n in verdict["also"]]) == ("no_rules", ["critical_unknown"])


@pytest.mark.parametrize("score", [NAN, math.inf, -math.inf])
def test_a_score_that_is_no_number_was_not_evaluated(score: float) -> None:  # B115
    findings = [passes(rule("a"), 0.8), passes(rule("b"), score), passes(rule("c"), 0.6)]
    result = judged(*findings, settings=Settings(threshold=Setting(0.5)))
    assert result["score"] == 0.7
    assert (result["rules_evaluated"], result["rules_skipped"]) == (2, 1)
    item = result["rule_results"][1]
    assert (item["skipped"], item["score"], item["skipClass"]) == (True, 0.0, "defeated")
    assert item["skipReason"] == "the rule's score is not a number"
    assert result["passed"] is True


def test_a_measurement_that_fails_without_a_number_was_not_evaluated() -> None:  # B115
    result = judged(fails(rule("a", kind="measurement"), NAN), passes(rule("b")))
    assert (result["score"], result["rules_skipped"]) == (1.0, 1)


def test_a_critical_pass_without_a_number_is_unknown() -> None:  # B115
    result = judged(passes(rule("a", critical=True), NAN), passes(rule("b")))
    assert (result["verdict"]["state"], result["verdict"]["basis"]) == ("unknown", "critical_unknown")
    assert result["passed"] is False


def test_a_broken_score_does_not_hide_that_a_rule_failed() -> None:  # B115
    result = judged(fails(rule("no_pii", critical=True), NAN), passes(rule("b", weight=99.0)))
    assert result["verdict"]["basis"] == "detector_veto"
    assert (result["rule_results"][0]["score"], result["score"]) == (0.0, 0.99)


def test_a_skipped_rule_keeps_its_own_reason_whatever_its_score() -> None:  # B115
    found = skips(rule("a"), reason="needs cost")
    found.score = NAN
    item = judged(found, passes(rule("b")))["rule_results"][0]
    assert (item["skipReason"], item["skipClass"]) == ("needs cost", "not_applicable")


@pytest.mark.parametrize("given, kept", [(1.5, 1.0), (-2.0, 0.0)])
def test_a_score_out_of_bounds_is_brought_within(given: float, kept: float) -> None:
    assert judged(passes(rule("a"), given))["rule_results"][0]["score"] == kept


def test_a_rule_that_crashed_is_listed_and_not_a_zero() -> None:  # B117
    crashed = skips(rule("b"), "defeated", reason="the rule failed on this run: timeout")
    result = judged(passes(rule("a")), crashed, passes(rule("c")))
    assert result["score"] == 1.0
    assert (result["rules_evaluated"], result["rules_skipped"]) == (2, 1)
    assert result["rule_results"][1]["skipReason"] == "the rule failed on this run: timeout"
    assert result["coverage"]["questions"][0]["why"] == "defeated: b"


def test_a_value_that_is_no_number_is_left_out() -> None:
    found = fails(rule("a"), value=("ratio", "ratio", NAN))
    assert "value" not in judged(found)["rule_results"][0]


def test_a_rule_the_call_gave_no_input_does_not_score() -> None:
    missing = skips(rule("cost_under_threshold", bundle="cost", needs=("cost",), kind="policy"), lacked=("cost",))
    result = judged(passes(rule("a")), missing)
    assert result["score"] == 1.0
    assert (result["categories"]["cost"]["passed"], result["categories"]["cost"]["score"]) == (None, None)
    assert result["suggestions"] == ["Supply `cost` so that cost_under_threshold can judge."]


def test_an_empty_required_input_can_not_be_bought_with_a_good_score() -> None:
    settings = Settings(required_evidence=Setting(("citations",)))
    carried = {**EVERYTHING, "citations": False}
    assert judged(passes(rule("a")), settings=settings, carried=carried)["passed"] is False
