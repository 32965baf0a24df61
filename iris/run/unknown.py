"""What nobody can say."""

from __future__ import annotations


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
