"""The folded view of a text: look-alikes, invisible characters, accents and runs of space undone."""

from __future__ import annotations

import re

from iris.run.views.decode import decode_runs
from iris.run.views.disguise import aligned, byte_classes, unleet, unspace
from iris.run.views.letters import plain_letters, undisguise
from iris.run.views.offsets import Edit, Offsets, Splice, compose

__all__ = ["decode_runs", "fold", "unleet", "unspace"]

_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]+")
_SPACE_RUN = re.compile("[\t-\r\x1c- ]{2,}")
_PLAIN_SPACE = str.maketrans("\t\x1f\v\f\r\x1c\x1d\x1e", "  \n\n\n\n\n\n")
# One byte a character: spaces and breaks, then what needs a closer look, then the rest.
_MARKS = byte_classes(s=b" ", n=b"\n", c=bytes(range(10)) + bytes(range(11, 32)) + b"\x7f")
_RUN_AT_BREAK = re.compile(rb"n(?:s|nn|(?<=sn))")

# Both sides of a lone break inside a token; {b} stands for the break just read. A full stop does not lead
# over a break to digits, or an empty numbered list would become an address.
_SIDES = (
    r"(?:(?<=[0-9]{b})(?=[0-9\-./:,@+()#_])|(?<=[0-9][\-/:@+_]{b})(?=[0-9])"
    r"|(?<=[A-Za-z]{b})(?=[a-z])|(?<=[A-Z]{b})(?=[A-Z][A-Z]))"
)
_LINE_IN_TOKEN = re.compile("\n" + _SIDES.replace("{b}", "\n"))
_BREAK_IN_TOKEN = re.compile(
    f"(?s:[\n\t]{_SIDES.replace('{b}', '.')}|\r\n{_SIDES.replace('{b}', '..')})",
)


def fold(text: str, drop_breaks: bool = False) -> tuple[str, Offsets | None]:
    """Give the folded text and its map, None when nothing moved.

    `drop_breaks` also deletes a lone tab or line break between two characters of one token.
    """
    marks = aligned(text).translate(_MARKS)
    odd = b"c" in marks
    offsets = None
    if not text.isascii():
        text, offsets = _fold_letters(text, odd)
    elif not (odd or b"ss" in marks or (drop_breaks and _LINE_IN_TOKEN.search(text)) or _RUN_AT_BREAK.search(marks)):
        return text, None
    elif odd:
        text, offsets = _drop_controls(text)
    if drop_breaks:
        text, moved = _drop_breaks(text)
        offsets = compose(moved, offsets)
    text, moved = _collapse_spaces(text, odd)
    return text, compose(moved, offsets)


def _fold_letters(text: str, odd: bool) -> tuple[str, Offsets | None]:
    cleared, offsets = _drop_controls(text) if odd else (text, None)
    plain, moved = plain_letters(cleared)
    offsets = compose(moved, offsets)
    read = undisguise(plain)
    if read is plain:
        return plain, offsets
    # Accents that stayed on a letter of another script go when it is read as a Latin one.
    read, moved = plain_letters(read)
    return read, compose(moved, offsets)


def _drop_controls(text: str) -> tuple[str, Offsets | None]:
    splice = Splice(text)
    for run in _CONTROL.finditer(text):
        splice.replace(*run.span(), "")
    return splice.done()


def _drop_breaks(text: str) -> tuple[str, Offsets | None]:
    if "\n" not in text and "\t" not in text:
        return text, None
    splice = Splice(text)
    pattern = _BREAK_IN_TOKEN if "\t" in text or "\r" in text else _LINE_IN_TOKEN
    for found in pattern.finditer(text):
        splice.replace(*found.span(), "")
    return splice.done()


def _collapse_spaces(text: str, odd: bool) -> tuple[str, Offsets | None]:
    """Make each run of white space one space, one line break, or the two breaks of a paragraph's end.

    Paragraph ends stay, so that ordinary prose is its own folded view.
    """
    folded = _until_same(_plain_spaces(text) if odd else text, "  ", " ")
    if "\n" in folded:
        folded = _until_same(folded.replace(" \n", "\n").replace("\n ", "\n"), "\n\n\n", "\n\n")
    return folded, None if len(folded) == len(text) else Offsets(lambda: _space_edits(text))


def _plain_spaces(text: str) -> str:
    """Write other white space as spaces and line breaks, CR LF as one break."""
    return text.replace("\r\n", "\n").translate(_PLAIN_SPACE)


def _until_same(text: str, pair: str, one: str) -> str:
    shorter = text.replace(pair, one)
    while len(shorter) < len(text):
        text, shorter = shorter, shorter.replace(pair, one)
    return text


def _space_edits(text: str) -> list[Edit]:
    """Where runs of white space became shorter; looked for only when a span is mapped."""
    edits: list[Edit] = []
    shift = 0
    for run in _SPACE_RUN.finditer(text):
        start, end = run.span()
        kept = 2 if _plain_spaces(run[0]).count("\n") > 1 else 1
        if end - start > kept:
            edits.append((start - shift, start - shift + kept, start, end))
            shift += end - start - kept
    return edits
