"""Words and terms of a text and of its parts; what is found is kept with the text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, islice
from typing import Any

from iris.run.values import Bag, Text, View, as_texts
from iris.run.views import words as w
from iris.run.views.parts import sentence_spans

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


def spaceless(word: str) -> bool:
    """Whether a word is a pair of characters of a script without spaces, which no length guard should drop."""
    return w.is_unspaced(word[0])


def words(_c: Any, x: Any, shortest: float | None = None) -> Bag:
    """Every word of the texts, lower-case, in order."""
    if type(x) is Text:
        every = word_bag(x)
        if shortest is None or shortest <= 1:
            return every
        listed, texts = every.listed or [], [x]
    else:
        texts = as_texts(x)
        listed = [word for text in texts for word in word_bag(text).listed or ()]
    if shortest is not None and shortest > 1:
        if all(text.view.text.isascii() for text in texts):
            listed = [word for word in listed if len(word) >= shortest]
        else:
            listed = [word for word in listed if len(word) >= shortest or spaceless(word)]
    return Bag(texts, w.word_spans, None, listed, False)


def long_word_count(text: Text, shortest: float, limit: float) -> int | None:
    """How many words of an ASCII text are that long, counted up to one more than a limit; None for other texts."""
    if not text.view.text.isascii() or not 0 <= limit < MOST_COUNTED:
        return None
    found = (1 for word in word_bag(text).listed or () if len(word) >= shortest)
    return sum(islice(found, int(limit) + 1))


MOST_COUNTED = 1000
"""Beyond this, counting all is as cheap."""


def word_bag(text: Text) -> Bag:
    """The words of one text, kept on its view."""
    derived = text.view.derived
    key = ("words", text.start, text.end)
    found: Bag | None = derived.get(key)
    if found is None:
        found = derived[key] = Bag([text], w.word_spans, None, _listed(text), False)
    return found


def _listed(text: Text) -> list[str]:
    """The words of a text; of a plain view without digits, those of its sentences, which are likely to be asked for too."""
    view = text.view
    if NO_DIGITS.isdisjoint(view.readings()) and text.start == 0 and text.end == len(view.text):
        return list(chain.from_iterable(map(part_words, part_list(text, "sentences", sentence_spans))))
    return w.word_list(text.s)


NO_DIGITS = frozenset({"letters", "digits"})


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
    """The stems of one text, kept with it."""
    kept = text.terms
    if kept is not None and kept[0] is table:
        return kept[1]
    view = text.view
    if "letters" in view.readings():
        found = table.terms(text.s)
    elif text.start == 0 and text.end == len(view.text):
        found = table.terms_of(distinct_letters(view))
    else:
        found = table.terms_of(part_words(text))
    text.terms = table, found
    return found


def distinct_letters(view: View) -> frozenset[str]:
    """The distinct words of a plain view, digits ending a word."""
    found: frozenset[str] | None = view.derived.get("distinct letters")
    if found is None:
        words = view.derived.get(("words", 0, len(view.text)))
        if words is None:
            found = frozenset(part_words(view.whole()))
        elif "digits" in view.readings():
            found = frozenset(w.term_words(words.keys))
        else:
            found = words.keys
        view.derived["distinct letters"] = found
    return found


class Content:
    """The terms of a plain view under one table: what all its parts are read by."""

    __slots__ = ("kin", "words")

    def __init__(self, words: frozenset[str], kin: w.Kin) -> None:
        self.words = words
        """The distinct words that are terms."""
        self.kin = kin
        """These words by their stem, and perhaps others."""


def content_of(table: w.TermTable, view: View) -> Content:
    """The terms of a view in whose words no capital follows a small letter, kept on it."""
    key = ("content", table)
    found: Content | None = view.derived.get(key)
    if found is None:
        found = view.derived[key] = Content(*table.content(distinct_letters(view)))
    return found


def part_words(text: Text) -> list[str]:
    """The words of a part of a plain view, without digits; the parts share one reading of it."""
    if text.words is None:
        view = text.view
        letters = view.derived.get("letters")
        if letters is None:
            letters = view.derived["letters"] = w.plain_letters_of(view.text)
        text.words = letters[text.start : text.end].split()
    return text.words


def has_terms(table: w.TermTable, text: Text) -> bool:
    """Whether a text has a term; of a part of a plain view one of its words is enough."""
    view = text.view
    if "letters" in view.readings():
        return bool(text_terms(table, text))
    return not content_of(table, view).words.isdisjoint(part_words(text))


def chained_parts(table: w.TermTable, view: View, parts: list[Text], seed: frozenset[str]) -> list[Text]:
    """`chained` by terms over parts of a plain view: by words, each word standing for all of its stem."""
    content = content_of(table, view)
    by_stem, twins = content.kin.by_stem, content.kin.twins
    seen = {word for stem in seed for word in by_stem.get(stem, ())}
    unseen = set(content.words - seen)
    out = []
    for part in parts:
        words = part_words(part)
        if seen.isdisjoint(words):
            continue
        out.append(part)
        if unseen and not unseen.isdisjoint(words):
            fresh = unseen.intersection(words)
            for word in twins.keys() & fresh:
                fresh.update(twins[word])
            seen |= fresh
            unseen -= fresh
    return out
