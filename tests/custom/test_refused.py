"""A wrong definition of a custom rule is refused, and each mistake is named by its field."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris.check.custom import TYPES
from iris.evaluate import Evaluator
from iris.problems import ProblemsFound

from .definitions import GOOD, VALIDATOR


def problems(evaluator: Evaluator, *definitions: Any) -> list[tuple[str, str, str]]:
    """What is wrong with definitions: code, field, message."""
    with pytest.raises(ProblemsFound) as caught:
        evaluator.custom(list(definitions))
    return [(p.code, *_parts(p.message)) for p in caught.value.problems]


def _parts(message: str) -> tuple[str, str]:
    field, _, rest = message.partition(": ")
    return field, rest


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"name": None}, ["name"]),
    ({"name": " "}, ["name"]),
    ({"name": "x" * 81}, ["name"]),
    ({"name": 7}, ["name"]),
    ({"type": "min_lenght"}, ["type"]),
    ({"type": None}, ["type"]),
    ({"type": ["min_length"]}, ["type"]),
    ({"weight": 0}, ["weight"]),
    ({"weight": -1}, ["weight"]),
    ({"weight": "1"}, ["weight"]),
    ({"weight": True}, ["weight"]),
    ({"weight": None}, ["weight"]),
    ({"weight": float("nan")}, ["weight"]),
    ({"weight": float("inf")}, ["weight"]),
    ({"weight": 10**400}, ["weight"]),
    ({"severity": "hi"}, ["severity"]),
    ({"severity": ["high"]}, ["severity"]),
    ({"colour": 1, "Name": "x"}, ["colour", "Name"]),
    ({"config": None}, ["config"]),
    ({"config": []}, ["config"]),
    (
        {"name": "", "weight": 0, "severity": "x", "config": {"min": 0, "y": 1}},
        ["name", "weight", "severity", "config.y", "config.min_length"],
    ),
]
WRONG_VALUES: list[tuple[tuple[str, ...], str, list[Any]]] = [
    (("min_length",), "min_length", [0, -1, 2.5, "4", True, None, float("nan"), 10**400, [4]]),
    (("max_length",), "max_length", [0, -1, 2.5, "4", True, None, float("nan"), 10**400, [4]]),
    (("cost_threshold",), "max_cost", [-0.1, "0.1", True, None, float("inf"), 10**400]),
    (
        ("contains_keywords", "excludes_keywords"),
        "keywords",
        [[], "refund", [""], ["a", " "], ["a", 1], [["a"]], None, {"a": 1}],
    ),
    (("contains_keywords",), "threshold", [-0.1, 1.01, 80, "0.5", True, float("nan")]),
    (
        ("regex_match", "regex_no_match"),
        "pattern",
        ["(", "[z-a]", "*", "(?=a)b", "(?<!a)b", "(a)\\1", "a++", "(?>a)", "x{2000}", "a" * 1001, 7, None, ["a"]],
    ),
    (("regex_match",), "flags", ["x", "I", "i m", 1, ["i"], None]),
    (("json_schema",), "schema", ["x", 7, [], {"type": "objekt"}, {"type": 7}, {"pattern": "(?=a)b"}, {"pattern": "("}]),
    (("json_schema",), "schema", [{"$ref": "#/nowhere"}, {"description": "x" * 70_000}]),
    (("json_schema",), "schema", [{"$ref": "http://169.254.169.254/latest/meta-data"}, {"$ref": "file:///etc/hostname"}]),  # B099
    (("json_schema",), "schema", [{"properties": {"a": {"$ref": "https://schemas.example.org/a.json#/x"}}}]),
    (("json_schema",), "schema", [{"$id": "http://schemas.example.org/a", "$ref": "b"}]),
    (("expression",), "fail_when", ["", " ", 7, None, ["blank(output)"]]),
]
WRONG_CONFIGS: list[tuple[str, dict[str, Any], str]] = [
    *[(kind, {}, f"config.{next(iter(config))}") for kind, config in GOOD.items() if kind != "json_schema"],
    *[(kind, {**config, "extra": 1}, "config.extra") for kind, config in GOOD.items()],
    *[
        (kind, {**GOOD[kind], key: value}, f"config.{key}")
        for kinds, key, values in WRONG_VALUES
        for kind in kinds
        for value in values
    ],
]


@pytest.mark.parametrize("change, fields", WRONG)
def test_a_wrong_key_of_a_definition_is_named(evaluator: Evaluator, change: dict[str, Any], fields: list[str]) -> None:
    definition = {"name": "own", "type": "min_length", "config": {"min_length": 4}, **change}
    found = problems(evaluator, definition)
    assert [(code, field) for code, field, _ in found] == [("E501", field) for field in fields]


@pytest.mark.parametrize("kind, config, field", WRONG_CONFIGS, ids=range(len(WRONG_CONFIGS)))
def test_a_wrong_setting_is_named(evaluator: Evaluator, kind: str, config: dict[str, Any], field: str) -> None:
    found = problems(evaluator, {"name": "own", "type": kind, "config": config})
    assert [(code, at) for code, at, _ in found] == [("E501", field)]


@pytest.mark.parametrize("definition", [None, 7, "min_length", [], [{"name": "a"}]])
def test_a_definition_that_is_no_object_is_refused(evaluator: Evaluator, definition: object) -> None:
    assert [field for _, field, _ in problems(evaluator, definition)] == ["definition"]


def test_mistakes_of_all_definitions_come_at_once(evaluator: Evaluator) -> None:
    good = {"name": "own", "type": "min_length", "config": {"min_length": 4}}
    found = problems(
        evaluator,
        {**good, "weight": 0},
        good,
        {**good, "name": ""},
        {**good, "type": "expression", "config": {"fail_when": "outptu"}},
    )
    assert [code for code, *_ in found] == ["E501", "E501", "E013"]


@pytest.mark.parametrize(
    "pattern, word",
    [
        ("(?=a)b", "look-ahead"),
        ("(?!a)b", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(a)\\1", "back-reference"),
        ("a++", "possessive"),
    ],
)
def test_what_re2_can_not_run_is_refused_with_the_reason(evaluator: Evaluator, pattern: str, word: str) -> None:  # B229
    with pytest.raises(ProblemsFound) as caught:
        evaluator.custom([{"name": "own", "type": "regex_match", "config": {"pattern": pattern}}])
    (problem,) = caught.value.problems
    assert "RE2 can not run the pattern" in problem.message
    assert word in problem.help


@pytest.mark.parametrize(
    "condition, code",
    [
        ("size(outptu) > 3", "E013"),
        ("size(output) >", "E001"),
        ("output", "E020"),
        ("founf(talk, output)", "E012"),
        ("config.x > 1", "E015"),
    ],
)
def test_a_condition_is_checked_like_one_of_a_pack(evaluator: Evaluator, condition: str, code: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        evaluator.custom([{"name": "own", "type": "expression", "config": {"fail_when": condition}}])
    (problem,) = caught.value.problems
    assert problem.code == code
    assert problem.place is not None
    assert problem.place.file == "custom_rules[0].config.fail_when"
    assert problem.place.source_line == condition


def test_a_remote_reference_reaches_no_network(evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:  # B099
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        found = problems(evaluator, {"name": "own", "type": "json_schema", "config": {"schema": {"$ref": address}}})
        with pytest.raises(TimeoutError):
            server.accept()
    assert found[0][1] == "config.schema"
    assert "refused" in found[0][2]
    assert address in found[0][2]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
SETTINGS = st.sampled_from(
    ["pattern", "flags", "min_length", "length", "max_length", "keywords", "threshold", "schema", "max_cost", "fail_when", "x"]
)
DEFINITIONS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.one_of(st.just("own"), VALUES),
        "type": st.one_of(st.sampled_from(TYPES), VALUES),
        "config": st.one_of(st.dictionaries(SETTINGS, VALUES, max_size=4), VALUES),
        "weight": VALUES,
        "severity": VALUES,
        "x": VALUES,
    },
)


@settings(deadline=None, max_examples=300)
@given(definition=st.one_of(DEFINITIONS, VALUES), output=st.text(max_size=20))
def test_any_definition_judges_or_is_refused(evaluator: Evaluator, definition: Any, output: str) -> None:
    try:
        rules = evaluator.custom([definition])
    except ProblemsFound:
        return
    result = evaluator.evaluate({"output": output}, "custom", evaluation_id="e1", custom_rules=rules)
    assert list(VALIDATOR.iter_errors(result)) == []
