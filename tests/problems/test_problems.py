"""Every problem code has a golden text that a person has read, and a page whose examples do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iris
from iris.cli.explain import catalogue, code_page

from . import golden
from .examples import CODES, KINDS, codes_of

CATALOGUE = catalogue()
USED = {
    code
    for path in Path(iris.__file__).parent.rglob("*.py")
    for code in re.findall(r"\"(E\d\d\d)\"", path.read_text(encoding="utf-8"))
}
PLACELESS = {"E109", "E115", "E501", "E601", "E602", "E603", "E604", "E701", "E702", "E703", "E704", "E705", "E706", "E902", "E903"}
"""Codes about a path, a field of JSON, a line of runs or an argument: there is no stretch of a pack file to show."""

@pytest.mark.parametrize("code, path", golden.inputs().items(), ids=golden.inputs())
def test_a_mistake_reads_as_its_golden_text_says(code: str, path: Path) -> None:
    expected = (golden.HERE / f"{code}.txt").read_text(encoding="utf-8")
    assert golden.text_of(path) == expected, f"python -m tests.problems.update {code}"


@pytest.mark.parametrize("code, path", golden.inputs().items(), ids=golden.inputs())
def test_a_mistake_brings_no_follow_up_problem(code: str, path: Path) -> None:
    assert set(CODES.findall((golden.HERE / f"{code}.txt").read_text(encoding="utf-8"))) == {code}


def test_every_code_in_use_has_a_golden_pair_and_none_is_left_over() -> None:
    assert set(golden.inputs()) == USED
    assert {p.stem for p in golden.HERE.glob("E*.txt")} == USED


def test_every_code_in_use_has_a_page_and_none_is_left_over() -> None:
    assert set(CATALOGUE) == USED
    assert list(CATALOGUE) == sorted(CATALOGUE)


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_page_says_what_it_means_and_what_to_do(code: str) -> None:
    entry = CATALOGUE[code]
    assert set(entry) == {"title", "about", "fix", "in", "wrong", "right"}
    assert entry["in"] in KINDS
    assert 2 <= len(re.findall(r"[.?](?=\s|$)", entry["about"])) <= 5
    assert entry["fix"].strip()
    assert re.fullmatch(r".+[^.]", entry["title"])
    page = code_page(code, entry)
    assert page.startswith(f"{code}: {entry['title']}")
    assert page.index("Wrong") < page.index("Right")


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_wrong_example_is_wrong_in_just_this_way(code: str) -> None:
    entry = CATALOGUE[code]
    assert codes_of(entry["in"], entry["wrong"], code) == {code}


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_right_example_is_right(code: str) -> None:
    entry = CATALOGUE[code]
    assert codes_of(entry["in"], entry["right"], code) == set()


@pytest.mark.parametrize("code", sorted(USED))
def test_a_problem_says_what_to_do(code: str) -> None:
    text = (golden.HERE / f"{code}.txt").read_text(encoding="utf-8")
    assert len(re.findall(r"^ +(?:= )?help: \S", text, re.MULTILINE)) == text.count(f"error[{code}]")


@pytest.mark.parametrize("code", sorted(USED - PLACELESS - {c for c in USED if c[1] == "8"}))
def test_a_problem_of_a_file_shows_the_line_and_the_place(code: str) -> None:
    text = (golden.HERE / f"{code}.txt").read_text(encoding="utf-8")
    problems = text.count(f"error[{code}]")
    assert len(re.findall(r"^ *--> \S+:\d+:\d+$", text, re.MULTILINE)) == problems
    assert len(re.findall(r"^ *\| +\^+", text, re.MULTILINE)) == problems
