"""What nobody can say."""

from __future__ import annotations

from typing import Any


class Unknown:
    """Nobody can say: carries why, in words a person reads."""

    __slots__ = ("reasons",)

    def __init__(self, reasons: tuple[str, ...]) -> None:
        self.reasons = reasons

    def __repr__(self) -> str:
        return f"Unknown({', '.join(self.reasons)})"


_known: dict[str, Unknown] = {}


def unknown(reason: str) -> Unknown:
    """The unknown of one reason; kept, since reasons are few."""
    found = _known.get(reason)
    if found is None:
        found = Unknown((reason,))
        if len(_known) < 1000:
            _known[reason] = found
    return found


def joined(a: Unknown | None, b: Unknown) -> Unknown:
    """Two unknowns as one, reasons in order, each once."""
    if a is None or a is b:
        return b
    return Unknown(tuple(dict.fromkeys(a.reasons + b.reasons)))


class Partial(list[Any]):
    """A filtered list with elements nobody could decide, kept apart."""

    __slots__ = ("undecided",)

    def __init__(self, decided: list[Any], undecided: list[tuple[Any, Unknown]]) -> None:
        super().__init__(decided)
        self.undecided = undecided

    def why(self) -> Unknown:
        """Why some elements are undecided."""
        out: Unknown | None = None
        for _, reason in self.undecided:
            out = joined(out, reason)
        assert out is not None
        return out


class Range:
    """A count between two bounds, from a list with undecided elements."""

    __slots__ = ("high", "low", "reason")

    def __init__(self, low: float, high: float, reason: Unknown) -> None:
        self.low, self.high, self.reason = low, high, reason
