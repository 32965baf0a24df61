"""Where the next page of a list begins."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from iris.store.interface import StoreError, TraceQuery

Place = tuple[Any, ...]
"""The values of the order columns of a row, or one number of rows to pass over."""


def cursor_of(query: TraceQuery, place: Sequence[Any]) -> str:
    """An opaque mark of a place in this list's order."""
    return urlsafe_b64encode(json.dumps([query.sort, int(query.descending), *place]).encode()).decode()


def place_of(query: TraceQuery, width: int) -> Place | None:
    """The place a query's `after` marks; raises StoreError "bad_cursor" for what is no mark of this order."""
    if query.after is None:
        return None
    try:
        sort, descending, *place = json.loads(urlsafe_b64decode(query.after.encode()))
        fits = sort == query.sort and descending == int(query.descending) and len(place) == width
        if not fits or not all(isinstance(v, int | float) and abs(v) < 2**63 for v in place):
            raise ValueError(sort)
    except (ValueError, TypeError, RecursionError):
        message = "`after` is no cursor of this list: take `next` of its page before, or start without it"
        raise StoreError(message, reason="bad_cursor") from None
    return tuple(place)
