"""Words and content terms of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from iris.run.views.disguise import aligned, byte_classes
from iris.run.views.letters import not_ascii
from iris.run.views.tables import Suffix, suffixes

_SMALL = b"abcdefghijklmnopqrstuvwxyz"
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = b"0123456789"
_TO_SMALL = bytes.maketrans(_CAPITALS, _SMALL)


def _only(kept: bytes) -> bytes:
    """A table that makes capitals small and everything else than `kept` a space."""
    return bytes(_TO_SMALL[byte] if byte in kept else 32 for byte in range(256))


_WORDS = _only(_SMALL + _CAPITALS + _DIGITS)
_LETTERS = _only(_SMALL + _CAPITALS)
_CASES = byte_classes(a=_SMALL, A=_CAPITALS)
_SHORTEST_TERM = 3
_MOST_CACHED = 100_000
_FEW = 64

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana and Han.
_UNSPACED = (
    "\u0e00-\u0e4e\u0e80-\u0ecf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099\u309a"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
# Marks and joiners inside words; `\w` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b"
    "\u08d3-\u08e1\u08e3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a4d\u0a70-\u0a75"
    "\u0a81-\u0acd\u0b01-\u0b57\u0b82-\u0bcd\u0c00-\u0c56\u0c81-\u0cd6\u0d00-\u0d57\u0d81-\u0df3\u0f71-\u0f84"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d"
)
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]++|[{_MARKS}]++)*+")
_TERM = re.compile(rf"[{_UNSPACED}]+|[^\W\d_{_UNSPACED}](?:[^\W\d_{_UNSPACED}]++|[{_MARKS}]++)*+")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_PLAIN_TERM = re.compile(r"[^\W\d_]+")
_IN_WORD = re.compile(rf"[\w{_MARKS}{_UNSPACED}]")
_NEEDS_CARE = re.compile(f"[{_UNSPACED}{_MARKS}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_JOINERS = re.compile("[\u200c\u200d]+")
_NEW_CAPITAL = re.compile(rb"A(?<=aA)")  # begins with a byte that is rare, and so quick to look for
_CASE_CHANGE = re.compile("(?<=[a-z])(?=[A-Z])")


def is_unspaced(character: str) -> bool:
    """Whether a character is of a script written without spaces."""
    return not character.isascii() and _IS_UNSPACED.match(character) is not None


def word_list(text: str) -> list[str]:
    """Give every word in lower case: runs of letters and digits, an apostrophe being outside of words.

    Scripts written without spaces give pairs of characters, or the character when it stands alone.
    """
    rare = _other_letters(text)
    if not rare:
        return aligned(text).translate(_WORDS).decode().split()
    if not _NEEDS_CARE.search(rare):
        return [word.lower() for word in _PLAIN_WORD.findall(text)]
    return _listed(_WORD.findall(text))


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Give the words of `word_list` with their spans."""
    return list(_spans(text, _WORD))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Give the crude stem of a lower-case word; the table is in `data/stem_suffixes.txt`."""
    if len(word) <= _SHORTEST_TERM:
        return word
    table = suffixes()
    if not word.endswith(table.not_plural) or word.endswith(table.plurals[0].ending):
        word = _cut(word, table.plurals)
    word = _cut(word, table.endings)
    if word.endswith("e") and len(word) > _SHORTEST_TERM:
        word = word[:-1]
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in table.kept_double:
        word = word[:-1]
    return word


def _cut(word: str, table: tuple[Suffix, ...]) -> str:
    """Replace the first ending of a table that the word has, if the word is long enough."""
    for suffix in table:
        if word.endswith(suffix.ending) and len(word) > suffix.longer_than:
            return word[: -len(suffix.ending)] + suffix.new
    return word


class TermTable:
    """Content terms under one list of words to drop; remembers each word's stem."""

    __slots__ = ("_stems",)

    def __init__(self, drop: frozenset[str]) -> None:
        self._stems = _Stems(drop)

    def terms(self, text: str) -> frozenset[str]:
        """Give the distinct stems of the words of three letters or more that are not dropped.

        Digits, punctuation and a change from small to capital letters end a word.
        """
        return self.terms_of(_term_words(text))

    def terms_of(self, words: list[str]) -> frozenset[str]:
        """Give the distinct stems of lower-case words."""
        # In a long text most words come again, and a set of them is cheaper than looking each one up.
        found = set(map(self._stems.__getitem__, words if len(words) < _FEW else set(words)))
        found.discard(None)
        return frozenset(found)  # type: ignore[arg-type]

    def term_spans(self, text: str) -> list[tuple[str, int, int]]:
        """Give every occurrence of a term with its span."""
        stems = self._stems
        found = ((stems[word], start, end) for word, start, end in _spans(text, _TERM, split_case=True))
        return [(term, start, end) for term, start, end in found if term is not None]


