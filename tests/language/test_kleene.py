"""Three-valued logic: a condition is known exactly when every way to fill in what is missing gives the same answer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from tests.support import UNKNOWN, reasons, value

TRUE, FALSE, OPEN = "true", "false", "blank(input)"
FLAGS: dict[str, Any] = {TRUE: True, FALSE: False, OPEN: UNKNOWN}
Flag = Any


def settled(worlds: Iterable[bool]) -> Flag:
    """The answer when all worlds agree, else unknown."""
    answers = set(worlds)
    return answers.pop() if len(answers) == 1 else UNKNOWN


def ways(x: Flag) -> tuple[bool, ...]:
    """What a flag may turn out to be."""
    return (True, False) if x == UNKNOWN else (x,)


@pytest.mark.parametrize("a, b", product(FLAGS, FLAGS))
@pytest.mark.parametrize("word, join", [("and", operator.and_), ("or", operator.or_)])
def test_and_and_or_are_known_when_every_filling_agrees(a: str, b: str, word: str, join: Callable[[bool, bool], bool]) -> None:
    wanted = settled(join(x, y) for x in ways(FLAGS[a]) for y in ways(FLAGS[b]))
    assert value(f"{a} {word} {b}") == wanted


@pytest.mark.parametrize("a, wanted", [(TRUE, False), (FALSE, True), (OPEN, UNKNOWN)])
def test_not_turns_what_is_known(a: str, wanted: Flag) -> None:
    assert value(f"not {a}") == wanted


@pytest.mark.parametrize("a, b, c", product(FLAGS, FLAGS, FLAGS))
def test_junctions_of_three_do_not_depend_on_order(a: str, b: str, c: str) -> None:
    for word, join in (("and", all), ("or", any)):
        flags = [FLAGS[x] for x in (a, b, c)]
        wanted = settled(join(world) for world in product(*map(ways, flags)))
        assert value(f"{a} {word} {b} {word} {c}") == wanted


KINDS = list(product(("in", "perhaps", "out"), (True, False, UNKNOWN)))
"""An element: whether the filter keeps it, and whether the body holds for it."""
RESULTS = {"in": {"result": ""}, "perhaps": {}, "out": {"result": "r"}}
BODIES: dict[Any, dict[str, str]] = {True: {"error": ""}, False: {"error": "e"}, UNKNOWN: {}}
QUANTIFIERS: dict[str, Callable[[list[bool]], bool]] = {"some": any, "every": all, "no": lambda xs: not any(xs)}
LISTS = [xs for n in range(4) for xs in combinations_with_replacement(KINDS, n)]


def run_of(elements: Iterable[tuple[str, Flag]]) -> dict[str, Any]:
    """A run with one call an element."""
    return {"calls": [{"tool": "t", **RESULTS[kept], **BODIES[body]} for kept, body in elements]}


def worlds_of(elements: Iterable[tuple[str, Flag]]) -> list[list[bool]]:
    """The bodies of the elements that are there, for every way things may be."""
    choices: list[list[list[bool]]] = []
    for kept, body in elements:
        there = [[b] for b in ways(body)]
        choices.append(there if kept == "in" else [[], *there] if kept == "perhaps" else [[]])
    return [[b for part in world for b in part] for world in product(*choices)]


@pytest.mark.parametrize("kind", QUANTIFIERS)
def test_a_quantifier_over_undecided_elements_is_known_when_every_world_agrees(kind: str) -> None:
    text = f"{kind} c in (each k in calls where blank(k.result)) satisfies blank(c.error)"
    for elements in LISTS:
        wanted = settled(map(QUANTIFIERS[kind], worlds_of(elements)))
        assert value(text, run_of(elements)) == wanted, elements


@pytest.mark.parametrize("kind", QUANTIFIERS)
def test_a_quantifier_reads_what_an_undecided_element_would_give(kind: str) -> None:
    text = f"{kind} e in (each k in calls where blank(k.result) give k.error) satisfies blank(e)"
    for elements in LISTS:
        if not any(kept != "out" and body == UNKNOWN for kept, body in elements):
            wanted = settled(map(QUANTIFIERS[kind], worlds_of(elements)))
            assert value(text, run_of(elements)) == wanted, elements


@pytest.mark.parametrize("kind", QUANTIFIERS)
def test_filters_one_after_the_other_keep_what_is_open_apart(kind: str) -> None:
    text = f"{kind} c in (each a in (each k in calls where blank(k.result)) where blank(a.error)) satisfies true"
    for elements in LISTS:
        wanted = settled(QUANTIFIERS[kind]([b for b in world if b]) for world in worlds_of(elements))
        assert value(text, run_of(elements)) == wanted, elements


@pytest.mark.parametrize("kind, wanted", [("some", False), ("every", True), ("no", True)])
def test_a_quantifier_over_nothing_is_known(kind: str, wanted: bool) -> None:
    assert value(f"{kind} c in calls satisfies blank(c.result)", {"calls": []}) is wanted
    assert value(f"{kind} c in calls satisfies blank(c.result)") == UNKNOWN


ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
SIZES = list(product(range(3), range(3)))


def counted(sure: int, perhaps: int, tool: str = "t") -> list[dict[str, Any]]:
    """Calls of which some are certainly without a result, and some perhaps."""
    return [{"tool": tool, "result": ""}] * sure + [{"tool": tool}] * perhaps


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sure, perhaps", SIZES)
def test_a_range_compares_as_all_its_counts_do(order: str, sure: int, perhaps: int) -> None:
    size = "size(each c in calls where blank(c.result))"
    for bound in range(6):
        wanted = settled(ORDERS[order](n, bound) for n in range(sure, sure + perhaps + 1))
        assert value(f"{size} {order} {bound}", {"calls": counted(sure, perhaps)}) == wanted
        turned = settled(ORDERS[order](bound, n) for n in range(sure, sure + perhaps + 1))
        assert value(f"{bound} {order} {size}", {"calls": counted(sure, perhaps)}) == turned


@pytest.mark.parametrize("order", ORDERS)
def test_two_ranges_compare_as_all_their_pairs_do(order: str) -> None:
    one, two = (f'size(each c in calls where c.tool == "{t}" and blank(c.result))' for t in "ab")
    for (low, open_), (other, more) in product(SIZES, SIZES):
        pairs = product(range(low, low + open_ + 1), range(other, other + more + 1))
        wanted = settled(ORDERS[order](x, y) for x, y in pairs)
        run = {"calls": [*counted(low, open_, "a"), *counted(other, more, "b")]}
        assert value(f"{one} {order} {two}", run) == wanted


def test_a_size_counts_all_that_an_undecided_element_would_give() -> None:
    run = {"calls": [{"tool": "two words"}, {"tool": "one", "result": ""}]}
    assert value("size(each c in calls where blank(c.result) give words(c.tool))", run) == ("between", 1, 3)


def test_membership_in_an_open_list_needs_a_sure_element() -> None:
    tools = "(each c in calls where blank(c.result) give c.tool)"
    run = {"calls": [{"tool": "sure", "result": ""}, {"tool": "perhaps"}]}
    assert value(f'"SURE" in {tools}', run) is True
    assert value(f'"SURE" not in {tools}', run) is False
    assert value(f'"perhaps" in {tools}', run) == UNKNOWN
    assert value(f'"perhaps" not in {tools}', run) == UNKNOWN
    assert value(f"found(d.hedge, {tools})", run) == UNKNOWN
    assert value(f"found(d.hedge, {tools})", {"calls": [{"tool": "not sure", "result": ""}, {"tool": "perhaps"}]}) is True


@pytest.mark.parametrize(
    "text",
    [
        "size(OPEN) + 1",
        "distinct(OPEN)",
        "OPEN.tool",
        "OPEN & calls",
        "OPEN | calls",
        "calls - OPEN",
        "sum(OPEN.started)",
        "first_of(OPEN)",
    ],
)
def test_any_other_reading_of_an_open_list_is_unknown(text: str) -> None:
    run = {"calls": [{"tool": "a", "started": 1}]}
    assert value(text.replace("OPEN", "(each c in calls where blank(c.result))"), run) == UNKNOWN


def test_reasons_are_joined_each_once() -> None:
    assert reasons("blank(input) and blank(output) and blank(input)") == ("input", "output")
    assert reasons("some c in calls satisfies blank(c.result)", {"calls": [{"tool": "a"}, {"tool": "b"}]}) == ("calls.result",)
