"""Resolve and type one parsed expression, collecting every problem in it."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from iris.check.apply import check_apply
from iris.check.names import resolve_field, resolve_name
from iris.check.scope import Scope
from iris.check.sound import Sound, SoundText
from iris.language.types import ANY, FLAG, TEXT, Type, item_of, list_of, number, reads_as_text, unit_value
from iris.packs.documents import Text
from iris.parse import tree as t
from iris.parse.expression import ExpressionError, parse
from iris.problems import Problem


class ExpressionChecker:
    """Checks the expressions of one file; `problems` grows, a broken node becomes one of type any."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.text: Text | None = None
        self.clean = True

    def check(self, text: Text, scope: Scope, want: str = "any") -> SoundText | None:
        """Parse and check an expression that must give `want`: any, flag or number."""
        self.text, self.clean = text, True
        try:
            parsed = parse(text.text)
        except ExpressionError as error:
            place = text.at.place_of(error.start, error.end)
            self.problems.append(Problem("E001", error.message, place, error.label, error.help))
            return None
        node = self.node(parsed, scope)
        if self.clean and want == "flag":
            self.must_be_flag(node, parsed)
        elif self.clean and want == "number" and node.type.kind not in ("number", "any", "json"):
            self.report("E026", f"this must be a number, it is {node.type}", parsed, "not a number")
        return SoundText(node, text.text) if self.clean else None

    def report(self, code: str, message: str, at: t.Node | tuple[int, int], label: str = "", help_line: str = "") -> Sound:
        """Add a problem at a node of the expression; gives a harmless node."""
        start, end = at if isinstance(at, tuple) else (at.start, at.end)
        assert self.text is not None
        self.clean = False
        self.problems.append(Problem(code, message, self.text.at.place_of(start, end), label, help_line))
        return Sound("bad", ANY, start, end)

    def node(self, n: t.Node, scope: Scope) -> Sound:
        """Check any node."""
        return HANDLERS[type(n)](self, n, scope)

    def must_be_flag(self, node: Sound, at: t.Node) -> None:
        """A condition is true or false, never a list or a number."""
        if node.type.kind in ("flag", "any"):
            return
        hint = "did you mean `any(…)`?" if node.type.kind == "list" else ""
        if node.type.kind == "json":
            hint = "compare it: `… == true`"
        self.report("E020", f"a condition must be true or false, this is {node.type}", at, "not a condition", hint)

    def near(self, word: str, known: Any) -> str:
        """A near-miss suggestion."""
        close = get_close_matches(word, list(known), n=1, cutoff=0.6)
        return f"did you mean `{close[0]}`?" if close else ""


def _number(c: ExpressionChecker, n: t.Num, _s: Scope) -> Sound:
    value, unit = unit_value(n.value, n.unit)
    return Sound("num", number(unit), n.start, n.end, (), value)


def _text(c: ExpressionChecker, n: t.Str, _s: Scope) -> Sound:
    return Sound("str", TEXT, n.start, n.end, (), n.value)


def _bool(c: ExpressionChecker, n: t.Bool, _s: Scope) -> Sound:
    return Sound("bool", FLAG, n.start, n.end, (), n.value)


def _list(c: ExpressionChecker, n: t.ListOf, s: Scope) -> Sound:
    items = tuple(c.node(i, s) for i in n.items)
    kinds = {i.type for i in items}
    return Sound("list", list_of(kinds.pop() if len(kinds) == 1 else ANY), n.start, n.end, items)


def _minus(c: ExpressionChecker, n: t.Minus, s: Scope) -> Sound:
    inner = c.node(n.of, s)
    if inner.type.kind not in ("number", "any"):
        return c.report("E026", f"only a number has a negative, this is {inner.type}", n.of, "not a number")
    return Sound("minus", inner.type, n.start, n.end, (inner,))


def _arith(c: ExpressionChecker, n: t.Arith, s: Scope) -> Sound:
    left, right = c.node(n.left, s), c.node(n.right, s)
    kinds = {left.type.kind, right.type.kind}
    if n.op in "&|" or (n.op in "+-" and "list" in kinds):
        for side, at in ((left, n.left), (right, n.right)):
            if side.type.kind not in ("list", "any", "json"):
                return c.report("E025", f"`{n.op}` joins lists here, this is {side.type}", at, "not a list", "put it in `[…]`")
        return Sound("setop", left.type if left.type.kind == "list" else right.type, n.start, n.end, (left, right), n.op)
    for side, at in ((left, n.left), (right, n.right)):
        if side.type.kind not in ("number", "any", "json", "date"):
            hint = "did you mean `number(…)`?" if reads_as_text(side.type) else "did you mean `size(…)`?"
            return c.report("E026", f"`{n.op}` needs numbers, this is {side.type}", at, "not a number", hint)
    return Sound("arith", _unit(c, n, left.type, right.type), n.start, n.end, (left, right), n.op)


def _unit(c: ExpressionChecker, n: t.Arith, left: Type, right: Type) -> Type:
    a, b = left.unit, right.unit
    if n.op in "+-":
        if a and b and a != b:
            c.report("E022", f"{a} and {b} do not add up", n, "different units")
        return number(a or b)
    if n.op == "/":
        return number("ratio") if a == b else number(a if b is None or b == "ratio" else None)
    return number(b if a in (None, "ratio") else a)


