"""What a text shows at a glance: one pass tells which readings of it can differ from it.

Most answers are plain prose, which is its own folded, unbroken, unleeted and unspaced view and holds no code. Each sign
below is exactly the condition under which its view does more than hand the text back; only ASCII texts are looked at.
Two are for words: `letters` says that a change from small to capital letters may end one, `digits` that a digit may.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

_ODD = r"[\x00-\x09\x0b-\x1f\x7f]|  |\n |\n\n\n| \n"
_BROKEN = r"[0-9]\n[0-9\-./:,@+()#_]|[0-9][\-/:@+_]\n[0-9]|[A-Za-z]\n[a-z]|[A-Z]\n[A-Z][A-Z]"
_SINGLE = "[A-Za-z0-9@$] {1,4}"
_SIGNS = {
    "folded": _ODD,
    "unbroken": f"{_ODD}|{_BROKEN}",
    "unleet": "[A-Za-z][0134579@$]|[0134579@$][A-Za-z]",
    "unspaced": f"(?:^| ){_SINGLE * 3}[A-Za-z0-9@$](?: |$)",
    "decoded": r"[A-Za-z0-9+/\-_]{20}",
    "letters": "[a-z][A-Z]",
    "digits": "[0-9]",
}
_JSON = frozenset({"json_values", "json_labelled"})
_NAMES = tuple(_SIGNS)
EVERY = frozenset(_SIGNS) | _JSON
"""The names of all readings."""


@cache
def _set() -> Any:
    made = re2.Set.SearchSet()
    for pattern in _SIGNS.values():
        made.Add(pattern)
    made.Compile()
    return getattr(made, "_set", made)  # without the wrapper, which costs as much as matching a short text


@cache
def _named(numbers: tuple[int, ...], bracket: bool) -> frozenset[str]:
    return frozenset(_NAMES[i] for i in numbers) | (_JSON if bracket else frozenset())


def readings_of(text: str, data: bytes) -> frozenset[str]:
    """Give the names of the readings that may differ from a text; `data` is its UTF-8 form."""
    if not text.isascii():
        return EVERY
    if not text:
        return frozenset()
    first = text[0]
    return _named(tuple(_set().Match(data) or ()), first in "{[" or first.isspace())
