"""Values as SQLite can hold them, and back: JSON, texts, ids, instants."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_core import to_json

from iris.store.interface import StoreError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
"""Microseconds."""
HALVES = re.compile("[\ud800-\udfff]")


def dump(value: Any) -> str:
    """JSON from which the value is read back exactly; half a surrogate pair and NUL are kept as escapes."""
    try:
        # A third of the time json.dumps takes; it refuses half a surrogate pair.
        return to_json(value).decode()
    except ValueError:
        return json.dumps(value, separators=(",", ":"))


def storable(text: str) -> bool:
    """Whether SQLite holds the text as it is: half a surrogate pair it does not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def clean(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair: what columns are filtered and searched by."""
    return text if text.isascii() or storable(text) else HALVES.sub("\ufffd", text)


def cleaned(value: Any) -> str | None:
    """A text column: null for what is no text or empty."""
    return clean(value) if isinstance(value, str) and value else None


def key(text: str) -> str:
    """An id as SQLite can hold it; two ids never become one."""
    return text if text.isascii() or storable(text) else json.dumps(text)


def real(value: Any) -> float | None:
    """A number column; an integer too large for a float becomes the largest float."""
    if value is None:
        return None
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max


def micros(instant: str) -> int:
    """Microseconds since 1970 of an ISO 8601 instant; without an offset it is UTC. Raises StoreError "bad_time"."""
    try:
        moment = datetime.fromisoformat(instant)
    except ValueError:
        raise StoreError("an instant is not ISO 8601", reason="bad_time") from None
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def iso(instant: int) -> str:
    """ISO 8601 in milliseconds with `Z` of microseconds since 1970."""
    moment = EPOCH + timedelta(microseconds=instant)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
