"""Maps from derived texts to raw ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris.run.views.offsets import Offsets, Splice, compose

Edits = list[tuple[int, int, str]]


@st.composite
def spliced(draw: st.DrawFn, raw: str | None = None) -> tuple[str, Edits]:
    """A text and replacements in it, in order and apart."""
    text = draw(st.text("abcdef", max_size=30)) if raw is None else raw
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[0::2], cuts[1::2], strict=False)
    return text, [(start, end, draw(st.text("XYZ", max_size=4))) for start, end in pairs]


def run(text: str, edits: Edits) -> tuple[str, Offsets | None]:
    splice = Splice(text)
    for start, end, new in edits:
        splice.replace(start, end, new)
    return splice.done()


def by_hand(text: str, edits: Edits) -> tuple[str, list[tuple[int, int]]]:
    """The derived text, and for each of its characters the raw span it stands for."""
    out, spans, at = "", [], 0
    for start, end, new in [*edits, (len(text), len(text), "")]:
        out += text[at:start] + new
        spans += [(i, i + 1) for i in range(at, start)]
        in_step = len(new) == end - start == 1
        spans += [(start + i, start + i + 1) if in_step else (start, end) for i in range(len(new))]
        at = end
    return out, spans


@given(spliced())
def test_each_character_maps_to_what_it_stands_for(case: tuple[str, Edits]) -> None:
    text, edits = case
    derived, offsets = run(text, edits)
    expected, spans = by_hand(text, edits)
    assert derived == expected
    for at, (start, end) in enumerate(spans):
        first, last = offsets.back(at, at + 1) if offsets else (at, at + 1)
        assert first == start
        assert last >= end
        # Anything beyond is text that was dropped right after the character.
        assert all(any(s <= i < e and not new for s, e, new in edits) for i in range(end, last))


@given(spliced(), st.integers(0, 60), st.integers(0, 60))
def test_spans_stay_ordered_and_inside_the_raw_text(case: tuple[str, Edits], one: int, other: int) -> None:
    text, edits = case
    derived, offsets = run(text, edits)
    start, end = sorted((min(one, len(derived)), min(other, len(derived))))
    first, last = offsets.back(start, end) if offsets else (start, end)
    assert 0 <= first <= last <= len(text)
    assert (start < end) or first == last


@given(spliced(), st.data())
def test_composed_maps_lead_through_both(case: tuple[str, Edits], data: st.DataObject) -> None:
    text, edits = case
    middle, inner = run(text, edits)
    _, more = data.draw(spliced(middle))
    last, outer = run(middle, more)
    both = compose(outer, inner)
    start = data.draw(st.integers(0, len(last)))
    end = data.draw(st.integers(start, len(last)))
    step = outer.back(start, end) if outer else (start, end)
    assert (both.back(start, end) if both else (start, end)) == (inner.back(*step) if inner else step)


def test_composing_with_identity_gives_the_same_object() -> None:
    offsets = Offsets([(0, 1, 0, 2)])
    assert compose(offsets, None) is offsets
    assert compose(None, offsets) is offsets
    assert compose(None, None) is None


def test_dropped_text_inside_and_after_a_span_is_inside_the_raw_span() -> None:
    splice = Splice("a-b-c")
    splice.replace(1, 2, "")
    splice.replace(3, 4, "")
    derived, offsets = splice.done()
    assert derived == "abc"
    assert offsets is not None
    assert offsets.back(0, 2) == (0, 4)
    assert offsets.back(1, 3) == (2, 5)


def test_a_text_without_replacements_is_the_same_object() -> None:
    text = "nothing to do"
    assert Splice(text).done() == (text, None)
    assert Splice(text).done()[0] is text


def test_edits_are_made_once_and_only_when_a_span_is_asked_for() -> None:
    made = []

    def make() -> list[tuple[int, int, int, int]]:
        made.append(1)
        return [(1, 2, 1, 4)]

    offsets = Offsets(make)
    assert made == []
    assert offsets.back(1, 2) == (1, 4)
    assert offsets.back(2, 3) == (4, 5)
    assert made == [1]
