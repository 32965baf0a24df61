"""Comparing, joining and reading values: what the compiled plan and the tree evaluation share."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from iris.run.operators.lists import elements
from iris.run.operators.numbers import is_number, number
from iris.run.values import (
    Args,
    Bag,
    Call,
    Fact,
    Partial,
    Range,
    Text,
    Unknown,
    View,
    joined,
    keys_of,
    unknown,
    value_of,
)

ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
OUT_OF_RANGE = unknown("a number out of range")
DIVISION = unknown("division by zero")
NOT_NUMBERS = unknown("not numbers")
LISTS = (list, Partial, Bag)


def compare(op: str, a: Any, b: Any) -> Any:
    """Compare two values; different JSON types are never equal and in no order."""
    if type(a) is Unknown:
        return joined(a, b) if type(b) is Unknown else a
    if type(b) is Unknown:
        return b
    if type(a) is Range or type(b) is Range:
        return _compare_range(op, a, b)
    if type(a) is Partial or type(b) is Partial:
        return (a if type(a) is Partial else b).why()
    if op == "==":
        return equal(a, b)
    if op == "!=":
        return not equal(a, b)
    a, b = _ordered(a), _ordered(b)
    if (is_number(a) and is_number(b)) or (isinstance(a, tuple) and isinstance(b, tuple)):
        try:
            return ORDERS[op](a, b)
        except TypeError:
            return False
    return False


def _ordered(x: Any) -> Any:
    return x.value if type(x) is Fact and is_number(x.value) else x


def equal(a: Any, b: Any) -> bool:
    """Equality of values: text in folded case, null equals nothing, a flag is no number."""
    if a is None or b is None:
        return False
    return bool(value_of(a) == value_of(b))


def _compare_range(op: str, a: Any, b: Any) -> Any:
    """Known when the answer is the same at every point of the range (ends suffice for an order; equality needs no overlap)."""
    low_a, high_a, why = (a.low, a.high, a.reason) if type(a) is Range else (a, a, None)
    low_b, high_b, other = (b.low, b.high, b.reason) if type(b) is Range else (b, b, None)
    reason = why or other
    if not (is_number(low_a) and is_number(low_b)):
        return False
    if op in ("==", "!="):
        apart = high_a < low_b or high_b < low_a
        return (op == "!=") if apart else reason
    ends = {ORDERS[op](x, y) for x in (low_a, high_a) for y in (low_b, high_b)}
    return ends.pop() if len(ends) == 1 else reason


def arith(op: str, a: Any, b: Any) -> Any:
    """Arithmetic on two numbers; anything unknown stays so."""
    for x in (a, b):
        if type(x) is Unknown:
            return x
        if type(x) is Range:
            return x.reason
    a, b = _ordered(a), _ordered(b)
    if not (is_number(a) and is_number(b)):
        return NOT_NUMBERS
    try:
        if op == "/" and not b:
            return DIVISION
        made = OPERATIONS[op](a, b)
    except OverflowError:
        return OUT_OF_RANGE
    return made if math.isfinite(made) else OUT_OF_RANGE


def setop(op: str, a: Any, b: Any) -> Any:
    """`& | - +` on lists, by value; on words and terms without making facts."""
    if op in "&-" and type(a) is list and not a:
        return a  # nothing less something, or in common with it, is nothing: the other side need not be known
    if op == "&" and type(b) is list and not b:
        return b
    for x in (a, b):
        if type(x) is Unknown:
            return x
        if type(x) is Partial:
            return x.why()
    if op in "&-" and type(a) is Bag:
        keys = a.keys & keys_of(b) if op == "&" else a.keys - keys_of(b)
        return a.keep(keys)
    if op == "&":
        other = keys_of(b)
        return [x for x in a if value_of(x) in other]
    if op == "-":
        other = keys_of(b)
        return [x for x in a if value_of(x) not in other]
    left, right = elements(a), elements(b)
    if op == "+":
        return left + right
    seen = keys_of(left)
    return left + [x for x in right if value_of(x) not in seen]


def member(x: Any, xs: Any, negated: bool) -> Any:
    """`in` and `not in`; on a list with undecided elements only a decided one shows membership."""
    if type(x) is Unknown:
        return x
    if type(xs) is Unknown:
        return xs
    if x is None:
        return negated
    if not isinstance(xs, LISTS):
        return negated
    found = value_of(x) in keys_of(xs)
    if not found and type(xs) is Partial:
        return xs.why()
    return found is not negated


def negate(v: Any) -> Any:
    """Kleene not."""
    if v is True:
        return False
    return True if v is False else v


def flag(v: Any) -> Any:
    """A value where a condition stands: flags and unknowns as they are, anything else is no truth."""
    if v is True or v is False or type(v) is Unknown:
        return v
    return unknown("not a condition")


def size(x: Any) -> Any:
    """How many elements, or characters; a range when elements are undecided."""
    kind = type(x)
    if kind is Text or kind is Fact:
        return x.end - x.start
    if kind is Partial:
        return Range(len(x), len(x) + len(x.undecided), x.why())
    if kind is Unknown:
        return x
    if x is None:
        return 0
    if isinstance(x, str | list | dict | Bag):
        return len(x)
    return unknown("has no size")


def nonempty(x: Any) -> Any:
    """Whether a list has an element."""
    if type(x) is Unknown:
        return x
    if not isinstance(x, LISTS):
        return False if x is None else unknown("not a list")
    if len(x) > 0:
        return True
    return x.why() if type(x) is Partial else False


def read_field(of: Any, name: str) -> Any:
    """A field of a call, a fact, or a JSON value."""
    kind = type(of)
    if kind is Call:
        return getattr(of, name) if name in Call.__slots__ else unknown(f"calls.{name}")
    if kind is Fact:
        return fact_field(of, name)
    if kind is Unknown:
        return of
    if isinstance(of, dict):
        return of.get(name)
    if kind is Text:
        return of if name in ("text", "value") else _json_text(of, name)
    if isinstance(of, LISTS):
        return map_field(of, name)
    return None


def _json_text(of: Text, name: str) -> Any:
    from iris.run.operators.data import parsed

    value = parsed(None, of)
    return value.get(name) if isinstance(value, dict) else None


def fact_field(of: Fact, name: str) -> Any:
    """A fact's own field, or one of its pattern's groups."""
    if name == "text":
        return Text(of.view, of.start, of.end)
    if name == "value":
        return Text(of.view, of.start, of.end) if of.value is None else of.value
    if name == "key":
        return of.key if of.key is not None else unknown("the fact has no key")
    if name == "name":
        return of.name
    if name == "class":
        return of.cls
    return of.groups.text(of, name) if of.groups is not None else unknown(f"group {name}")


def map_field(xs: Any, name: str) -> Any:
    """The field of every element; elements without it are left out."""
    if type(xs) is Unknown:
        return xs
    if type(xs) is Partial:
        return xs.why()
    out = []
    for x in elements(xs) if isinstance(xs, LISTS) else []:
        value = read_field(x, name)
        if type(value) is not Unknown and value is not None:
            out.append(value)
    return out


def position(x: Any) -> tuple[int, int]:
    """Where a call or a part stands: index, or start and end in the raw text."""
    if type(x) is Call:
        return x.index, x.index
    start, end = x.view.raw(x.start, x.end)
    return start, end


def raw_view(x: Text) -> View:
    """The raw text that a part is a part of."""
    view = x.view
    while view.parent is not None:
        view = view.parent
    return view


def in_order(x: Any, order: str | None, anchor: Any) -> bool:
    """Whether x stands after or before the anchor; parts of different texts stand in no order."""
    if order is None:
        return True
    if isinstance(x, Text):
        if not isinstance(anchor, Text) or (x.view is not anchor.view and raw_view(x) is not raw_view(anchor)):
            return False
    elif type(x) is not Call or type(anchor) is not Call:
        return False
    here, there = position(x), position(anchor)
    return here[0] > there[0] if order == "after" else here[0] < there[0]


__all__ = ["Args", "Range", "elements", "is_number", "keys_of", "number", "value_of"]
