"""Which detectors are looked for in whole texts, and how they are spread over sets.

One automaton over all patterns is fast on paper, but the states of independent patterns multiply on texts it has not met,
until it outgrows its memory: measured on 2,200 ordinary answers, one set of 300 patterns took 9 ms a kilobyte, these sets
take 0.1 to 0.2. A benchmark that repeats a few texts does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

WINDOWS = ("text_before", "text_after", "around", "first", "last", "line_of", "sentence_of")


def whole_text_detectors(value: Any) -> set[int]:
    """The numbers of the detectors that some condition under a value looks for in a whole text."""
    found: set[int] = set()
    _walk(value, found)
    return found


def _walk(value: Any, found: set[int]) -> None:
    if isinstance(value, dict):
        for v in value.values():
            _walk(v, found)
    elif isinstance(value, list):
        if len(value) == 5 and value[0] == "op" and value[3] in ("found", "hits"):
            text = value[4][1]
            if text[0] == "hoist":
                text = text[4]
            near = text[0] == "op" and text[3] in WINDOWS
            if not near and not (text[0] == "slot" and text[3] == 2):
                found.update(value[4][0][3])
        for v in value:
            _walk(v, found)


LONGEST_SIMPLE = 600
WIDE = re.compile(r"(?:[.\])]|\\[wWSDd])(?:\*|\+|\{\d+,\}|\{\d*,\d{2,}\}|\{\d{2,}\})|\)\{")
MOST_WIDE = 16
"""Wide patterns in one set."""


def simple(pattern: str) -> bool:
    """Whether a pattern's automaton stays small: no long or endless repeat of anything but white space."""
    return len(pattern) <= LONGEST_SIMPLE and not WIDE.search(pattern)


def spread(detectors: Sequence[dict[str, Any]], looked_for: set[int]) -> list[list[int]]:
    """Spread detectors over sets: simple ones of a few groups together, wide ones few at a time within their group."""
    easy: dict[bool, list[int]] = {}
    wide: dict[str, list[int]] = {}
    for number in sorted(looked_for):
        detector = detectors[number]
        if detector["pattern"] is None:
            continue
        if simple(detector["pattern"]):
            easy.setdefault(detector["group"] == RESULTS, []).append(number)
        else:
            wide.setdefault(detector["group"], []).append(number)
    sets = list(easy.values())
    for numbers in wide.values():
        parts = -(-len(numbers) // MOST_WIDE)
        sets += [numbers[i::parts] for i in range(parts)]
    return _merged(sets)


RESULTS = "trajectory"
"""The group that is looked for in every tool result keeps a set of its own."""
FEW = 6


def _merged(sets: list[list[int]]) -> list[list[int]]:
    """Small sets together as one."""
    small = [n for s in sets if len(s) < FEW for n in s]
    return [s for s in sets if len(s) >= FEW] + ([small] if small else [])
