"""Evaluate by walking the tree, keeping what decided: the reference for the compiled plan, and the source of evidence.

A rope is None, a fact, a call, a count (dict), or a list of ropes; it is flattened only when a finding is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from iris.run import logic
from iris.run.apply import by_function, settled, usable
from iris.run.compile import UNSET, Builder
from iris.run.evidence import SHARED, flatten
from iris.run.gates import EMPTY_SETTLES
from iris.run.operators.texts import occurrences
from iris.run.setting import is_setting
from iris.run.trace_loops import trace_each, trace_quant
from iris.run.traced import Rope, Traced
from iris.run.values import Bag, Fact, Partial, Range, Unknown, joined, unknown

Node = list[Any]


class Tracer:
    """Traces the expressions of one frame. `sources` tells where each setting's value came from."""

    def __init__(
        self, builder: Builder, units: Any, frame: list[Any], sources: dict[str, str], memo: dict[Any, Traced] | None = None
    ) -> None:
        self.b, self.units, self.frame, self.sources = builder, units, frame, sources
        self.lets: dict[int, Traced] = {}
        self.memo: dict[Any, Traced] = {} if memo is None else memo
        self.steps = 0
        self.within = 0
        """Quantifiers around the node."""

    def trace(self, node: Node) -> Traced:
        """Evaluate one node with its evidence."""
        handler: Callable[[Tracer, Node], Traced] = HANDLERS[node[0]]
        return handler(self, node)


def _leaf(t: Tracer, n: Node) -> Traced:
    return Traced(n, t.b.build(n)(t.frame))


def _let(t: Tracer, n: Node) -> Traced:
    found = t.lets.get(n[3])
    if found is None:
        inner = t.trace(t.b.let_nodes[n[3]])
        found = t.lets[n[3]] = Traced(n, inner.value, inner.rope, (inner,), inner.kept)
    return found


def _hoist(t: Tracer, n: Node) -> Traced:
    found = t.lets.get(n[3])
    if found is None:
        found = t.lets[n[3]] = t.trace(n[4])
    return found


def _list(t: Tracer, n: Node) -> Traced:
    items = [t.trace(i) for i in n[3]]
    for item in items:
        if type(item.value) is Unknown or type(item.value) is Partial:
            why = item.value.why() if isinstance(item.value, Partial) else item.value
            return Traced(n, why, None, tuple(items))
    return Traced(n, [i.value for i in items], [i.rope for i in items], tuple(items))


def _field(t: Tracer, n: Node) -> Traced:
    of = t.trace(n[5])
    how, name = n[3], n[4]
    value = logic.map_field(of.value, name) if how == "map" else logic.read_field(of.value, name)
    return Traced(n, value, of.rope, (of,))


def _minus(t: Tracer, n: Node) -> Traced:
    of = t.trace(n[3])
    return Traced(n, logic.arith("-", 0, of.value), of.rope, (of,))


def _arith(t: Tracer, n: Node) -> Traced:
    left, right = t.trace(n[4]), t.trace(n[5])
    return Traced(n, logic.arith(n[3], left.value, right.value), [left.rope, right.rope], (left, right))


def _setop(t: Tracer, n: Node) -> Traced:
    left, right = t.trace(n[4]), t.trace(n[5])
    value = logic.setop(n[3], left.value, right.value)
    rope: Rope = None
    if isinstance(value, list | Bag):
        rope = [_with_kept(value, left.kept)]
        if n[3] == "&" and value and isinstance(right.value, list | Bag):
            keys = logic.keys_of(value)
            rope.append([x for x in logic.elements(right.value) if logic.value_of(x) in keys] if len(keys) <= 50 else None)
            rope = [_shared(x) for x in flatten(rope)] if type(value) is Bag else rope
    return Traced(n, value, rope, (left, right), left.kept)


def _shared(x: Any) -> Any:
    """A word of both texts, so named: the other words of a condition are then those of one."""
    return Fact(x.view, x.start, x.end, SHARED) if isinstance(x, Fact) else x


def _with_kept(xs: Any, kept: dict[int, Rope] | None) -> Rope:
    return xs if not kept else [[x, kept.get(id(x))] for x in xs]


def count_of(n: Node, left: Any, right: Any, sources: dict[str, str]) -> dict[str, Any] | None:
    """The count a comparison carries, or None when it compares no plain numbers."""
    meta = n[6]
    if meta is None or not ((type(left) is int or type(left) is float) and (type(right) is int or type(right) is float)):
        return None
    name, unit, side, settings = meta
    value, threshold = (left, right) if side == 1 else (right, left)
    source = strongest(settings, sources)
    return {"type": "count", "stat": name, "unit": unit, "value": value, "threshold": threshold, "thresholdSource": source}


STRENGTH = ("rule", "default", "config", "call")


def strongest(settings: Sequence[str], sources: Mapping[str, str]) -> str:
    """Where the settings of a threshold come from: the layer closest to the call."""
    if not sources:
        return "default" if settings else "rule"
    return max((sources.get(k, "default") for k in settings), key=STRENGTH.index, default="rule")


def _compare(t: Tracer, n: Node) -> Traced:
    left, right = t.trace(n[4]), t.trace(n[5])
    value = logic.compare(n[3], left.value, right.value)
    count = count_of(n, left.value, right.value, t.sources)
    return Traced(n, value, [count, left.rope, right.rope], (left, right))


def _member(t: Tracer, n: Node) -> Traced:
    left, right = t.trace(n[4]), t.trace(n[5])
    value = logic.member(left.value, right.value, n[3])
    return Traced(n, value, [left.value if isinstance(left.value, Fact) else None, left.rope], (left, right))


