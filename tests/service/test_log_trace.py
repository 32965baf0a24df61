"""Runs are written down whole, with ids minted and instants in UTC."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from iris.evaluate import Evaluator
from iris.service.models.rules import DeleteTrace
from iris.service.models.trace import IngestTrace
from iris.service.parse import parse
from iris.service.service import Service
from iris.store.interface import LOCAL, AuditQuery, TraceQuery
from iris.verdict.settings import Setting, Settings

from .calls import CLEAN, LEAK, Refusal, log
from .conftest import World, meets

QUERY = TraceQuery()


async def stored(world: World, trace_id: str) -> dict[str, Any]:
    """The trace as it is stored."""
    trace = await world.store.trace(LOCAL, trace_id)
    assert trace is not None
    return dict(trace)


async def test_ids_are_minted_and_the_answer_meets_the_contract(world: World) -> None:
    result = meets("log_trace", await log(world.service, output=CLEAN, spans=[{"name": "work"}, {"name": "more"}]))
    assert re.fullmatch("[0-9a-f]{32}", result["trace_id"])
    spans = await world.store.spans(LOCAL, result["trace_id"])
    assert [bool(re.fullmatch("[0-9a-f]{16}", s["span_id"])) for s in spans] == [True, True]
    assert "evaluation" not in result


async def test_two_equal_runs_are_two_traces(world: World) -> None:
    first, second = await log(world.service, output=CLEAN), await log(world.service, output=CLEAN)
    assert first["trace_id"] != second["trace_id"]


@pytest.mark.parametrize(
    "given, kept",
    [
        ("2026-02-28T23:30:00+02:00", "2026-02-28T21:30:00.000Z"),
        ("2026-02-28T21:30:00Z", "2026-02-28T21:30:00.000Z"),
        ("2026-02-28T21:30:00.123456Z", "2026-02-28T21:30:00.123Z"),
        ("2026-02-28 21:30:00", "2026-02-28T21:30:00.000Z"),
        ("2026-02-28", "2026-02-28T00:00:00.000Z"),
        (None, "2026-03-01T12:00:00.000Z"),
    ],
)
async def test_a_timestamp_is_kept_in_utc(world: World, given: str | None, kept: str) -> None:
    """Faults 129, 136: another offset is honoured, none is taken as UTC, and what was sent is not replaced by now."""
    trace = await stored(world, (await log(world.service, output=CLEAN, timestamp=given))["trace_id"])
    assert trace["timestamp"] == kept
    assert trace["created_at"] == "2026-03-01T12:00:00.000Z"


@pytest.mark.parametrize(
    "text", ["yesterday", "08/01/2026", "2026-13-01T00:00:00Z", "", "0001-01-01T00:00:00+14:00", "1767225600"]
)
async def test_a_timestamp_that_is_none_is_refused(world: World, text: str) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await log(world.service, output=CLEAN, timestamp=text)
    assert refusal.error.field == "timestamp"


async def test_a_span_starts_with_its_trace_unless_told_otherwise_and_keeps_its_order(world: World) -> None:
    spans = [
        {"name": "b", "start_time": "2026-03-01T10:00:00.000200Z"},
        {"name": "a", "start_time": "2026-03-01T10:00:00Z"},
        {"name": "c"},
    ]
    result = await log(world.service, spans=spans, timestamp="2026-03-01T11:00:00Z")
    found = {s["name"]: s["start_time"] for s in await world.store.spans(LOCAL, result["trace_id"])}
    assert found["a"] < found["b"] < found["c"]
    assert found["c"] == "2026-03-01T11:00:00.000000Z"


async def test_a_span_id_that_is_there_twice_is_refused_and_nothing_is_stored(world: World) -> None:
    """Faults 93."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await log(world.service, spans=[{"span_id": "s1", "name": "a"}, {"span_id": "s1", "name": "b"}])
    assert refusal.error.field == "spans[1].span_id"
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await world.service.ingest(items(*[{"spans": [{"span_id": "s2", "name": "a"}]}] * 2), source="http")
    assert refusal.error.field == "[1].spans[0].span_id"
    assert (await world.store.traces(LOCAL, QUERY)).total == 0


