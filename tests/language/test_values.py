"""What is equal to what, and what stands in an order."""

from __future__ import annotations

import pytest

from tests.support import Refused, expression, value

RUN = {"input": "One. Two. Three.", "output": "Four. Five."}
FLAGS = [
    ("1 in [true]", False),
    ("true in [1]", False),
    ("0 in [false]", False),
    ("true in [true]", True),
    ("1 in [1]", True),
    ("1 not in [true]", True),
    ('size([1, 0, "x"] & [true, false])', 0),
    ('size([1, 0, "x"] - [true, false])', 3),
    ('size([1, 0, "x"] | [true, false])', 5),
    ("size(distinct([1, true, 0, false]))", 4),
    ("covers([true], [1])", False),
    ('parsed("{\\"a\\": true}").a in [1]', False),
    ('parsed("{\\"a\\": true}").a == 1', False),
    ('parsed("{\\"a\\": true}").a == true', True),
]


@pytest.mark.parametrize("text, wanted", FLAGS)
def test_a_flag_is_no_number(text: str, wanted: object) -> None:
    assert value(text) == wanted


ORDERS = [
    ("size(each a in sentences(input) where (some b in sentences(input) after a satisfies true))", 2),
    ("some a in sentences(input), b in sentences(output) after a satisfies true", False),
    ("some a in sentences(input), b in sentences(output) before a satisfies true", False),
    ("every a in sentences(output), b in sentences(folded(output)) before a satisfies a != b", True),
    ("some a in sentences(output), b in sentences(folded(output)) before a satisfies true", True),
    ("some a in sentences(gather(input, output)), b in sentences(gather(input, output)) after a satisfies "
     'contains(b, "Four")', False),
]  # fmt: skip


@pytest.mark.parametrize("text, wanted", ORDERS)
def test_only_parts_of_one_text_stand_in_an_order(text: str, wanted: object) -> None:
    assert value(text, RUN) == wanted


@pytest.mark.parametrize("text", ["calls & words(output)", "words(output) + [1, 2]", "calls - [1]", "[true] | [1]"])
def test_lists_of_different_kinds_are_refused_by_the_set_operations(text: str) -> None:
    with pytest.raises(Refused, match="E025"):
        expression(f"size({text})")


@pytest.mark.parametrize("text", ["leaves(metadata) & words(output)", "[1, true] & [2]", "calls.tool | words(output)", "[] + calls"])
def test_lists_that_may_share_an_element_are_taken(text: str) -> None:
    expression(f"size({text})")


@pytest.mark.parametrize("letter", "ไລမភかカ中㐀豈ㇰ")
def test_every_script_without_spaces_is_one_everywhere(letter: str) -> None:
    run = {"output": letter * 4}
    assert value(f'mentions(output, "{letter * 2}")', run) is True
    assert value("size(words(output, shortest=4))", run) == 3
