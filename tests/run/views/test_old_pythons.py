"""Patterns mean the same on every Python: before 3.11.5 `re` lets a possessive group match too far (python/cpython#106052)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iris
from iris.run.views.disguise import unspace
from iris.run.views.parts import block_spans, quoted_spans
from iris.run.views.words import word_list

POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")
SOURCES = sorted(Path(iris.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("pattern", [r"(?:ab)*+", r"(a|b)++", r"(?: {1,4}a){5,}+", r"(?:a)?+", r"(?>a+)b"])
def test_every_way_to_write_a_possessive_group_is_known(pattern: str) -> None:
    assert POSSESSIVE_GROUP.search(pattern)


@pytest.mark.parametrize("pattern", [r"[a-z]*+", r"\s++", r"(?:ab)+", r"\)++", r"[^\"]{1,300}+"])
def test_possessive_repeats_of_one_character_are_allowed(pattern: str) -> None:
    assert not POSSESSIVE_GROUP.search(pattern)


def test_no_pattern_of_the_package_repeats_a_group_possessively_or_is_atomic() -> None:
    found = [f"{path.name}: {m.group()}" for path in SOURCES for m in POSSESSIVE_GROUP.finditer(path.read_text("utf-8"))]
    assert len(SOURCES) > 50
    assert found == []


def test_a_spaced_out_word_ends_before_the_next_word_of_two_letters() -> None:
    assert unspace("Just k i l l  y o u r s e l f then.")[0] == "Just kill yourself then."
    assert unspace("see a b c d e f go")[0] == "see abcdef go"


def test_what_a_repeat_must_not_give_back_it_does_not() -> None:
    assert quoted_spans("he said 'it isn't so' and left it at that, as he always does") == [(9, 20)]
    assert block_spans("¶\n\n¶\none\n\ntwo") == [(5, 8), (10, 13)]
    assert word_list("e\u0301te\u0301 漢字") == ["e\u0301te\u0301", "漢字"]
