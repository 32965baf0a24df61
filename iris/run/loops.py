"""Quantifiers and `each`. A loop over the parts of a text that asks `found(d, part)` first visits only parts with a hit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from iris.run import logic
from iris.run.barren import barren_test
from iris.run.values import Bag, Fact, Partial, Text, Unknown, joined, unknown

if TYPE_CHECKING:
    from iris.run.compile import Builder, Closure, Node

PART_OPERATORS = ("sentences", "lines", "blocks")
MAX_STEPS = 200_000
"""Elements one rule's loops examine at most in all; beyond it the answer is unknown, never false."""
TOO_MANY = unknown(f"more than {MAX_STEPS} elements to examine")
NOT_A_LIST = unknown("not a list")

Elements = Callable[[list[Any]], Any]


def loop_elements(xs: Any) -> Any:
    """The elements of what a loop goes through: null is empty, anything but a list unknown."""
    kind = type(xs)
    if kind is list or kind is Partial or kind is Unknown:
        return xs
    if kind is Bag:
        return xs.items()
    if xs is None:
        return []
    return list(xs) if isinstance(xs, list | tuple) else NOT_A_LIST


def driver(b: Builder, over: Node, slot: int, condition: Node | None) -> Elements | None:
    """A shorter list for a loop whose condition holds only for parts with a hit; None when there is no such."""
    source = b.let_nodes.get(over[3], over) if over[0] == "let" else over[4] if over[0] == "hoist" else over
    if condition is None or source[0] != "op" or source[3] not in PART_OPERATORS:
        return None
    for conjunct in condition[3] if condition[0] == "and" else [condition]:
        ids = asked_of(conjunct, slot)
        if ids is not None:
            return _driven(b, source, over, ids)
    return None


def asked_of(n: Node, slot: int) -> tuple[int, ...] | None:
    """The detectors without a hit of which, in the part a loop stands at, a condition is false."""
    if n[0] == "quant" and n[3] == "some":
        n = n[5]
    elif n[0] == "op" and n[3] == "any":
        n = n[4][0]
    elif not (n[0] == "op" and n[3] == "found"):
        return None
    asks = n[0] == "op" and n[3] in ("found", "hits") and n[4][1][0] == "slot" and n[4][1][3] == slot
    return tuple(n[4][0][3]) if asks else None


def _driven(b: Builder, source: Node, over: Node, ids: tuple[int, ...]) -> Elements:
    whole, every = b.build(source[4][0]), b.build(over)

    def elements(fr: list[Any]) -> Any:
        text = whole(fr)
        if type(text) is not Text and type(text) is not Fact:
            return loop_elements(every(fr))
        hits = fr[0].hits(ids, text)
        if not hits:
            return []
        return parts_with(loop_elements(every(fr)), hits)

    return elements


def parts_with(parts: list[Text], hits: list[Fact]) -> list[Text]:
    """The parts in which a hit lies, in order."""
    if len(parts) < 4:
        return parts
    starts = [p.start for p in parts]
    chosen: dict[int, Text] = {}
    for hit in hits:
        i = bisect_right(starts, hit.start) - 1
        if i >= 0 and hit.end <= parts[i].end:
            chosen[i] = parts[i]
    return [chosen[i] for i in sorted(chosen)]


def _anchored(xs: Any, order: str, anchor: Any) -> Any:
    """The elements that stand after or before the anchor."""
    if type(anchor) is Unknown:
        return anchor
    kept = [x for x in xs if logic.in_order(x, order, anchor)]
    if type(xs) is Partial:
        return Partial(kept, [(x, why) for x, why in xs.undecided if logic.in_order(x, order, anchor)])
    return kept


def _over(b: Builder, node: Node, slot: int, order: str | None, anchor: Node | None, condition: Node | None) -> Elements:
    """The elements a loop visits."""
    elements = driver(b, node, slot, condition)
    if elements is None:
        plain = b.build(node)
        elements = lambda fr: loop_elements(plain(fr))  # noqa: E731
    if order is None or anchor is None:
        return elements
    at, found = b.build(anchor), elements

    def ordered(fr: list[Any]) -> Any:
        xs = found(fr)
        return xs if type(xs) is Unknown else _anchored(xs, order, at(fr))

    return ordered


