"""Every operator means what its table entry says, and the table, the runner and these examples know the same operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from iris.check.expression import ExpressionChecker
from iris.check.scope import Scope, World
from iris.language.operators import Operator, operators
from iris.language.types import CALL, FACT, JSON, NUMBER, TEXT, Type, list_of
from iris.packs.documents import SettingDoc, Text
from iris.packs.source import Scalar, Source
from iris.parse import tree as t
from iris.parse.expression import parse
from iris.problems import Problem
from iris.run.apply import SPECIAL
from iris.run.operators import implementations
from tests.support import UNKNOWN, reasons, value

from .facts import EXAMPLES as FACT_EXAMPLES
from .texts import EXAMPLES as TEXT_EXAMPLES

EXAMPLES = [*TEXT_EXAMPLES, *FACT_EXAMPLES]
TABLE = [operators()[name] for name in sorted(operators())]
NEVER_UNKNOWN = {"given"}


@pytest.mark.parametrize("text, run, wanted", EXAMPLES, ids=[f"{i}-{e[0][:60]}" for i, e in enumerate(EXAMPLES)])
def test_an_operator_gives_what_its_meaning_says(text: str, run: dict[str, Any], wanted: Any) -> None:
    assert value(text, run) == wanted


@pytest.mark.parametrize("operator", TABLE, ids=lambda o: o.name)
def test_every_operator_of_the_table_is_implemented(operator: Operator) -> None:
    assert (operator.name in implementations()) is not (operator.name in SPECIAL)


def test_nothing_is_implemented_that_the_table_does_not_list() -> None:
    assert {*implementations(), *SPECIAL} == set(operators())
    assert set(SPECIAL) == {"given", "gather", "found", "hits", "size", "any"}


NAMES: dict[str, Type] = {
    "a": NUMBER, "b": NUMBER, "ratio": NUMBER, "excess": NUMBER, "c": CALL, "h": FACT, "f": FACT, "s": TEXT, "j": JSON,
    "times": list_of(NUMBER),
    "said": list_of(FACT), "known": list_of(FACT), "labels": list_of(FACT), "numbers": list_of(FACT), "parts": list_of(TEXT),
}  # fmt: skip
LIST = SettingDoc("blocklist", Scalar(Source.of("", ""), 0, 0, "", "plain"), "words", [], False, "")
GROUPS = frozenset({"n", "area", "host", "noun", "secret", "name"})


def world_of(text: str) -> World:
    """A world in which every detector, list and table that an example names exists."""
    found = {space: set(re.findall(rf"\b{space}\.(\w+)", text)) for space in ("lists", "tables")}
    detectors: dict[str, dict[str, str]] = {"personal": {"phone": "personal.phone"}}
    for group, name in re.findall(r"\b(talk|facts)\.(\w+)", text):
        detectors.setdefault(group, {})[name] = f"{group}.{name}"
    return World(detectors, {}, {n: n for n in found["lists"]}, {n: n for n in found["tables"]}, {})


@pytest.mark.parametrize("operator", TABLE, ids=lambda o: o.name)
def test_the_example_of_the_table_parses_and_has_types(operator: Operator) -> None:
    problems: list[Problem] = []
    text = operator.example
    assert operator.name in used(text)
    scalar = Scalar(Source.of("example", text), 0, len(text), text, "plain")
    place = "detector" if "match" in text else "rule"
    ExpressionChecker(problems).check(
        Text(text, scalar), Scope(world_of(text), place, config={"blocklist": LIST}, groups=GROUPS, variables=dict(NAMES))
    )
    assert problems == []


def nodes_of(value: Any) -> Iterator[t.Node]:
    """Every node of a tree."""
    if isinstance(value, tuple):
        for item in value:
            yield from nodes_of(item)
    elif isinstance(value, t.Node):
        yield value
        for f in fields(value):
            yield from nodes_of(getattr(value, f.name))
    elif isinstance(value, t.Arg):
        yield from nodes_of(value.value)


def used(text: str) -> set[str]:
    """The operators that an expression applies or names in `by=`."""
    applied = [n for n in nodes_of(parse(text)) if isinstance(n, t.Apply)]
    named = {a.value.name for n in applied for a in n.args if a.label == "by" and isinstance(a.value, t.Name)}
    return {n.name for n in applied} | named


def test_every_operator_has_an_example_of_its_meaning() -> None:
    with_value = {name for text, _, wanted in EXAMPLES if wanted != UNKNOWN for name in used(text)}
    assert set(operators()) - with_value == set()


def test_every_operator_has_an_example_with_an_unknown_argument() -> None:
    unknown = {name for text, _, wanted in EXAMPLES if wanted == UNKNOWN for name in used(text)}
    assert set(operators()) - unknown == NEVER_UNKNOWN


def takes_a_list(operator: Operator) -> bool:
    """Whether a parameter may be a list."""
    return any(p.partition(":")[2].rstrip("?") in ("list", "texts") for p in operator.takes)


def test_every_operator_on_lists_has_an_example_with_nothing_in_it() -> None:
    empty = {
        name
        for text, run, _ in EXAMPLES
        for name in used(text)
        if "[]" in text or run.get("calls") == [] or run.get("output") == "" or run.get("metadata") == {}
    }
    assert {o.name for o in TABLE if takes_a_list(o)} - empty == set()


def test_an_unknown_argument_keeps_its_reason() -> None:
    assert reasons("number(input)") == ("input",)
    assert reasons("number(output)", {"output": "none"}) == ("no number in the text",)
    assert reasons("median([])") == ("an empty list",)
    assert reasons("date(output)", {"output": "soon"}) == ("not a date",)
    assert reasons("weekday(date(output))", {"output": "May 1"}) == ("the year is not given",)
    assert reasons("schema_problems(output, metadata)", {"output": "1", "metadata": {"type": "x"}}) == (
        "the schema can not be used",
    )


def test_the_hits_of_a_list_are_those_of_each_text_in_turn() -> None:
    run = {"input": "b=1 a=2", "output": "é a=9"}
    parts = [*value("hits(d.pair, input)", run), *value("hits(d.pair, output)", run)]
    assert value("hits(d.pair, [input, output])", run) == parts == ["1", "2", "9"]
