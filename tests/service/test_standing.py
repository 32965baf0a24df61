"""Which evaluation is a trace's verdict, and which only stands beside it."""

from __future__ import annotations

from typing import Any

import pytest

from iris.store.interface import LOCAL

from .calls import CLEAN, LEAK, Refusal, evaluate, log
from .conftest import World, meets

CALLS = [{"tool_name": "read", "input": {"path": "a"}, "output": "text", "error": None}]
RUN: dict[str, Any] = {
    "output": LEAK,
    "input": "Who is it?",
    "tool_calls": CALLS,
    "cost_usd": 0.05,
    "token_usage": {"total_tokens": 9},
}


async def of_record(world: World, trace_id: str) -> list[str]:
    """The ids of the evaluations that are or were the trace's verdict, newest first."""
    rows = await world.store.evaluations_of(LOCAL, trace_id)
    return [row["id"] for row in rows if row.get("trace_id") == trace_id]


async def test_a_call_that_names_a_trace_and_nothing_else_is_its_verdict_and_supersedes_the_earlier(world: World) -> None:
    logged = await log(world.service, **RUN, evaluate=True)
    result = meets("evaluate_output", await evaluate(world.service, trace_id=logged["trace_id"]))
    assert result["trace_id"] == logged["trace_id"]
    assert result["provenance"]["supersedes"] == logged["evaluation"]["id"]
    assert "beside" not in result["provenance"]
    assert (result["passed"], result["coverage"]["inputs"]) == (False, logged["evaluation"]["coverage"]["inputs"])
    assert await of_record(world, logged["trace_id"]) == [result["id"], logged["evaluation"]["id"]]


async def test_what_equals_the_trace_may_be_sent_again(world: World) -> None:
    trace_id = (await log(world.service, **RUN))["trace_id"]
    calls = [{"tool_name": "read", "input": {"path": "a"}, "output": "text"}]
    result = await evaluate(world.service, trace_id=trace_id, **{**RUN, "tool_calls": calls}, eval_type="all")
    assert result["trace_id"] == trace_id


@pytest.mark.parametrize(
    "given, named",
    [
        ({"output": CLEAN}, ["output"]),
        ({"input": "Something else"}, ["input"]),
        ({"tool_calls": []}, ["tool_calls"]),
        ({"tool_calls": [{"tool_name": "write"}]}, ["tool_calls"]),
        ({"tools": [{"name": "read"}]}, ["tools"]),
        ({"cost_usd": 0.01}, ["cost_usd"]),
        ({"token_usage": {"total_tokens": 1}}, ["token_usage"]),
        ({"eval_type": "safety"}, ["eval_type"]),
        ({"eval_type": "custom"}, ["eval_type"]),
        ({"expected": "x"}, ["expected"]),
        (
            {"custom_rules": [{"name": "soft", "type": "min_length", "config": {"min_length": 1}, "weight": 1000}]},
            ["custom_rules"],
        ),
        ({"output": CLEAN, "eval_type": "cost"}, ["output", "eval_type"]),
    ],
)
async def test_any_difference_stands_beside_the_trace_and_changes_nothing_of_it(
    world: World, given: dict[str, Any], named: list[str]
) -> None:
    """Faults 11, 12, 13."""
    logged = await log(world.service, **RUN, evaluate=True)
    trace_id = logged["trace_id"]
    result = meets("evaluate_output", await evaluate(world.service, trace_id=trace_id, **given))
    assert "trace_id" not in result
    assert result["reference_trace_id"] == trace_id
    assert result["provenance"]["beside"] == named
    assert "supersedes" not in result["provenance"]
    assert await of_record(world, trace_id) == [logged["evaluation"]["id"]]
    row = await world.store.evaluation(LOCAL, result["id"])
    assert row is not None
    assert (row.get("trace_id"), row["reference_trace_id"]) == (None, trace_id)


async def test_the_trace_supplies_what_the_call_leaves_out(world: World) -> None:
    trace_id = (await log(world.service, **RUN))["trace_id"]
    result = await evaluate(world.service, trace_id=trace_id, output=CLEAN)
    assert result["coverage"]["inputs"] == {**result["coverage"]["inputs"], "tool_calls": True, "cost": True, "input": True}
    row = await world.store.evaluation(LOCAL, result["id"])
    assert row is not None
    assert row["output_text"] == CLEAN


async def test_spans_speak_only_where_nobody_recorded_calls(world: World) -> None:
    spans = [{"name": "read", "kind": "TOOL", "status_code": "ERROR"}]
    with_spans = (await log(world.service, output=CLEAN, spans=spans))["trace_id"]
    assert (await evaluate(world.service, trace_id=with_spans))["coverage"]["inputs"]["tool_calls"] is True
    none_made = (await log(world.service, output=CLEAN, spans=spans, tool_calls=[]))["trace_id"]
    result = await evaluate(world.service, trace_id=none_made)
    assert all(e["type"] != "toolCall" for r in result["rule_results"] for e in r.get("evidence", ()))


async def test_an_unknown_trace_is_refused_before_anything_runs(world: World) -> None:
    """Faults 163."""
    broken = [{"name": "x", "type": "regex_match", "config": {"pattern": "("}}]
    with Refusal("IRIS_UNKNOWN_TRACE") as refusal:
        await evaluate(world.service, trace_id="0" * 32, output=CLEAN, custom_rules=broken)
    assert refusal.error.field == "trace_id"
    assert world.events == []


async def test_a_trace_without_an_output_can_not_be_judged_without_one(world: World) -> None:
    trace_id = (await log(world.service, input="x"))["trace_id"]
    with Refusal("IRIS_INVALID_ARGUMENT"):
        await evaluate(world.service, trace_id=trace_id)
    assert (await evaluate(world.service, trace_id=trace_id, output=CLEAN))["provenance"]["beside"] == ["output"]


async def test_judging_again_keeps_the_older_row_and_says_what_changed(world: World) -> None:
    logged = await log(world.service, **RUN, evaluate=True)
    again = await world.service.reevaluate(logged["evaluation"]["id"])
    assert again is not None
    assert (again["changed"], again["supersedes"]) == (False, logged["evaluation"]["id"])
    assert again["before"] == again["after"]
    assert await of_record(world, logged["trace_id"]) == [again["evaluation"]["id"], logged["evaluation"]["id"]]
    meets("evaluate_output", again["evaluation"])


async def test_what_can_not_be_judged_again_is_refused_as_a_conflict(world: World) -> None:
    logged = await log(world.service, **RUN, evaluate=True)
    beside = await evaluate(world.service, trace_id=logged["trace_id"], output=CLEAN)
    alone = await evaluate(world.service, output=CLEAN)
    for row in (beside, alone):
        with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
            await world.service.reevaluate(row["id"])
        assert (refusal.error.kind, refusal.error.status) == ("conflict", 409)
    assert await world.service.reevaluate("nothing") is None
