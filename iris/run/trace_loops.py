"""Trace quantifiers and `each`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iris.run import logic
from iris.run.loops import MAX_STEPS, TOO_MANY, loop_elements
from iris.run.traced import Rope, Traced
from iris.run.values import Bag, Call, Fact, Partial, Text, Unknown, joined

if TYPE_CHECKING:
    from iris.run.trace import Node, Tracer


def _ordered(t: Tracer, xs: Any, order: str | None, anchor: Node | None) -> Any:
    if order is None or anchor is None or type(xs) is Unknown:
        return xs
    at = t.trace(anchor).value
    if type(at) is Unknown:
        return at
    kept = [x for x in xs if logic.in_order(x, order, at)]
    if type(xs) is Partial:
        return Partial(kept, [(x, why) for x, why in xs.undecided if logic.in_order(x, order, at)])
    return kept


def trace_quant(t: Tracer, n: Node) -> Traced:
    """Trace `some`, `every` or `no`: the element that decided and what was true of it."""
    kind, slot, over_node, order, anchor, body = n[3:9]
    over = t.trace(over_node)
    xs = _ordered(t, loop_elements(over.value), order, anchor)
    if type(xs) is Unknown:
        return Traced(n, xs, None, (over,))
    t.steps += len(xs)
    if t.steps > MAX_STEPS:
        return Traced(n, TOO_MANY, None, (over,))
    decisive = kind != "every"
    open_: Unknown | None = None
    for x in xs:
        t.frame[slot] = x
        t.within += 1
        inner = t.trace(body)
        t.within -= 1
        if inner.value is decisive:
            kept = over.kept.get(id(x)) if over.kept else None
            return Traced(n, kind == "some", [_element(x), kept, inner.rope], (over, inner))
        if type(inner.value) is Unknown:
            open_ = joined(open_, inner.value)
    if type(xs) is Partial:
        for x, why in xs.undecided:
            t.frame[slot] = x
            if t.trace(body).value is not (not decisive):
                open_ = joined(open_, why)
    return Traced(n, (kind != "some") if open_ is None else open_, None, (over,))


def _element(x: Any) -> Rope:
    return x if isinstance(x, Fact | Call | Text) else None


def trace_each(t: Tracer, n: Node) -> Traced:
    """Trace `each`, keeping for each element that is left why it is."""
    slot, over_node, order, anchor, where, give = n[3:9]
    over = t.trace(over_node)
    xs = _ordered(t, loop_elements(over.value), order, anchor)
    if type(xs) is Unknown:
        return Traced(n, xs, None, (over,))
    t.steps += len(xs)
    if t.steps > MAX_STEPS:
        return Traced(n, TOO_MANY, None, (over,))
    out: list[Any] = []
    apart: list[tuple[Any, Unknown]] = []
    kept: dict[int, Rope] = {}
    for x in xs:
        t.frame[slot] = x
        condition = t.trace(where) if where is not None else None
        if condition is None or condition.value is True:
            before = len(out)
            _give(t, out, apart, x, give)
            held = [over.kept.get(id(x)) if over.kept else None, condition.rope if condition else None]
            kept.update({id(y): [_element(x) if give else None, held] for y in out[before:]})
        elif type(condition.value) is Unknown:
            _set_apart(t, apart, x, condition.value, give)
    if type(xs) is Partial:
        for x, why in xs.undecided:
            if _still_open(t, x, where, slot):
                _set_apart(t, apart, x, why, give)
    value = Partial(out, apart) if apart else out
    return Traced(n, value, [[_element(x), kept.get(id(x))] for x in out], (over,), kept)


def _still_open(t: Tracer, x: Any, where: Node | None, slot: int) -> bool:
    t.frame[slot] = x
    return where is None or t.trace(where).value is not False


def _set_apart(t: Tracer, apart: list[tuple[Any, Unknown]], x: Any, why: Unknown, give: Node | None) -> None:
    would: list[Any] = []
    _give(t, would, apart, x, give)
    apart += [(y, why) for y in would]


def _give(t: Tracer, out: list[Any], apart: list[tuple[Any, Unknown]], x: Any, give: Node | None) -> None:
    value = x if give is None else t.trace(give).value
    if type(value) is Unknown:
        return
    if give is not None and isinstance(value, list):
        out.extend(value)
        if type(value) is Partial:
            apart.extend(value.undecided)
    elif give is not None and type(value) is Bag:
        out.extend(value.items())
    else:
        out.append(value)
