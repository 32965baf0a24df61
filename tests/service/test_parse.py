"""Arguments are read strictly, and every refusal names them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from iris.service.errors import ServiceError
from iris.service.models.evaluate import EvaluateOutput
from iris.service.models.lists import GetTraces, ListMoments
from iris.service.models.rules import DeployRule, PreviewRule
from iris.service.models.trace import LogTrace
from iris.service.parse import parse, parse_query

from .calls import HOSTS, Refusal

RULE = {"name": "a", "definition": HOSTS}


@pytest.mark.parametrize(
    "model, given_, field, near",
    [
        (EvaluateOutput, {"output": "x", "eval_typ": "safety"}, "eval_typ", "`eval_type`"),
        (EvaluateOutput, {"output": "x", "criteria": ["safety"]}, "criteria", "custom_rules"),
        (LogTrace, {"agent_name": "a", "evaluate": True, "eval_typ": "safety"}, "eval_typ", "`eval_type`"),
        (LogTrace, {"agent_name": "a", "tool_calls": [{"tool_name": "t", "err": "no"}]}, "tool_calls[0].err", "`error`"),
        (
            EvaluateOutput,
            {"output": "x", "custom_rules": [{"name": "a", **HOSTS, "wieght": 5}]},
            "custom_rules[0].wieght",
            "`weight`",
        ),
        (DeployRule, RULE | {"eval_type": "safety", "definition": {**HOSTS, "wieght": 5}}, "definition.wieght", "`weight`"),
        (EvaluateOutput, {"output": "x", "expected_trajectory": {"mod": "strict"}}, "expected_trajectory.mod", "`mode`"),
    ],
)
def test_an_unknown_key_is_named_with_its_path_the_nearest_and_the_valid_ones(
    model: type[BaseModel], given_: dict[str, Any], field: str, near: str
) -> None:
    """Faults 3, 4, 6, 73, 159. Reports B113."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(model, given_)
    assert refusal.error.field == field
    assert near in refusal.error.message
    assert refusal.error.valid
    assert all(name in refusal.error.message for name in refusal.error.valid)


def test_every_offending_argument_is_named() -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(EvaluateOutput, {"output": 3, "cost_usd": -1, "eval_type": "saftey"})
    assert [d["field"] for d in refusal.error.details] == ["output", "eval_type", "cost_usd"]
    assert refusal.error.details[1]["valid"] == ["completeness", "relevance", "safety", "cost", "custom", "all"]


def test_a_client_can_not_choose_the_trace_id() -> None:
    """Faults 162."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(LogTrace, {"agent_name": "a", "trace_id": "0" * 32})
    assert "minted by Iris" in refusal.error.message


@pytest.mark.parametrize(
    "kind, first, second", [("eval_type", "eval_type", "evalType"), ("moment", "source_moment_id", "sourceMomentId")]
)
def test_an_argument_given_under_both_its_names_is_refused(kind: str, first: str, second: str) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(DeployRule, {**RULE, "evalType": "cost", first: "safety", second: "safety"})
    assert refusal.error.valid == [first, second]


@pytest.mark.parametrize("name", ["eval_type", "evalType"])
def test_either_name_will_do(name: str) -> None:
    assert parse(DeployRule, {**RULE, name: "safety"}).eval_type == "safety"


@pytest.mark.parametrize("weight", [0, -1])
def test_a_weight_of_nothing_is_refused(weight: int) -> None:
    """Faults 100."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(DeployRule, RULE | {"eval_type": "safety", "definition": {**HOSTS, "weight": weight}})
    assert refusal.error.field == "definition.weight"


def test_a_name_of_a_hundred_characters_is_refused() -> None:
    """Faults 156."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(DeployRule, RULE | {"eval_type": "safety", "name": "n" * 100})
    assert refusal.error.field == "name"


def test_more_tools_than_the_most_are_refused_not_cut() -> None:
    """Faults 83."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(LogTrace, {"agent_name": "a", "tools": [{"name": f"t{i}"} for i in range(201)]})
    assert refusal.error.field == "tools"


