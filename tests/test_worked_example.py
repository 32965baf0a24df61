"""A custom critical rule beside the built-in safety rules, as a deployed pack and inline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.problems import ProblemsFound

SCHEMA = json.loads((Path(__file__).parent / "contract" / "evaluate_output.output.schema.json").read_text(encoding="utf-8"))
PATTERN = r"(?i)\bdb-[a-z]+\.internal\.example\b"
ANSWER = (
    "The nightly report runs at two and reads its figures from db-primary.internal.example, which holds the orders "
    "of the last ninety days. Nothing has to be done on your side; the totals appear at six."
)
DEFINITION = {"name": "no_internal_hostnames", "type": "regex_no_match", "config": {"pattern": PATTERN}, "severity": "high"}


def deployed(folder: Path) -> Path:
    """A pack with one deployed rule."""
    (folder / "pack.yaml").write_text(
        'pack: home\nversion: 1.0.0\nengine: ">=1"\ntitle: Deployed rules\nlicence: none\ndeployed: true\n', encoding="utf-8"
    )
    (folder / "no_internal_hostnames.yaml").write_text(
        f"rule: no_internal_hostnames\nuse: regex_no_match\ncritical: true\nweight: 1\nwith: {{pattern: '{PATTERN}'}}\n",
        encoding="utf-8",
    )
    return folder


def assert_worked(result: dict[str, Any], name: str) -> None:
    assert len(ANSWER) == pytest.approx(200, abs=3)
    assert result["score"] == 0.895
    assert result["passed"] is False
    assert result["critical_failures"] == [name]
    assert result["verdict"]["basis"] == "policy_gate"
    jsonschema.validate(result, SCHEMA)


def test_a_deployed_rule_vetoes_a_clean_answer_that_names_a_host(tmp_path: Path) -> None:
    evaluator = Evaluator(load_plan([deployed(tmp_path)]))
    result = evaluator.evaluate({"output": ANSWER}, "safety", evaluation_id="e1")
    assert_worked(result, "no_internal_hostnames")


def test_an_inline_rule_does_the_same() -> None:
    evaluator = Evaluator(load_plan())
    rules = evaluator.custom([DEFINITION])
    result = evaluator.evaluate({"output": ANSWER}, "safety", evaluation_id="e1", custom_rules=rules)
    assert_worked(result, "no_internal_hostnames")


def test_without_the_rule_the_answer_passes() -> None:
    result = Evaluator(load_plan()).evaluate({"output": ANSWER}, "safety", evaluation_id="e1")
    assert result["passed"] is True
    assert result["score"] == 1.0


@pytest.mark.parametrize(
    ("definition", "output", "passed", "score"),
    [
        ({"type": "regex_match", "config": {"pattern": "^ok", "flags": "i"}}, "OK then", True, 1.0),
        ({"type": "regex_match", "config": {"pattern": "^ok"}}, "OK then", False, 0.0),
        ({"type": "regex_no_match", "config": {"pattern": "secret"}}, "no secret here", False, 0.0),
        ({"type": "min_length", "config": {"length": 10}}, "12345", False, 0.5),
        ({"type": "min_length", "config": {"min_length": 5}}, "12345", True, 1.0),
        ({"type": "max_length", "config": {"max_length": 4}}, "12345678", False, 0.5),
        ({"type": "contains_keywords", "config": {"keywords": ["refund", "days"]}}, "A refund comes.", False, 0.5),
        ({"type": "contains_keywords", "config": {"keywords": ["refund", "days"], "threshold": 0.5}}, "A refund comes.", True, 0.5),
        ({"type": "excludes_keywords", "config": {"keywords": ["ass", "no"]}}, "The class passed; we know.", True, 1.0),
        ({"type": "excludes_keywords", "config": {"keywords": ["never"]}}, "Never.", False, 0.0),
        ({"type": "json_schema", "config": {}}, '{"a": 1}', True, 1.0),
        ({"type": "json_schema", "config": {}}, '{"a": 1, "a": 2}', False, 0.0),
        ({"type": "json_schema", "config": {"schema": {"type": "object", "required": ["b"]}}}, '{"a": 1}', False, 0.0),
        ({"type": "expression", "config": {"fail_when": 'not mentions(output, "refund")'}}, "Hello.", False, 0.0),
        ({"type": "expression", "config": {"fail_when": 'not mentions(output, "refund")'}}, "A refund.", True, 1.0),
    ],
)
def test_each_type_of_custom_rule_judges_as_documented(definition: dict[str, Any], output: str, passed: bool, score: float) -> None:
    evaluator = Evaluator(load_plan())
    rules = evaluator.custom([{"name": "mine", **definition}])
    result = evaluator.evaluate({"output": output}, "custom", evaluation_id="e1", custom_rules=rules)
    item = next(r for r in result["rule_results"] if r["ruleName"] == "mine")
    assert (item["passed"], item["score"]) == (passed, pytest.approx(score))
    jsonschema.validate(result, SCHEMA)


def test_a_cost_rule_without_a_cost_is_skipped() -> None:
    evaluator = Evaluator(load_plan())
    rules = evaluator.custom([{"name": "dear", "type": "cost_threshold", "config": {"max_cost": 0.1}}])
    for cost, passed, skipped in ((None, False, True), (0.2, False, False), (0.1, True, False)):
        run = {"output": "x"} if cost is None else {"output": "x", "cost_usd": cost}
        result = evaluator.evaluate(run, "custom", evaluation_id="e1", custom_rules=rules)
        item = result["rule_results"][-1]
        assert (item["passed"], item.get("skipped", False)) == (passed, skipped)


@pytest.mark.parametrize(
    ("definition", "field"),
    [
        ({"name": "", "type": "min_length", "config": {"length": 3}}, "name"),
        ({"name": "x", "type": "min_lenght", "config": {}}, "type"),
        ({"name": "x", "type": "min_length", "config": {}}, "config.min_length"),
        ({"name": "x", "type": "min_length", "config": {"length": 0}}, "config.min_length"),
        ({"name": "x", "type": "min_length", "config": {"length": 3, "size": 1}}, "config.size"),
        ({"name": "x", "type": "regex_match", "config": {"pattern": "(?=a)b"}}, "config.pattern"),
        ({"name": "x", "type": "regex_match", "config": {"pattern": "(a)\\1"}}, "config.pattern"),
        ({"name": "x", "type": "regex_match", "config": {"pattern": "a", "flags": "q"}}, "config.flags"),
        ({"name": "x", "type": "regex_match", "config": {"pattern": "a" * 1001}}, "config.pattern"),
        ({"name": "x", "type": "contains_keywords", "config": {"keywords": []}}, "config.keywords"),
        ({"name": "x", "type": "json_schema", "config": {"schema": {"$ref": "http://127.0.0.1:9/x"}}}, "config.schema"),
        ({"name": "x", "type": "json_schema", "config": {"schema": {"pattern": "(?=a)"}}}, "config.schema"),
        ({"name": "x", "type": "cost_threshold", "config": {"max_cost": -1}}, "config.max_cost"),
        ({"name": "x", "type": "min_length", "config": {"length": 3}, "weight": 0}, "weight"),
        ({"name": "x", "type": "min_length", "config": {"length": 3}, "colour": "red"}, "colour"),
        ({"name": "x", "type": "min_length", "config": {"length": 3}, "severity": "fatal"}, "severity"),
    ],
)
def test_a_wrong_definition_is_a_problem_that_names_its_field(definition: dict[str, Any], field: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        Evaluator(load_plan()).custom([definition])
    assert any(problem.message.startswith(f"{field}:") for problem in caught.value.problems), caught.value.problems
