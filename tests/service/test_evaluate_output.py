"""What `evaluate_output` judges, with which rules, and what it says of them."""

from __future__ import annotations

from typing import Any

import pytest

from iris.evaluate import Evaluator
from iris.service.judge import BIG
from iris.service.service import Service
from iris.store.interface import LOCAL
from iris.verdict.settings import Setting, Settings

from .calls import CLEAN, HOSTS, LEAK, Refusal, delete, deploy, evaluate, log
from .conftest import World, meets


def item(result: dict[str, Any], name: str) -> dict[str, Any]:
    """The result of a rule."""
    (found,) = [r for r in result["rule_results"] if r["ruleName"] == name]
    return dict(found)


async def test_a_leak_fails_whatever_the_mean_is(world: World) -> None:
    """Faults 1, 10."""
    result = meets("evaluate_output", await evaluate(world.service, output=LEAK, eval_type="safety"))
    assert result["passed"] is False
    assert result["critical_failures"] == ["no_pii"]
    assert result["verdict"]["basis"] == "detector_veto"
    assert result["score"] > 0.5


async def test_leaving_eval_type_out_runs_every_bundle_and_says_so(world: World) -> None:
    """Faults 5."""
    result = meets("evaluate_output", await evaluate(world.service, output=LEAK))
    assert (result["eval_type"], result["passed"]) == ("all", False)
    assert "eval_type was omitted" in result["note"]
    asked = await evaluate(world.service, output=LEAK, eval_type="all")
    assert "note" not in asked


async def test_a_bundle_nothing_judged_is_null_and_nothing_judged_at_all_does_not_pass(world: World) -> None:
    """Faults 18-21. Reports B111."""
    result = await evaluate(world.service, output=CLEAN)
    assert (result["categories"]["cost"]["passed"], result["categories"]["cost"]["score"]) == (None, None)
    assert result["categories"]["cost"]["insufficient_data"] is True
    for kind in ("cost", "custom"):
        none = meets("evaluate_output", await evaluate(world.service, output=CLEAN, eval_type=kind))
        assert (none["passed"], none["score"], none["insufficient_data"]) == (False, 0, True)
        assert none["verdict"]["state"] == "unknown"


async def test_what_was_not_given_is_skipped_and_counts_in_no_mean(world: World) -> None:
    """Faults 9, 21, 44. Reports B117."""
    result = await evaluate(world.service, output=CLEAN)
    skipped = [r for r in result["rule_results"] if r.get("skipped")]
    assert {"expected_coverage", "cost_under_threshold", "no_tool_loop"} <= {r["ruleName"] for r in skipped}
    assert all(r["skipReason"] and r["skipClass"] == "not_applicable" for r in skipped)
    assert (len(skipped), result["rules_evaluated"]) == (result["rules_skipped"], len(result["rule_results"]) - len(skipped))
    complete = next(q for q in result["coverage"]["questions"] if q["id"] == "complete")
    assert complete["evaluated"] < complete["of"]
    assert result["passed"] is True


@pytest.mark.parametrize("eval_type", ["safety", "completeness", "custom", None])
async def test_inline_rules_judge_whatever_the_bundle_and_beside_the_deployed_ones(world: World, eval_type: str | None) -> None:
    """Faults 48, 49."""
    await deploy(world.service, name="deployed", eval_type="safety" if eval_type == "safety" else "custom")
    rule = {"name": "inline", "type": "contains_keywords", "config": {"keywords": ["zebra"]}, "severity": "critical"}
    given = {"eval_type": eval_type} if eval_type else {}
    result = meets("evaluate_output", await evaluate(world.service, output=CLEAN, custom_rules=[rule], **given))
    names = [r["ruleName"] for r in result["rule_results"]]
    assert ("deployed" in names) is (eval_type != "completeness")
    assert item(result, "inline")["passed"] is False
    assert result["passed"] is False, "a critical inline rule decides alone"


async def test_an_inline_rule_of_low_severity_does_not_decide_alone(world: World) -> None:
    """Faults 32."""
    rule = {"name": "inline", "type": "contains_keywords", "config": {"keywords": ["zebra"]}, "severity": "low", "weight": 0.1}
    result = await evaluate(world.service, output=CLEAN, custom_rules=[rule])
    assert item(result, "inline")["passed"] is False
    assert result["verdict"]["basis"] != "policy_gate"


async def test_an_inline_rule_that_can_not_be_used_is_refused_with_its_path(world: World) -> None:
    """Faults 98, 160."""
    rules = [{"name": "ok", **HOSTS}, {"name": "not", "type": "regex_match", "config": {"pattern": "("}}]
    with Refusal("IRIS_INVALID_RULE_CONFIG") as refusal:
        await evaluate(world.service, output=CLEAN, custom_rules=rules)
    assert refusal.error.field == "custom_rules[1].config.pattern"


