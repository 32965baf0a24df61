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
    """A number with its unit as written."""

    value: float
    unit: str | None


@dataclass(frozen=True, slots=True)
class Str(Node):
    """A text in quotes."""

    value: str


@dataclass(frozen=True, slots=True)
class Bool(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name: a path, a let, a variable, a parameter."""

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
    """`of.name`."""

    of: Node
    name: str
    name_start: int


@dataclass(frozen=True, slots=True)
class Minus(Node):
    """`-of`."""

    of: Node


@dataclass(frozen=True, slots=True)
class Arith(Node):
    """Arithmetic, or a set operation on lists."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A comparison of two values."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Member(Node):
    """`left in right`, or `not in`."""

    left: Node
    right: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Fallback(Node):
    """`left else right`."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """`not of`."""

    of: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    """Conditions joined by `and`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """Conditions joined by `or`."""

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
    """`some`, `every` or `no` over one binding or more."""

    kind: str
    bindings: tuple[Binding, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Each(Node):
    """`each x in xs where … give …`."""

    binding: Binding
    where: Node | None
    give: Node | None
