"""Windows of time, laid out in the days, hours and minutes totals are kept of. A window begins at a full minute."""

from __future__ import annotations

from typing import Any

from iris.store.sqlite.rollups import WIDTHS
from iris.store.sqlite.text import SECOND

MINUTE = WIDTHS[0]
HOURS: dict[str, int | None] = {
    "24h": 24, "2d": 48, "7d": 168, "14d": 336, "30d": 720, "60d": 1440, "90d": 2160, "180d": 4320, "all": None,
}  # fmt: skip
"""Hours of each period; all time has none."""
Piece = tuple[int, int | None, int | None]


def since(hours: int | None, now: int) -> int | None:
    """The full minute, in seconds, at or before `hours` before `now` (microseconds); None for all time."""
    return None if hours is None else (now // SECOND - hours * 3600) // MINUTE * MINUTE


def pieces(first: int | None, last: int | None, widths: tuple[int, ...] = WIDTHS) -> list[Piece]:
    """Lay out [first, last) in whole buckets, widest in the middle: width, from, before (None: open)."""
    width, finer = widths[-1], widths[:-1]
    if not finer:
        return [(width, first, last)]
    begin = None if first is None else -(-first // width) * width
    end = None if last is None else last // width * width
    if begin is not None and end is not None and end <= begin:
        return pieces(first, last, finer)
    out: list[Piece] = [(width, begin, end)]
    if first is not None and first != begin:
        out += pieces(first, begin, finer)
    if last is not None and last != end:
        out += pieces(end, last, finer)
    return out


def source(
    table: str, tenant: str, first: int | None, last: int | None, widths: tuple[int, ...] = WIDTHS
) -> tuple[str, list[Any]]:
    """A window of a table of totals as a subquery, each piece a range of its primary key, and its values."""
    selects, values = [], []
    for width, begin, end in pieces(first, last, widths):
        test = f"SELECT * FROM {table} WHERE tenant_id = ? AND width = ?"
        values += [tenant, width]
        for bound, comparison in ((begin, ">="), (end, "<")):
            if bound is not None:
                test += f" AND start {comparison} ?"
                values.append(bound)
        selects.append(test)
    return f"({' UNION ALL '.join(selects)})", values
