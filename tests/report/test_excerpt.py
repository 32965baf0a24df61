"""An excerpt fits its width and marks the stretch it was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.report.excerpt import excerpt
from iris.report.text import cells

from .strategies import awkward_text


@pytest.mark.parametrize(
    "text, start, stop, drawn, underline",
    [
        ("one two three", 4, 7, "one two three", "    ~~~"),
        ("客服 two", 3, 6, "客服 two", "     ~~~"),
        ("a\u200bb two", 4, 7, "a<U+200B>b two", "           ~~~"),
        ("see \u202e here", 4, 5, "see <U+202E> here", "    ~~~~~~~~"),
        ("l1\nl2\tx\r\n", 3, 5, "l1⏎l2⇥x␍⏎", "   ~~"),
        ("empty", 2, 2, "empty", "  ~"),
    ],
)
def test_the_stretch_is_underlined_where_it_stands(
    text: str, start: int, stop: int, drawn: str, underline: str
) -> None:
    found = excerpt(text, start, stop, 40)
    assert found.before + found.marked + found.after == drawn
    assert found.underline() == underline


def test_long_surroundings_are_cut_on_both_sides() -> None:
    found = excerpt("a" * 50 + "MARK" + "b" * 50, 50, 54, 24)
    assert found.before + found.marked + found.after == "…aaaaaaaaaMARKbbbbbbbbb…"


def test_a_short_side_leaves_its_room_to_the_other() -> None:
    found = excerpt("a" * 50 + "MARK.", 50, 54, 24)
    assert found.before + found.marked + found.after == "…aaaaaaaaaaaaaaaaaaMARK."


def test_a_long_stretch_is_cut_in_the_middle() -> None:
    found = excerpt("<" + "m" * 50 + "n" * 50 + ">", 1, 101, 30)
    assert found.marked == "mmmmmmmmm…nnnnnnnnnn"
    assert found.before == "<"
    assert found.after == ">"


@given(awkward_text, st.data(), st.integers(30, 100))
def test_an_excerpt_fits_its_width(text: str, data: st.DataObject, width: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    found = excerpt(text * 3, start, stop, width)
    assert cells(found.before + found.marked + found.after) <= width
    assert cells(found.underline()) <= width
