"""Plan nodes to closures. A closure takes a frame (see `plan.lower`) and gives a value; no evidence is kept."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from iris.run import logic
from iris.run.apply import def_closure, long_words, op_closure
from iris.run.arithmetic import arithmetic
from iris.run.loops import each_closure, quant_closure
from iris.run.operators import implementations
from iris.run.values import Partial, Text, Unknown, joined

Closure = Callable[[list[Any]], Any]
Node = list[Any]
UNSET = object()
"""Stands in a slot that has not been worked out."""


class Builder:
    """Compiles the nodes of one plan. `definitions` are filled before any closure runs."""

    def __init__(
        self,
        lists: dict[str, list[Text]],
        tables: dict[str, dict[str, list[str]]],
        stop_words: str,
        shard_of: Mapping[int, int] | None = None,
    ) -> None:
        self.lists, self.tables, self.stop_words = lists, tables, stop_words
        self.shard_of: Mapping[int, int] = {} if shard_of is None else shard_of
        self.in_set = frozenset(self.shard_of)
        self.definitions: dict[str, Callable[..., Any]] = {}
        self.lets: dict[int, Closure] = {}
        self.let_nodes: dict[int, Node] = {}
        self.implementations = implementations()

    def build(self, node: Node) -> Closure:
        """Compile one node."""
        handler: Callable[[Builder, Node], Closure] = HANDLERS[node[0]]
        return handler(self, node)


def _constant(b: Builder, n: Node) -> Closure:
    value = n[3]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        from iris.run.values import fresh

        value = fresh(value)
    return lambda fr: value


def _path(b: Builder, n: Node) -> Closure:
    name = n[3]
    return lambda fr: fr[0].paths[name]


def _slot(b: Builder, n: Node) -> Closure:
    i = n[3]
    return lambda fr: fr[i]


def _let(b: Builder, n: Node) -> Closure:
    i, body = n[3], b.lets[n[3]]

    def read(fr: list[Any]) -> Any:
        value = fr[i]
        if value is UNSET:
            value = fr[i] = body(fr)
        return value

    return read


def _hoist(b: Builder, n: Node) -> Closure:
    i, body = n[3], b.build(n[4])

    def read(fr: list[Any]) -> Any:
        value = fr[i]
        if value is UNSET:
            value = fr[i] = body(fr)
        return value

    return read


def _config(b: Builder, n: Node) -> Closure:
    key = n[3]
    return lambda fr: fr[1][key]


def _listref(b: Builder, n: Node) -> Closure:
    value = b.lists[n[3]]
    return lambda fr: value


def _tableref(b: Builder, n: Node) -> Closure:
    value = b.tables[n[3]]
    return lambda fr: value


def _list(b: Builder, n: Node) -> Closure:
    items = [b.build(i) for i in n[3]]

    def make(fr: list[Any]) -> Any:
        out = []
        for item in items:
            value = item(fr)
            if type(value) is Unknown:
                return value
            if type(value) is Partial:
                return value.why()
            out.append(value)
        return out

    return make


def _field(b: Builder, n: Node) -> Closure:
    how, name, of = n[3], n[4], b.build(n[5])
    if how == "map":
        return lambda fr: logic.map_field(of(fr), name)
    if how == "call":
        return lambda fr: getattr(of(fr), name)
    if how in ("fact", "group"):
        return lambda fr: (
            x if type(x := of(fr)) is Unknown else logic.fact_field(x, name) if type(x) is not Text else logic.read_field(x, name)
        )
    return lambda fr: logic.read_field(of(fr), name)


def _minus(b: Builder, n: Node) -> Closure:
    of = b.build(n[3])
    return lambda fr: logic.arith("-", 0, of(fr))


def _arith(b: Builder, n: Node) -> Closure:
    op, left, right = n[3], b.build(n[4]), b.build(n[5])
    plain = PLAIN_ARITH[op]

    def evaluate(fr: list[Any]) -> Any:
        x, y = left(fr), right(fr)
        if type(x) in NUMERIC and type(y) in NUMERIC and -BIG < x < BIG and -BIG < y < BIG and (op != "/" or abs(y) > SMALL):
            return plain(x, y)
        return logic.arith(op, x, y)

    return arithmetic(b, n, evaluate)


def _setop(b: Builder, n: Node) -> Closure:
    op, left, right = n[3], b.build(n[4]), b.build(n[5])
    return lambda fr: logic.setop(op, left(fr), right(fr))


def _compare(b: Builder, n: Node) -> Closure:
    op, left, right = n[3], b.build(n[4]), b.build(n[5])
    test = logic.ORDERS.get(op)
    if test is None:
        return lambda fr: logic.compare(op, left(fr), right(fr))
    count = long_words(b, n[4])
    if count is not None:
        return _counted(op, count, right, lambda fr: logic.compare(op, left(fr), right(fr)))

    def ordered(fr: list[Any]) -> Any:
        x, y = left(fr), right(fr)
        if type(x) in NUMERIC and type(y) in NUMERIC:
            return test(x, y)
        return logic.compare(op, x, y)

    return arithmetic(b, n, ordered)


def _counted(op: str, count: Callable[[list[Any], Any], Any], limit: Closure, slow: Closure) -> Closure:
    """A count against a limit: words past the limit change nothing."""
    test = logic.ORDERS[op]

    def evaluate(fr: list[Any]) -> Any:
        y = limit(fr)
        x = count(fr, y) if type(y) in NUMERIC else None
        return slow(fr) if x is None else test(x, y)

    return evaluate


NUMERIC = (int, float)
BIG = 1e100
SMALL = 1e-100
"""Beyond these, arithmetic goes the way that catches overflow."""
PLAIN_ARITH: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _member(b: Builder, n: Node) -> Closure:
    negated, left, right = n[3], b.build(n[4]), b.build(n[5])
    return lambda fr: logic.member(left(fr), right(fr), negated)


def _else(b: Builder, n: Node) -> Closure:
    left, right = b.build(n[3]), b.build(n[4])
    return lambda fr: right(fr) if type(x := left(fr)) is Unknown else x


def _not(b: Builder, n: Node) -> Closure:
    of = b.build(n[3])
    return lambda fr: logic.negate(of(fr))


def _junction(decides: bool) -> Callable[[Builder, Node], Closure]:
    """Kleene and/or: `decides` is the value one operand of which settles it."""

    def handler(b: Builder, n: Node) -> Closure:
        items = tuple(b.build(i) for i in n[3])

        def evaluate(fr: list[Any]) -> Any:
            open_: Unknown | None = None
            for item in items:
                value = item(fr)
                if value is decides:
                    return decides
                if type(value) is Unknown:
                    open_ = joined(open_, value)
            return (not decides) if open_ is None else open_

        return evaluate

    return handler


HANDLERS: dict[str, Callable[[Any, Node], Closure]] = {
    "num": _constant,
    "str": _constant,
    "bool": _constant,
    "path": _path,
    "slot": _slot,
    "let": _let,
    "hoist": _hoist,
    "config": _config,
    "listref": _listref,
    "tableref": _tableref,
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
    "op": op_closure,
    "def": def_closure,
    "quant": quant_closure,
    "each": each_closure,
}
