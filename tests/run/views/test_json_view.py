"""Views of JSON documents."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.run.views.fold import fold
from iris.run.views.json_view import json_labelled, json_values
from iris.run.views.parts import block_spans, sentence_spans

GAP = "\n¶\n"
numbers = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=12)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
).filter(lambda value: isinstance(value, (list, dict)))


def leaves(value: object) -> list[str]:
    """The values a document shows, as text, blank ones left out."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    return [value if isinstance(value, str) else json.dumps(value)]


def holds_scalar(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(holds_scalar, value.values()))
    return any(map(holds_scalar, value)) if isinstance(value, list) else value is not None


@given(documents, st.sampled_from([None, 2]), st.booleans())
def test_values_are_the_scalars_in_order(value: object, indent: int | None, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    view = json_values(raw)
    assert (view is not None) == holds_scalar(value)
    if view is not None:
        assert view[0] == GAP.join(leaves(value))


@given(documents, st.booleans(), st.booleans())
def test_each_character_maps_to_its_raw_text_or_escape(value: object, ascii_only: bool, labelled: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only)
    view = (json_labelled if labelled else json_values)(raw)
    if view is None:
        return
    text, offsets = view
    before = 0
    for at, character in enumerate(text):
        start, end = offsets.back(at, at + 1) if offsets else (at, at + 1)
        assert before <= start < end <= len(raw)
        before = start
        stretch = raw[start:end]
        if stretch.startswith("\\"):
            assert json.loads(f'"{stretch}"') == character
        elif len(stretch) == 1 and character not in "\n¶: ":
            assert stretch == character


def test_values_are_paragraphs_and_escapes_are_read() -> None:
    raw = '{"a": "x\\ny \\u00e9\\ud83d\\ude00", "n": -1.5e3, "l": ["p", true, null], "e": " "}'
    view = json_values(raw)
    assert view is not None
    text, offsets = view
    assert text == GAP.join(["x\ny é😀", "-1.5e3", "p", "true"])
    assert offsets is not None
    at = text.index("😀")
    assert raw[slice(*offsets.back(at, at + 1))] == "\\ud83d\\ude00"
    at = text.index("true")
    assert raw[slice(*offsets.back(at, at + 4))] == "true"


def test_labelled_gives_key_and_value_or_the_key_alone() -> None:
    raw = '{"a": "x", "o": {"k" : 1}, "l": ["p"], "z": null, "e": ""}'
    view = json_labelled(raw)
    assert view is not None
    text, offsets = view
    assert text.split(GAP) == ['"a": x', '"o"', '"k": 1', '"l"', "p", '"z"', '"e": ']
    assert offsets is not None
    assert raw[slice(*offsets.back(0, 6))] == '"a": "x'
    at = text.index('"k": 1')
    assert raw[slice(*offsets.back(at, at + 6))] == '"k" : 1'


def test_a_key_that_looks_like_a_value_is_no_value() -> None:
    view = json_values('{"a:b": "c", "\\"": "d\\": e"}')
    assert view is not None
    assert view[0] == GAP.join(["c", 'd": e'])


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "prose",
        "{not json}",
        "[1, 2",
        '"text"',
        "12",
        "[]",
        "{}",
        '{"a": null}',
        "[[], {}]",
        "[NaN]",
        "[Infinity]",
        '{"a": 1} and more',
        "[1] [2]",
        "[" * 5000 + "]" * 5000,
        '["' + "a" * 512_000 + '"]',
    ],
    ids=range(16),
)
def test_what_is_no_document_or_shows_nothing_has_no_view(raw: str) -> None:
    assert json_values(raw) is None
    assert json_labelled(raw) is None


def test_a_span_that_ends_with_the_last_value_does_not_reach_into_what_closes() -> None:
    view = json_values('{"a": ["x y"]}')
    assert view is not None
    assert view[1] is not None
    assert view[1].back(0, 3) == (8, 11)


def test_numbers_stay_as_they_are_written() -> None:
    numbers = ["1.50", "-0", "2E+5", "9" * 80_000]
    view = json_values("[" + ", ".join(numbers) + "]")
    assert view is not None
    assert view[0] == GAP.join(numbers)


def test_a_key_given_twice_is_read_twice() -> None:
    view = json_labelled('{"a": 1, "a": "x"}')
    assert view is not None
    assert view[0] == '"a": 1' + GAP + '"a": x'


def test_white_space_around_a_document_does_not_matter() -> None:
    view = json_values('\n  ["a b"] \n')
    assert view is not None
    assert view[0] == "a b"
    assert view[1] is not None
    assert view[1].back(0, 3) == (5, 8)


def test_blank_strings_read_as_nothing() -> None:
    view = json_values('{"a": " \\n\\t", "b": ""}')
    assert view is not None
    assert view[0] == ""


def test_a_lone_half_of_a_surrogate_pair_is_replaced() -> None:
    view = json_values('["\\ud800 x"]')
    assert view is not None
    assert view[0] == "\ufffd x"


def test_values_stay_apart_through_the_fold_and_in_every_part() -> None:
    view = json_values('{"a": "ok then", "b": "fine  too", "c": 12}')
    assert view is not None
    folded = fold(view[0])[0]
    assert folded == GAP.join(["ok then", "fine too", "12"])
    pieces = ["ok then", "fine too", "12"]
    assert [folded[a:b] for a, b in sentence_spans(folded)] == pieces
    assert [folded[a:b] for a, b in block_spans(folded)] == pieces
