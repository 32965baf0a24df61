"""What the engine sets is sent, and what is sent is known to the contract."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import jsonschema

from iris.evaluate import Evaluator
from iris.run.finding import Finding
from iris.verdict.facts import Envelope

from .calls import LEAK, evaluate
from .conftest import CONTRACT, World, meets

SHOWN: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "judged_at": ("provenance", "judgedAt"),
    "trace_id": ("trace_id",),
    "reference_trace_id": ("reference_trace_id",),
    "supersedes": ("provenance", "supersedes"),
    "beside": ("provenance", "beside"),
    "narrowed": ("provenance", "narrowed"),
    "trace_context": ("provenance", "traceContext"),
    "rules_changed": ("rules_changed",),
    "unread": ("coverage", "unread"),
}
"""Where each fact of a call is sent. `note` and `remarks` are sentences of the note."""
DECIDING = {"declared", "unproven"}
"""Facts that decide: they show as the basis of the verdict and what it rests on."""
FINDING: dict[str, str] = {
    "rule": "ruleName", "state": "passed", "score": "score", "message": "message", "evidence": "evidence",
    "classes": "classes", "signals": "signals", "unchecked": "unchecked", "advice": "advice", "lacked": "lacked",
    "skip_reason": "skipReason", "skip_class": "skipClass", "value": "value", "own_number": "role", "capped": "capped",
}  # fmt: skip
"""Where each field of a finding is sent; `why` is private: the command line shows it on demand."""


def at(result: dict[str, Any], path: tuple[str, ...]) -> Any:
    """The value at a path."""
    for key in path:
        result = result[key]
    return result


def test_every_fact_of_a_call_is_sent(evaluator: Evaluator) -> None:
    """Faults 41."""
    given: dict[str, Any] = {
        "id": "e1", "judged_at": "2026-03-01T12:00:00.000Z", "trace_id": "t1", "reference_trace_id": "t2", "supersedes": "e0",
        "beside": ["output"], "narrowed": [{"field": "x"}], "trace_context": {"trace_id": "w"}, "rules_changed": {"count": 1},
        "unread": ["expected_trajectory"],
    }  # fmt: skip
    envelope = Envelope(
        **{**given, "beside": tuple(given["beside"]), "unread": ("expected_trajectory",)}, note=True, remarks=("So.",)
    )
    result = meets(
        "evaluate_output", evaluator.judge({"output": LEAK}, None, envelope, (), [{"ruleId": "r", "name": "n", "reason": "b"}])
    )
    assert set(SHOWN) | {"note", "remarks"} | DECIDING == {f.name for f in fields(Envelope)}
    assert {name: at(result, path) for name, path in SHOWN.items()} == given
    assert result["note"].endswith(" So.")
    assert result["coverage"]["dormant"] == [{"ruleId": "r", "name": "n", "reason": "b"}]


def test_every_field_of_a_finding_is_sent_or_listed_private(evaluator: Evaluator) -> None:
    """Faults 41, 43."""
    assert set(FINDING) | {"why"} == {f.name for f in fields(Finding)}
    runs: list[dict[str, Any]] = [
        {"output": LEAK, "input": "Who?", "cost_usd": 9, "tool_calls": [{"tool_name": "t", "input": {}, "error": "x"}] * 9},
        {"output": "As an AI I can not know. " * 9},
        {"output": "219-09-9999 " * 400},
    ]
    seen: set[str] = set()
    for run in runs:
        for item in evaluator.evaluate(run, None, evaluation_id="e")["rule_results"]:
            seen |= set(item)
            assert item["role"] in ("gate", "veto", "risk", "advisory", "term")
    assert {
        "ruleName",
        "passed",
        "score",
        "message",
        "evidence",
        "classes",
        "signals",
        "skipReason",
        "skipClass",
        "value",
    } <= seen


async def test_every_field_that_the_contract_names_is_sent_or_belongs_to_another_release(world: World) -> None:
    schema = json.loads((CONTRACT / "evaluate_output.output.schema.json").read_text(encoding="utf-8"))
    result = meets("evaluate_output", await evaluate(world.service, output=LEAK, cost_usd=0.2))
    later = {"trace_id", "erased_at"}  # of a trace's verdict, and of a deleted one
    assert set(schema["properties"]) - later <= set(result)
    jsonschema.Draft7Validator.check_schema(schema)


async def test_a_stored_evaluation_is_read_back_as_it_was_sent(world: World) -> None:
    """Faults 45, 227."""
    result = await evaluate(world.service, output=LEAK, cost_usd=0.2)
    row = await world.service.evaluation(result["id"])
    assert row is not None
    assert {key: row[key] for key in result} == result