def _compare(c: ExpressionChecker, n: t.Compare, s: Scope) -> Sound:
    left, right = c.node(n.left, s), c.node(n.right, s)
    if c.clean and n.op not in ("==", "!="):
        for side, at in ((left, n.left), (right, n.right)):
            if side.type.kind == "list":
                return c.report("E023", "a list has no order", at, "a list", "did you mean `size(…)`?")
            if side.type.kind not in ("number", "any", "json", "date"):
                hint = "did you mean `number(…)`?" if reads_as_text(side.type) else ""
                return c.report("E026", f"`{n.op}` compares numbers, this is {side.type}", at, "not a number", hint)
    a, b = left.type, right.type
    if a.kind == b.kind == "number" and a.unit and b.unit and a.unit != b.unit:
        return c.report("E022", f"{a.unit} is compared with {b.unit}", n, "different units", "give both the same unit")
    if "any" not in (a.kind, b.kind) and "json" not in (a.kind, b.kind) and _family(a) != _family(b):
        return c.report("E029", f"{a} never equals {b}", n, "different types", "" if _family(a) != "text" else "did you mean `number(…)`?")
    return Sound("compare", FLAG, n.start, n.end, (left, right), n.op)


def _family(of: Type) -> str:
    return "text" if of.kind in ("text", "fact") else of.kind


def _member(c: ExpressionChecker, n: t.Member, s: Scope) -> Sound:
    left, right = c.node(n.left, s), c.node(n.right, s)
    if c.clean and right.type.kind not in ("list", "any", "json"):
        hint = "for text use `contains(text, …)`" if reads_as_text(right.type) else "put it in `[…]`"
        return c.report("E024", f"`in` needs a list, this is {right.type}", n.right, "not a list", hint)
    return Sound("member", FLAG, n.start, n.end, (left, right), n.negated)


def _fallback(c: ExpressionChecker, n: t.Fallback, s: Scope) -> Sound:
    left, right = c.node(n.left, s), c.node(n.right, s)
    return Sound("else", left.type if left.type.kind != "any" else right.type, n.start, n.end, (left, right))


def _negate(c: ExpressionChecker, n: t.Negate, s: Scope) -> Sound:
    inner = c.node(n.of, s)
    c.must_be_flag(inner, n.of)
    return Sound("not", FLAG, n.start, n.end, (inner,))


def _junction(kind: str) -> Callable[[ExpressionChecker, Any, Scope], Sound]:
    def check(c: ExpressionChecker, n: t.And | t.Or, s: Scope) -> Sound:
        items = []
        for item in n.items:
            sound = c.node(item, s)
            c.must_be_flag(sound, item)
            items.append(sound)
        return Sound(kind, FLAG, n.start, n.end, tuple(items))

    return check


def _binding(c: ExpressionChecker, b: t.Binding, s: Scope) -> tuple[Sound, Sound | None, Scope]:
    over = c.node(b.over, s)
    if over.type.kind not in ("list", "any", "json"):
        hint = "did you mean `sentences(…)` or `lines(…)`?" if reads_as_text(over.type) else ""
        c.report("E027", f"only a list can be gone through, this is {over.type}", b.over, "not a list", hint)
    if b.name in s.names() or b.name in ("config", "lists", "tables", "match"):
        c.report("E011", f"`{b.name}` hides a name that is in use", b, "taken", "choose another name")
    anchor = c.node(b.anchor, s) if b.anchor is not None else None
    if anchor is not None and anchor.type.kind not in ("call", "fact", "text", "any"):
        c.report("E028", f"`{b.order}` needs a call or a part of a text, this is {anchor.type}", b.anchor or b, "has no place")
    if anchor is not None and {item_of(over.type).kind, anchor.type.kind} == {"call", "fact"}:
        c.report("E028", "calls and facts have no common order", b, "mixed")
    return over, anchor, s.bind(b.name, item_of(over.type))


def _quant(c: ExpressionChecker, n: t.Quant, s: Scope) -> Sound:
    args: list[Sound | None] = []
    names, orders = [], []
    for binding in n.bindings:
        over, anchor, s = _binding(c, binding, s)
        args += [over, anchor]
        names.append(binding.name)
        orders.append(binding.order)
    body = c.node(n.body, s)
    c.must_be_flag(body, n.body)
    return Sound("quant", FLAG, n.start, n.end, (*args, body), (n.kind, tuple(names), tuple(orders)))


def _each(c: ExpressionChecker, n: t.Each, s: Scope) -> Sound:
    over, anchor, inner = _binding(c, n.binding, s)
    where = c.node(n.where, inner) if n.where is not None else None
    if where is not None and n.where is not None:
        c.must_be_flag(where, n.where)
    give = c.node(n.give, inner) if n.give is not None else None
    given = (item_of(give.type) if give.type.kind == "list" else give.type) if give else item_of(over.type)
    return Sound("each", list_of(given), n.start, n.end, (over, anchor, where, give), (n.binding.name, n.binding.order))


HANDLERS: dict[type, Callable[[ExpressionChecker, Any, Scope], Sound]] = {
    t.Num: _number,
    t.Str: _text,
    t.Bool: _bool,
    t.ListOf: _list,
    t.Name: resolve_name,
    t.Field: resolve_field,
    t.Apply: check_apply,
    t.Minus: _minus,
    t.Arith: _arith,
    t.Compare: _compare,
    t.Member: _member,
    t.Fallback: _fallback,
    t.Negate: _negate,
    t.And: _junction("and"),
    t.Or: _junction("or"),
    t.Quant: _quant,
    t.Each: _each,
}
