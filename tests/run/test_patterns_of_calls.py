"""Patterns that calls bring are given up with the rules that look for them."""

from __future__ import annotations

import gc

from iris.evaluate import Evaluator
from iris.flow import load_plan


def test_ever_new_patterns_do_not_pile_up_and_judge_right() -> None:
    evaluator = Evaluator(load_plan())
    before = len(evaluator.engine.matcher.patterns)
    for i in range(40):
        definition = {"name": "own", "type": "regex_match", "config": {"pattern": f"ab{i}c"}}
        rules = evaluator.custom([definition])
        for text, passes in ((f"so ab{i}c it is", True), (f"so ab{i + 1}c it is", False)):
            result = evaluator.evaluate({"output": text}, "custom", evaluation_id="e", custom_rules=rules)
            assert result["rule_results"][0]["passed"] is passes
        del rules
        gc.collect()
    assert len(evaluator.engine.matcher.patterns) <= before + 2


def test_two_rules_of_one_pattern_share_it_and_one_may_go() -> None:
    evaluator = Evaluator(load_plan())
    definition = {"name": "own", "type": "regex_no_match", "config": {"pattern": "zq7"}}
    first, second = evaluator.custom([definition]), evaluator.custom([definition])
    del first
    gc.collect()
    evaluator.custom([{**definition, "config": {"pattern": "other"}}])
    result = evaluator.evaluate({"output": "a zq7 b"}, "custom", evaluation_id="e", custom_rules=second)
    assert result["passed"] is False
