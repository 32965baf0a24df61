"""Instants: ISO 8601 in any offset to UTC with `Z`, so that texts sort as times do."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from iris.service.errors import ServiceError
from iris.service.parse import refused

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
VALID = ("2026-03-01T12:00:00Z", "2026-03-01T14:00:00+02:00", "2026-03-01")


def utc(text: str, field: str, *, digits: str = "milliseconds") -> str:
    """Give an instant as UTC ISO 8601 with `Z`; one without an offset is taken as UTC. Raises IRIS_INVALID_ARGUMENT."""
    return _printed(_read(text, field), digits)


def _read(text: str, field: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise not_a_time(field, text) from error


def _printed(moment: datetime, digits: str = "milliseconds") -> str:
    return moment.replace(tzinfo=None).isoformat(timespec=digits) + "Z"


def not_a_time(field: str, text: str) -> ServiceError:
    """Refuse a text that is no instant, naming it."""
    message = f"`{field}` is no ISO 8601 instant: {text[:60]!r}; write 2026-03-01T12:00:00Z or another offset"
    return refused([{"field": field, "message": message, "valid": list(VALID)}])


def bounds(since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """Give the first and the last instant of a window, both inclusive; a calendar date is its whole day in UTC.

    An instant needs its offset here: a reader of another time zone would silently get other rows. Raises
    IRIS_INVALID_ARGUMENT naming both when they are crossed.
    """
    first = None if since is None else _bound(since, "since", timedelta(0), timedelta(milliseconds=1))
    last = None if until is None else _bound(until, "until", timedelta(days=1, milliseconds=-1), timedelta(0))
    if first and last and first > last:
        message = f"`since` ({since}) is after `until` ({until}), so no row could match"
        raise refused([{"field": "since", "message": message}])
    return first, last


def _bound(text: str, field: str, whole_day: timedelta, part: timedelta) -> str:
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None and not _DATE.fullmatch(text):
            raise not_a_time(field, text)
        moment = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC) + whole_day
        # Stored instants have milliseconds: round up the first, down the last.
        return _printed(moment + part if moment.microsecond % 1000 else moment)
    except (ValueError, OverflowError) as error:
        raise not_a_time(field, text) from error


def ago(now: str, **span: float) -> str:
    """Give the instant that lies a span (days, hours …) before another."""
    return _printed(datetime.fromisoformat(now) - timedelta(**span))
