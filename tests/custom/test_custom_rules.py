"""Custom rules given as JSON: each type judges as it is documented, and each mistake is named by its field."""

from __future__ import annotations

import time
from typing import Any

import pytest

from iris.check.custom import ALIASES, TYPES, check_definition
from iris.evaluate import Evaluator

from .definitions import GOOD, VALIDATOR, Judge


def test_every_type_has_an_example_here() -> None:
    assert set(GOOD) == set(TYPES)


@pytest.mark.parametrize(
    "kind, config, run, passed, score",
    [
        ("regex_match", {"pattern": "^ok"}, "ok then", True, 1.0),
        ("regex_match", {"pattern": "ok$"}, "ok then", False, 0.0),
        ("regex_match", {"pattern": ""}, "", True, 1.0),
        ("regex_no_match", {"pattern": "secret"}, "no secret", False, 0.0),
        ("regex_no_match", {"pattern": "secret"}, "no Secret", True, 1.0),
        ("min_length", {"min_length": 4}, "abcd", True, 1.0),
        ("min_length", {"min_length": 4}, "abc", False, 0.75),
        ("min_length", {"min_length": 4}, "", False, 0.0),
        ("min_length", {"min_length": 2}, "👍", False, 0.5),
        ("max_length", {"max_length": 4}, "abcd", True, 1.0),
        ("max_length", {"max_length": 4}, "abcde", False, 0.8),
        ("max_length", {"max_length": 1}, "", True, 1.0),
        ("contains_keywords", {"keywords": ["refund", "30 days", "fee"]}, "A Refund in 30\ndays.", False, 2 / 3),
        ("contains_keywords", {"keywords": ["refund", "days"], "threshold": 0.5}, "A refund.", True, 0.5),
        ("contains_keywords", {"keywords": ["refund"], "threshold": 0}, "Nothing.", True, 0.0),
        ("contains_keywords", {"keywords": ["C++"]}, "In C++11.", True, 1.0),
        ("excludes_keywords", {"keywords": ["no way"]}, "There is no  way.", False, 0.0),
        ("excludes_keywords", {"keywords": ["ass", "no"]}, "The class passed; we know the answer.", True, 1.0),  # B073
        ("json_schema", {}, "[1]", True, 1.0),
        ("json_schema", {"schema": {"required": ["id"]}}, "{}", False, 0.0),
        ("json_schema", {"schema": False}, "{}", False, 0.0),
        ("json_schema", {"schema": {"type": "string", "format": "date-time"}}, '"not a date"', False, 0.0),  # B101
        ("json_schema", {"schema": {"type": "string", "format": "date-time"}}, '"2026-01-31T12:00:00Z"', True, 1.0),  # B101
        ("json_schema", {}, '{"answer": "use ```js\\nx()\\n``` here", "n": 1}', True, 1.0),  # B103
        ("json_schema", {}, '{"verdict": "fail", "score": 0.1, "verdict": "pass"}', False, 0.0),  # B105
        ("json_schema", {}, '{"reason": "cost is \\$5", "pass": true}', False, 0.0),  # B107
        ("json_schema", {}, '{"score": NaN}', False, 0.0),  # B115
        ("cost_threshold", {"max_cost": 0.1}, {"cost_usd": 0.1}, True, 1.0),
        ("cost_threshold", {"max_cost": 0.1}, {"cost_usd": 0.11}, False, 0.0),
        ("cost_threshold", {"max_cost": 0}, {"cost_usd": 0}, True, 1.0),
        ("expression", {"fail_when": "size(output) > 3"}, "abc", True, 1.0),
        ("expression", {"fail_when": "size(output) > 3"}, "abcd", False, 0.0),
        ("expression", {"fail_when": "found(personal.email, output)"}, "Write to jo@harbour-post.net soon.", False, 0.0),
        (
            "expression",
            {"fail_when": "some c in calls satisfies failed(c)"},
            {"tool_calls": [{"tool_name": "pay", "error": "declined"}]},
            False,
            0.0,
        ),
    ],
)  # fmt: skip
def test_a_rule_judges_as_documented(
    judge: Judge, kind: str, config: dict[str, Any], run: str | dict[str, Any], passed: bool, score: float
) -> None:
    judged, got = judge(kind, config, run)
    assert judged is passed
    assert got == pytest.approx(score, abs=0.001)


@pytest.mark.parametrize("kind", TYPES)
def test_a_run_without_what_a_rule_needs_is_skipped(judge: Judge, kind: str) -> None:  # B119
    run = {"output": "ok"} if kind == "cost_threshold" else {"input": "ok", "cost_usd": 0.01}
    assert judge(kind, GOOD[kind], run)[0] is None


def test_a_latency_that_is_not_known_is_not_judged(judge: Judge) -> None:  # B119
    assert judge("expression", {"fail_when": "latency > 2 s"}, {"output": "ok"})[0] is None
    assert judge("expression", {"fail_when": "latency > 2 s"}, {"output": "ok", "latency_ms": 2001})[0] is False


@pytest.mark.parametrize("text", ["a", "b"])
def test_a_negated_rule_answers_the_other_way(judge: Judge, text: str) -> None:  # B109
    for yes, no, config in (
        ("regex_match", "regex_no_match", {"pattern": "a"}),
        ("contains_keywords", "excludes_keywords", {"keywords": ["a"]}),
    ):
        assert judge(yes, config, text)[0] is not judge(no, config, text)[0]


