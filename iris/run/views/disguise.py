"""Views that read leetspeak and letter spacing as the words they imitate."""

from __future__ import annotations

import re
from collections import Counter

from iris.run.views.offsets import Offsets, Splice

_FROM_LEET = str.maketrans("0134579@$", "oieastgas")
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def byte_classes(**members: bytes) -> bytes:
    """Make a table for `bytes.translate`: each named class's letter for its members, a dot for the rest."""
    table = bytearray(b"." * 256)
    for name, group in members.items():
        for member in group:
            table[member] = ord(name)
    return bytes(table)


def aligned(text: str) -> bytes:
    """Give one byte for each character: its Latin-1 code, or `?` for any other."""
    return text.encode("latin-1", "replace")


_LEET = byte_classes(a=_LETTERS, l=b"0134579@$", d=b"268")
_MIX = re.compile(rb"al|la")
_SINGLES = byte_classes(a=_LETTERS + b"0123456789@$", s=b" ").replace(b"s", b" ")
_SPACED = re.compile(rb" a {1,4}a {1,4}a {1,4}a ")
_RUN = re.compile(rb"(?<!a)a(?: {1,4}a(?!a)){5,}")
_GAP = re.compile(" +")


def unleet(text: str) -> tuple[str, Offsets | None]:
    """Read digits and signs as letters in tokens that mix them with letters; positions do not move."""
    classes = aligned(text).translate(_LEET)
    if b"l" not in classes or (b"al" not in classes and b"la" not in classes):
        return text, None
    parts = []
    ends = classes.replace(b"a", b"l").replace(b"d", b"l")
    end = 0
    while mix := _MIX.search(classes, end):
        start = max(end, ends.rfind(b".", end, mix.start()) + 1)
        parts.append(text[end:start])
        end = ends.find(b".", mix.start())
        end = len(text) if end < 0 else end
        parts.append(text[start:end].translate(_FROM_LEET))
    parts.append(text[end:])
    return "".join(parts), None


def unspace(text: str) -> tuple[str, Offsets | None]:
    """Join runs of six or more single characters set apart by one to four spaces.

    A gap wider than the run's usual one is a word break.
    """
    classes = b" " + aligned(text).translate(_SINGLES) + b" "
    if not _SPACED.search(classes):
        return text, None
    splice = Splice(text)
    for run in _RUN.finditer(classes, 1):
        start, end = run.start() - 1, run.end() - 1
        if not text[start:end].replace(" ", "").isdigit():
            _join(splice, text, start, end)
    return splice.done()


def _join(splice: Splice, text: str, start: int, end: int) -> None:
    gaps = [gap.span() for gap in _GAP.finditer(text, start, end)]
    widths = Counter(last - first for first, last in gaps)
    usual = min(widths, key=lambda width: (-widths[width], width))
    for first, last in gaps:
        splice.replace(first, last, " " if last - first > usual else "")
