"""Which inputs a rule needs follows from the paths its conditions read, and the guards around them."""

from __future__ import annotations

from typing import Any

import pytest

from iris.check.inline import check_condition
from tests.support import SHARED, head, indented, plan_of

NEEDS = [
    # a path read plainly is needed
    ("blank(output)", "output", ""),
    ("blank(output) or blank(input)", "input output", ""),
    ("blank(output) and blank(input)", "input output", ""),
    ("not blank(expected)", "expected", ""),
    ("size(calls) > 3", "tool_calls", ""),
    ("cost > 1 usd", "cost", ""),
    ("latency > 5 s", "latency", ""),
    ("metadata.k == 1", "metadata", ""),
    ("size(history) > 1", "history", ""),
    ("size(tools) > 1", "tools_catalogue", ""),
    ("tokens.prompt > 5", "tokens", ""),
    ("tokens.completion / tokens.prompt > 5", "tokens", ""),
    # fields of calls stand for other inputs; a result is never required
    ('some c in calls satisfies c.tool == "a"', "tool_calls", ""),
    ("some c in calls satisfies blank(c.result)", "tool_calls", "tool_outputs"),
    ("found(d.hedge, calls.result)", "tool_calls", "tool_outputs"),
    ("some c in calls satisfies c.listed", "tool_calls tools_catalogue", ""),
    ("some c in calls satisfies c.readonly", "tool_calls tools_catalogue", ""),
    ("some c in calls satisfies any(schema_problems(c.args, c.schema))", "tool_calls tools_catalogue", ""),
    # given makes a path optional, in itself and for the operands after it
    ("given(input)", "", "input"),
    ("given(input) and blank(input)", "", "input"),
    ("blank(output) and given(input) and blank(input)", "output", "input"),
    ("blank(input) and given(input)", "input", ""),
    ("given(input) or blank(input)", "input", ""),
    ("given(input) and (blank(output) or blank(input))", "output", "input"),
    ("(given(input) and given(expected)) and blank(input) and blank(expected)", "", "expected input"),
    ("not given(input) and blank(input)", "input", ""),
    ("some c in calls satisfies (given(c.readonly) and c.readonly)", "tool_calls", "tools_catalogue"),
    ("some c in calls satisfies (given(c.readonly) and c.listed and not c.readonly)", "tool_calls", "tools_catalogue"),
    ("some c in calls satisfies (given(c.error) and blank(c.error))", "tool_calls", ""),
    # gather and the left of else are optional
    ("blank(output) and any(words(gather(input, expected)))", "output", "expected input"),
    ("blank(input) else false", "", "input"),
    ("blank(input) else blank(output)", "output", "input"),
    ("size(input else output) > 1", "output", "input"),
    # definitions and lets are read through
    ("some c in calls satisfies failed(c)", "tool_calls", ""),
    ("near_same(output, expected)", "expected output", ""),
    ("given(expected) and near_same(output, expected)", "output", "expected"),
    ("found(d.hedge, first_letter(input))", "input", ""),
]


def needs(text: str) -> tuple[set[str], set[str]]:
    """What the rule `trial` with these keys needs, and what it only may read."""
    rule = plan_of(head() + text)["rules"][0]
    return set(rule["needs"]), set(rule["reads"]) - set(rule["needs"])


@pytest.mark.parametrize("condition, required, optional", NEEDS)
def test_needs_follow_from_the_condition(condition: str, required: str, optional: str) -> None:
    assert needs(f"fail_when: |\n{indented(condition)}") == (set(required.split()), set(optional.split()))


@pytest.fixture(scope="module")
def with_definitions() -> dict[str, Any]:
    shared = SHARED + "  refused(c): blank(c.result) or (given(expected) and blank(expected))\n  asks(t): failed_in(t) or blank(input)\n"
    return plan_of(f"{head()}fail_when: blank(output)\n", shared=shared + "  failed_in(t): blank(t) or cost > 1 usd\n")


BEYOND = [
    ("some c in calls satisfies refused(c)", "tool_calls", "expected tool_outputs"),
    ("asks(output)", "cost input output", ""),
    ("given(input) and asks(output)", "cost output", "input"),
    ("asks(output) else false", "", "cost input output"),
]


@pytest.mark.parametrize("condition, required, optional", [*NEEDS, *BEYOND])
def test_a_condition_checked_against_a_plan_needs_the_same(
    with_definitions: dict[str, Any], condition: str, required: str, optional: str
) -> None:
    sound, found, problems = check_condition(with_definitions, condition, "custom")
    assert sound is not None, problems
    assert (found.required, found.reads - found.required) == (set(required.split()), set(optional.split()))


@pytest.mark.parametrize("condition, required, optional", NEEDS)
def test_a_let_needs_what_its_expression_needs(condition: str, required: str, optional: str) -> None:
    text = f"let:\n  it: |\n{indented(condition)}fail_when: it\n"
    assert needs(text) == (set(required.split()), set(optional.split()))


def test_a_let_is_optional_where_it_is_read_behind_a_guard() -> None:
    text = "let:\n  asked: blank(input)\nfail_when: given(input) and asked\n"
    assert needs(text) == (set(), {"input"})


def test_signals_need_what_any_of_them_needs() -> None:
    text = "signals:\n  a: blank(output)\n  b: blank(input)\n"
    assert needs(text) == ({"input", "output"}, set())


def test_unchecked_signals_need_what_all_of_them_need() -> None:
    text = "unchecked: pass\nsignals:\n  a: blank(output)\n  b: blank(output) and blank(input)\n"
    assert needs(text) == ({"output"}, {"input"})


def test_advice_score_message_and_skips_need_nothing() -> None:
    text = (
        "skip_when:\n  - {when: blank(expected), because: nothing}\nfail_when: blank(output)\n"
        'advise:\n  a: blank(input)\nscore: size(calls) / 2\nsay: "{latency} ms"\n'
    )
    required, _ = needs(text)
    assert required == {"output"}
