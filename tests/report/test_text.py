"""What is drawn on a terminal is one line, shows what hides, and is as wide as it is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.report.text import cells, is_hidden, laid_out, visible, wrap

from .strategies import awkward_text


@pytest.mark.parametrize(
    "char, shown",
    [
        ("\u200b", "<U+200B>"),
        ("\u202e", "<U+202E>"),
        ("\u2066", "<U+2066>"),
        ("\x1b", "<U+001B>"),
        ("\x07", "<U+0007>"),
        ("\x7f", "<U+007F>"),
        ("\u00ad", "<U+00AD>"),
        ("\ufeff", "<U+FEFF>"),
        ("\U000e0041", "<U+E0041>"),
        ("\U000e0100", "<U+E0100>"),
        ("\ufe01", "<U+FE01>"),
        ("\u3164", "<U+3164>"),
        ("\ud800", "<U+D800>"),
    ],
)
def test_a_hidden_character_is_shown_as_its_code_point(char: str, shown: str) -> None:
    assert visible(f"a{char}b") == f"a{shown}b"


@pytest.mark.parametrize("text", ["plain words", "Zürich, 東京 and Ελλάδα", "a\u0301 👍", "  two  spaces"])
def test_text_without_hidden_characters_is_unchanged(text: str) -> None:
    assert visible(text) == text


def test_breaks_become_spaces() -> None:
    assert visible("a\r\nb\tc") == "a  b c"


@pytest.mark.parametrize("text", ["##[error]x", "a ##[add-mask]x", "##vso[task.complete]", "é##[group]"])
def test_a_command_of_a_build_runner_is_broken_up(text: str) -> None:
    assert "##[" not in visible(text)
    assert "##vso[" not in visible(text)
    assert "<U+005B>" in visible(text)


@given(awkward_text)
def test_visible_text_is_one_line_without_hidden_characters(text: str) -> None:
    assert not any(is_hidden(char) for char in visible(text))
    assert len(visible(text).splitlines()) <= 1


@pytest.mark.parametrize(
    "text, width",
    [("abc", 3), ("客服", 4), ("ｆｕ", 4), ("e\u0301", 1), ("👍", 2), ("\u1112\u1161\u11ab", 2), ("", 0)],
)
def test_cells_count_what_a_terminal_draws(text: str, width: int) -> None:
    assert cells(text) == width


def test_tabs_are_laid_out_to_stops_of_four() -> None:
    assert laid_out("a\tb客c\t.") == ("a   b客c    .", [0, 1, 4, 5, 7, 8, 12, 13])


@given(awkward_text)
def test_the_last_offset_is_the_width_of_the_drawn_line(text: str) -> None:
    drawn, offsets = laid_out(text)
    assert offsets[-1] == cells(drawn)
    assert offsets == sorted(offsets)
    assert len(offsets) == len(text) + 1


@given(awkward_text, st.integers(40, 120), st.sampled_from(["", "    "]))
def test_wrapped_lines_keep_the_width_and_the_text(text: str, width: int, rest: str) -> None:
    shown = visible(text * 3)
    lines = wrap(shown, width, "> ", rest)
    assert all(cells(line) <= width for line in lines)
    kept = "".join(line[len(rest) if i else 2 :] for i, line in enumerate(lines))
    assert kept.replace("\\", "").replace(" ", "") == shown.replace("\\", "").replace(" ", "")


@pytest.mark.parametrize(
    "text", ["::error::x", "w" * 37 + "::error::x", "words " * 6 + "::error::" + "x" * 30]
)
def test_no_wrapped_line_begins_as_a_workflow_command(text: str) -> None:
    assert not any(line.lstrip().startswith("::") for line in wrap(text, 40, "", "  "))
