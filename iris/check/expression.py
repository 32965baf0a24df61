"""Resolve and type one parsed expression, collecting every problem in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from iris.check.apply import check_apply
from iris.check.names import resolve_field, resolve_name
from iris.check.scope import Scope
from iris.check.sound import Sound, SoundText
from iris.language.operators import operators
from iris.language.types import ANY, FLAG, TEXT, Type, item_of, list_of, number, reads_as_text, unit_value
from iris.packs.documents import Text
from iris.packs.reader import near
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
        if not text.text.strip():
            self.problems.append(
                Problem("E001", "there is no expression", text.at.place_of(0, 1), "empty", "write one, or remove it")
            )
            return None
        try:
            parsed = parse(text.text)
        except ExpressionError as error:
            place = text.at.place_of(error.start, error.end)
            hint = error.help or syntax_hint(text.text, error.start)
            self.problems.append(Problem("E001", error.message, place, error.label, hint))
            return None
        node = self.node(parsed, scope)
        if self.clean and want == "flag":
            self.must_be_flag(node, parsed)
        elif self.clean and want == "number" and node.type.kind not in ("number", "any", "json"):
            self.report("E026", f"this must be a number, it is {node.type}", parsed, "not a number", number_hint(node.type))
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
        hint = FLAG_HINTS.get(node.type.kind, "")
        self.report("E020", f"a condition must be true or false, this is {node.type}", at, "not a condition", hint)

    def near(self, word: str, known: Any) -> str:
        """A near-miss suggestion, or what is known when that is little."""
        return near(word, known)


FLAG_HINTS = {
    "list": "did you mean `any(…)`?",
    "json": "compare it: `… == true`",
    "number": "compare it: `… > 0`",
    "text": "did you mean `not blank(…)`?",
    "fact": "compare it, or ask `found(…)`",
}


def number_hint(of: Type) -> str:
    """How a number comes out of a value of another type."""
    if of.kind == "list":
        return "did you mean `size(…)`?"
    return "did you mean `number(…)` or `size(…)`?" if reads_as_text(of) else ""


def syntax_hint(text: str, at: int) -> str:
    """What a person may have meant where the expression stopped making sense."""
    if text[at - 1 : at + 1] in ("&&", "||"):
        return "write `and`, `or`"
    if text[at : at + 1].isupper():
        return "names are lower-case"
    before = text[:at].split()
    if before and before[-1] in operators() and text[at : at + 1].isalpha():
        return f"arguments stand in parentheses: `{before[-1]}(…)`"
    if text[at:].rstrip().startswith(("and ", "or ", "==", "else ")):
        return "something is missing before it"
    if at >= len(text.rstrip()) - 1:
        return "close the bracket" if text.count("(") > text.count(")") else "write what follows"
    return ""


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
        hint = number_hint(inner.type)
        return c.report("E026", f"only a number has a negative, this is {inner.type}", n.of, "not a number", hint)
    return Sound("minus", inner.type, n.start, n.end, (inner,))


def _arith(c: ExpressionChecker, n: t.Arith, s: Scope) -> Sound:
    left, right = c.node(n.left, s), c.node(n.right, s)
    kinds = {left.type.kind, right.type.kind}
    if n.op in "&|" or (n.op in "+-" and "list" in kinds):
        for side, at in ((left, n.left), (right, n.right)):
            if side.type.kind not in ("list", "any", "json"):
                return c.report("E025", f"`{n.op}` works on lists here, this is {side.type}", at, "not a list", "put it in `[…]`")
        a, b = item_of(left.type), item_of(right.type)
        if not {a.kind, b.kind} & {"any", "json", "list"} and _family(a) != _family(b):
            what = f"`{n.op}` takes two lists of one kind, these are {left.type} and {right.type}"
            return c.report("E025", what, n, "different kinds", _mixed_hint({_family(a), _family(b)}))
        return Sound("setop", left.type if left.type.kind == "list" else right.type, n.start, n.end, (left, right), n.op)
    for side, at in ((left, n.left), (right, n.right)):
        if side.type.kind not in ("number", "any", "json", "date"):
            return c.report("E026", f"`{n.op}` needs numbers, this is {side.type}", at, "not a number", number_hint(side.type))
    return Sound("arith", _unit(c, n, left.type, right.type), n.start, n.end, (left, right), n.op)


def _mixed_hint(kinds: set[str]) -> str:
    if kinds == {"call", "text"}:
        return "take a field of the calls, as in `calls.tool`"
    return "did you mean `number(…)`?" if kinds == {"text", "number"} else ""


def _unit(c: ExpressionChecker, n: t.Arith, left: Type, right: Type) -> Type:
    a, b = left.unit, right.unit
    if n.op in "+-":
        if a and b and a != b:
            c.report("E022", f"{a} and {b} do not add up", n, "different units", "give both the same unit")
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
                hint = number_hint(side.type)
                return c.report("E026", f"`{n.op}` compares numbers, this is {side.type}", at, "not a number", hint)
    a, b = left.type, right.type
    if a.kind == b.kind == "number" and a.unit and b.unit and a.unit != b.unit:
        return c.report("E022", f"{a.unit} is compared with {b.unit}", n, "different units", "give both the same unit")
    if "any" not in (a.kind, b.kind) and "json" not in (a.kind, b.kind) and _family(a) != _family(b):
        return c.report("E029", f"{a} never equals {b}", n, "different types", _equal_hint({_family(a), _family(b)}))
    return Sound("compare", FLAG, n.start, n.end, (left, right), n.op)


def _family(of: Type) -> str:
    return "text" if of.kind in ("text", "fact") else of.kind


def _equal_hint(kinds: set[str]) -> str:
    if "flag" in kinds:
        return "compare with true or false, or leave the comparison out"
    if "list" in kinds:
        return "did you mean `size(…)`, or `in`?"
    return "did you mean `number(…)`?" if kinds == {"text", "number"} else ""


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
        hint = "did you mean `sentences(…)` or `lines(…)`?" if reads_as_text(over.type) else "such as `calls`, or `[a, b]`"
        c.report("E027", f"only a list can be gone through, this is {over.type}", b.over, "not a list", hint)
    if b.name in s.names() or b.name in ("config", "lists", "tables", "match"):
        at = (b.start, b.start + len(b.name))
        c.report("E011", f"`{b.name}` hides a name that is in use", at, "taken", "choose another name")
    anchor = c.node(b.anchor, s) if b.anchor is not None else None
    if anchor is not None and anchor.type.kind not in ("call", "fact", "text", "any"):
        message = f"`{b.order}` needs a call or a part of a text, this is {anchor.type}"
        c.report("E028", message, b.anchor or b, "has no place", f"name an element that is bound before, as in `{b.order} c`")
    elif anchor is not None and {item_of(over.type).kind, anchor.type.kind} in ({"call", "fact"}, {"call", "text"}):
        c.report("E028", "calls and parts of a text have no common order", b, "mixed", "order calls by calls, parts by parts")
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