@pytest.mark.parametrize("kind, alias", [(kind, alias) for kind, names in ALIASES.items() for alias in names])
def test_an_alias_is_the_setting_it_stands_for(evaluator: Evaluator, kind: str, alias: str) -> None:
    plain = check_definition({"name": "own", "type": kind, "config": GOOD[kind]}, evaluator.templates())
    (value,) = GOOD[kind].values()
    assert check_definition({"name": "own", "type": kind, "config": {alias: value}}, evaluator.templates()) == plain
    both = check_definition({"name": "own", "type": kind, "config": {**GOOD[kind], alias: value}}, evaluator.templates())
    assert [p.message.partition(":")[0] for p in both[1]] == [f"config.{alias}"]


@pytest.mark.parametrize(
    "pattern, flags, text, matches",
    [
        ("OK", "i", "ok", True),
        ("OK", "", "ok", False),
        ("OK", "gu", "ok", False),
        ("^b", "m", "a\nb", True),
        ("^b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("a.b", "", "a\nb", False),
        ("^B.c", "gims", "a\nb\nc", True),
        ("(?i)OK", "", "ok", True),
        ("a|B", "i", "b", True),
    ],
)
def test_flags_mean_what_they_mean_elsewhere(judge: Judge, pattern: str, flags: str, text: str, matches: bool) -> None:
    assert judge("regex_match", {"pattern": pattern, "flags": flags}, text)[0] is matches
    assert judge("regex_no_match", {"pattern": pattern, "flags": flags}, text)[0] is not matches


@pytest.mark.parametrize(
    "severity, critical", [("low", False), ("medium", False), (None, False), ("high", True), ("critical", True)]
)
def test_a_severe_rule_is_critical(evaluator: Evaluator, severity: str | None, critical: bool) -> None:
    definition = {"name": "own", "type": "max_length", "config": {"max_length": 1}}
    rules = evaluator.custom([definition if severity is None else {**definition, "severity": severity}])
    result = evaluator.evaluate({"output": "too long"}, "all", evaluation_id="e1", custom_rules=rules)
    assert result["critical_failures"] == (["own"] if critical else [])
    assert (result["verdict"]["basis"] == "policy_gate") is critical


def test_a_severity_given_beside_the_definition_counts_when_it_has_none(evaluator: Evaluator) -> None:
    definition = {"name": "own", "type": "min_length", "config": {"min_length": 1}}
    for own, beside, critical in ((None, "high", True), ("low", "high", False), ("critical", None, True), (None, None, False)):
        given_one = definition if own is None else {**definition, "severity": own}
        rule, found = check_definition(given_one, evaluator.templates(), severity=beside)
        assert found == []
        assert rule is not None
        assert rule.critical is critical


def test_weights_move_the_score(evaluator: Evaluator) -> None:
    def score(weight: float) -> Any:
        rules = evaluator.custom(
            [
                {"name": "a", "type": "max_length", "config": {"max_length": 9}},
                {"name": "b", "type": "regex_match", "config": {"pattern": "x"}, "weight": weight},
            ]
        )
        return evaluator.evaluate({"output": "abc"}, "custom", evaluation_id="e1", custom_rules=rules)["score"]

    assert [score(w) for w in (1, 3, 0.25)] == [0.5, 0.25, 0.8]


def test_every_rule_that_is_given_runs_and_is_named(evaluator: Evaluator) -> None:
    rules = evaluator.custom([{"name": f"{kind} of mine", "type": kind, "config": config} for kind, config in GOOD.items()])
    run = {"output": "ok", "cost_usd": 1}
    result = evaluator.evaluate(run, None, evaluation_id="e1", custom_rules=rules)
    assert list(VALIDATOR.iter_errors(result)) == []
    own = [i for i in result["rule_results"] if i["category"] == "custom"]
    assert [i["ruleName"] for i in own] == [f"{kind} of mine" for kind in GOOD]


@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}])
def test_a_schema_may_refer_to_itself(judge: Judge, schema: dict[str, Any]) -> None:
    assert judge("json_schema", {"schema": schema}, '{"a": [1]}') == (True, 1.0)


def test_a_schema_that_describes_a_tree_is_followed_to_the_leaves(judge: Judge) -> None:
    schema = {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#"}}}, "required": ["id"]}
    assert judge("json_schema", {"schema": schema}, '{"id": 1, "below": [{"id": 2, "below": [{"id": 3}]}]}')[0] is True
    assert judge("json_schema", {"schema": schema}, '{"id": 1, "below": [{"id": 2, "below": [{}]}]}')[0] is False


@pytest.mark.parametrize("depth", [10, 100, 500, 5_000])
def test_a_deep_schema_is_used_or_refused(evaluator: Evaluator, depth: int) -> None:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}
    _, found = check_definition({"name": "own", "type": "json_schema", "config": {"schema": schema}}, evaluator.templates())
    assert {p.message.partition(":")[0] for p in found} <= {"config.schema"}
    assert bool(found) is (depth > 500) or depth == 500


@pytest.mark.parametrize("text", ["a" * 30 + "!", "a" * 100_000 + "!"])
def test_a_pattern_with_nested_repeats_is_answered_at_once(judge: Judge, text: str) -> None:  # B225, B231
    started = time.process_time()
    assert judge("regex_no_match", {"pattern": "(a+)+$"}, text) == (True, 1.0)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("pattern", [r"^\w+([-+.]\w+)*$", "(xa*)+$", r"\d{3}-\d{2}-\d{4}", "(?:foo|bar)+"])
def test_a_harmless_pattern_is_accepted(judge: Judge, pattern: str) -> None:  # B227
    assert judge("regex_match", {"pattern": pattern}, "%")[0] is False
