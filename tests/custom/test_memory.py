"""Rules made for one call leave nothing behind, and rules that are kept go on working."""

from __future__ import annotations

import gc
import tracemalloc

from iris.evaluate import Evaluator


def judge_one(evaluator: Evaluator, i: int) -> bool:
    definition = {"name": "own", "type": "regex_no_match", "config": {"pattern": f"order {i}\\b"}}
    rules = evaluator.custom([definition])
    run = {"output": f"This is order {i if i % 2 else i + 1}."}
    (item,) = evaluator.evaluate(run, "custom", evaluation_id="e1", custom_rules=rules)["rule_results"]
    return bool(item["passed"])


def test_5000_different_inline_rules_are_judged_right_and_are_not_kept(evaluator: Evaluator) -> None:
    def judged(numbers: range) -> int:
        assert [judge_one(evaluator, i) for i in numbers] == [i % 2 == 0 for i in numbers]
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = judged(range(1000))
        after = judged(range(1000, 5000))
    finally:
        tracemalloc.stop()
    assert after - before < 1 << 20, f"{(after - before) / 4000:.0f} bytes a rule"


def test_a_rule_that_is_kept_outlives_thousands_of_others(evaluator: Evaluator) -> None:
    kept = evaluator.custom([{"name": "kept", "type": "regex_no_match", "config": {"pattern": "secret"}}])
    same = evaluator.custom([{"name": "same", "type": "regex_no_match", "config": {"pattern": "secret"}}])
    del same
    for i in range(300):
        judge_one(evaluator, i)
    gc.collect()
    for output, passed in (("a secret", False), ("nothing", True)):
        (item,) = evaluator.evaluate({"output": output}, "custom", evaluation_id="e1", custom_rules=kept)["rule_results"]
        assert item["passed"] is passed
