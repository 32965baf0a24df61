"""The packs that ship with Iris: they compile, carry enough tests, and the demo runs come out as labelled."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import iris
from iris.evaluate import Evaluator
from iris.flow import Compiled, compile_packs
from iris.mutate import mutate
from iris.plan.lock import lock_problems

NAMES = {
    "min_output_length", "non_empty_output", "sentence_count", "expected_coverage", "keyword_overlap", "topic_consistency",
    "no_pii", "no_blocklist_words", "no_injection_patterns", "no_stub_output", "no_hallucination_markers",
    "no_silent_tool_failure", "cost_under_threshold", "token_efficiency", "no_tool_loop",
}  # fmt: skip
DEMO = [
    json.loads(line)
    for line in (Path(iris.__file__).parent / "demo" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    found = compile_packs()
    assert found.problems == []
    return found


def test_the_fifteen_rules_are_there(compiled: Compiled) -> None:
    assert compiled.plan is not None
    assert {r["name"] for r in compiled.plan["rules"] if not r["template"]} == NAMES


def test_every_rule_has_five_cases_each_way_and_every_detector_two_examples(compiled: Compiled) -> None:
    for pack in compiled.packs:
        for rule in pack.rules:
            kinds = Counter(c.expect for c in rule.cases)
            least = 5 if rule.parameters is None else 2
            assert kinds["fail"] >= least, rule.name
            assert kinds["pass"] >= least, rule.name
        for _, detectors in pack.detectors:
            for detector in detectors:
                assert len(detector.hits) >= 2, detector.name
                assert len(detector.misses) >= 2, detector.name


def test_the_locks_are_fresh(compiled: Compiled) -> None:
    assert compiled.plan is not None
    assert lock_problems(compiled.plan, compiled.packs, built_in=True) == []


def test_no_mutant_of_a_stable_rule_survives(compiled: Compiled) -> None:
    survivors, total = mutate(compiled, rule=None, built_in=True)
    assert total > 800
    assert [f"{s.rule}: {s.what}" for s in survivors if s.stable] == []


def test_there_are_demo_runs_for_every_rule_and_outcome() -> None:
    assert len(DEMO) >= 40
    assert {name for run in DEMO for name in run["label"]["rules"]} == NAMES


@pytest.mark.parametrize("run", DEMO, ids=[run["id"] for run in DEMO])
def test_a_demo_run_fails_the_rules_its_label_names(run: dict[str, object], compiled: Compiled, evaluator: Evaluator) -> None:
    label = run["label"]
    assert isinstance(label, dict)
    result = evaluator.evaluate(run, "all", evaluation_id="x")
    failed = {r["ruleName"] for r in result["rule_results"] if not r["passed"] and not r.get("skipped")}
    assert failed == set(label["rules"])


@pytest.fixture(scope="module")
def evaluator(compiled: Compiled) -> Evaluator:
    assert compiled.plan is not None
    return Evaluator(compiled.plan)
