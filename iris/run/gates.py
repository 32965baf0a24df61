"""Detectors first: what must be hit before a condition can be anything but false.

A gate is a list of (text, detectors): when none of the detectors occurs in its text, the condition is false, whatever
else the run holds. Most rules on most texts end here, at the price of one set test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from iris.run.loops import PART_OPERATORS, asked_of
from iris.run.values import Text, View

if TYPE_CHECKING:
    from iris.run.compile import Builder, Closure, Node

Gate = dict[str, tuple[Any, frozenset[int]]]
"""By the text's node (as JSON): the node, and the detectors."""

EMPTY_SETTLES = {"conflicting": 0, "chained": 0, "bind": 1}
"""Operators that give an empty list for an empty argument (its place), whatever the others are."""
KEEPS_EMPTY = ("distinct", "first_of", "last_of", "number_values")


def both(a: Gate | None, b: Gate | None) -> Gate | None:
    """The gate of two things that must both be closed."""
    if a is None or b is None:
        return None
    out = dict(a)
    for key, (node, ids) in b.items():
        out[key] = (node, ids | out[key][1]) if key in out else (node, ids)
    return out


def _closed(node: Any) -> bool:
    """Whether a text does not depend on a loop's variable."""
    if isinstance(node, list):
        return not (node and node[0] == "slot") and all(_closed(n) for n in node)
    return True


class Gates:
    """Finds the gates of the conditions of one unit; `let_nodes` are its lets, `in_set` the detectors the set runs."""

    def __init__(self, let_nodes: dict[int, Node], in_set: frozenset[int]) -> None:
        self.let_nodes, self.in_set = let_nodes, in_set
        self._known: dict[tuple[str, int], Gate | None] = {}

    def _once(self, kind: str, slot: int, ask: Callable[[Node], Gate | None]) -> Gate | None:
        """What is asked of a let, worked out once: lets may read each other many times over."""
        if (kind, slot) not in self._known:
            self._known[kind, slot] = ask(self.let_nodes[slot])
        return self._known[kind, slot]

    def false_when(self, n: Node) -> Gate | None:
        """What must be unhit for a condition to be false."""
        kind = n[0]
        if kind == "let":
            return self._once("false", n[3], self.false_when)
        if kind == "hoist":
            return self.false_when(n[4])
        if kind == "op" and n[3] == "found":
            return self._hits(n)
        if kind == "op" and n[3] == "any":
            return self.empty_when(n[4][0])
        if kind == "compare":
            return self._counted(n)
        if kind == "quant" and n[3] == "some":
            return self.empty_when(n[5]) or self._driven(n[5], n[4], n[8])
        if kind == "and":
            return next((g for item in n[3] if (g := self.false_when(item)) is not None), None)
        if kind == "or":
            gate: Gate | None = {}
            for item in n[3]:
                gate = both(gate, self.false_when(item))
            return gate
        return None

    def _hits(self, node: Node) -> Gate | None:
        text, ids = node[4][1], frozenset(node[4][0][3])
        return {json.dumps(text): (text, ids)} if ids <= self.in_set and _closed(text) else None

    def _counted(self, n: Node) -> Gate | None:
        """`size(list) > 0` and its like."""
        left, right = n[4], n[5]
        while left[0] in ("let", "hoist"):
            left = self.let_nodes[left[3]] if left[0] == "let" else left[4]
        if right[0] != "num" or left[0] != "op" or left[3] != "size":
            return None
        above = (n[3] == ">" and right[3] >= 0) or (n[3] == ">=" and right[3] > 0)
        return self.empty_when(left[4][0]) if above else None

    def empty_when(self, n: Node) -> Gate | None:
        """What must be unhit for a list to be empty."""
        kind = n[0]
        if kind == "let":
            return self._once("empty", n[3], self.empty_when)
        if kind == "hoist":
            return self.empty_when(n[4])
        if kind == "each":
            return self.empty_when(n[4]) or (self._driven(n[4], n[3], n[7]) if n[7] is not None else None)
        if kind == "setop":
            left, right = self.empty_when(n[4]), self.empty_when(n[5])
            if n[3] in "+|":
                return both(left, right)
            return left or (right if n[3] == "&" else None)
        if kind == "op" and n[3] == "hits":
            return self._hits(n)
        if kind == "op" and n[3] in EMPTY_SETTLES:
            return self.empty_when(n[4][EMPTY_SETTLES[n[3]]])
        if kind == "op" and n[3] in KEEPS_EMPTY:
            return self.empty_when(n[4][0])
        return None

    def _driven(self, over: Node, slot: int, condition: Node) -> Gate | None:
        """A loop over the parts of a text that asks `found(d, part)`."""
        while over[0] in ("let", "hoist"):
            over = self.let_nodes[over[3]] if over[0] == "let" else over[4]
        if over[0] != "op" or over[3] not in PART_OPERATORS or not _closed(over[4][0]):
            return None
        for conjunct in condition[3] if condition[0] == "and" else [condition]:
            ids = asked_of(conjunct, slot)
            if ids is not None and self.in_set.issuperset(ids):
                text = over[4][0]
                return {json.dumps(text): (text, frozenset(ids))}
        return None


def closed_test(b: Builder, gate: Gate) -> Callable[[list[Any]], bool]:
    """A function of the frame: whether a gate is closed."""
    pairs: list[tuple[Closure, frozenset[int]]] = [(b.build(node), ids) for node, ids in gate.values()]

    def closed(fr: list[Any]) -> bool:
        present = fr[0].matcher.present
        for text, ids in pairs:
            x = text(fr)
            if type(x) is Text:
                view = x.view
                if view.window or present(ids, view):
                    return False
            elif type(x) is list:
                for t in x:
                    if type(t) is not Text or t.view.window or present(ids, t.view):
                        return False
            else:
                return False
        return True

    return closed


def single_gate(b: Builder, gate: Gate) -> tuple[str, Closure, frozenset[int]] | None:
    """A gate over one text: its key, the text, the detectors."""
    if len(gate) != 1:
        return None
    ((key, (node, ids)),) = gate.items()
    return key, b.build(node), ids


def view_of(x: Any) -> View | None:
    """The view of a text whose gate can be tested; None when it can not."""
    return x.view if type(x) is Text and not x.view.window else None