class _Stems(dict[str, str | None]):
    """The stem of each word met, None for a word that is no term."""

    def __init__(self, drop: frozenset[str]) -> None:
        self._drop = drop | {stem(word) for word in drop}

    def __missing__(self, word: str) -> str | None:
        if len(self) >= _MOST_CACHED:
            self.clear()
        term = stem(word)
        shortest = _SHORTEST_TERM if word.upper() != word else 1 if _IS_UNSPACED.match(word) else 2
        self[word] = kept = None if len(word) < shortest or word in self._drop or term in self._drop else term
        return kept


def plain_letters_of(text: str) -> str | None:
    """Give an ASCII text in lower case with everything but letters as spaces, place for place.

    None when the text needs a closer look: other letters, or words joined by a change of case.
    """
    if not text.isascii():
        return None
    codes = aligned(text)
    return None if b"aA" in codes.translate(_CASES) else codes.translate(_LETTERS).decode()


def _other_letters(text: str) -> str:
    """Give the characters outside ASCII if any of them belongs to a word; typographic signs do not."""
    if text.isascii():
        return ""
    rare = not_ascii(text)
    return rare if _IN_WORD.search(rare) else ""


def _term_words(text: str) -> list[str]:
    codes = aligned(text)
    cased = codes.translate(_CASES)
    if _NEW_CAPITAL.search(cased):
        text = _split_case(text, cased)
        codes = aligned(text)
    rare = _other_letters(text)
    if not rare:
        return codes.translate(_LETTERS).decode().split()
    if not _NEEDS_CARE.search(rare):
        return [word.lower() for word in _PLAIN_TERM.findall(text)]
    return _listed(_TERM.findall(text))


def _listed(found: list[str]) -> list[str]:
    """Give the words among what a pattern found, unspaced runs as pairs of characters."""
    words: list[str] = []
    for word in found:
        if not _IS_UNSPACED.match(word):
            words.append(_JOINERS.sub("", word).lower())
        elif len(word) == 1:
            words.append(word)
        else:
            words.extend(map(str.__add__, word, word[1:]))
    return words


def _split_case(text: str, cased: bytes) -> str:
    """Put a space at each change from small to capital letters."""
    pieces = []
    start = 0
    at = cased.find(b"aA")
    while at >= 0:
        pieces.append(text[start : at + 1])
        start = at + 1
        at = cased.find(b"aA", start)
    pieces.append(text[start:])
    return " ".join(pieces)


def _spans(text: str, pattern: re.Pattern[str], split_case: bool = False) -> Iterator[tuple[str, int, int]]:
    for found in pattern.finditer(text):
        start, end = found.span()
        word = found.group()
        if _IS_UNSPACED.match(word):
            yield from _pairs(word, start)
            continue
        cuts = [cut.start() for cut in _CASE_CHANGE.finditer(word)] if split_case else []
        for first, last in pairwise([0, *cuts, end - start]):
            yield _JOINERS.sub("", word[first:last]).lower(), start + first, start + last


def _pairs(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    if len(run) == 1:
        yield run, start, start + 1
    for at in range(len(run) - 1):
        yield run[at : at + 2], start + at, start + at + 2
