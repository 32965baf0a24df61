"""Maps from a derived text back to the text it was made from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter

# A span of the derived text and the raw span it stands for; between edits the texts run in step.
Edit = tuple[int, int, int, int]

_START = itemgetter(0)


class Offsets:
    """A map of spans of a derived text to spans of its raw text; edits may be made on first use.

    Identity is `None` instead of an Offsets. Spans are half open and count code points.
    """

    __slots__ = ("_edits", "_inner", "_make")

    def __init__(self, edits: list[Edit] | Callable[[], list[Edit]], inner: Offsets | None = None) -> None:
        self._make = edits if callable(edits) else None
        self._edits: list[Edit] = [] if callable(edits) else edits
        self._inner = inner

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Give the raw span of a derived span; what was dropped up to the next kept character is inside."""
        edits = self._known()
        first = _raw_start(edits, start)
        last = _raw_end(edits, end) if end > start else first
        return self._inner.back(first, last) if self._inner else (first, last)

    def over(self, inner: Offsets | None) -> Offsets:
        """Give this map continued by a map of the raw text itself."""
        return Offsets(self._known if self._make else self._edits, compose(self._inner, inner))

    def _known(self) -> list[Edit]:
        if self._make is not None:
            self._edits = self._make()
            self._make = None
        return self._edits


def compose(outer: Offsets | None, inner: Offsets | None) -> Offsets | None:
    """Join two maps: `outer` leads from the last text to the middle one, `inner` from there to the first."""
    if outer is None:
        return inner
    return outer if inner is None else outer.over(inner)


def _raw_start(edits: list[Edit], position: int) -> int:
    """A start inside a replacement is the start of what was replaced; after a dropped stretch, its end."""
    index = bisect_right(edits, position, key=_START) - 1
    if index < 0:
        return position
    _, end, raw_start, raw_end = edits[index]
    return raw_start if position < end else position - end + raw_end


def _raw_end(edits: list[Edit], position: int) -> int:
    """An end inside a replacement is the end of what was replaced."""
    index = bisect_right(edits, position, key=_START) - 1
    if index < 0:
        return position
    start, end, raw_start, raw_end = edits[index]
    if position >= end:
        return position - end + raw_end
    return raw_start if position == start else raw_end


class Splice:
    """A derived text under construction: the raw text with stretches replaced, from left to right."""

    __slots__ = ("_at", "_edits", "_parts", "_shift", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._edits: list[Edit] = []
        self._at = 0
        self._shift = 0

    def replace(self, start: int, end: int, new: str) -> None:
        """Put `new` in the place of the raw span; spans must not overlap and must come in order.

        One character for one stands in step; otherwise any part of `new` stands for the whole raw span.
        """
        if start > self._at:
            self._parts.append(self._text[self._at : start])
        if new:
            self._parts.append(new)
        self._at = end
        grown = len(new) - (end - start)
        if grown or len(new) > 1:
            self._edits.append((start + self._shift, start + self._shift + len(new), start, end))
            self._shift += grown

    def edits(self) -> list[Edit]:
        """Give what was replaced so far."""
        return self._edits

    def done(self) -> tuple[str, Offsets | None]:
        """Give the derived text and its map; a text without replacements is the same object."""
        if not self._parts and not self._edits:
            return self._text, None
        self._parts.append(self._text[self._at :])
        return "".join(self._parts), Offsets(self._edits) if self._edits else None
