"""The layers of a verdict and the parts of its result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from iris.verdict.compose import Composer, compose
from iris.verdict.facts import Envelope
from iris.verdict.settings import Setting, Settings

from .builders import (
    ENVELOPE,
    EVERYTHING,
    PLAN,
    POLICY,
    TEXT_ONLY,
    fails,
    fifteen,
    judged,
    passes,
    rule,
    skips,
    text_of,
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


def test_any_failing_judgment_gates() -> None:
    assert verdict_of(fails(rule("judge", kind="judgment")), *OTHERS)["basis"] == "policy_gate"


@pytest.mark.parametrize("kind", ["detection", "inference", "measurement", "verification"])
def test_a_critical_rule_of_another_kind_vetoes(kind: str) -> None:
    result = judged(fails(rule("one", kind=kind, critical=True)), *OTHERS)
    assert (result["verdict"]["basis"], result["verdict"]["by"]) == ("detector_veto", ["one"])
    assert result["rule_results"][0]["role"] == "veto"


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


@pytest.mark.parametrize(
    "kind, role", [("measurement", "term"), ("detection", "advisory"), ("inference", "advisory"), ("verification", "advisory")]
)
def test_a_rule_that_is_not_critical_and_not_measured_only_moves_the_score(kind: str, role: str) -> None:
    result = judged(fails(rule("one", kind=kind)), *OTHERS)
    assert result["passed"] is True
    assert result["rule_results"][0]["role"] == role


def test_a_skipped_policy_shows_the_role_its_number_gives_it() -> None:
    ours = judged(skips(LIMIT), *OTHERS)
    theirs = judged(skips(LIMIT), *OTHERS, settings=Settings(rules={"limit": {"limit": Setting(3)}}))
    assert ours["rule_results"][0]["role"] == "advisory"
    assert theirs["rule_results"][0]["role"] == "gate"


def test_an_item_of_a_rule_that_passes_has_its_keys_in_order() -> None:
    (item,) = judged(passes(rule("one", rule_id="rule-1", classes=("stub",))))["rule_results"]
    assert item == {
        "ruleName": "one",
        "ruleId": "rule-1",
        "passed": True,
        "score": 1.0,
        "message": "one passes",
        "category": "safety",
        "critical": False,
        "criticalSource": "default",
        "kind": "detection",
        "role": "advisory",
        "question": "safe_output",
        "classes": ["stub"],
        "ruleVersion": 1,
        "saw": ["output"],
        "uncertainty": {"basis": "unmeasured", "why": "no labelled runs of this rule are published"},
    }


def test_an_item_of_a_rule_that_fails_has_the_classes_and_evidence_of_what_was_found() -> None:
    span = {"type": "span", "source": "output", "start": 3, "end": 9, "label": "us_ssn"}
    found = fails(rule("no_pii", classes=("pii_leak", "credential_leak")), classes=("pii_leak",), signals=("ssn",))
    found.evidence.append(span)
    found.value, found.capped = ("leaks", "count", 2.0), True
    item = judged(found)["rule_results"][0]
    assert (item["passed"], item["score"]) == (False, 0.0)
    assert item["classes"] == ["pii_leak"]
    assert item["evidence"] == [span]
    assert item["value"] == {"stat": "leaks", "unit": "count", "value": 2.0}
    assert item["signals"] == ["ssn"]
    assert item["capped"] is True


def test_an_item_of_a_rule_that_skips_says_why_and_has_no_uncertainty() -> None:
    broken = skips(rule("mine", bundle="custom", origin="custom"), "config_invalid", reason="the pattern is empty")
    item = judged(broken)["rule_results"][0]
    assert (item["passed"], item["score"], item["skipped"]) == (False, 0.0, True)
    assert (item["skipReason"], item["skipClass"], item["configInvalid"]) == ("the pattern is empty", "config_invalid", True)
    assert "uncertainty" not in item
    assert "question" not in item


def test_a_skip_without_a_class_is_not_applicable() -> None:
    item = judged(skips(rule("one"), None))["rule_results"][0]
    assert item["skipClass"] == "not_applicable"
    assert "configInvalid" not in item


def test_a_pass_tells_what_it_did_not_check_and_advises() -> None:
    item = judged(passes(rule("one"), unchecked=("tools",), advice=("echo",), value=("n", "calls", 3.0)))["rule_results"][0]
    assert (item["unchecked"], item["advice"], item["value"]["value"]) == (["tools"], ["echo"], 3.0)


def test_a_rule_saw_the_inputs_it_reads_that_the_call_carried() -> None:
    one = rule("one", needs=("tool_calls", "output"), reads=("tool_calls", "output", "input", "latency", "metadata"))
    carried = {**TEXT_ONLY, "input": True, "latency": True}
    assert judged(passes(one), carried=carried)["rule_results"][0]["saw"] == ["output", "input"]


@pytest.mark.parametrize(
    "kind, uncertainty",
    [
        ("policy", {"basis": "policy"}),
        ("measurement", {"basis": "definition", "conformance": {"n": 0, "matched": 0}}),
        ("judgment", {"basis": "unmeasured", "why": "a judgment has no published accuracy"}),
        ("inference", {"basis": "unmeasured", "why": "no labelled runs of this rule are published"}),
    ],
)
def test_an_answer_says_what_it_rests_on(kind: str, uncertainty: dict[str, Any]) -> None:
    assert judged(passes(rule("one", kind=kind)))["rule_results"][0]["uncertainty"] == uncertainty


def test_without_published_counts_there_is_no_risk() -> None:
    assert judged(*OTHERS)["verdict"]["risk"] is None


def questions_of(result: dict[str, Any]) -> dict[str, Any]:
    return {q["id"]: q for q in result["coverage"]["questions"]}


def test_coverage_answers_all_seven_questions() -> None:
    findings = [
        passes(rule("no_pii")),
        passes(rule("a", question="complete")),
        skips(rule("b", question="complete", needs=("expected",))),
        skips(rule("c", question="tool_use_correct"), lacked=("tool_calls",)),
        skips(rule("d", question="grounded"), "defeated"),
        skips(rule("e", question="grounded"), "config_invalid"),
        skips(rule("f", question="relevant")),
    ]
    questions = questions_of(judged(*findings))
    assert [q["status"] for q in questions.values()] == [
        "judged", "unjudged", "judged", "unjudged", "not_applicable", "unjudged", "not_applicable",
    ]  # fmt: skip
    assert "why" not in questions["safe_output"]
    assert (questions["complete"]["evaluated"], questions["complete"]["of"]) == (1, 2)
    assert questions["complete"]["why"] == "not supplied: expected"
    assert questions["tool_use_correct"]["why"] == "not supplied: tool_calls"
    assert questions["grounded"]["why"] == "defeated: d; config_invalid: e"
    assert questions["relevant"]["why"] == "did not apply: f"
    assert questions["within_budget"]["why"] == "no rule of this evaluation asks it; it is about cost, tokens, tool_calls"


def test_coverage_tells_the_inputs_and_the_dormant_rules() -> None:
    dormant = [{"ruleId": "rule-9", "name": "no_hosts", "reason": "the pattern does not compile"}]
    coverage = judged(*OTHERS, dormant=dormant)["coverage"]
    assert coverage["inputs"] == TEXT_ONLY
    assert coverage["dormant"] == dormant


def test_suggestions_are_remedies_then_inputs_each_once() -> None:
    loop, silent = (rule(n, needs=("tool_calls",)) for n in ("no_tool_loop", "no_silent_tool_failure"))
    broken = skips(rule("mine"), "config_invalid", reason="the pattern is empty")
    same = [fails(rule(n, remedy="Take the value out.")) for n in "ab"]
    findings = [*same, fails(rule("quiet", remedy="")), broken, skips(loop), skips(silent)]
    assert judged(*findings)["suggestions"] == [
        "Take the value out.",
        "Correct the settings of mine: the pattern is empty",
        "Supply `tool_calls` so that no_tool_loop and no_silent_tool_failure can judge.",
    ]


def test_categories_are_null_where_nothing_was_judged() -> None:
    findings = [passes(rule("a")), skips(rule("b", bundle="cost", critical=True)), fails(rule("c", bundle="relevance"), 0.4)]
    categories = judged(*findings)["categories"]
    assert list(categories) == ["completeness", "relevance", "safety", "cost", "custom"]
    assert (categories["safety"]["score"], categories["safety"]["passed"]) == (1.0, True)
    assert (categories["relevance"]["score"], categories["relevance"]["passed"]) == (0.4, False)
    assert categories["cost"] == {
        "score": None,
        "passed": None,
        "rules_evaluated": 0,
        "rules_skipped": 1,
        "insufficient_data": True,
        "critical_failures": [],
        "critical_skipped": ["b"],
    }
    assert categories["custom"]["passed"] is None


def test_a_bundle_fails_when_one_of_its_rules_decided_against_the_run() -> None:
    categories = judged(fails(VETO), *OTHERS)["categories"]
    assert (categories["safety"]["score"], categories["safety"]["passed"]) == (0.9, False)
    assert categories["safety"]["critical_failures"] == ["no_pii"]


def test_a_note_says_which_bundles_ran_and_how_to_choose() -> None:
    envelope = replace(ENVELOPE, note=True)
    note = judged(passes(rule("a")), passes(rule("b", bundle="cost")), passes(rule("c")), envelope=envelope)["note"]
    assert note == (
        "eval_type was omitted, so every bundle ran: safety (2 rules), cost (1 rule). "
        "To run one, set eval_type to completeness, relevance, safety, cost or custom."
    )
    assert "note" not in judged(*OTHERS)


def test_a_trace_is_named_only_when_there_is_one() -> None:
    assert judged(*OTHERS, envelope=Envelope("e", "2026-01-02T03:04:05Z", "trace-1"))["trace_id"] == "trace-1"
    assert "trace_id" not in judged(*OTHERS)


def test_provenance_tells_what_judged() -> None:
    settings = Settings(threshold=Setting(0.6), rules={"limit": {"limit": Setting(3, "call")}})
    provenance = judged(passes(LIMIT), settings=settings)["provenance"]
    assert provenance["thresholds"] == {"default": 0.6, "perRule": {"limit": {"limit": {"value": 3, "source": "call"}}}}
    assert (provenance["irisVersion"], provenance["planHash"], provenance["corpusVersion"]) == ("0.1.0", "feedc0de", "none")
    assert provenance["packs"] == {"safety": "1.0.0"}
    assert provenance["judgedAt"] == ENVELOPE.judged_at
    for name in ("rulesetHash", "configHash"):
        assert len(provenance[name]) == 16
        assert int(provenance[name], 16) >= 0


def hash_of(*findings: Any, **changes: Any) -> tuple[str, str]:
    provenance = judged(*findings, **changes)["provenance"]
    return provenance["rulesetHash"], provenance["configHash"]


def test_the_ruleset_hash_is_of_the_rules_that_judged_in_any_order() -> None:
    a, b = rule("a"), rule("b")
    base = hash_of(passes(a), passes(b))
    assert hash_of(fails(b), passes(a)) == base
    assert hash_of(passes(a), passes(b), skips(rule("c"))) == base
    for changed in (rule("b", version=2), rule("b", weight=2.0), rule("b", critical=True), rule("b", hash="x")):
        assert hash_of(passes(a), passes(changed))[0] != base[0]
    assert hash_of(passes(a), skips(b))[0] != base[0]


def test_the_config_hash_is_of_the_policy_and_the_settings() -> None:
    base = hash_of(*OTHERS)[1]
    for settings in (
        Settings(threshold=Setting(0.71)),
        Settings(critical_rules=("other_0",)),
        Settings(priors={"stub": Setting(0.2)}),
        Settings(rules={"other_0": {"words": Setting(["a"])}}),
    ):
        assert hash_of(*OTHERS, settings=settings)[1] != base
    assert hash_of(*OTHERS, policy=replace(POLICY, minimum_runs=7))[1] != base


def test_compose_gives_what_a_composer_gives() -> None:
    call: dict[str, Any] = {"eval_type": "all", "carried": TEXT_ONLY, "envelope": ENVELOPE}
    assert compose(OTHERS, policy=POLICY, settings=Settings(), plan=PLAN, **call) == judged(*OTHERS)


def test_a_composer_gives_each_call_its_own_result() -> None:
    rules = fifteen()
    composer = Composer(POLICY, Settings(rules={"limit": {"limit": Setting(1)}}), rules, PLAN)
    findings = [passes(r) if "output" in r.needs else skips(r) for r in rules]

    def result() -> dict[str, Any]:
        return composer.compose(findings, "all", EVERYTHING, ENVELOPE)

    first, before = result(), text_of(result())
    _spoil(first)
    assert text_of(result()) == before


def _spoil(value: Any) -> None:
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            _spoil(inner)
    value.clear()


def test_a_composer_tells_calls_with_other_inputs_skips_and_rules_apart() -> None:
    rules = fifteen()
    composer = Composer(POLICY, Settings(), rules, PLAN)
    calls = [
        ([passes(r) for r in rules], EVERYTHING),
        ([passes(r) if r.needs == ("output",) else skips(r) for r in rules], TEXT_ONLY),
        ([passes(r) if r.needs == ("output",) else skips(r, "defeated") for r in rules], TEXT_ONLY),
        ([passes(rule(r.name)) for r in rules], EVERYTHING),
        ([passes(r) for r in rules[6:12]], EVERYTHING),
    ]
    for _ in range(2):
        for findings, carried in calls:
            result = composer.compose(findings, "all", carried, ENVELOPE)
            assert result == judged(*findings, carried=carried)


def test_a_composer_keeps_a_bounded_number_of_lineups() -> None:
    composer = Composer(POLICY, Settings(), [], PLAN)
    for i in range(600):
        result = composer.compose([passes(rule(f"inline_{i}", origin="custom"))], "custom", TEXT_ONLY, ENVELOPE)
        assert result["rule_results"][0]["ruleName"] == f"inline_{i}"
    assert len(composer._lineups) <= 256


def test_a_result_is_plain_json() -> None:
    result = judged(*OTHERS, fails(LIMIT), skips(VETO, "defeated"))
    assert json.loads(text_of(result)) == result
