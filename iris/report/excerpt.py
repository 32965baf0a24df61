"""A stretch of text with its surroundings, cut to a number of cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from iris.report.text import cells, glyph

CUT = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is drawn of a text: before the stretch, the stretch, after it. All on one line."""

    before: str
    marked: str
    after: str

    def underline(self) -> str:
        """Return the line that marks the stretch from below; an empty stretch gets one mark."""
        return " " * cells(self.before) + "~" * max(1, cells(self.marked))


def _fitting(glyphs: Iterable[str], room: int) -> list[str]:
    fitting: list[str] = []
    for drawn in glyphs:
        room -= cells(drawn)
        if room < 0:
            break
        fitting.append(drawn)
    return fitting


def _from_left(text: str, start: int, stop: int, room: int) -> list[str]:
    return _fitting((glyph(text, i) for i in range(start, stop)), room)


def _from_right(text: str, start: int, stop: int, room: int) -> list[str]:
    return _fitting((glyph(text, i) for i in range(stop - 1, start - 1, -1)), room)[::-1]


def _before(text: str, stop: int, room: int) -> str:
    whole = _from_right(text, 0, stop, room)
    return "".join(whole if len(whole) == stop else [CUT, *_from_right(text, 0, stop, room - 1)])


def _after(text: str, start: int, room: int) -> str:
    whole = _from_left(text, start, len(text), room)
    return "".join(whole if len(whole) == len(text) - start else [*_from_left(text, start, len(text), room - 1), CUT])


def _marked(text: str, start: int, stop: int, room: int) -> str:
    whole = _from_left(text, start, stop, room)
    if len(whole) == stop - start:
        return "".join(whole)
    end = _from_right(text, start, stop, room // 2)
    return "".join([*_from_left(text, start, stop, room - 1 - sum(map(cells, end))), CUT, *end])


def excerpt(text: str, start: int, stop: int, width: int) -> Excerpt:
    """Draw text[start:stop] with as much around it as fits into `width` cells."""
    marked = _marked(text, start, stop, max(width * 2 // 3, 4))
    room = max(width - max(1, cells(marked)), 2)
    # What one side does not need, the other gets.
    least = cells(_after(text, stop, room - room // 2))
    before = _before(text, start, room - least)
    return Excerpt(before, marked, _after(text, stop, room - cells(before)))
