"""Escaped text cannot leave the place it is put in."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from iris.report.escape import (
    github_data,
    github_property,
    markdown_code,
    markdown_text,
    xml_attribute,
    xml_text,
)
from iris.report.text import visible

from .strategies import awkward_text


def unescaped(text: str) -> str:
    """Undo the escapes of a workflow command as the runner does, percent last."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@pytest.mark.parametrize(
    "text, escaped", [("100%\r\nA:b,c", "100%25%0D%0AA:b,c"), ("%0A", "%250A"), ("a\x1b[1m", "a<U+001B>[1m")]
)
def test_the_message_of_a_workflow_command_is_escaped(text: str, escaped: str) -> None:
    assert github_data(text) == escaped


def test_a_property_of_a_workflow_command_also_escapes_colon_and_comma() -> None:
    assert github_property("a:b,c%\n") == "a%3Ab%2Cc%25%0A"


@given(awkward_text)
def test_no_line_break_leaves_a_workflow_command(text: str) -> None:
    assert len(github_data(text).splitlines()) <= 1
    assert not set(github_property(text)) & set(":,\r\n")
    assert len(github_property(text).splitlines()) <= 1


@given(st.text(alphabet="a%\r\n:,0AD235"))
def test_the_runner_reads_back_what_was_escaped(text: str) -> None:
    assert unescaped(github_data(text)) == text
    assert unescaped(github_property(text)) == text


def cells_of_row(row: str) -> list[Any]:
    """Parse a table row and return the inline tokens of its cells."""
    table = f"| a | b |\n|---|---|\n{row}\n"
    tokens = MarkdownIt("commonmark").enable("table").parse(table)
    body = [token for token in tokens if token.type == "inline"][2:]
    assert [token.type for token in tokens].count("tr_open") == 2
    return body


def text_of_cell(cell: Any) -> str:
    """Return the text a cell shows, after checking that it holds nothing but text and code."""
    assert {child.type for child in cell.children} <= {"text", "text_special", "code_inline"}
    return "".join(child.content for child in cell.children)


@given(awkward_text)
def test_markdown_shows_escaped_text_as_it_is_in_a_table_cell(text: str) -> None:
    cells = cells_of_row(f"| {markdown_text(text)} | end |")
    assert text_of_cell(cells[0]).strip() == visible(text).strip()
    assert text_of_cell(cells[1]) == "end"


@given(st.one_of(awkward_text, st.text(alphabet="`|\\ a*<", max_size=12)))
def test_markdown_shows_code_as_it_is_in_a_table_cell(text: str) -> None:
    cells = cells_of_row(f"| {markdown_code(text)} | end |")
    assert text_of_cell(cells[0]).strip() == visible(text).strip()
    assert text_of_cell(cells[1]) == "end"


def test_code_with_a_backslash_and_a_pipe_is_written_as_text() -> None:
    # GitHub reads the first backslash of `\\|` as escaping the second, and the pipe then ends the cell.
    assert markdown_code("a\\|b") == r"a\\\|b"
    assert markdown_code("a|b") == r"`a\|b`"


@given(awkward_text)
def test_xml_holds_any_text(text: str) -> None:
    root = ET.fromstring(f'<a b="{xml_attribute(text)}">{xml_text(text)}</a>')
    written = root.text or ""
    assert root.attrib["b"] == written
    assert [c for c in written if c in "\r\n\t"] == [c for c in text if c in "\r\n\t"]
    assert all(c in written for c in text if c.isalnum())


def test_characters_that_xml_cannot_hold_become_code_points() -> None:
    assert xml_text("a\x00\ud800\ufffe<") == "a&lt;U+0000&gt;&lt;U+D800&gt;&lt;U+FFFE&gt;&lt;"
