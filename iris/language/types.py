"""The types of the rule language, and what may stand where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, the unit of a number, the element type of a list."""

    kind: str
    unit: str | None = None
    item: Type | None = None

    def __str__(self) -> str:
        """Read as a person writes it: `number[usd]`, `list[fact]`."""
        if self.kind == "number":
            return f"number[{self.unit}]" if self.unit else "number"
        if self.kind == "list" and self.item is not None:
            return f"list[{self.item}]"
        return self.kind


ANY = Type("any")
FLAG = Type("flag")
NUMBER = Type("number")
TEXT = Type("text")
FACT = Type("fact")
CALL = Type("call")
JSON = Type("json")
TABLE = Type("table")
DETECTOR = Type("detector")


def number(unit: str | None) -> Type:
    """The number type of a unit."""
    return Type("number", unit)


def list_of(item: Type) -> Type:
    """The list type of an element type."""
    return Type("list", None, item)


def item_of(of: Type) -> Type:
    """The element type of a list; anything else may hold anything."""
    return of.item if of.kind == "list" and of.item is not None else ANY


def reads_as_text(of: Type) -> bool:
    """Whether a value of the type may stand where a text is wanted."""
    return of.kind in ("text", "fact", "json", "any")


UNIT_ALIASES = {"%": ("ratio", 0.01), "s": ("ms", 1000.0), "min": ("ms", 60_000.0), "h": ("ms", 3_600_000.0)}
"""How a written unit is stored: unit and factor."""


def unit_value(value: float, unit: str | None) -> tuple[float, str | None]:
    """Turn a written number and unit into the stored number and unit (`5 s` is 5000 ms)."""
    if unit is None:
        return value, None
    stored, factor = UNIT_ALIASES.get(unit, (unit, 1.0))
    return value * factor, stored
