"""Parts of a text: sentences, lines, quotes, fences, cells, words, and windows around a part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from iris.run.values import Bag, Fact, Text, View, as_text, as_texts
from iris.run.views import parts as p
from iris.run.views import words as w


def spaceless(word: str) -> bool:
    """Whether a word is a pair of characters of a script without spaces, which no length guard should drop."""
    return w.is_unspaced(word[0])


Spans = Callable[[str], list[tuple[int, int]]]


def part_list(text: Text, name: str, spans: Spans) -> list[Text]:
    """The parts of a text, kept on its view."""
    view = text.view
    key = name if text.start == 0 and text.end == len(view.text) else f"{name} {text.start} {text.end}"
    found = view.parts.get(key)
    if found is None:
        at = text.start
        found = view.parts[key] = [Text(view, at + s, at + e) for s, e in spans(text.s)]
    return found


def _parts(name: str, spans: Spans) -> Callable[..., Any]:
    def operator(_c: Any, x: Any) -> list[Text]:
        if type(x) is Text:
            return part_list(x, name, spans)
        return [t for text in as_texts(x) for t in part_list(text, name, spans)]

    return operator


def cells(_c: Any, x: Any) -> list[Fact]:
    """Table cells as facts: key is the row's label, value the cell's text."""
    out: list[Fact] = []
    for text in as_texts(x):
        found = text.view.derived.get(("cells", text.start, text.end))
        if found is None:
            found = [_cell(text, *spans) for spans in p.table_cells(text.s)]
            text.view.derived[("cells", text.start, text.end)] = found
        out += found
    return out


def _cell(text: Text, label: tuple[int, int], cell: tuple[int, int], _header: tuple[int, int] | None) -> Fact:
    at = text.start
    fact = Fact(text.view, at + cell[0], at + cell[1], "cell")
    fact.key = Text(text.view, at + label[0], at + label[1])
    fact.value = Text(text.view, at + cell[0], at + cell[1])
    return fact


def words(_c: Any, x: Any, shortest: float | None = None) -> Bag:
    """Every word of the texts, lower-case, in order."""
    texts = as_texts(x)
    listed: list[str] = []
    for text in texts:
        key = ("words", text.start, text.end)
        found = text.view.derived.get(key)
        if found is None:
            found = text.view.derived[key] = w.word_list(text.s)
        listed = found if len(texts) == 1 else listed + found
    if shortest is not None and shortest > 1:
        if all(text.view.text.isascii() for text in texts):
            listed = [word for word in listed if len(word) >= shortest]
        else:
            listed = [word for word in listed if len(word) >= shortest or spaceless(word)]
    return Bag(texts, w.word_spans, None, listed, False)


def terms(c: Any, x: Any, drop: Any = None) -> Bag:
    """The distinct content stems of the texts."""
    return term_bag(c.term_table(drop), x)


def term_bag(table: w.TermTable, x: Any) -> Bag:
    """The content stems of texts under one table."""
    if type(x) is Text:
        return Bag([x], table.term_spans, text_terms(table, x), None, True)
    texts = as_texts(x)
    return Bag(texts, table.term_spans, frozenset().union(*(text_terms(table, t) for t in texts)), None, True)


def text_terms(table: w.TermTable, text: Text) -> frozenset[str]:
    """The stems of one text, kept on its view; the parts of a plain view share one reading of it."""
    derived = text.view.derived
    key = (table, text.start, text.end)
    found: frozenset[str] | None = derived.get(key)
    if found is None:
        letters = derived.get("letters", derived)
        if letters is derived:
            letters = derived["letters"] = w.plain_letters_of(text.view.text)
        found = table.terms(text.s) if letters is None else table.terms_of(letters[text.start : text.end].split())
        derived[key] = found
    return found


def window(view: View, start: int, end: int) -> Text:
    """A text of its own over a stretch of a view: `^` and `$` are its ends."""
    start, end = max(start, 0), min(end, len(view.text))
    end = max(start, end)
    return View(view.text[start:end], view.source, view, start, None, True).whole()


def text_before(_c: Any, x: Any, n: float) -> Text:
    """The n characters before a part."""
    t = as_text(x)
    return window(t.view, t.start - int(n), t.start)


def text_after(_c: Any, x: Any, n: float) -> Text:
    """The n characters after a part."""
    t = as_text(x)
    return window(t.view, t.end, t.end + int(n))


def around(_c: Any, x: Any, n: float) -> Text:
    """A part with n characters on both sides."""
    t = as_text(x)
    return window(t.view, t.start - int(n), t.end + int(n))


def first(_c: Any, x: Any, n: float) -> Text:
    """The first n characters; a whole text that has no more stands for itself."""
    t = as_text(x)
    return t if _whole(t) and t.end <= n else window(t.view, t.start, min(t.start + int(n), t.end))


def last(_c: Any, x: Any, n: float) -> Text:
    """The last n characters; a whole text that has no more stands for itself."""
    t = as_text(x)
    return t if _whole(t) and t.end <= n else window(t.view, max(t.end - int(n), t.start), t.end)


def _whole(t: Text) -> bool:
    return t.start == 0 and t.end == len(t.view.text)


def line_of(_c: Any, x: Any) -> Text:
    """The line a part begins in."""
    t = as_text(x)
    start = t.view.text.rfind("\n", 0, t.start) + 1
    end = t.view.text.find("\n", t.start)
    return window(t.view, start, end if end >= 0 else len(t.view.text))


def sentence_of(_c: Any, x: Any) -> Text:
    """The sentence a part begins in; the part's line when it stands in none."""
    t = as_text(x)
    found = part_list(t.view.whole(), "sentences", p.sentence_spans)
    i = bisect_right(found, t.start, key=lambda s: s.start) - 1
    if i >= 0 and t.start < found[i].end:
        return window(t.view, found[i].start, found[i].end)
    return line_of(_c, t)


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "sentences": _parts("sentences", p.sentence_spans),
        "lines": _parts("lines", p.line_spans),
        "blocks": _parts("blocks", p.block_spans),
        "quoted": _parts("quoted", p.quoted_spans),
        "fenced": _parts("fenced", p.fenced_spans),
        "removed": _parts("removed", p.removed_spans),
        "cells": cells,
        "words": words,
        "terms": terms,
        "text_before": text_before,
        "text_after": text_after,
        "around": around,
        "first": first,
        "last": last,
        "line_of": line_of,
        "sentence_of": sentence_of,
    }
