"""Which parts of a condition only say when it applies: what was asked, and how much of it there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Node = list[Any]
OUTER = "?"
"""Stands for a part bound outside of the condition, of which nobody knows where it is from."""


def is_setting(node: Node, let_nodes: Mapping[int, Node], units: Mapping[str, Any]) -> bool:
    """Whether a condition reads the ask alone, or compares a count of what was given without reading the answer.

    It is true of good runs as well, so its places show nothing that is wrong.
    """
    reads = frozenset(_reads(node, let_nodes, units, frozenset()))
    if "input" not in reads or not reads.isdisjoint(("output", OUTER)):
        return False
    return reads == {"input"} or _counts(node, let_nodes)


def _counts(node: Node, let_nodes: Mapping[int, Node]) -> bool:
    if node[0] == "let":
        return _counts(let_nodes[node[3]], let_nodes)
    if node[0] == "hoist":
        return _counts(node[4], let_nodes)
    return bool(node[0] == "compare")


def _reads(x: Any, lets: Mapping[int, Node], units: Mapping[str, Any], bound: frozenset[int]) -> Iterator[str]:
    """The paths under a node; definitions are walked for their own, their parameters stand in the arguments."""
    kind = x[0] if x and isinstance(x[0], str) else ""
    if kind == "path":
        yield x[3]
    elif kind == "slot":
        if x[3] not in bound:
            yield OUTER
    elif kind == "let":
        yield from _reads(lets[x[3]], lets, units, bound)
    elif kind == "def":
        yield from _reads(x[4], lets, units, bound)
        yield from (path for path in _reads(units[x[3]]["body"]["x"], {}, units, bound) if path != OUTER)
    else:
        inner = bound | {x[4]} if kind == "quant" else bound | {x[3]} if kind == "each" else bound
        for part in x:
            if isinstance(part, list):
                yield from _reads(part, lets, units, inner)