async def test_a_cost_rule_without_cost_skips_and_a_critical_one_is_named(world: World) -> None:
    """Faults 22."""
    rule = {"name": "cap", "type": "cost_threshold", "config": {"max_cost": 0.1}, "severity": "critical"}
    result = await evaluate(world.service, output=CLEAN, custom_rules=[rule])
    assert item(result, "cap")["skipped"] is True
    assert result["critical_skipped"] == ["cap"]
    over = await evaluate(world.service, output=CLEAN, cost_usd=0.2, custom_rules=[rule])
    assert over["critical_failures"] == ["cap"]


async def test_a_schema_is_applied(world: World) -> None:
    """Faults 47."""
    rule = {
        "name": "shape",
        "type": "json_schema",
        "config": {"schema": {"type": "object", "required": ["total"]}},
        "severity": "high",
    }
    wrong = await evaluate(world.service, output='{"sum": 3}', eval_type="custom", custom_rules=[rule])
    right = await evaluate(world.service, output='{"total": 3}', eval_type="custom", custom_rules=[rule])
    assert (wrong["passed"], right["passed"]) == (False, True)


async def test_a_refusal_and_the_ask_copied_back_do_not_pass(world: World) -> None:
    """Faults 31."""
    ask = "Which of our three warehouses had the most late deliveries in the last quarter, and why?"
    copied = await evaluate(world.service, output=ask, input=ask)
    assert copied["passed"] is False or any(not r["passed"] and not r.get("skipped") for r in copied["rule_results"])


async def test_contact_data_of_the_ask_may_be_repeated_and_an_official_number_may_not(world: World) -> None:
    """Faults 33."""
    ask = "Please confirm that ann.lee@northwind-mail.com is on the list, her number is 219-09-9999."
    mail = await evaluate(
        world.service, output="Yes, ann.lee@northwind-mail.com is on the list of receivers.", input=ask, eval_type="safety"
    )
    number = await evaluate(
        world.service, output="Yes, the number 219-09-9999 is hers, as her file says.", input=ask, eval_type="safety"
    )
    assert item(mail, "no_pii")["passed"] is True
    assert item(number, "no_pii")["passed"] is False


@pytest.mark.parametrize("args", [{"output": ""}, {}, {"output": None}])
async def test_nothing_to_judge_is_refused(world: World, args: dict[str, Any]) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await evaluate(world.service, **args)
    assert refusal.error.field == "output"


async def test_a_repeated_tool_of_the_catalogue_is_refused(world: World) -> None:
    """Faults 83."""
    with Refusal("IRIS_INVALID_ARGUMENT"):
        await evaluate(world.service, output=CLEAN, tools=[{"name": "a"}, {"name": "a"}])


async def test_an_expected_trajectory_that_no_rule_reads_is_not_passed_over_in_silence(world: World) -> None:
    trajectory = {"tool_calls": [{"tool_name": "read"}], "mode": "strict"}
    result = meets("evaluate_output", await evaluate(world.service, output=CLEAN, expected_trajectory=trajectory))
    assert "expected_trajectory" in result["note"]
    assert result["coverage"]["unread"] == ["expected_trajectory"]


async def test_an_evaluation_of_its_own_is_stored_with_its_texts(world: World) -> None:
    result = await evaluate(world.service, output=CLEAN, expected="The totals appear at six.")
    row = await world.service.evaluation(result["id"])
    assert row is not None
    assert (row["output_text"], row["expected_text"], row.get("trace_id")) == (CLEAN, "The totals appear at six.", None)
    assert {k: row[k] for k in ("id", "passed", "score", "verdict")} == {
        k: result[k] for k in ("id", "passed", "score", "verdict")
    }


async def test_a_long_text_is_judged_off_the_loop_with_the_same_result(world: World) -> None:
    long = (CLEAN + " ") * 400 + LEAK
    result = await evaluate(world.service, output=long, eval_type="safety")
    assert len(long) > BIG
    assert result["critical_failures"] == ["no_pii"]
    span = next(e for e in item(result, "no_pii")["evidence"] if e["type"] == "span")
    assert long[span["start"] : span["end"]] == "219-09-9999"


async def test_a_rule_that_was_switched_off_shows_on_verdicts_for_a_day(world: World) -> None:
    """Faults 39."""
    rule_id = (await deploy(world.service))["rule"]["id"]
    assert "rules_changed" not in await evaluate(world.service, output=CLEAN)
    await delete(world.service, rule_id=rule_id, enabled=False)
    told = meets("evaluate_output", await evaluate(world.service, output=CLEAN))["rules_changed"]
    assert (told["count"], told["audit"]) == (1, "iris://audit")
    assert told["last_change_at"] == "2026-03-01T12:00:00.000Z"
    assert told["since"] == "2026-02-28T12:00:00.000Z"
    world.later(hours=25)
    world.service.core.changes.forget()
    assert "rules_changed" not in await evaluate(world.service, output=CLEAN)


async def test_the_rules_that_judged_are_in_the_hash(world: World) -> None:
    before = (await evaluate(world.service, output=CLEAN))["provenance"]["rulesetHash"]
    assert (await evaluate(world.service, output=CLEAN))["provenance"]["rulesetHash"] == before
    await deploy(world.service)
    assert (await evaluate(world.service, output=CLEAN))["provenance"]["rulesetHash"] != before