async def test_a_tool_that_is_listed_twice_is_refused(world: World) -> None:
    """Faults 83."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await log(world.service, tools=[{"name": "a"}, {"name": "b"}, {"name": "a"}])
    assert refusal.error.field == "tools[2].name"


async def test_the_case_is_that_of_the_question_whatever_its_form(world: World) -> None:
    same = [await log(world.service, input=text) for text in ("What is  Iris?", "what is iris? ", "ｗhat is iris?")]
    keys = {(await stored(world, r["trace_id"]))["case_key"] for r in same}
    assert len(keys) == 1
    other = await stored(world, (await log(world.service, input="What is Argus?"))["trace_id"])
    assert other["case_key"] not in keys
    own = await stored(world, (await log(world.service, input="What is Iris?", case_key="mine"))["trace_id"])
    assert own["case_key"] == "mine"
    assert "case_key" not in {
        k: v for k, v in (await stored(world, (await log(world.service))["trace_id"])).items() if v is not None
    }


PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def test_the_trace_context_is_kept_and_names_the_session(world: World) -> None:
    context = {"traceparent": PARENT, "tracestate": "a=b", "baggage": "x=1, session_id=s%2042;p=1", "session": "m1"}
    trace = await stored(world, (await log(world.service, context=context, metadata={"k": 1}))["trace_id"])
    assert trace["metadata"] == {
        "k": 1,
        "trace_context": {
            "traceparent": PARENT,
            "trace_id": "0af7651916cd43dd8448eb211c80319c",
            "parent_span_id": "b7ad6b7169203331",
            "sampled": True,
            "tracestate": "a=b",
            "mcp_session_id": "m1",
        },
    }
    assert trace["session_id"] == "s 42"
    own = await stored(world, (await log(world.service, context=context, session_id="own"))["trace_id"])
    assert own["session_id"] == "own"


@pytest.mark.parametrize(
    "header",
    [
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "nonsense",
        7,
    ],
)
async def test_a_malformed_trace_context_is_ignored(world: World, header: Any) -> None:
    trace = await stored(world, (await log(world.service, context={"traceparent": header}))["trace_id"])
    assert "trace_context" not in (trace.get("metadata") or {})


async def test_cost_is_what_was_reported_or_null(world: World) -> None:
    given, none = await log(world.service, cost_usd=0.25), await log(world.service)
    assert (given["cost_usd"], given["cost_source"]) == (0.25, "reported")
    assert (none["cost_usd"], none["cost_source"]) == (None, None)


async def test_a_run_is_judged_from_what_is_stored_calls_and_cost_too(world: World) -> None:
    """Faults 165, 166."""
    calls = [{"tool_name": "read", "input": {"path": "a"}, "error": "no such file"}]
    result = await log(world.service, output=LEAK, input="Who is it?", tool_calls=calls, cost_usd=0.5, evaluate=True)
    evaluation = meets("evaluate_output", meets("log_trace", result)["evaluation"])
    assert evaluation["passed"] is False
    assert evaluation["trace_id"] == result["trace_id"]
    assert evaluation["coverage"]["inputs"]["tool_calls"] is True
    assert evaluation["coverage"]["inputs"]["cost"] is True
    assert evaluation["eval_type"] == "all"
    assert "eval_type was omitted" in evaluation["note"]
    row = await world.store.evaluation(LOCAL, evaluation["id"])
    assert row is not None
    assert (row["trace_id"], row["output_text"]) == (result["trace_id"], LEAK)


async def test_tool_spans_are_judged_where_nobody_sent_calls(world: World) -> None:
    """Faults 75."""
    span = {"name": "read", "kind": "TOOL", "status_code": "ERROR", "status_message": "gone"}
    result = await log(world.service, output=CLEAN, spans=[span], evaluate=True)
    assert result["evaluation"]["coverage"]["inputs"]["tool_calls"] is True


async def test_judging_needs_an_output_and_without_one_nothing_is_stored(world: World) -> None:
    """Faults 164."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await log(world.service, evaluate=True)
    assert refusal.error.field == "output"
    assert (await world.store.traces(LOCAL, QUERY)).total == 0
    assert world.events == []


async def test_an_answer_of_nothing_is_stored_and_judged(world: World) -> None:
    result = await log(world.service, output="", evaluate=True)
    assert result["evaluation"]["passed"] is False


async def test_eval_type_without_evaluate_is_not_passed_over_in_silence(world: World) -> None:
    assert "nothing was judged" in (await log(world.service, output=CLEAN, eval_type="safety"))["note"]


async def test_every_durable_write_is_published_without_a_text(world: World) -> None:
    result = await log(world.service, output=LEAK, evaluate=True)
    await world.service.delete_trace(DeleteTrace(trace_id=result["trace_id"]))
    assert [name for name, _ in world.events] == ["trace.stored", "evaluation.stored", "trace.deleted"]
    assert "219-09" not in str(world.events)


