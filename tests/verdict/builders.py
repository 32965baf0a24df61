"""Rules, findings and calls for the tests of the verdict stage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from iris.run.finding import Finding, RuleInfo
from iris.verdict.compose import Composer, Counts
from iris.verdict.facts import Envelope, PlanFacts
from iris.verdict.policy import INPUTS, Policy, policy_from
from iris.verdict.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "tests" / "contract" / "evaluate_output.output.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA)
PLAN = PlanFacts("0.1.0", "feedc0de", "none", {"safety": "1.0.0"})
ENVELOPE = Envelope("ev-1", "2026-01-02T03:04:05Z")
TEXT_ONLY = {name: name == "output" for name in INPUTS}
EVERYTHING = dict.fromkeys(INPUTS, True)
QUESTION_OF = {
    "safety": "safe_output",
    "completeness": "complete",
    "relevance": "relevant",
    "cost": "within_budget",
    "custom": None,
}


def policy_data() -> dict[str, Any]:
    """Read the shipped policy as plain data."""
    data = yaml.safe_load((ROOT / "rulepacks" / "verdict.yaml").read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data


POLICY: Policy = policy_from(policy_data())


def rule(name: str, **changes: Any) -> RuleInfo:
    """Make a rule: a built-in safety detection on the output unless told otherwise."""
    bundle = changes.get("bundle", "safety")
    facts: dict[str, Any] = {
        "name": name, "title": name, "bundle": bundle, "kind": "detection", "question": QUESTION_OF[bundle], "classes": (),
        "critical": False, "weight": 1.0, "version": 1, "status": "stable", "remedy": f"Mend {name}.", "needs": ("output",),
        "reads": ("output",), "settings": (), "origin": "built-in", "rule_id": None, "hash": f"hash of {name}",
    }  # fmt: skip
    facts.update(changes)
    if "needs" in changes and "reads" not in changes:
        facts["reads"] = changes["needs"]
    return RuleInfo(**facts)


def passes(r: RuleInfo, score: float = 1.0, **changes: Any) -> Finding:
    """Make a finding that passes."""
    return Finding(r, "passes", score, f"{r.name} passes", [], **changes)


def fails(r: RuleInfo, score: float = 0.0, **changes: Any) -> Finding:
    """Make a finding that fails."""
    return Finding(r, "fails", score, f"{r.name} fails", [], **changes)


def skips(r: RuleInfo, skip_class: str | None = "not_applicable", **changes: Any) -> Finding:
    """Make a finding that skips."""
    reason = changes.pop("reason", "needs an input")
    return Finding(r, "skipped", 0.0, "skipped", [], skip_reason=reason, skip_class=skip_class, **changes)


def judged(*findings: Finding, **changes: Any) -> dict[str, Any]:
    """Compose findings under the shipped policy, and hold the result to the contract."""
    policy = changes.pop("policy", POLICY)
    settings = changes.pop("settings", Settings())
    accuracy = changes.pop("accuracy", {})
    call: dict[str, Any] = {"eval_type": "all", "carried": TEXT_ONLY, "envelope": ENVELOPE, **changes}
    result = Composer(policy, settings, [f.rule for f in findings], PLAN, accuracy).compose(findings, **call)
    VALIDATOR.validate(json.loads(text_of(result)))
    return result


def text_of(result: dict[str, Any]) -> str:
    """Write a result as strict JSON."""
    return json.dumps(result, allow_nan=False)


def counts(tp: int, fp: int, fn: int, tn: int) -> Counts:
    """Make published counts."""
    return Counts(tp, fp, fn, tn, "1", "2026-01", "human-verified")


def fifteen() -> list[RuleInfo]:
    """Make rules like the fifteen of the first release."""
    policy = {"kind": "policy", "settings": ("limit",)}
    calls = ("tool_calls",)
    grounding = {"question": "grounded", "reads": ("output", "input")}
    return [
        rule("min_output_length", bundle="completeness", kind="measurement", classes=("format",)),
        rule("non_empty_output", bundle="completeness", kind="policy", weight=2.0, classes=("format",)),
        rule("sentence_count", bundle="completeness", kind="measurement", weight=0.5, classes=("format",)),
        rule("expected_coverage", bundle="completeness", kind="measurement", weight=1.5, needs=("output", "expected")),
        rule("keyword_overlap", bundle="relevance", kind="measurement", needs=("output", "input"), classes=("off_task",)),
        rule("topic_consistency", bundle="relevance", kind="measurement", needs=("output", "input"), classes=("off_task",)),
        rule("no_pii", critical=True, weight=2.0, classes=("pii_leak", "credential_leak")),
        rule("no_blocklist_words", kind="policy", critical=True, weight=2.0),
        rule("no_injection_patterns", critical=True, weight=2.0, classes=("injection",)),
        rule("no_stub_output", kind="inference", weight=1.5, classes=("stub",), question="complete"),
        rule("no_hallucination_markers", kind="inference", classes=("fabrication",), **grounding),
        rule("no_silent_tool_failure", kind="inference", weight=1.5, needs=("output", *calls), question="tool_use_correct"),
        rule("cost_under_threshold", bundle="cost", needs=("cost",), classes=("over_budget",), **policy),
        rule("token_efficiency", bundle="cost", kind="measurement", weight=0.5, needs=("tokens",), classes=("over_budget",)),
        rule("no_tool_loop", bundle="cost", needs=calls, classes=("tool_loop",), question="tool_use_correct"),
    ]
