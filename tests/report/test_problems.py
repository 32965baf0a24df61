"""Problems in the four formats, the caret under its place."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.problems import Place, Problem
from iris.report.problems import render_problems
from iris.report.text import cells

from .compare import assert_golden
from .strategies import awkward_text

RULE = "rulepacks/conduct/repeats_refused_call.yaml"
LINE = "  some a in calls satisfies a.refusd"


def problem(line: str, piece: str, number: int = 23, **more: str) -> Problem:
    """Make a problem at a piece of a line."""
    place = Place(RULE, number, line.index(piece) + 1, len(piece), line)
    return Problem("E014", "a call has no field `refusd`", place, **more)


SEVERAL = [
    problem(LINE, "a.refusd", label="unknown field", help="did you mean `refused`?"),
    problem("say:\t客服の「ｆｕｌｌ」 a.refusd", "a.refusd", 7, label="full-width and tab before it"),
    problem("say: ｆｕｌｌ\tend", "ｆｕｌｌ\t", 1234, label="full-width and tab in it"),
    problem("when: \u202eevil\u200b \x1b[31mred", "\x1b", 8, severity="warning", label="a control character"),
    Problem("E003", "the pack has no rules", Place("packs/empty/pack.yaml", 1, 1), help="add a rule file"),
    Problem("E902", "no packs are named", None, "nothing to do", "name one", "note"),
]


@pytest.mark.parametrize("name, colour", [("problems.txt", False), ("problems_colour.txt", True)])
def test_problems_read_as_in_their_golden_file(name: str, colour: bool) -> None:
    assert_golden(name, render_problems(SEVERAL, "text", colour=colour))


def test_the_layout_is_the_agreed_one() -> None:
    assert render_problems(SEVERAL[:1], "text") == (
        "error[E014]: a call has no field `refusd`\n"
        "  --> rulepacks/conduct/repeats_refused_call.yaml:23:29\n"
        "   |\n"
        "23 |   some a in calls satisfies a.refusd\n"
        "   |                             ^^^^^^^^ unknown field\n"
        "   = help: did you mean `refused`?\n"
        "\n"
        "1 problem in 1 file\n"
    )


@pytest.mark.parametrize(
    "line, column, length, carets",
    [
        ("abc", 2, 1, " ^"),
        ("abc", 4, 1, "   ^"),
        ("abc", 9, 5, "   ^"),
        ("abc", 2, 99, " ^^"),
        ("abc", 0, 0, "^"),
        ("\tx", 2, 1, "    ^"),
        ("ab\tx", 3, 1, "  ^^"),
        ("客x", 2, 1, "  ^"),
        ("客x", 1, 1, "^^"),
        ("e\u0301x", 3, 1, " ^"),
        ("\u200bx", 2, 1, "        ^"),
        ("\u200bx", 1, 1, "^^^^^^^^"),
    ],
)
def test_the_caret_stands_under_its_place(line: str, column: int, length: int, carets: str) -> None:
    text = render_problems([Problem("E001", "m", Place("f", 1, column, length, line))], "text")
    assert text.splitlines()[4] == f"  | {carets}"


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "x" * 300 + "HERE" + "y" * 300
    text = render_problems([Problem("E001", "m", Place("f", 1, 301, 4, line))], "text").splitlines()
    assert cells(text[3]) < 220
    assert text[3][text[4].index("^") :].startswith("HERE")
    assert text[4].count("^") == 4
    assert text[3].startswith("1 | …x")
    assert text[3].endswith("y…")


@pytest.mark.parametrize("column", [1, 599, 600, 601])
def test_a_place_at_the_end_of_a_long_line_is_drawn(column: int) -> None:
    line = "x" * 599 + "y"
    text = render_problems([Problem("E001", "m", Place("f", 1, column, 1, line))], "text").splitlines()
    assert cells(text[3]) >= 200
    under = text[3][text[4].index("^") :][:1]
    assert under == ("x" if column < 600 else "y" if column == 600 else "")


@pytest.mark.parametrize(
    "problems, last",
    [
        (SEVERAL[:3], "3 problems in 1 file"),
        (SEVERAL, "6 problems in 2 files"),
        (SEVERAL[5:], "1 problem"),
        ([], "no problems"),
    ],
)
def test_the_summary_counts_problems_and_files(problems: list[Problem], last: str) -> None:
    assert render_problems(problems, "text").splitlines()[-1] == last


@given(
    awkward_text, st.integers(-1, 70), st.integers(-1, 70), st.sampled_from(["error", "warning", "note", "x"])
)
def test_without_colour_there_is_no_control_character(
    text: str, column: int, length: int, severity: str
) -> None:
    places = [Place(text, 3, column, length, text), None]
    drawn = render_problems([Problem(text, text, place, text, text, severity) for place in places], "text")
    assert not any(ord(char) < 32 or ord(char) == 127 for char in drawn.replace("\n", ""))
    drawn.encode()


def test_json_mirrors_the_problems() -> None:
    assert json.loads(render_problems(SEVERAL, "json")) == [asdict(p) for p in SEVERAL]


def test_github_gets_one_command_a_problem() -> None:
    assert_golden("problems_github.txt", render_problems(SEVERAL, "github"))


@given(awkward_text)
def test_a_github_command_is_one_line(text: str) -> None:
    drawn = render_problems([Problem(text, text, Place(text, 1, 1, 1, text), text, text)], "github")
    assert len(drawn.splitlines()) == 1
    assert drawn.startswith("::error file=")
    assert drawn.split("::", 2)[1].count(",") == 3


def test_sarif_counts_columns_in_code_points() -> None:
    run = json.loads(render_problems(SEVERAL[1:2], "sarif"))["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7, "startColumn": 16, "endColumn": 24}
    assert run["tool"]["driver"]["rules"] == [{"id": "E014", "help": {"text": "See `iris explain E014`."}}]


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="formats are text, json, sarif, github"):
        render_problems([], "xml")
