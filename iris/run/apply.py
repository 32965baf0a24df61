"""Plan nodes of operators and definitions to closures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from iris.run import logic
from iris.run.gates import EMPTY_SETTLES
from iris.run.operators.parts import term_bag, text_terms
from iris.run.values import Partial, Range, Text, Unknown, as_texts, joined, unknown

if TYPE_CHECKING:
    from iris.run.compile import Builder, Closure, Node


def op_closure(b: Builder, n: Node) -> Closure:
    """Compile the use of an operator."""
    name, args = n[3], n[4]
    if name in SPECIAL:
        return SPECIAL[name](b, n)
    run = b.implementations[name]
    if name == "terms" and (args[1] is None or args[1][0] == "listref"):
        return _terms(b, args)
    if name in ("groups", "repeats", "chained"):
        return _by_op(b, name, args)
    built = [b.build(a) for a in args if a is not None]
    if len(built) == 1:
        return _one(run, built[0])
    return _many(run, built, EMPTY_SETTLES.get(name))


def _terms(b: Builder, args: list[Any]) -> Closure:
    """`terms` with a list of the pack, or the usual one: its table is found once."""
    of, table = b.build(args[0]), _table(b, args)

    def evaluate(fr: list[Any]) -> Any:
        x = of(fr)
        if type(x) is Unknown:
            return x
        if type(x) is Partial:
            return x.why()
        return term_bag(table(fr[0]), x)

    return evaluate


def _table(b: Builder, args: list[Any]) -> Callable[[Any], Any]:
    """The table of stems of a list of the pack, or of the usual one; looked up once."""
    drop = b.lists.get(args[1][3] if len(args) > 1 and args[1] is not None else b.stop_words)
    tables: list[Any] = []

    def table(context: Any) -> Any:
        if not tables:
            tables.append(context.term_table(drop))
        return tables[0]

    return table


def _one(run: Callable[..., Any], arg: Closure) -> Closure:
    def evaluate(fr: list[Any]) -> Any:
        x = arg(fr)
        kind = type(x)
        if kind is Unknown:
            return x
        if kind is Partial:
            return x.why()
        return run(fr[0], x)

    return evaluate


def usable(x: Any) -> Any:
    """None when an argument can be used; else the unknown it makes of the operator."""
    kind = type(x)
    if kind is Unknown:
        return x
    if kind is Partial:
        return x.why()
    if kind is Range:
        return x.reason
    return None


def settled(values: Sequence[Any], place: int | None) -> bool:
    """Whether an operator's result is empty because one argument is, whatever the others are."""
    return place is not None and type(values[place]) is list and not values[place]


def _many(run: Callable[..., Any], built: list[Closure], place: int | None) -> Closure:
    if len(built) == 2 and place is None:
        return _two(run, built[0], built[1])
    if len(built) == 3 and place is None:
        return _three(run, built)

    def evaluate(fr: list[Any]) -> Any:
        values = [a(fr) for a in built]
        if settled(values, place):
            return []
        for x in values:
            bad = usable(x)
            if bad is not None:
                return bad
        return run(fr[0], *values)

    return evaluate


def _two(run: Callable[..., Any], first: Closure, second: Closure) -> Closure:
    def evaluate(fr: list[Any]) -> Any:
        x, y = first(fr), second(fr)
        if type(x) in UNUSABLE:
            return usable(x)
        if type(y) in UNUSABLE:
            return usable(y)
        return run(fr[0], x, y)

    return evaluate


def _three(run: Callable[..., Any], built: list[Closure]) -> Closure:
    first, second, third = built

    def evaluate(fr: list[Any]) -> Any:
        x, y, z = first(fr), second(fr), third(fr)
        for value in (x, y, z):
            if type(value) in UNUSABLE:
                return usable(value)
        return run(fr[0], x, y, z)

    return evaluate


UNUSABLE = frozenset({Unknown, Partial, Range})


def _by_op(b: Builder, name: str, args: list[Any]) -> Closure:
    run = b.implementations[name]
    over, by = b.build(args[0]), by_function(b, args[1])
    rest = [b.build(a) for a in args[2:]]
    place = EMPTY_SETTLES.get(name)

    def evaluate(fr: list[Any]) -> Any:
        values = [over(fr), *[a(fr) for a in rest]]
        if settled(values, place):
            return []
        for x in values:
            bad = usable(x)
            if bad is not None:
                return bad
        context = fr[0]
        return run(context, values[0], lambda item: by(context, item), *values[1:])

    return evaluate


def by_function(b: Builder, node: Node) -> Callable[[Any, Any], Any]:
    """What `by=` names, as a function of the context and an element."""
    how, name = node[3], node[4]
    if how == "field":
        return lambda c, x: logic.read_field(x, name)
    if how == "def":
        return lambda c, x: b.definitions[name](c, x)
    run = b.implementations[name]
    if name == "terms":
        table = _table(b, [])
        return lambda c, x: text_terms(table(c), x) if type(x) is Text else x if type(x) is Unknown else term_bag(table(c), x)
    return lambda c, x: x if type(x) is Unknown else run(c, x)


def def_closure(b: Builder, n: Node) -> Closure:
    """Compile the use of a definition, which is looked up when it runs."""
    name, args = n[3], [b.build(a) for a in n[4]]
    if len(args) == 1:
        arg = args[0]
        return lambda fr: b.definitions[name](fr[0], arg(fr))
    return lambda fr: b.definitions[name](fr[0], *[a(fr) for a in args])


def _given(b: Builder, n: Node) -> Closure:
    of = b.build(n[4][0])
    return lambda fr: type(of(fr)) is not Unknown


def _gather(b: Builder, n: Node) -> Closure:
    args = [b.build(a) for a in n[4]]

    def evaluate(fr: list[Any]) -> Any:
        out: list[Text] = []
        lacking: Unknown | None = None
        some = False
        for arg in args:
            x = arg(fr)
            if type(x) is Partial:
                return x.why()
            if type(x) is Unknown:
                lacking = joined(lacking, x)
            else:
                some = True
                out += as_texts(x)
        return out if some else (lacking or unknown("nothing to gather"))

    return evaluate


def _found(b: Builder, n: Node) -> Closure:
    ids, text = tuple(n[4][0][3]), b.build(n[4][1])
    return lambda fr: fr[0].found(ids, text(fr))


def _hits(b: Builder, n: Node) -> Closure:
    ids, text = tuple(n[4][0][3]), b.build(n[4][1])
    return lambda fr: fr[0].hits(ids, text(fr))


def _size(b: Builder, n: Node) -> Closure:
    of = b.build(n[4][0])
    return lambda fr: logic.size(of(fr))


def _any(b: Builder, n: Node) -> Closure:
    inner = n[4][0]
    if inner[0] == "op" and inner[3] == "terms" and (inner[4][1] is None or inner[4][1][0] == "listref"):
        return _any_terms(b, inner)
    of = b.build(inner)
    return lambda fr: logic.nonempty(of(fr))


def _any_terms(b: Builder, n: Node) -> Closure:
    """`any(terms(x))`, without making the list."""
    of, usual = b.build(n[4][0]), _terms(b, n[4])
    table = _table(b, n[4])

    def evaluate(fr: list[Any]) -> Any:
        x = of(fr)
        if type(x) is Text:
            return bool(text_terms(table(fr[0]), x))
        return logic.nonempty(usual(fr))

    return evaluate


SPECIAL: dict[str, Callable[[Builder, Node], Closure]] = {
    "given": _given,
    "gather": _gather,
    "found": _found,
    "hits": _hits,
    "size": _size,
    "any": _any,
}
