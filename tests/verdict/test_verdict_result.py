"""The parts of a result besides its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from iris.verdict.facts import Envelope
from iris.verdict.settings import Setting, Settings

from .builders import (
    ENVELOPE,
    POLICY,
    TEXT_ONLY,
    fails,
    judged,
    passes,
    rule,
    skips,
)

OTHERS = [passes(rule(f"other_{i}")) for i in range(9)]
LIMIT = rule("limit", kind="policy", settings=("limit",))
VETO = rule("no_pii", critical=True)


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
    numberless = judged(skips(rule("non_empty_output", kind="policy")), *OTHERS)
    assert ours["rule_results"][0]["role"] == "advisory"
    assert numberless["rule_results"][0]["role"] == "gate"
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


def test_a_bundle_fails_by_a_gate_that_is_not_critical() -> None:
    safety = judged(fails(LIMIT), *OTHERS)["categories"]["safety"]
    assert (safety["score"], safety["passed"], safety["critical_failures"]) == (0.9, False, [])


def test_a_bundle_passes_when_its_critical_rule_was_never_asked() -> None:
    assert judged(skips(VETO), *OTHERS)["categories"]["safety"]["passed"] is True
    assert judged(skips(VETO, "defeated"), *OTHERS)["categories"]["safety"]["passed"] is False


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