def quant_closure(b: Builder, n: Node) -> Closure:
    """`some`, `every`, `no`: decided by one element, else unknown when any element was."""
    kind, slot, over, order, anchor, body_node = n[3], n[4], n[5], n[6], n[7], n[8]
    elements = _over(b, over, slot, order, anchor, body_node if kind != "every" else None)
    body = b.build(body_node)
    decisive = kind != "every"
    result = kind == "some"
    barren = barren_test(b, over, body_node) if kind != "every" and order is None else None

    def evaluate(fr: list[Any]) -> Any:
        if barren is not None and barren(fr):
            return not result
        xs = elements(fr)
        if type(xs) is Unknown:
            return xs
        context = fr[0]
        context.steps += len(xs)
        if context.steps > MAX_STEPS:
            return TOO_MANY
        open_: Unknown | None = None
        for x in xs:
            fr[slot] = x
            value = body(fr)
            if value is decisive:
                return result
            if type(value) is Unknown:
                open_ = joined(open_, value)
        if type(xs) is Partial:
            for x, why in xs.undecided:
                fr[slot] = x
                if body(fr) is not (not decisive):
                    open_ = joined(open_, why)
        return (not result) if open_ is None else open_

    return evaluate


def each_closure(b: Builder, n: Node) -> Closure:
    """`each x in xs where C give E`; an element whose condition is unknown is kept apart."""
    slot, over, order, anchor, where_node, give_node = n[3], n[4], n[5], n[6], n[7], n[8]
    elements = _over(b, over, slot, order, anchor, where_node)
    every = b.build(where_node) if where_node is not None else None
    shorter = _shorter(b, where_node, slot) if where_node is not None else None
    give = b.build(give_node) if give_node is not None else None

    def evaluate(fr: list[Any]) -> Any:
        xs = elements(fr)
        if type(xs) is Unknown:
            return xs
        where = every if shorter is None or not xs else shorter(fr) or every
        out: list[Any] = []
        apart: list[tuple[Any, Unknown]] = []
        context = fr[0]
        context.steps += len(xs)
        if context.steps > MAX_STEPS:
            return TOO_MANY
        for x in xs:
            fr[slot] = x
            kept = True if where is None else where(fr)
            if kept is True and give is None:
                out.append(x)
            elif kept is True:
                _give(out, apart, x, give, fr)
            elif type(kept) is Unknown:
                _set_apart(apart, x, kept, give, fr)
        if type(xs) is Partial:
            for x, why in xs.undecided:
                if _open(x, where, slot, fr):
                    _set_apart(apart, x, why, give, fr)
        return Partial(out, apart) if apart else out

    return evaluate


def _shorter(b: Builder, condition: Node, slot: int) -> Callable[[list[Any]], Closure | None] | None:
    """A function of the frame that gives a filter without its `not inside(x, regions)` when there are no regions."""
    conjuncts = condition[3] if condition[0] == "and" else [condition]
    regions = [b.build(c[3][4][1]) for c in conjuncts if _keeps_out(c, slot)]
    rest = [c for c in conjuncts if not _keeps_out(c, slot)]
    if not regions or not rest:
        return None
    short = b.build(rest[0] if len(rest) == 1 else [*condition[:3], rest])
    return lambda fr: short if all(type(r := region(fr)) is list and not r for region in regions) else None


def _keeps_out(n: Node, slot: int) -> bool:
    """Whether a condition is that the element lies in none of some regions, the same ones for all elements."""
    of = n[3] if n[0] == "not" else n
    if n[0] != "not" or of[0] != "op" or of[3] not in ("inside", "within"):
        return False
    element, regions = of[4][0], of[4][1]
    limit = all(a[0] == "num" for a in of[4][2:])
    return element[0] == "slot" and element[3] == slot and regions[0] in ("hoist", "let", "path") and limit


def _open(x: Any, where: Closure | None, slot: int, fr: list[Any]) -> bool:
    """Whether an undecided element is still in question after this filter."""
    fr[slot] = x
    return where is None or where(fr) is not False


def _set_apart(apart: list[tuple[Any, Unknown]], x: Any, why: Unknown, give: Closure | None, fr: list[Any]) -> None:
    """Keep what an undecided element would give: the loops that read the list expect that, not the element."""
    would: list[Any] = []
    _give(would, apart, x, give, fr)
    apart += [(y, why) for y in would]


def _give(out: list[Any], apart: list[tuple[Any, Unknown]], x: Any, give: Closure | None, fr: list[Any]) -> None:
    if give is None:
        out.append(x)
        return
    value = give(fr)
    if type(value) is Unknown:
        return
    if isinstance(value, list):
        out.extend(value)
        if type(value) is Partial:
            apart.extend(value.undecided)
    elif type(value) is Bag:
        out.extend(value.items())
    else:
        out.append(value)
