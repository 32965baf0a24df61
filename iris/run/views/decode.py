"""The view of what base64 runs of a text say."""

from __future__ import annotations

import base64
import re

from iris.run.views.disguise import aligned, byte_classes

_SHORTEST = 20
_LONGEST = 4096
_TRIED = 64
_KEPT = 16
_SHORTEST_DECODED = 12
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALPHABET = byte_classes(a=_LETTERS + b"0123456789+/-_")
_WALL = b"a" * _SHORTEST
_TO_STANDARD = str.maketrans("-_", "+/")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIGIT = re.compile("[0-9]")
_NOT_PROSE = re.compile(r"[^\w\s,.'-]")
_LARGEST_SHARE_OF_SIGNS = 0.25


def decode_runs(text: str) -> list[tuple[str, int, int]]:
    """Decode the base64 and base64url runs of 20 to 4,096 characters that hold text, with their spans.

    At most 64 runs are tried and 16 kept. A span includes the padding.
    """
    classes = aligned(text).translate(_ALPHABET)
    decoded: list[tuple[str, int, int]] = []
    tried = 0
    start = classes.find(_WALL)
    while start >= 0 and tried < _TRIED and len(decoded) < _KEPT:
        end = classes.find(b".", start)
        end = len(text) if end < 0 else end
        run = text[start:end] if end - start <= _LONGEST else ""
        if run and run.upper() != run != run.lower():
            tried += 1
            said = _decode(run)
            if said is not None:
                padded = end + 2 if text.startswith("==", end) else end + text.startswith("=", end)
                decoded.append((said, start, padded))
        start = classes.find(_WALL, end)
    return decoded


def _decode(run: str) -> str | None:
    """Decode one run, or give None when it is not the code of a text."""
    if len(run) % 4 == 1:
        return None
    try:
        said = base64.b64decode(run.translate(_TO_STANDARD) + "=" * (-len(run) % 4)).decode()
    except ValueError:
        return None
    if len(said) < _SHORTEST_DECODED or _CONTROL.search(said):
        return None
    # A long name in camel case is also letters only; what it decodes to is not words.
    return said if _DIGIT.search(run) or _is_prose(said) else None


def _is_prose(said: str) -> bool:
    return " " in said and len(_NOT_PROSE.findall(said)) <= _LARGEST_SHARE_OF_SIGNS * len(said)
