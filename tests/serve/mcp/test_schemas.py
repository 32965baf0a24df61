"""What tools/list says, in the JSON Schema every client understands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from iris.serve.mcp.guide import TOOL_GUIDE
from iris.serve.mcp.tools import Tool, build_tools

TOOLS = build_tools()
LISTED = [tool.wire() for tool in TOOLS.values()]
ORDER = [
    "log_trace", "evaluate_output", "get_traces", "list_rules", "deploy_rule", "delete_rule", "delete_trace",
    "evaluate_with_llm_judge", "verify_citations",
]  # fmt: skip
EXAMPLES: dict[str, dict[str, Any]] = {
    "log_trace": {"agent_name": "a", "tool_calls": [{"tool_name": "t", "input": {"q": 1}}], "spans": [{"name": "s"}]},
    "evaluate_output": {"output": "x", "custom_rules": [{"name": "n", "type": "min_length", "config": {"min_length": 1}}]},
    "get_traces": {"limit": 5, "q": "refund"},
    "list_rules": {},
    "deploy_rule": {"name": "n", "eval_type": "custom", "definition": {"type": "min_length", "config": {"min_length": 1}}},
    "delete_rule": {"rule_id": "rule-00ff00ff"},
    "delete_trace": {"trace_id": "0" * 32},
    "evaluate_with_llm_judge": {"output": "x", "template": "accuracy", "model": "m"},
    "verify_citations": {"output": "x", "model": "m"},
}


def below(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema; names of properties are no keywords."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            for part in value.values() if key == "properties" else [value]:
                yield from below(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from below(part)


def test_the_nine_tools_come_in_the_contracts_order() -> None:
    assert [tool["name"] for tool in LISTED] == ORDER


@pytest.mark.parametrize("tool", LISTED, ids=ORDER)
def test_an_input_schema_is_one_plain_closed_object(tool: dict[str, Any]) -> None:
    """Reports B160, B164."""
    schema = tool["inputSchema"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "enum"}
    assert tool["outputSchema"]["type"] == "object"
    assert not tool["outputSchema"].keys() & {"anyOf", "oneOf", "allOf", "not", "enum", "required"}


@pytest.mark.parametrize("tool", LISTED, ids=ORDER)
def test_no_schema_uses_what_some_clients_do_not_understand(tool: dict[str, Any]) -> None:
    """Reports B162, B166, B172: no lists of types, no references, no null, no titles."""
    for schema in [*below(tool["inputSchema"]), *below(tool["outputSchema"])]:
        assert not isinstance(schema.get("type"), list)
        assert not schema.keys() & {"$ref", "$defs", "anyOf", "oneOf", "allOf", "title"}
        assert None not in schema.values()


def test_nested_objects_are_closed_but_for_those_that_are_free_by_design() -> None:
    open_ones = set()
    for tool in LISTED:
        for schema in below(tool["inputSchema"]):
            for name, part in schema.get("properties", {}).items():
                for candidate in (part, part.get("items", {})):
                    if candidate.get("type") == "object" and candidate.get("additionalProperties") is not False:
                        open_ones.add(name)
    assert open_ones == {"metadata", "attributes", "config", "tools", "inputSchema", "annotations", "input"}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=ORDER)
def test_what_a_schema_allows_the_tool_reads(tool: Tool) -> None:
    example = EXAMPLES[tool.name]
    jsonschema_rs.validator_for(tool.schema).validate(example)
    tool.model.model_validate(example)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=ORDER)
def test_an_unknown_argument_breaks_the_schema_too(tool: Tool) -> None:
    assert not jsonschema_rs.validator_for(tool.schema).is_valid({**EXAMPLES[tool.name], "nope": 1})


def test_other_spellings_are_listed_and_neither_is_required() -> None:
    schema = TOOLS["deploy_rule"].schema
    assert {"eval_type", "evalType", "source_moment_id", "sourceMomentId"} <= schema["properties"].keys()
    assert schema["required"] == ["name", "definition"]
    assert schema["properties"]["eval_type"]["description"].startswith("required")
    example = {key: value for key, value in EXAMPLES["deploy_rule"].items() if key != "eval_type"} | {"evalType": "safety"}
    jsonschema_rs.validator_for(schema).validate(example)
    assert TOOLS["deploy_rule"].model.model_validate(example).model_dump()["eval_type"] == "safety"


def test_tool_names_fit_clients_that_prefix_them() -> None:
    """Reports B168."""
    for name in ORDER:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        assert len(f"mcp__iris-eval__{name}") < 60


def test_the_list_of_tools_is_small() -> None:
    assert len(json.dumps({"tools": LISTED}).encode()) <= 45_000
    for tool in LISTED:
        assert len(tool["description"].encode()) <= 1024


def test_hints_say_what_each_tool_does_to_the_world() -> None:
    keys = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    hints = {tool["name"]: "".join("ny"[tool["annotations"][key]] for key in keys) for tool in LISTED}
    assert hints == {
        "log_trace": "nnnn",
        "evaluate_output": "nnyn",
        "get_traces": "ynyn",
        "list_rules": "ynyn",
        "deploy_rule": "nnnn",
        "delete_rule": "nyyn",
        "delete_trace": "nyyn",
        "evaluate_with_llm_judge": "nnny",
        "verify_citations": "nnny",
    }


def test_the_guide_has_all_tools_and_the_same_headings_for_each() -> None:
    assert list(TOOL_GUIDE) == ORDER
    assert {tuple(part) for part in TOOL_GUIDE.values()} == {("when", "not", "arguments", "answer", "errors")}


def test_an_error_body_is_valid_against_every_output_schema() -> None:
    """Some clients validate structured content of errors too, and would show their own complaint instead of ours."""
    for tool in LISTED:
        jsonschema_rs.validator_for(tool["outputSchema"]).validate({"error": {"code": "IRIS_INTERNAL_ERROR", "message": "m"}})
