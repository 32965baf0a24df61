"""Arithmetic of plain numbers as one piece of Python; anything else goes the way of one closure a node.

What is compiled is made of the plan's own nodes and holds no text of a pack: numbers, operators and names given here.
Each leaf is worked out once and must be an int or float of ordinary size, each divisor must not be almost nothing: then
no step can overflow, and the general way would give the same number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iris.run.compile import Builder, Closure, Node

MOST_STEPS = 5
"""Multiplications and divisions of numbers below 1e50, which stay below 1e300."""
SIGNS = {"+": "+", "-": "-", "*": "*", "/": "/"}
ORDERS = ("<", "<=", ">", ">=")
FUNCTIONS = ("min", "max")
HELD = ("config", "let", "slot", "path")
PLAIN = "type({0}) is int or type({0}) is float"


class Source:
    """Python for one expression under construction."""

    def __init__(self, b: Builder) -> None:
        self._b = b
        self.names: dict[str, Any] = {}
        self.lines: list[str] = []
        self.steps = 0
        self.sound = True
        """Every leaf is at hand, so that working it out again costs nothing."""
        self._leaves: dict[str, str] = {}

    def value(self, n: Node) -> str:
        """An expression for a node; leaves and divisors are worked out in lines of their own."""
        kind = n[0]
        if kind == "num" and abs(n[3]) < 1e50:
            number = n[3]
            return repr(int(number) if isinstance(number, float) and number.is_integer() else number)
        if kind == "arith" and n[3] in SIGNS:
            left, right = self.value(n[4]), self.value(n[5])
            self.steps += 1
            return self._divided(left, right) if n[3] == "/" else f"({left} {SIGNS[n[3]]} {right})"
        if kind == "op" and n[3] in FUNCTIONS and len(n[4]) == 2:
            return f"{n[3]}({self.value(n[4][0])}, {self.value(n[4][1])})"
        return self._leaf(n)

    def _divided(self, left: str, right: str) -> str:
        name = f"d{len(self.lines)}"
        self.lines += [f"{name} = {right}", f"if -1e-50 < {name} < 1e-50: return slow(fr)"]
        return f"({left} / {name})"

    def _leaf(self, n: Node) -> str:
        key = f"{n[0]} {n[3]}" if n[0] in HELD else ""
        if key in self._leaves:
            return self._leaves[key]
        if not key and not (n[0] == "op" and n[3] == "size" and n[4][0][0] in HELD):
            self.sound = False
            return ""
        name = f"x{len(self.names)}"
        if key:
            self._leaves[key] = name
        self.names[f"leaf_{name}"] = self._b.build(n)
        self.lines += [f"{name} = leaf_{name}(fr)", f"if not (({PLAIN.format(name)}) and -1e50 < {name} < 1e50): return slow(fr)"]
        return name


def arithmetic(b: Builder, n: Node, slow: Closure) -> Closure:
    """A closure for arithmetic or an order comparison; `slow` does it for what is no plain number."""
    source = Source(b)
    ordered = n[0] == "compare" and n[3] in ORDERS
    result = f"{source.value(n[4])} {n[3]} {source.value(n[5])}" if ordered else source.value(n)
    if source.steps > MOST_STEPS or not source.sound:
        return slow
    body = "".join(f"    {line}\n" for line in source.lines)
    made: list[Closure] = []

    def first(fr: list[Any]) -> Any:
        if not made:
            made.append(_compiled(f"def run(fr):\n{body}    return {result}\n", {**source.names, "slow": slow}))
        return made[0](fr)

    return first


def _compiled(text: str, names: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The function of a source text that was made here."""
    exec(compile(text, "<plan>", "exec"), names)  # noqa: S102
    run: Callable[[list[Any]], Any] = names["run"]
    return run
