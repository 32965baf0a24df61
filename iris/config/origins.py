"""Origins of web pages: which may talk to this server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=256)
def _pattern(entry: str) -> re.Pattern[str]:
    """An entry as a pattern; `*` stands for one label, which no dot, colon or slash is part of."""
    return re.compile("[^.:/]+".join(re.escape(part) for part in entry.split("*")), re.IGNORECASE)


def origin_allowed(origin: str, allowed: Iterable[str]) -> bool:
    """Whether an origin is one of the entries, `*` standing for one label."""
    return any(_pattern(entry).fullmatch(origin) is not None for entry in allowed)


def origin_named(origin: str, allowed: Iterable[str]) -> bool:
    """Whether an origin is named exactly: entries with `*` do not count."""
    return any("*" not in entry and entry.lower() == origin.lower() for entry in allowed)
