"""Sets of patterns find what each pattern finds by itself."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from iris import flow
from iris.run.engine import Engine
from iris.run.matcher import MAX_HITS, Matcher
from iris.run.values import View

FILLER = ["a plain sentence. ", "é ", "\n", "漢字 ", "12 ", "the refund of 5 € ", "😀", "\t", "ﬁne, ", ": ", '"']


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The built-in packs."""
    return Engine(flow.load_plan())


@lru_cache(maxsize=1)
def examples() -> list[str]:
    """Every example of every detector, hits and misses."""
    return [text for d in engine().plan["detectors"] for text in (*d["hits"], *d["misses"])]


def in_sets(matcher: Matcher) -> list[int]:
    """The detectors that run in sets."""
    return [p.id for p in matcher.patterns if not p.alone]


def disagreements(text: str) -> list[str]:
    """Detectors that their set and their own pattern judge differently."""
    matcher, view, data = engine().matcher, View(text, None), text.encode("utf-8", "replace")
    out = []
    for i in in_sets(matcher):
        pattern = matcher.patterns[i]
        if matcher.has(i, view) is not bool(re2.search(pattern.source, data)):
            out.append(pattern.name)
    return out


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Examples of detectors with other text around them."""
    parts = draw(st.lists(st.one_of(st.sampled_from(examples()), st.sampled_from(FILLER), st.text(max_size=4)), max_size=8))
    return "".join(parts)


@settings(max_examples=60, deadline=None)
@given(texts())
def test_a_set_finds_what_each_of_its_patterns_finds(text: str) -> None:
    assert disagreements(text) == []


def long_text(draw: random.Random, characters: int) -> str:
    """Words that no detector has met before, with a few examples among them."""
    chosen = draw.sample(examples(), 12)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_/.:@=é"
    parts: list[str] = []
    size = 0
    while size < characters:
        word = "".join(draw.choices(letters, k=draw.randint(1, 12))) if draw.random() < 0.97 else draw.choice([*chosen, *FILLER])
        parts.append(word)
        size += len(word) + 1
    return " ".join(parts)


@pytest.mark.parametrize("seed, characters", [(1, 30_000), (2, 30_000), (3, 30_000), (4, 1_000_000)])
def test_a_set_finds_the_same_in_texts_that_fill_its_automaton(seed: int, characters: int) -> None:
    assert disagreements(long_text(random.Random(seed), characters)) == []


def test_every_detector_hits_its_examples_through_its_set() -> None:
    matcher = engine().matcher
    for detector, pattern in zip(engine().plan["detectors"], matcher.patterns, strict=False):
        if detector["pattern"] is not None:
            assert all(matcher.view_hits(pattern.id, View(text, None)) for text in detector["hits"]), pattern.name
            assert not any(matcher.view_hits(pattern.id, View(text, None)) for text in detector["misses"]), pattern.name


@settings(max_examples=60, deadline=None)
@given(texts())
def test_hits_are_the_matches_in_code_points_and_in_order(text: str) -> None:
    matcher, view = engine().matcher, View(text, None)
    for pattern in matcher.patterns:
        if pattern.plain and pattern.source is not None:
            found = [(f.start, f.end) for f in matcher.view_hits(pattern.id, view)]
            data = text.encode("utf-8", "replace")
            spans = [m.span() for m in re2.finditer(pattern.source, data)][:MAX_HITS]
            assert found == [(len(data[:a].decode()), len(data[:b].decode())) for a, b in spans], pattern.name