BROKEN = [
    (b"", "not JSON"),
    (b'{"agent_name": "a"', "line 1, column 19"),
    (b"[1, 2]", "one JSON object"),
    (b'"text"', "one JSON object"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b'{"agent_name": "a", "agent_name": "b"}', "twice"),
    (b'{"agent_name": "a", "cost_usd": NaN}', "NaN is no JSON number"),
    (b'{"agent_name": "a", "cost_usd": -Infinity}', "no JSON number"),
    (b'{"agent_name": "a", "metadata": {"x": 1e999}}', "`metadata.x` is not a finite number"),
    (b'{"agent_name": "a", "metadata": {"x": ' + b"9" * 5000 + b"}}", "more digits"),
    (b'{"agent_name": "a", "metadata": {"x": ' + b"9" * 400 + b"}}", "beyond the largest number"),
    (b'{"agent_name": "a", "token_usage": {"total_tokens": 9223372036854775808}}', "token_usage.total_tokens"),
    (b'{"agent_name": "a", "latency_ms": -1}', "latency_ms"),
    (b'{"agent_name": "a", "metadata": ' + b'{"a":' * 150 + b"1" + b"}" * 150 + b"}", "nested more than"),
    (b"[" * 200_000, "nested more than"),
    (b'{"agent_name": ""}', "agent_name"),
    (b'{"agent_name": "a", "tool_calls": "[{"}', "tool_calls"),
    (b'{"agent_name": "a", "tool_calls": "[{\\"tool_name\\": \\"t\\", \\"input\\": NaN}]"}', "NaN"),
]


@pytest.mark.parametrize("raw, says", BROKEN)
def test_broken_input_gets_an_answer_that_says_where(raw: bytes, says: str) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse(LogTrace, raw)
    assert says in refusal.error.message
    assert len(refusal.error.message) < 2000


def test_a_byte_order_mark_is_read_over() -> None:
    assert parse(LogTrace, b'\xef\xbb\xbf{"agent_name": "a"}').agent_name == "a"


def test_a_lone_surrogate_becomes_the_replacement_character_and_a_nul_stays() -> None:
    """Reports B197."""
    made = parse(LogTrace, b'{"agent_name": "a", "output": "x\\ud800y\\u0000z", "metadata": {"k\\udfff": ["\\ud83d"]}}')
    assert made.output == "x\ufffdy\x00z"
    assert made.metadata == {"k\ufffd": ["\ufffd"]}


def test_a_large_whole_number_in_metadata_is_kept_digit_for_digit() -> None:
    """Reports B195."""
    assert parse(LogTrace, b'{"agent_name": "a", "metadata": {"n": 9223372036854775808}}').metadata == {"n": 2**63}


def test_an_array_sent_as_json_text_is_read() -> None:
    made = parse(LogTrace, {"agent_name": "a", "tool_calls": json.dumps([{"tool_name": "t"}])})
    assert made.tool_calls is not None
    assert made.tool_calls[0].tool_name == "t"


def test_null_is_taken_as_left_out() -> None:
    assert parse(EvaluateOutput, {"output": "x", "input": None, "eval_type": None}).eval_type is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*LogTrace.model_fields, "other"]), JSON, max_size=6))
def test_whatever_is_sent_is_read_or_refused_and_what_is_read_can_be_sent_on(values: dict[str, Any]) -> None:
    told: Any
    try:
        told = parse(LogTrace, values).model_dump()
    except ServiceError as error:
        told = error.body()
    json.dumps(told, allow_nan=False, ensure_ascii=False).encode()


def test_parameters_of_a_url_are_read_as_numbers_and_flags() -> None:
    made = parse_query(GetTraces, [("limit", "5"), ("min_score", "0.5"), ("include_text", "true"), ("agent_name", "5")])
    assert (made.limit, made.min_score, made.include_text, made.agent_name) == (5, 0.5, True, "5")


@pytest.mark.parametrize(
    "model, pairs, field",
    [
        (GetTraces, [("limit", "5"), ("limit", "6")], "limit"),
        (GetTraces, [("limit", "-1")], "limit"),
        (GetTraces, [("limit", "1000000")], "limit"),
        (GetTraces, [("limit", "5.5")], "limit"),
        (GetTraces, [("limit", "٥")], "limit"),
        (GetTraces, [("limit", "9" * 6000)], "limit"),
        (GetTraces, [("offset", "-1")], "offset"),
        (GetTraces, [("min_score", "nan")], "min_score"),
        (GetTraces, [("min_score", "1e999")], "min_score"),
        (GetTraces, [("sort_by", "agent_name; DROP TABLE traces")], "sort_by"),
        (GetTraces, [("include_text", "perhaps")], "include_text"),
        (ListMoments, [("agent_nme", "x")], "agent_nme"),
        (PreviewRule, [("definition", "{}")], "definition.type"),
    ],
)
def test_a_parameter_that_is_wrong_unknown_or_repeated_is_named(
    model: type[BaseModel], pairs: list[tuple[str, str]], field: str
) -> None:
    """Faults 124, 149, 151, 153."""
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        parse_query(model, pairs)
    assert refusal.error.field == field
    if field == "agent_nme":
        assert "agent_name" in (refusal.error.valid or ())
