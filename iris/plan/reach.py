"""Which detectors are looked for in whole texts, and which only in windows around a hit."""

from __future__ import annotations

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
