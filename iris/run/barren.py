"""Loops that can find nothing: a conjunct of the body that no element can change is false, so the list is not even made.

`some r in hits(d, output), f in hits(e, sources)` looks for `e` in the sources, which are short, before `d` in the output.
The answer is the same: a body that is false for every element decides the loop unless its list is unknown, and lists
that may be unknown for other reasons than the absence of their text are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from iris.run.values import Fact, Text

if TYPE_CHECKING:
    from iris.run.compile import Builder, Closure, Node

Test = Callable[[list[Any]], bool]
HERE = frozenset({Text, Fact, list})
"""What a text or list of texts is when it is not unknown."""


def barren_test(b: Builder, over: Node, body: Node) -> Test | None:
    """A function of the frame: whether a body is false for every element of a list that is not unknown."""
    texts = _texts(b, over)
    conjuncts = body[3] if body[0] == "and" else [body]
    tests = [t for c in conjuncts if (t := _false_test(b, c)) is not None] if texts is not None else []
    if texts is None or not tests:
        return None
    built = [b.build(t) for t in texts]

    def barren(fr: list[Any]) -> bool:
        return any(test(fr) for test in tests) and all(type(text(fr)) in HERE for text in built)

    return barren


def _texts(b: Builder, n: Node) -> list[Node] | None:
    """The texts without which a list is unknown; None when it may be unknown for another reason."""
    if n[0] == "let":
        return _texts(b, b.let_nodes[n[3]])
    if n[0] == "hoist":
        return _texts(b, n[4])
    if n[0] == "each" and n[5] is None:
        return _texts(b, n[4])
    if n[0] == "setop" and n[3] in "+|":
        left, right = _texts(b, n[4]), _texts(b, n[5])
        return None if left is None or right is None else left + right
    return [n[4][1]] if n[0] == "op" and n[3] == "hits" and _at_hand(n[4][1]) else None


def _at_hand(n: Node) -> bool:
    return n[0] in ("path", "let") or (n[0] == "hoist" and _at_hand(n[4]))


def _false_test(b: Builder, n: Node) -> Test | None:
    """A function of the frame: whether a conjunct that does not depend on the element is false."""
    if n[0] == "hoist" or (n[0] == "not" and n[3][0] == "hoist"):
        closed = b.build(n)
        return lambda fr: closed(fr) is False
    if n[0] == "quant" and n[3] == "some" and n[6] is None and n[5][0] in ("hoist", "let"):
        inner = b.build(n[5])
        return lambda fr: _is_empty(inner, fr)
    return None


def _is_empty(of: Closure, fr: list[Any]) -> bool:
    found = of(fr)
    return type(found) is list and not found
