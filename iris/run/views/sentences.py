"""Sentences of a text, as spans."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from iris.run.views.disguise import byte_classes
from iris.run.views.lines import Span, block_spans
from iris.run.views.tables import abbreviations

# One byte a character, so that scanning an ASCII text is a search for one byte: small and capital letters,
# digits, end marks, space, other white space, what opens, what closes, what may do both, marks of list items.
_CLASSES = byte_classes(
    a=b"abcdefghijklmnopqrstuvwxyz",
    A=b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    d=b"0123456789",
    t=b".!?",
    s=b" ",
    n=b"\t\n\v\f\r\x1c\x1d\x1e\x1f",
    o=b"([{",
    c=b")]}",
    q=b"\"'*_`",
    i=b"-#>",
)
# The plain case has no group; the others say how sure the end is, and the group is empty where it lies.
_ASCII_END = re.compile(rb"t(?:(?<=aat)s(?=A)|(?<!tt)t*+[cq]*+(?P<likely>)[sn]++(?=[Adoqi])|(?<=aat)(?P<glued>)(?=Aa))")
_USUAL = b"aatsA"
_ASCII_SHOWN = re.compile(rb"[aAd]")
_ALWAYS = "。！？｡؟۔।॥"
_CLOSE = ")\\]}\"'*_`”’»›」』）】］〉》"
_OPEN = "(\\[{\"'*_`\\-#>“‘„‚«‹「『（【［〈《•·–—¿¡"
_END = re.compile(
    rf"[.!?{_ALWAYS}](?:(?<=[a-z][a-z][.!?])\ (?=[A-Z])"
    rf"|(?<![.!?][.!?])(?<=[.!?])[.!?]*+[{_CLOSE}]*+(?P<likely>)\s++(?=[^\W_]|[{_OPEN}])"
    rf"|(?<=[a-z][a-z][.!?])(?P<glued>)(?=[A-Z][a-z])"
    rf"|(?<=[{_ALWAYS}])[.!?{_ALWAYS}]*+[{_CLOSE}]*+(?P<surely>)\s*+)"
)
_SHOWN = re.compile(r"[^\W_]")
_CODE = re.compile(r"[/\\_@:=(){}<>`#]|\.\w")
_LONGEST_ABBREVIATION = 12
_LONGEST_NUMBER = 3  # digits of a list number
_AROUND = 40  # characters looked at to tell a name with a stop in it from two sentences without a space


def sentence_spans(text: str) -> list[Span]:
    """Give the sentences, trimmed of white space; a piece without a letter or digit is none.

    A sentence ends at `. ! ?` before white space and a capital, a digit or an opening mark, at the full
    stops of other scripts, and at a blank or pilcrow line; not after an abbreviation or an initial.
    """
    return _split_ascii(text) if text.isascii() else _split(text)


def _split(text: str) -> list[Span]:
    spans: list[Span] = []
    tails = _abbreviation_tails()
    for start, stop in block_spans(text):
        for found in _END.finditer(text, start, stop):
            at, after = found.span()
            end = at + 1
            if found.lastgroup is not None:
                end = _marked_end(text, start, found)
            elif text[at - 2 : at] in tails and _abbreviated(text, start, at, text[after]):
                continue
            if end >= 0:
                if found.lastgroup is None or _SHOWN.search(text, start, end):
                    spans.append((start, end))
                start = after
        if start < stop and _SHOWN.search(text, start, stop):
            spans.append((start, stop))
    return spans


def _split_ascii(text: str) -> list[Span]:
    """The same for ASCII: the usual ends of sentences are told by their bytes, others by the pattern."""
    classes = text.encode().translate(_CLASSES)
    spans: list[Span] = []
    for start, stop in block_spans(text):
        block = classes[start:stop]
        pieces = block.split(_USUAL)
        if block.count(b"t") == len(pieces) - (block[-1:] != b"t"):
            start = _usual_ends(spans, text, start, pieces)
        else:
            start = _any_ends(spans, text, classes, (start, stop))
        if start < stop and _ASCII_SHOWN.search(classes, start, stop):
            spans.append((start, stop))
    return spans


def _usual_ends(spans: list[Span], text: str, start: int, pieces: list[bytes]) -> int:
    """Add the sentences of a block with none but usual ends, at which it was cut; give the start of the last."""
    tails = _abbreviation_tails()
    at = start - 3
    for piece in pieces[:-1]:
        at += len(piece) + 5
        if text[at - 2 : at] not in tails or not _may_be_short(text, start, at) or not _abbreviated(text, start, at, "A"):
            spans.append((start, at + 1))
            start = at + 2
    return start


def _any_ends(spans: list[Span], text: str, classes: bytes, block: Span) -> int:
    """Add the sentences of a block; give the start of what is left."""
    start, stop = block
    tails, find = _abbreviation_tails(), classes.find
    at = find(b"t", start, stop)
    while at >= 0:
        if classes[at - 2 : at + 3] == _USUAL and at + 3 <= stop:
            after = at + 2
            if text[at - 2 : at] not in tails or not _may_be_short(text, start, at) or not _abbreviated(text, start, at, "A"):
                spans.append((start, at + 1))
                start = after
        else:
            found = _ASCII_END.match(classes, at, stop)
            after = found.end() if found else at + 1
            end = _marked_end(text, start, found) if found else -1
            if end >= 0:
                if _ASCII_SHOWN.search(classes, start, end):
                    spans.append((start, end))
                start = after
        at = find(b"t", after, stop)
    return start


def _marked_end(text: str, start: int, found: re.Match[Any]) -> int:
    """Where the sentence from `start` ends by an end mark that is not the usual one; -1 when it goes on."""
    sure = found.lastgroup
    assert sure is not None
    at, after = found.span()
    end = found.end(sure)
    return end if sure == "surely" or _ends(text, start, at, end, after) else -1


@cache
def _abbreviation_tails() -> frozenset[str]:
    known = abbreviations()
    return frozenset(word[-2:] for word in known.never_end | known.before_number)


@cache
def _short_ends() -> tuple[frozenset[str], frozenset[str]]:
    """The abbreviations of two letters, and the last three of longer ones."""
    known = abbreviations().never_end
    return frozenset(w for w in known if len(w) == 2), frozenset(w[-3:] for w in known if len(w) > 2)


def _may_be_short(text: str, start: int, at: int) -> bool:
    """Whether the letters before `at`, two small ones at least, may end an abbreviation."""
    if at - start < 3:
        return True
    last = text[at - 3 : at].lower()
    two, longer = _short_ends()
    return last in longer or (last[1:] in two and not (last[0].isalpha() or last[0] == "."))


def _ends(text: str, start: int, at: int, end: int, after: int) -> bool:
    """Whether the end marks at `at` end the sentence from `start`; the next text begins at `after`."""
    if end == after:
        left, right = text[max(start, at - _AROUND) : at].split(), text[at : at + _AROUND].split()
        return not _CODE.search(left[-1] + right[0][1:]) and not _CODE.search(right[0][1:] + " ")
    follows = text[after]
    if follows.islower():
        return False
    single = text[at] == "." and text[at + 1] not in ".!?"
    return not (single and (_abbreviated(text, start, at, follows) or _is_list_number(text, start, at)))


def _abbreviated(text: str, start: int, at: int, follows: str) -> bool:
    """Whether the stop at `at` belongs to an abbreviation or an initial."""
    if text[at] != ".":
        return False
    first, lowest = at, max(start, at - _LONGEST_ABBREVIATION)
    while first > lowest and (text[first - 1].isalpha() or text[first - 1] == "."):
        first -= 1
    word = text[first:at].lower()
    if word[-1:].isalpha() and not word[-2:-1].isalpha():
        return first == start or len(word) > 1 or not (text[first - 1].isalnum() or text[first - 1] in "'’")
    known = abbreviations()
    return word in known.never_end or (follows.isdigit() and word in known.before_number)


def _is_list_number(text: str, start: int, at: int) -> bool:
    """Whether the stop at `at` follows a number that begins its line or sentence."""
    first = at
    while first > start and at - first <= _LONGEST_NUMBER and text[first - 1].isdigit():
        first -= 1
    if first == at or at - first > _LONGEST_NUMBER:
        return False
    return not text[max(start, text.rfind("\n", start, first) + 1) : first].strip(" \t*->")
