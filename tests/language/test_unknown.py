"""What is absent, what is null, and what replaces either."""

from __future__ import annotations

from typing import Any

import pytest

from iris.language.paths import PATHS
from tests.support import UNKNOWN, head, judge, reasons, value

FULL: dict[str, Any] = {
    "output": "o", "input": "i", "expected": "e", "calls": [], "tools": [], "cost": 1, "latency": 1, "metadata": {}, "history": [],
}  # fmt: skip


@pytest.mark.parametrize("path", [p for p in PATHS if p != "tokens"])
def test_an_absent_path_is_unknown_and_says_which(path: str) -> None:
    assert value(f"given({path})") is False
    assert value(f"given({path})", FULL) is True
    assert reasons(path) == (PATHS[path][1],)


@pytest.mark.parametrize("name", ["prompt", "completion", "total"])
def test_each_token_count_is_known_by_itself(name: str) -> None:
    assert value(f"tokens.{name}", {"tokens": {name: 7}}) == 7
    assert value(f"tokens.{name}", {"tokens": {}}) == UNKNOWN


@pytest.mark.parametrize("field", ["args", "result", "error", "started", "latency", "truncated", "listed", "readonly", "schema"])
def test_an_absent_field_of_a_call_is_unknown(field: str) -> None:
    assert value(f"each c in calls give given(c.{field})", {"calls": [{"tool": "a"}]}) == [False]


NULLS = [
    ("metadata.none", None), ("metadata.none.deeper", None), ("metadata.none == 1", False), ("metadata.none != 1", True),
    ("metadata.none == metadata.none", False), ("metadata.none in [1]", False), ("metadata.none not in [1]", True),
    ("metadata.none < 1", False), ("metadata.none > 1", False), ("blank(metadata.none)", True), ("size(metadata.none)", 0),
    ("given(metadata.none)", True), ("metadata.null == metadata.null", False), ("some x in metadata.none satisfies true", False),
    ("every x in metadata.none satisfies false", True), ("metadata.none else 3", None),
]  # fmt: skip


@pytest.mark.parametrize("text, wanted", NULLS)
def test_a_key_absent_from_a_known_document_is_null(text: str, wanted: Any) -> None:
    assert value(text, {"metadata": {"null": None}}) == wanted


def test_a_key_of_an_unknown_document_is_unknown() -> None:
    assert value("metadata.none") == UNKNOWN
    assert value("some c in calls satisfies c.args.path == 1", {"calls": [{"tool": "a"}]}) == UNKNOWN


VALUES: dict[str, Any] = {"text": "1", "number": 1, "flag": True, "list": [1], "object": {"a": 1}, "null": None}


@pytest.mark.parametrize("a", VALUES)
@pytest.mark.parametrize("b", VALUES)
def test_values_of_different_json_types_are_never_equal_and_in_no_order(a: str, b: str) -> None:
    run = {"metadata": VALUES}
    if a != b or a == "null":
        assert value(f"metadata.{a} == metadata.{b}", run) is False
        assert value(f"metadata.{a} != metadata.{b}", run) is True
        assert [value(f"metadata.{a} {op} metadata.{b}", run) for op in ("<", "<=", ">", ">=")] == [False] * 4
    else:
        assert value(f"metadata.{a} == metadata.{b}", run) is True


def test_text_is_compared_in_folded_case() -> None:
    assert value('output == "STRASSE"', {"output": "straße"}) is True
    assert value('output in ["ÉTÉ"]', {"output": "été"}) is True


UNDEFINED = [
    ("1 / 0", "division by zero"), ("size(output) / size([])", "division by zero"), ("metadata.t + 1", "not numbers"),
    ("metadata.none * 2", "not numbers"), ("metadata.big * metadata.big", "a number out of range"),
]  # fmt: skip


@pytest.mark.parametrize("text, reason", UNDEFINED)
def test_arithmetic_without_an_answer_is_unknown_with_its_reason(text: str, reason: str) -> None:
    assert reasons(text, {"output": "a", "metadata": {"t": "1", "big": 1e200}}) == (reason,)


ELSE = [
    ("input else \"b\"", "b"), ("1 / 0 else 2", 2), ("1 / 0 else 2 / 0 else 3", 3), ("blank(input) else false", False), ("1 else 1 / 0", 1),
    ("size(each c in calls where blank(c.result)) else 9", ("between", 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("text, wanted", ELSE)
def test_else_replaces_what_is_unknown_and_nothing_else(text: str, wanted: Any) -> None:
    assert value(text, {"calls": [{"tool": "a"}]}) == wanted


def state(condition: str, run: dict[str, Any], more: str = "") -> str:
    """How a rule with one condition judges a run."""
    return judge(f"{head()}{more}fail_when: |\n  {condition}\n", run).state


GUARDS = [
    ("blank(input)", {"output": "o"}, "skipped"), ("given(input) and blank(input)", {"output": "o"}, "passes"),
    ("given(input) and blank(input)", {"input": "i"}, "passes"), ("blank(input) else false", {}, "passes"),
    ("blank(input) else true", {}, "fails"), ("contains(gather(input, output), \"x\")", {"output": "x"}, "fails"),
    ("contains(gather(input, output), \"x\")", {"output": "o"}, "passes"), ("contains(gather(input, output), \"x\")", {}, "skipped"),
    ("blank(output) and blank(input)", {"output": "o"}, "skipped"), ("blank(output) or blank(input)", {"output": ""}, "fails"),
    ("blank(output) or blank(input)", {"output": "o"}, "skipped"), ("blank(input) and given(input)", {"output": "o"}, "skipped"),
]  # fmt: skip


@pytest.mark.parametrize("condition, run, wanted", GUARDS)
def test_a_pass_needs_every_required_path_and_a_fail_only_what_decided(condition: str, run: dict[str, Any], wanted: str) -> None:
    assert state(condition, run) == wanted


def test_an_unknown_skip_condition_is_passed_over_and_a_true_one_skips() -> None:
    skips = "skip_when:\n  - {when: blank(input), because: nothing was asked}\n"
    assert state("blank(output)", {"output": ""}, skips) == "fails"
    assert state("blank(output)", {"output": "", "input": "i"}, skips) == "fails"
    blank = "skip_when:\n  - {when: size(calls) == 0, because: no calls}\n"
    assert state("blank(output)", {"output": "", "calls": []}, blank) == "skipped"


def test_unchecked_signals_are_named_and_a_rule_with_nothing_checked_skips() -> None:
    rule = f"{head()}unchecked: pass\nsignals:\n  a: blank(output)\n  b: blank(input)\n"
    assert (judge(rule, {"output": "o"}).state, judge(rule, {"output": "o"}).unchecked) == ("passes", ("b",))
    assert (judge(rule, {"output": ""}).state, judge(rule, {"output": ""}).unchecked) == ("fails", ("b",))
    assert judge(rule, {}).state == "skipped"
    assert judge(rule.replace("unchecked: pass\n", ""), {"output": "o"}).state == "skipped"
