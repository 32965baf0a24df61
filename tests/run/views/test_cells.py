"""Cells of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.run.views.parts import table_cells


def cells(text: str) -> list[tuple[str, str, str | None]]:
    return [
        (text[slice(*label)], text[slice(*cell)], text[slice(*top)] if top else None) for label, cell, top in table_cells(text)
    ]


REDS = [("reds", "31", "goals"), ("blues", "24", "goals")]


@pytest.mark.parametrize(
    "table",
    [
        "| team | goals |\n|---|---|\n| reds | 31 |\n| blues | 24 |",
        "| team | goals |\n| :-- | --: |\n| **reds** | `31` |\n| blues | 24 |",
        "team | goals\n--- | ---\nreds | 31\nblues | 24",
        "| team | goals |\n| reds | 31 |\n| blues | 24 |",
        "team,goals\nreds,31\nblues,24",
        "team;goals\r\nreds;31\r\nblues;24\r",
        "team\tgoals\nreds\t31\nblues\t24",
        '"team","goals"\n"reds","31"\n"blues","24"',
    ],
)
@pytest.mark.parametrize("around", ["{}", "Here, as asked:\n\n{}\n\nThat is all, I think.", "```csv\n{}\n```"])
def test_every_kind_of_table_gives_label_value_and_header(table: str, around: str) -> None:
    assert cells(around.format(table)) == REDS


def test_every_column_but_the_first_is_a_cell_and_empty_ones_are_not() -> None:
    assert cells("| k | a | b |\n|-|-|-|\n| x | 1 | |\n| | 2 | 3 |\n| y | 4 | 5 |") == [
        ("x", "1", "a"),
        ("y", "4", "a"),
        ("y", "5", "b"),
    ]


def test_a_first_row_with_numbers_is_no_header() -> None:
    assert cells("reds,31\nblues,24") == [("reds", "31", None), ("blues", "24", None)]
    assert cells("| reds | 31 |\n| blues | 24 |") == [("reds", "31", None), ("blues", "24", None)]


def test_separators_inside_quotes_or_escaped_do_not_count() -> None:
    assert cells('"Smith, J",24\n"Lee, K",5') == [("Smith, J", "24", None), ("Lee, K", "5", None)]
    assert cells("| a \\| b | 2 |\n| c | 3 |") == [("a \\| b", "2", None), ("c", "3", None)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line, with a comma",
        "The team, which won\nthe match, was happy",
        "First, we go.\nSecond, we stay.",
        "Total 1,234\nUsers 5,678",
        "a,b\n\nc,1",
        "a,b,1\nc,2",
        "x | y",
        "cat file | grep x\n",
        "name,city\nBob,Paris",
        "dear all, this is a long clause that goes on for a while and more,\nand so does this one, and " + "x" * 80 + ", 5",
        "||||\n||||",
    ],
)
def test_prose_is_no_table(text: str) -> None:
    assert cells(text) == []


@given(st.lists(st.sampled_from(["a", "12", "|", ",", ";", "\t", "\n", " ", '"', "-", "\\", "é"]), max_size=40).map("".join))
def test_spans_are_inside_their_lines(text: str) -> None:
    for label, cell, top in table_cells(text):
        assert 0 <= label[0] < label[1] <= cell[0] < cell[1] <= len(text)
        assert "\n" not in text[label[0] : cell[1]]
        assert top is None or top[1] <= label[0]
