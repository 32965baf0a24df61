"""Where a trace holds the words that were looked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

AROUND = 60
"""Characters of the text that are shown on each side of a word."""
FIELDS = ("output", "input")


def match_of(trace: Mapping[str, Any], words: Sequence[str]) -> dict[str, Any] | None:
    """Give field, span (offsets into the whole text) and snippet of the first word, and a fragment of each other one.

    None when no word stands there as it was written: full text also finds words that are parted in another way.
    """
    found = [hit for word in words if (hit := _first(trace, word))]
    if not found:
        return None
    return {**found[0], "fragments": [hit["snippet"] for hit in found[1:]]}


def _first(trace: Mapping[str, Any], word: str) -> dict[str, Any] | None:
    for field in FIELDS:
        text = trace.get(field)
        hit = re.search(re.escape(word), text, re.IGNORECASE) if isinstance(text, str) else None
        if hit and isinstance(text, str):
            start, end = hit.span()
            snippet = text[max(0, start - AROUND) : end + AROUND]
            return {"field": field, "span": {"start": start, "end": end}, "snippet": snippet}
    return None
