"""Typed reading of the plain data of a verdict policy; every mistake becomes one problem."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from iris.problems import Place, Problem

PlaceOf = Callable[[str], Place | None]
"""Finds where a dotted key such as `priors.stub` was written."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known word is nearest to one that was written, and list them when they are few."""
    names = sorted(set(known))
    close = get_close_matches(word, names, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(f"`{c}`" for c in close) + "?"
    return ("valid: " + ", ".join(names[:40])) if names else ""


class Reader:
    """Reads values by dotted key and collects problems; a wrong value reads as a harmless default."""

    def __init__(self, what: str, place_of: PlaceOf | None = None) -> None:
        self.what = what
        self.problems: list[Problem] = []
        self._place_of = place_of

    def report(self, code: str, key: str, message: str, label: str = "", help_line: str = "") -> None:
        """Add one problem at a dotted key."""
        place = self._place_of(key) if self._place_of else None
        self.problems.append(Problem(code, message, place, label, help_line))

    def mapping(self, value: Any, key: str) -> Mapping[str, Any]:
        """A mapping with text keys."""
        if isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
            return value
        self._wrong(key, value, "a mapping")
        return {}

    def keys(self, value: Mapping[str, Any], key: str, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Report keys that are unknown or missing."""
        known = [*required, *optional]
        prefix = f"{key}." if key else ""
        for name in value:
            if name not in known:
                message = f"{self.what} has no key `{prefix}{name}`"
                self.report("E801", prefix + name, message, "unknown key", nearest(name, known))
        for name in required:
            if name not in value:
                self.report("E802", key, f"{self.what} lacks `{prefix}{name}`", "missing key", f"write `{name}:` with its value")

    def number(self, value: Any, key: str, low: float, high: float, otherwise: float) -> float:
        """A finite number within bounds, both included."""
        number = _json_scalar(value)
        if isinstance(number, int | float) and not isinstance(number, bool) and _finite(number) and low <= number <= high:
            return float(number)
        bounds = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
        self._wrong(key, value, f"a number {bounds}")
        return otherwise

    def flag(self, value: Any, key: str) -> bool:
        """True or false."""
        flag = _json_scalar(value)
        if isinstance(flag, bool):
            return flag
        self._wrong(key, value, "true or false")
        return False

    def choice(self, value: Any, key: str, choices: Collection[str]) -> str:
        """One of a closed list of words."""
        if isinstance(value, str) and value in choices:
            return value
        help_line = nearest(str(value), choices)
        self.report("E804", key, f"`{key}` can not be `{value}`", "unknown value", help_line)
        return next(iter(choices))

    def names(self, value: Any, key: str, choices: Collection[str] | None = None) -> tuple[str, ...]:
        """A list of words, of a closed list when one is given."""
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
            self._wrong(key, value, "a list of names")
            return ()
        if choices is not None:
            for name in value:
                self.choice(name, key, choices)
        return tuple(value)

    def _wrong(self, key: str, value: Any, wanted: str) -> None:
        self.report("E803", key, f"`{key or self.what}` must be {wanted}", f"not {wanted}", f"it is `{_short(value)}`")


def _json_scalar(value: Any) -> Any:
    # The pack reader keeps plain YAML scalars as text: a number or a flag is read where one is wanted.
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
