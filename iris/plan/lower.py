"""Sound expressions to plan nodes: names become slots, closed work leaves loops, conjuncts move outward.

A plan node is a JSON list `[kind, start, end, …]`; start and end are places in the expression's text.
A unit (rule, definition, detector) is evaluated in a frame, a list of slots: 0 the run's context,
1 the settings, 2 `match` or `fired`, then parameters, lets, variables and memoised closed sub-expressions.
"""

from __future__ import annotations

from typing import Any

from iris.check.sound import Sound, SoundText

FIRST_SLOT = 3
Lowered = list[Any]
HOISTED = ("op", "def", "setop", "each", "quant", "mapfield")


class Unit:
    """Hands out the slots of one frame and lowers the expressions evaluated in it."""

    def __init__(self, detector_ids: dict[str, int], parameters: tuple[str, ...] = ()) -> None:
        self.detector_ids = detector_ids
        self.size = FIRST_SLOT
        self.parameters = {name: self.slot() for name in parameters}
        self.lets: dict[str, int] = {}
        self.loops: list[tuple[str, int]] = []
        self.bodies: dict[str, Sound] = {}
        self.let_settings: dict[str, frozenset[str]] = {}
        self.written = ""

    def slot(self) -> int:
        """Take the next slot."""
        self.size += 1
        return self.size - 1

    def text(self, expression: SoundText | None) -> dict[str, Any] | None:
        """Lower an expression, keeping its text for `why`."""
        if expression is None:
            return None
        self.written = expression.text
        return {"x": self.lower(expression.node), "t": expression.text}

    def lower(self, n: Sound) -> Lowered:
        """Lower one node."""
        if self.loops and n.kind in HOISTED and n.data != "given" and not self._uses_loop(n):
            return ["hoist", n.start, n.end, self.slot(), self._plain(n)]
        return self._plain(n)

    def _uses_loop(self, n: Sound) -> bool:
        names = {name for name, _ in self.loops}
        return bool(free_variables(n) & names)

    def _plain(self, n: Sound) -> Lowered:
        return self._name(n) or self._made(n)

    def _name(self, n: Sound) -> Lowered | None:
        """A node that names or holds something; None for any other."""
        head = [n.kind, n.start, n.end]
        if n.kind in ("num", "str", "bool", "path", "config", "listref", "tableref"):
            return [*head, n.data]
        if n.kind in ("match", "fired"):
            return ["slot", n.start, n.end, 2]
        if n.kind == "var":
            return ["slot", n.start, n.end, next(s for name, s in reversed(self.loops) if name == n.data)]
        if n.kind == "param":
            return ["slot", n.start, n.end, self.parameters[n.data]]
        if n.kind == "let":
            return [*head, self.lets[n.data], n.data]
        if n.kind == "detector":
            return [*head, [self.detector_ids[name] for name in n.data]]
        if n.kind == "by":
            return [*head, *n.data]
        return None

    def _made(self, n: Sound) -> Lowered:
        """A node that works something out of its parts."""
        head = [n.kind, n.start, n.end]
        if n.kind in ("callfield", "factfield", "jsonfield", "anyfield", "mapfield", "group"):
            assert n.args[0] is not None
            return ["field", n.start, n.end, n.kind.removesuffix("field"), n.data, self.lower(n.args[0])]
        if n.kind == "quant":
            return self._quant(n)
        if n.kind == "each":
            return self._each(n)
        args = [None if a is None else self.lower(a) for a in n.args]
        if n.kind in ("op", "def"):
            return [*head, n.data, args]
        if n.kind in ("list", "and", "or"):
            return [*head, args]
        if n.kind == "compare":
            return [*head, n.data, *args, self._count(n)]
        if n.kind in ("arith", "setop", "member"):
            return [*head, n.data, *args]
        return [*head, *args]

    def _count(self, n: Sound) -> list[Any] | None:
        """What a comparison of numbers measures: [stat, unit, which side is the threshold, settings behind it]."""
        left, right = n.args
        assert left is not None
        assert right is not None
        if "number" not in (left.type.kind, right.type.kind):
            return None
        swapped = left.kind in ("num", "config") and right.kind not in ("num", "config")
        measured, threshold = (right, left) if swapped else (left, right)
        name = measured.data if measured.kind == "let" else " ".join(self.written[measured.start : measured.end].split())
        unit = measured.type.unit or threshold.type.unit or "count"
        return [name, unit, 0 if swapped else 1, sorted(self._settings(left) | self._settings(right))]

    def _settings(self, n: Sound) -> frozenset[str]:
        """The settings behind a value, through its lets."""
        if n.kind == "config":
            return frozenset({n.data})
        if n.kind == "let" and n.data in self.bodies:
            if n.data not in self.let_settings:
                self.let_settings[n.data] = self._settings(self.bodies[n.data])
            return self.let_settings[n.data]
        return frozenset().union(*(self._settings(a) for a in n.args if a is not None))

    def _quant(self, n: Sound) -> Lowered:
        kind, names, orders = n.data
        body = n.args[-1]
        assert body is not None
        bindings = [(names[i], orders[i], n.args[2 * i], n.args[2 * i + 1]) for i in range(len(names))]
        return self._nest(n, kind, bindings, body)

    def _nest(self, n: Sound, kind: str, bindings: list[Any], body: Sound) -> Lowered:
        """One loop a binding; conjuncts that do not use the inner variables are tested before the inner loop."""
        (name, order, over, anchor), rest = bindings[0], bindings[1:]
        lowered_over = self.lower(over)
        lowered_anchor = self.lower(anchor) if anchor is not None else None
        slot = self.slot()
        self.loops.append((name, slot))
        inner_kind = "some" if kind == "no" else kind
        if not rest:
            lowered: Lowered = self.lower(body)
        elif kind == "every":
            lowered = self._nest(n, kind, rest, body)
        else:
            lowered = self._split(n, inner_kind, rest, body)
        self.loops.pop()
        return ["quant", n.start, n.end, kind, slot, lowered_over, order, lowered_anchor, lowered]

    def _split(self, n: Sound, kind: str, rest: list[Any], body: Sound) -> Lowered:
        inner_names = {name for name, *_ in rest}
        items = list(body.args) if body.kind == "and" else [body]
        outer = [i for i in items if i is not None and not free_variables(i) & inner_names]
        inner = [i for i in items if i is not None and free_variables(i) & inner_names]
        if not outer:
            return self._nest(n, kind, rest, body)
        first = [self.lower(i) for i in outer]
        if not inner:
            inner = [Sound("bool", body.type, body.start, body.end, (), True)]
        remaining = inner[0] if len(inner) == 1 else Sound("and", body.type, body.start, body.end, tuple(inner))
        return ["and", body.start, body.end, [*first, self._nest(n, kind, rest, remaining)]]

    def _each(self, n: Sound) -> Lowered:
        name, order = n.data
        over, anchor, where, give = n.args
        assert over is not None
        lowered_over = self.lower(over)
        lowered_anchor = self.lower(anchor) if anchor is not None else None
        slot = self.slot()
        self.loops.append((name, slot))
        lowered_where = self.lower(where) if where is not None else None
        lowered_give = self.lower(give) if give is not None else None
        self.loops.pop()
        return ["each", n.start, n.end, slot, lowered_over, order, lowered_anchor, lowered_where, lowered_give]


def free_variables(n: Sound) -> set[str]:
    """The loop variables a node reads but does not bind itself."""
    if n.kind == "var":
        return {n.data}
    found: set[str] = set()
    for a in n.args:
        if a is not None:
            found |= free_variables(a)
    if n.kind == "quant":
        found -= set(n.data[1])
    elif n.kind == "each":
        found -= {n.data[0]}
    return found
