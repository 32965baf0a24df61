"""Lists: order, groups, stretches, chains."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from iris.run.operators.numbers import numeric
from iris.run.values import Bag, Unknown, keys_of, value_of


def elements(x: Any) -> list[Any]:
    """A list's elements; the words of a bag become facts."""
    return x.items() if type(x) is Bag else list(x)


def distinct(_c: Any, x: Any) -> Any:
    """One element a value, the first."""
    if type(x) is Bag:
        return Bag(x.of, x.spans, x.keys, x.listed, True)
    seen: set[Any] = set()
    out = []
    for item in x:
        value = value_of(item)
        if value not in seen:
            seen.add(value)
            out.append(item)
    return out


def covers(_c: Any, a: Any, b: Any) -> bool:
    """Whether every value of b is in a."""
    return keys_of(b) <= keys_of(a)


def first_of(_c: Any, x: Any) -> list[Any]:
    """The first element as a list."""
    return elements(x)[:1]


def last_of(_c: Any, x: Any) -> list[Any]:
    """The last element as a list."""
    return elements(x)[-1:]


def largest(_c: Any, x: Any) -> Any:
    """The longest list, the first of several."""
    return max(x, key=len) if x else []


def groups(c: Any, x: Any, by: Callable[[Any], Any]) -> list[list[Any]]:
    """Lists of the elements with equal values, in order of first appearance; unknown values stand alone."""
    found: dict[Any, list[Any]] = {}
    for i, item in enumerate(elements(x)):
        value = by(item)
        key = ("unknown", i) if type(value) is Unknown else ("value", _key(value))
        found.setdefault(key, []).append(item)
    return list(found.values())


def _key(value: Any) -> Any:
    return value if type(value) is frozenset else keys_of(value) if type(value) is Bag else value_of(value)


def repeats(_c: Any, x: Any, by: Callable[[Any], Any], period: float) -> list[Any]:
    """The longest stretch in which a block of `period` elements repeats, the elements of a block not all equal."""
    items, p = elements(x), int(period)
    if p < 1:
        return []
    keys = [_key(v) if type(v := by(i)) is not Unknown else object() for i in items]
    best: tuple[int, int] = (0, 0)
    start = 0
    for i in range(p, len(items) + 1):
        if i < len(items) and keys[i] == keys[i - p]:
            continue
        length = i - start
        smaller = p > 1 and len(set(keys[start : start + p])) == 1
        if length >= 2 * p and not smaller and length - length % p > best[1] - best[0]:
            best = (start, start + length - length % p)
        start = i - p + 1
    return items[best[0] : best[1]]


def chained(_c: Any, x: Any, by: Callable[[Any], Any], seed: Any) -> list[Any]:
    """The elements that share a value with the seed or with an earlier chained element."""
    seen = set(keys_of(seed))
    out = []
    for item in x:
        keys = by(item)
        if type(keys) is Unknown:
            continue
        if type(keys) is not frozenset:
            keys = keys_of(keys)
        if not seen.isdisjoint(keys):
            seen |= keys
            out.append(item)
    return out


def gaps(_c: Any, x: Any) -> Any:
    """Differences of neighbours."""
    values = [numeric(i) for i in x]
    for value in values:
        if type(value) is Unknown:
            return value
    return [b - a for a, b in pairwise(values)]


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "distinct": distinct,
        "covers": covers,
        "first_of": first_of,
        "last_of": last_of,
        "largest": largest,
        "groups": groups,
        "repeats": repeats,
        "chained": chained,
        "gaps": gaps,
    }
