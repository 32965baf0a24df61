"""Numbers and dates."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable
from datetime import date as day
from typing import Any, NamedTuple

from iris.run.values import Fact, Text, Unknown, as_text, fresh, unknown

NUMBER = re.compile(r"[-+]?\d[\d,_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
NO_NUMBER = unknown("no number in the text")
EMPTY_LIST = unknown("an empty list")


def is_number(x: Any) -> bool:
    """Whether a value is a number (a flag is none)."""
    return isinstance(x, int | float) and not isinstance(x, bool)


def number(_c: Any, x: Any) -> Any:
    """The first number of a text; a leading minus counts only where no word ends just before it."""
    if is_number(x):
        return x
    if type(x) is Fact and is_number(x.value):
        return x.value
    s = as_text(x).s
    found = NUMBER.search(s)
    if not found or len(found[0]) > 300:
        return NO_NUMBER
    written = found[0].replace(",", "").replace("_", "")
    if written[0] in "+-" and found.start() > 0 and s[found.start() - 1].isalnum():
        written = written[1:]
    value = float(written)
    if not math.isfinite(value):
        return NO_NUMBER
    return int(value) if value.is_integer() and "e" not in written.lower() and abs(value) < 1e15 else value


def numeric(x: Any) -> Any:
    """The number a value stands for, or unknown."""
    if is_number(x):
        return x
    if type(x) is Fact and is_number(x.value):
        return x.value
    return number(None, x) if x is not None else NO_NUMBER


def absolute(_c: Any, x: Any) -> Any:
    """Absolute value."""
    return abs(x)


def smaller(_c: Any, a: Any, b: Any) -> Any:
    """The smaller of two."""
    return min(a, b)


def larger(_c: Any, a: Any, b: Any) -> Any:
    """The larger of two."""
    return max(a, b)


def total(_c: Any, xs: Any) -> Any:
    """The sum of numbers or of facts' numbers."""
    out: Any = 0
    for x in xs:
        n = numeric(x)
        if type(n) is Unknown:
            return n
        out += n
    return out


def median(_c: Any, xs: Any) -> Any:
    """The median; unknown for an empty list."""
    values = [numeric(x) for x in xs]
    for value in values:
        if type(value) is Unknown:
            return value
    return statistics.median(values) if values else EMPTY_LIST


def rounded(_c: Any, x: Any, places: Any) -> Any:
    """Rounded half to even."""
    return round(x, int(places))


class Day(NamedTuple):
    """A day; the year may be missing."""

    year: int | None
    month: int
    day: int


MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTHS = {name: i for i, full in enumerate(MONTH_NAMES, 1) for name in (full, full[:3])} | {"sept": 9}
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ISO = re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b")
MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?")
DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([A-Za-z]{3,9})\b\.?(?:,?\s+(\d{4})\b)?")
NO_DATE = unknown("not a date")


def date(_c: Any, x: Any) -> Any:
    """The first day written in a text (ISO 8601, or with an English month name)."""
    s = as_text(x).s
    found = ISO.search(s)
    if found:
        return _day(int(found[1]), int(found[2]), int(found[3]))
    for pattern, month_at, day_at in ((MONTH_FIRST, 1, 2), (DAY_FIRST, 2, 1)):
        for found in pattern.finditer(s):
            name = found[month_at].lower()
            if name in MONTHS:
                year = int(found[3]) if found[3] else None
                return _day(year, MONTHS[name], int(found[day_at]))
    return NO_DATE


def _day(year: int | None, month: int, number_of_day: int) -> Any:
    try:
        day(2024 if year is None else year, month, number_of_day)
    except ValueError:
        return NO_DATE
    return Day(year, month, number_of_day)


def weekday(_c: Any, x: Any) -> Any:
    """The English name of the day; unknown without a year."""
    if not isinstance(x, Day):
        return NO_DATE
    if x.year is None:
        return unknown("the year is not given")
    return fresh(DAYS[day(x.year, x.month, x.day).weekday()])


def month_day(_c: Any, x: Any) -> Any:
    """Month and day as one value."""
    return fresh(f"{x.month:02d}-{x.day:02d}") if isinstance(x, Day) else NO_DATE


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "number": number,
        "abs": absolute,
        "min": smaller,
        "max": larger,
        "sum": total,
        "median": median,
        "round": rounded,
        "date": date,
        "weekday": weekday,
        "month_day": month_day,
    }


__all__ = ["Text", "operators"]
