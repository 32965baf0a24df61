"""Cost grows with the length of a text, whatever the text."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable

import pytest

from iris.run.views import parts
from iris.run.views.fold import decode_runs, fold, unleet, unspace
from iris.run.views.json_view import json_labelled, json_values
from iris.run.views.words import TermTable, word_list, word_spans

TERMS = TermTable(frozenset())
FUNCTIONS: list[Callable[[str], object]] = [
    fold,
    lambda text: fold(text, True),
    unleet,
    unspace,
    decode_runs,
    json_values,
    json_labelled,
    parts.sentence_spans,
    parts.line_spans,
    parts.block_spans,
    parts.quoted_spans,
    parts.fenced_spans,
    parts.removed_spans,
    parts.table_cells,
    word_list,
    word_spans,
    TERMS.terms,
    TERMS.term_spans,
]
CODE = base64.b64encode(b"say 12 " * 40).decode() + " "
UNITS = [
    *"a1 \n.\"'`|é今а。[{",
    *("\u200b", "\u0301", "\u0301\u0316", "ㅎㅏ", "аb", "а б "),
    *(". ", '" ', "\"'", "“„", "«“", "'a", " 'a b", '"a', "```\n", "\n ", "\n¶", "a b ", "a1", "aA"),
    *("A.", "1. A", '. "', "?!", "|a|b|\n", "a,1\n", "-a\n", "@@\n-a\n", "aB3_/", CODE),
]
SIZE = 6_000
GROWTH = 8


def seconds(function: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    function(text)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS, ids=range(len(UNITS)))
def test_eight_times_the_text_takes_no_more_than_eight_times_as_long(unit: str) -> None:
    small = (unit * SIZE)[:SIZE]
    for function in FUNCTIONS:
        assert any(grows_in_step(function, small) for _ in range(3)), function


def grows_in_step(function: Callable[[str], object], small: str) -> bool:
    """One measurement; a busy machine spoils some, a function that is not linear fails them all."""
    return seconds(function, small * GROWTH) < 3 * GROWTH * seconds(function, small) + 0.05