def _else(t: Tracer, n: Node) -> Traced:
    left = t.trace(n[3])
    if type(left.value) is not Unknown:
        return Traced(n, left.value, left.rope, (left,), left.kept)
    right = t.trace(n[4])
    return Traced(n, right.value, right.rope, (left, right), right.kept)


def _not(t: Tracer, n: Node) -> Traced:
    of = t.trace(n[3])
    return Traced(n, logic.negate(of.value), of.rope, (of,))


def _told(t: Tracer, done: list[Traced]) -> Rope:
    """The ropes of conditions that hold together; those that only say when they apply show nothing beside others."""
    ropes = [d.rope for d in done if not is_setting(d.node, t.b.let_nodes, t.units)]
    # Within a quantifier the element is shown in any case.
    return ropes if t.within or any(True for rope in ropes for _ in flatten(rope)) else [d.rope for d in done]


def _junction(decides: bool) -> Callable[[Tracer, Node], Traced]:
    def handler(t: Tracer, n: Node) -> Traced:
        done: list[Traced] = []
        open_: Unknown | None = None
        for item in n[3]:
            traced = t.trace(item)
            done.append(traced)
            if traced.value is decides:
                return Traced(n, decides, traced.rope, tuple(done))
            if type(traced.value) is Unknown:
                open_ = joined(open_, traced.value)
        value = (not decides) if open_ is None else open_
        return Traced(n, value, _told(t, done), tuple(done))

    return handler


def _op(t: Tracer, n: Node) -> Traced:
    name = n[3]
    if name in ("given", "gather"):
        return _leaf(t, n)
    if name in ("found", "hits"):
        return _detect(t, n, name)
    if name in ("groups", "repeats", "chained"):
        return _by(t, n, name)
    args = [t.trace(a) for a in n[4] if a is not None]
    rope: Rope = [a.rope for a in args]
    if name == "size":
        return Traced(n, logic.size(args[0].value), rope, tuple(args))
    if name == "any":
        return Traced(n, logic.nonempty(args[0].value), rope, tuple(args))
    values = [a.value for a in args]
    if name == "terms" and n[4][1] is None and t.b.stop_words in t.b.lists:
        values.append(t.b.lists[t.b.stop_words])
    return _result(n, t, name, values, rope, tuple(args))


def _result(n: Node, t: Tracer, name: str, values: list[Any], rope: Rope, children: tuple[Traced, ...]) -> Traced:
    if settled(values, EMPTY_SETTLES.get(name)):
        return Traced(n, [], None, children)
    for x in values:
        bad = usable(x)
        if bad is not None:
            return Traced(n, bad, None, children)
    value = t.b.implementations[name](t.frame[0], *values)
    if type(value) is Bag:
        # The words of a loop's element are not shown: the element itself is the evidence.
        rope = None if n[4][0][0] == "slot" else value
    elif isinstance(value, list):
        rope = value
    elif name in ("contains", "mentions"):
        # What is not there has no place; the texts that were looked through are no evidence.
        rope = occurrences(values[0], values[1], whole=name == "mentions") if value is True else None
    return Traced(n, value, rope, children)


def _detect(t: Tracer, n: Node, name: str) -> Traced:
    ids = tuple(n[4][0][3])
    text = t.trace(n[4][1])
    if name == "hits":
        value = t.frame[0].hits(ids, text.value)
        return Traced(n, value, None if type(value) is Unknown else value, (text,))
    value = t.frame[0].found(ids, text.value)
    hits = None
    if value is True:
        hits = t.frame[0].hits(ids, list(text.value) if type(text.value) is Partial else text.value)
    return Traced(n, value, hits, (text,))


def _by(t: Tracer, n: Node, name: str) -> Traced:
    over = t.trace(n[4][0])
    by = by_function(t.b, n[4][1])
    rest = [t.trace(a) for a in n[4][2:]]
    context = t.frame[0]
    values = [over.value, lambda item: by(context, item), *[r.value for r in rest]]
    traced = _result(n, t, name, values, over.rope, (over, *rest))
    traced.kept = over.kept
    return traced


def _def(t: Tracer, n: Node) -> Traced:
    args = [t.trace(a) for a in n[4]]
    key = (n[3], id(args[0].value)) if t.frame[0].keeps([a.value for a in args]) else None
    body = t.memo.get(key)
    if body is None:
        unit = t.units[n[3]]
        frame = [t.frame[0], None, None, *[a.value for a in args]]
        frame += [UNSET] * (unit["size"] - len(frame))
        body = Tracer(t.b, t.units, frame, t.sources, t.memo).trace(unit["body"]["x"])
        if key is not None:
            t.memo[key] = body
    return Traced(n, body.value, body.rope, (*args, body), body.kept)


HANDLERS: dict[str, Callable[[Tracer, Node], Traced]] = {
    **dict.fromkeys(("num", "str", "bool", "path", "slot", "config", "listref", "tableref", "by", "detector"), _leaf),
    "let": _let,
    "hoist": _hoist,
    "list": _list,
    "field": _field,
    "minus": _minus,
    "arith": _arith,
    "setop": _setop,
    "compare": _compare,
    "member": _member,
    "else": _else,
    "not": _not,
    "and": _junction(False),
    "or": _junction(True),
    "op": _op,
    "def": _def,
    "quant": trace_quant,
    "each": trace_each,
}
__all__ = ["Range", "Traced", "Tracer", "count_of", "unknown"]