def items(*runs: dict[str, Any]) -> list[IngestTrace]:
    """Runs of a batch."""
    return [parse(IngestTrace, {"agent_name": "a", **run}) for run in runs]


async def test_a_batch_is_stored_whole_or_not_at_all(world: World) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await world.service.ingest(items({"output": "x"}, {"evaluate": True}), source="http")
    assert refusal.error.field == "[1].output"
    assert (await world.store.traces(LOCAL, QUERY)).total == 0


async def test_a_batch_may_keep_its_good_part_and_says_of_each_what_became_of_it(world: World) -> None:
    """Reports B121."""
    runs = items(
        {"output": CLEAN, "evaluate": True}, {"evaluate": True}, {"output": CLEAN, "timestamp": "soon"}, {"output": CLEAN}
    )
    results = await world.service.ingest(runs, source="http", partial=True)
    assert [r["status"] for r in results] == ["stored", "refused", "refused", "stored"]
    assert results[2]["error"]["field"] == "[2].timestamp"
    assert (await world.store.traces(LOCAL, QUERY)).total == 2


async def test_a_batch_lets_others_have_their_turn(world: World) -> None:
    turns = []

    async def other() -> None:
        turns.append(len(world.events))

    task = asyncio.ensure_future(other())
    await world.service.ingest(items(*[{"output": CLEAN, "evaluate": True}] * 20), source="http")
    assert turns == [0]
    await task


async def test_what_a_harness_declares_is_kept(world: World) -> None:
    (result,) = await world.service.ingest(
        items({"output": "x", "capture": {"name": "hook", "complete": ["input"]}}), source="http"
    )
    trace = await stored(world, result["trace_id"])
    assert trace["capture"] == {"name": "hook", "complete": ["input"]}
    assert trace["source"] == "http"


async def test_deleting_a_trace_is_logged_once_and_an_unknown_id_is_no_error(world: World) -> None:
    """Faults 40."""
    trace_id = (await log(world.service, output=CLEAN))["trace_id"]
    first = meets("delete_trace", await world.service.delete_trace(DeleteTrace(trace_id=trace_id)))
    second = await world.service.delete_trace(DeleteTrace(trace_id=trace_id))
    assert (first["deleted"], second["deleted"]) == (True, False)
    page = await world.store.audit(LOCAL, AuditQuery())
    assert page.total == 1


@pytest.mark.parametrize(
    "run, missing",
    [
        ({"tool_calls": [{"tool_name": "t"}]}, ["tool_outputs"]),
        ({"tool_calls": [{"tool_name": "t", "output": "x"}]}, []),
        ({"tool_calls": []}, []),
        ({}, ["tool_calls", "tool_outputs"]),
    ],
)
async def test_what_a_harness_called_complete_and_did_not_send_leaves_the_verdict_unknown(
    world: World, run: dict[str, Any], missing: list[str]
) -> None:
    """Faults 37."""
    capture = {"name": "hook", "complete": ["tool_calls", "tool_outputs"]}
    runs = items({"output": CLEAN, "evaluate": True, "capture": capture, **run})
    (result,) = await world.service.ingest(runs, source="http")
    verdict = result["evaluation"]["verdict"]
    if missing:
        assert (verdict["state"], verdict["basis"], verdict["by"]) == ("unknown", "required_evidence_missing", missing)
        assert f"hook declared {' and '.join(missing)} complete" in result["evaluation"]["note"]
    else:
        assert verdict["state"] == "pass"


@pytest.mark.parametrize("capture, proves", [(None, False), (["tool_calls"], True), (["input"], False)])
async def test_no_calls_are_evidence_only_from_who_saw_all_of_them(world: World, capture: list[str] | None, proves: bool) -> None:
    """Faults 36."""
    core = world.service.core
    judge = Evaluator(core.evaluator.engine.plan, Settings(required_evidence=Setting(("tool_calls",))))
    service = Service(core.store, core.rules, judge, core.config)
    run = {"output": CLEAN, "input": "When does it run?", "tool_calls": [], "evaluate": True}
    declared = {"capture": {"name": "hook", "complete": capture}} if capture else {}
    (result,) = await service.ingest(items(run | declared), source="http")
    assert (result["evaluation"]["verdict"]["basis"] != "required_evidence_missing") is proves