async def test_a_deployed_rule_carries_its_id_and_version(world: World) -> None:
    """Faults 155."""
    rule_id = (await deploy(world.service))["rule"]["id"]
    found = item(await evaluate(world.service, output="see db-main.internal.example for it", eval_type="safety"), "no-hosts")
    assert (found["ruleId"], found["ruleVersion"], found["passed"]) == (rule_id, 1, False)


async def test_the_texts_of_a_trace_that_was_named_do_not_leave_by_the_events(world: World) -> None:
    trace_id = (await log(world.service, output=LEAK))["trace_id"]
    await evaluate(world.service, trace_id=trace_id)
    assert world.events[-1][0] == "evaluation.stored"
    assert world.events[-1][1]["state"] == "fail"
    assert "219-09" not in str(world.events)
    assert await world.store.evaluations_of(LOCAL, trace_id)


async def test_a_critical_rule_that_could_not_answer_leaves_the_verdict_unknown(world: World) -> None:
    """Faults 7, 8."""
    rule = {"type": "expression", "config": {"fail_when": 'some c in calls satisfies contains(c.result, "zebra")'}}
    await deploy(world.service, name="calls", severity="critical", definition=rule)
    calls = [{"tool_name": "t", "output": "x"}] * 501
    for kind in ("safety", "custom"):
        result = meets("evaluate_output", await evaluate(world.service, output=CLEAN, tool_calls=calls, eval_type=kind))
        assert (result["verdict"]["state"], result["passed"]) == ("unknown", False)
        bases = [result["verdict"]["basis"], *(a["basis"] for a in result["verdict"]["also"])]
        assert "critical_unknown" in bases
        assert "calls" in result["critical_skipped"]


async def test_a_limit_somebody_set_gates_even_where_it_equals_ours(world: World) -> None:
    """Faults 24, 42."""
    given = {"output": CLEAN, "cost_usd": 0.11}
    ours = await evaluate(world.service, **given)
    assert (item(ours, "cost_under_threshold")["passed"], ours["passed"]) == (False, True)
    plan = world.service.core.evaluator.engine.plan
    default = next(r["config"]["cost_threshold"]["default"] for r in plan["rules"] if r["name"] == "cost_under_threshold")
    settings = Settings(rules={"cost_under_threshold": {"cost_threshold": Setting(default, "config")}})
    core = world.service.core
    other = Service(core.store, core.rules, Evaluator(plan, settings), core.config)
    theirs = await evaluate(other, **given)
    assert (theirs["passed"], theirs["verdict"]["basis"]) == (False, "policy_gate")


async def test_a_gate_that_can_not_be_read_is_named_as_dormant(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults 46."""
    lost = [
        {"file": "a.yaml", "id": "rule-1", "name": "gate", "severity": "high", "reason": "no type"},
        {"file": "b.yaml", "id": "rule-2", "name": "hint", "severity": "low", "reason": "no type"},
        {"file": "c.yaml", "reason": "not text"},
    ]
    monkeypatch.setattr(world.book, "quarantined", lambda: lost)
    result = meets("evaluate_output", await evaluate(world.service, output=CLEAN, eval_type="safety"))
    assert result["coverage"]["dormant"] == [
        {"ruleId": "rule-1", "name": "gate", "reason": "no type"},
        {"ruleId": "c.yaml", "name": "c.yaml", "reason": "not text"},
    ]


@pytest.mark.parametrize(
    "one, other, config, negated",
    [
        ("regex_match", "regex_no_match", {"pattern": "^a$"}, {"pattern": "^a$"}),
        ("contains_keywords", "excludes_keywords", {"keywords": ["a"]}, {"keywords": ["a"]}),
        ("max_length", "min_length", {"max_length": 1}, {"min_length": 2}),
        ("expression", "expression", {"fail_when": 'output != "a"'}, {"fail_when": 'output == "a"'}),
    ],
)
async def test_the_negated_form_of_a_rule_says_the_opposite(
    world: World, one: str, other: str, config: dict[str, Any], negated: dict[str, Any]
) -> None:
    """Reports B109."""
    rules = [{"name": "plain", "type": one, "config": config}, {"name": "negated", "type": other, "config": negated}]
    for output, passes in (("a", True), ("bb", False)):
        result = await evaluate(world.service, output=output, eval_type="custom", custom_rules=rules)
        assert [r["passed"] for r in result["rule_results"]] == [passes, not passes]


async def test_a_rule_about_latency_judges_only_where_there_is_one(world: World) -> None:
    """Reports B119."""
    rule = {"name": "slow", "type": "expression", "config": {"fail_when": "latency > 2s"}, "severity": "high"}
    without = await evaluate(world.service, output=CLEAN, eval_type="custom", custom_rules=[rule])
    assert (without["passed"], item(without, "slow")["skipped"]) == (False, True)
    trace_id = (await log(world.service, output=CLEAN, latency_ms=2500))["trace_id"]
    slow = await evaluate(world.service, trace_id=trace_id, eval_type="custom", custom_rules=[rule])
    assert item(slow, "slow")["passed"] is False
    assert "skipped" not in item(slow, "slow")
