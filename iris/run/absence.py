"""Which absent inputs settle a condition before it is evaluated: without them it can not be true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from iris.run.gates import EMPTY_SETTLES
from iris.run.wire import PATH_NEEDS

if TYPE_CHECKING:
    from iris.run.compile import Node

FIRST_SLOT = 3
Needs = frozenset[str]
NONE: Needs = frozenset()


class Absence:
    """Walks the nodes of one unit; `let_nodes` are its lets, `units` the definitions."""

    def __init__(self, let_nodes: dict[int, Node], units: Mapping[str, Any]) -> None:
        self.let_nodes, self.units = let_nodes, units
        self._known: dict[tuple[str, int], Needs] = {}

    def not_true_without(self, n: Node) -> Needs:
        """Inputs without any one of which a condition is unknown or false."""
        kind = n[0]
        if kind == "let":
            return self._once("flag", n[3], self.not_true_without)
        if kind == "hoist":
            return self.not_true_without(n[4])
        if kind == "and":
            return NONE.union(*(self.not_true_without(i) for i in n[3]))
        if kind == "or":
            return frozenset.intersection(*(self.not_true_without(i) for i in n[3]))
        return self.unknown_without(n)

    def unknown_without(self, n: Node) -> Needs:
        """Inputs without any one of which a value is unknown."""
        kind = n[0]
        if kind == "path":
            return frozenset({PATH_NEEDS[n[3]]})
        if kind == "let":
            return self._once("value", n[3], self.unknown_without)
        if kind in ("hoist", "not", "minus"):
            return self.unknown_without(n[4] if kind == "hoist" else n[3])
        if kind == "field":
            return self.unknown_without(n[5])
        if kind == "quant":
            return self.unknown_without(n[5])
        if kind == "each":
            return self.unknown_without(n[4])
        if kind in ("compare", "arith", "member"):
            return self.unknown_without(n[4]) | self.unknown_without(n[5])
        if kind == "setop":
            left, right = self.unknown_without(n[4]), self.unknown_without(n[5])
            return left | right if n[3] in "+|" else (left & right if n[3] == "&" else left)
        if kind == "op":
            return self._operator(n)
        if kind == "slot":
            return frozenset({f"slot {n[3]}"})
        if kind == "def":
            return self._definition(n)
        return NONE

    def counts_read(self, n: Node) -> Needs:
        """The single counts (`tokens.prompt` …) that a condition reads without asking whether they are there.

        A run may carry one count and not another, so the input alone does not tell whether all that is read was sent.
        """
        read, asked = self._counts(n, True, set())
        return read - asked

    def _counts(self, n: Any, plain: bool, seen: set[Any]) -> tuple[Needs, Needs]:
        """The counts read plainly, and those read behind `given`, `gather` or left of `else`."""
        if not isinstance(n, list) or not n:
            return NONE, NONE
        kind = n[0]
        if kind == "path":
            found = frozenset({n[3]}) if PATH_NEEDS[n[3]] != n[3] and n[3].startswith("tokens.") else NONE
            return (found, NONE) if plain else (NONE, found)
        below = [(i, plain) for i in n[3:]] if isinstance(kind, str) else [(i, plain) for i in n]
        if kind == "op" and n[3] in ("given", "gather"):
            below = [(n[4], False)]
        elif kind == "else":
            below = [(n[3], False), (n[4], plain)]
        elif kind in ("let", "def") and (kind, n[3], plain) not in seen:
            seen.add((kind, n[3], plain))
            below.append((self.let_nodes[n[3]] if kind == "let" else self.units[n[3]]["body"]["x"], plain))
        both = [self._counts(i, p, seen) for i, p in below]
        return NONE.union(*(r for r, _ in both)), NONE.union(*(a for _, a in both))

    def _definition(self, n: Node) -> Needs:
        """What a definition needs itself, and what the arguments need without which it is unknown."""
        unit = self.units[n[3]]
        needed = Absence({}, self.units).unknown_without(unit["body"]["x"])
        out = frozenset(x for x in needed if not x.startswith("slot "))
        for i, argument in enumerate(n[4]):
            if f"slot {FIRST_SLOT + i}" in needed:
                out |= self.unknown_without(argument)
        return out

    def _once(self, kind: str, slot: int, ask: Callable[[Node], Needs]) -> Needs:
        """What is asked of a let, worked out once."""
        if (kind, slot) not in self._known:
            self._known[kind, slot] = ask(self.let_nodes[slot])
        return self._known[kind, slot]

    def _operator(self, n: Node) -> Needs:
        if n[3] in ("given", "gather"):
            return NONE
        if n[3] in EMPTY_SETTLES:
            chosen = n[4][EMPTY_SETTLES[n[3]]]
            return self.unknown_without(chosen)
        return NONE.union(*(self.unknown_without(a) for a in n[4] if a is not None))
