"""Sentences of a text, as spans."""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr

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
    if text.isascii():
        return _split(text, text.encode().translate(_CLASSES), _ASCII_END, _ASCII_SHOWN)
    return _split(text, text, _END, _SHOWN)


def _split(text: str, classes: AnyStr, ends: re.Pattern[AnyStr], shown: re.Pattern[AnyStr]) -> list[Span]:
    spans: list[Span] = []
    tails = _abbreviation_tails()
    for start, stop in block_spans(text):
        for found in ends.finditer(classes, start, stop):
            at, after = found.span()
            sure = found.lastgroup
            if sure is None:
                if text[at - 2 : at] in tails and _abbreviated(text, start, at, text[after]):
                    continue
                spans.append((start, at + 1))
            else:
                end = found.end(sure)
                if sure != "surely" and not _ends(text, start, at, end, after):
                    continue
                if shown.search(classes, start, end):
                    spans.append((start, end))
            start = after
        if start < stop and shown.search(classes, start, stop):
            spans.append((start, stop))
    return spans


@cache
def _abbreviation_tails() -> frozenset[str]:
    known = abbreviations()
    return frozenset(word[-2:] for word in known.never_end | known.before_number)


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
