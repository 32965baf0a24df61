"""The tree of one expression as it was written: the hand-over from `parse` to `check`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """Any expression; `start` and `end` are code points into the expression's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Num(Node):
    value: float
    unit: str | None


@dataclass(frozen=True, slots=True)
class Str(Node):
    value: str


@dataclass(frozen=True, slots=True)
class Bool(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of an operator: an optional label, the label's place, and the value."""

    label: str | None
    value: Node


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`name(args)`: an operator or a definition."""

    name: str
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Field(Node):
    of: Node
    name: str
    name_start: int


@dataclass(frozen=True, slots=True)
class Minus(Node):
    of: Node


@dataclass(frozen=True, slots=True)
class Arith(Node):
    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Compare(Node):
    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Member(Node):
    left: Node
    right: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Fallback(Node):
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negate(Node):
    of: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """`x in xs [after y]`."""

    name: str
    over: Node
    order: str | None
    anchor: Node | None


@dataclass(frozen=True, slots=True)
class Quant(Node):
    kind: str
    bindings: tuple[Binding, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Each(Node):
    binding: Binding
    where: Node | None
    give: Node | None
