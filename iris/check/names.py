"""What a name and a field mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iris.check.scope import Scope, setting_type
from iris.check.sound import Sound
from iris.language.paths import CALL_FIELDS, FACT_FIELDS, PATHS, TOKEN_FIELDS
from iris.language.types import ANY, FACT, JSON, NUMBER, TABLE, TEXT, Type, item_of, list_of, number
from iris.parse import tree as t

if TYPE_CHECKING:
    from iris.check.expression import ExpressionChecker

SPACES = ("config", "lists", "tables")


def resolve_name(c: ExpressionChecker, n: t.Name, s: Scope) -> Sound:
    """A bare name: a variable, parameter, let, path, or a detector's match."""
    name = n.name
    if name in s.variables:
        return Sound("var", s.variables[name], n.start, n.end, (), name)
    if name in s.parameters:
        return Sound("param", s.parameters[name], n.start, n.end, (), name)
    if name in s.lets:
        return Sound("let", s.lets[name], n.start, n.end, (), name)
    if name == "match" and s.place == "detector":
        return Sound("match", FACT, n.start, n.end)
    if name == "fired" and s.fired:
        return Sound("fired", number("count"), n.start, n.end)
    if name in PATHS:
        if s.place == "detector":
            return c.report(
                "E013", f"a detector can not see `{name}` of the run", n, "not here", "test it in the rule's condition"
            )
        return Sound("path", PATHS[name][0], n.start, n.end, (), name)
    return _unknown(c, n, s)


def _unknown(c: ExpressionChecker, n: t.Name, s: Scope) -> Sound:
    name = n.name
    if name in SPACES:
        return c.report("E013", f"`{name}` needs a field", n, "unfinished", f"write `{name}.name`")
    if name in s.later_lets:
        return c.report("E013", f"`{name}` is not defined yet", n, "defined below", "move its `let` up")
    if c.text is not None and _bound_earlier(c.text.text, name, n.start):
        return c.report(
            "E013",
            f"`{name}` is not defined here",
            n,
            "bound by the quantifier before",
            "put the whole condition after `satisfies` in parentheses",
        )
    if s.world.group(name) or name in s.local_detectors:
        return c.report("E021", f"`{name}` is a detector, not a value", n, "a detector", f"did you mean `found({name}, output)`?")
    known = s.names() | ({"lists", "tables"} if s.place == "detector" else set(SPACES))
    return c.report("E013", f"`{name}` is not defined", n, "unknown name", c.near(name, known))


def _bound_earlier(text: str, name: str, start: int) -> bool:
    before = text[:start]
    return f"some {name} in" in before or f"every {name} in" in before or f"no {name} in" in before or f", {name} in" in before


def resolve_field(c: ExpressionChecker, n: t.Field, s: Scope) -> Sound:
    """`a.b`: a setting, list, table, token count, or a field of a value."""
    if isinstance(n.of, t.Name) and n.of.name not in s.variables and n.of.name not in s.lets and n.of.name not in s.parameters:
        space = n.of.name
        if space == "config":
            return _setting(c, n, s)
        if space in ("lists", "tables"):
            return _shared(c, n, s, space)
        if space == "tokens" and s.place != "detector":
            return _tokens(c, n)
        if s.world.group(space):
            return c.report(
                "E021",
                f"`{space}.{n.name}` is a detector, not a value",
                n,
                "a detector",
                f"did you mean `found({space}.{n.name}, …)`?",
            )
    of = c.node(n.of, s)
    if of.kind == "bad":
        return of
    return field_of(c, n, of, s)


def _at(n: t.Field) -> tuple[int, int]:
    return n.name_start, n.name_start + len(n.name)


def _setting(c: ExpressionChecker, n: t.Field, s: Scope) -> Sound:
    setting = s.config.get(n.name)
    if setting is None:
        return c.report("E015", f"there is no setting `{n.name}`", _at(n), "unknown setting", c.near(n.name, s.config))
    return Sound("config", setting_type(setting), n.start, n.end, (), n.name)


def _shared(c: ExpressionChecker, n: t.Field, s: Scope, space: str) -> Sound:
    known = s.world.lists if space == "lists" else s.world.tables
    if n.name not in known:
        other = "tables" if space == "lists" else "lists"
        hint = f"it is a {other[:-1]}: `{other}.{n.name}`" if n.name in getattr(s.world, other) else c.near(n.name, known)
        return c.report("E016", f"there is no {space[:-1]} `{n.name}`", _at(n), f"unknown {space[:-1]}", hint)
    if space == "lists":
        return Sound("listref", list_of(TEXT), n.start, n.end, (), known[n.name])
    return Sound("tableref", TABLE, n.start, n.end, (), known[n.name])


def _tokens(c: ExpressionChecker, n: t.Field) -> Sound:
    if n.name not in TOKEN_FIELDS:
        return c.report("E014", f"tokens have no `{n.name}`", _at(n), "unknown field", c.near(n.name, TOKEN_FIELDS))
    return Sound("path", number("tokens"), n.start, n.end, (), f"tokens.{n.name}")


def field_of(c: ExpressionChecker, n: t.Field, of: Sound, s: Scope) -> Sound:
    """A field of a call, fact, JSON value, or of every element of a list."""
    kind = of.type.kind
    if kind == "list":
        found = _single(c, n, item_of(of.type), of, s)
        return found if found.kind == "bad" else Sound("mapfield", list_of(found.type), n.start, n.end, (of,), n.name)
    return _single(c, n, of.type, of, s)


def _single(c: ExpressionChecker, n: t.Field, kind: Type, of: Sound, s: Scope) -> Sound:
    name = n.name
    if kind.kind == "call":
        if name not in CALL_FIELDS:
            return c.report("E014", f"a call has no field `{name}`", _at(n), "unknown field", c.near(name, CALL_FIELDS))
        return Sound("callfield", CALL_FIELDS[name][0], n.start, n.end, (of,), name)
    if kind.kind == "fact":
        return _fact_field(c, n, of, s)
    if kind.kind == "text" and name == "text":
        return Sound("factfield", TEXT, n.start, n.end, (of,), name)
    if kind.kind == "json":
        return Sound("jsonfield", JSON, n.start, n.end, (of,), name)
    if kind.kind == "any":
        call_type = CALL_FIELDS[name][0] if name in CALL_FIELDS else ANY
        return Sound("anyfield", call_type, n.start, n.end, (of,), name)
    hint = "did you mean `size(…)`?" if name in ("length", "size", "count") else f"a {kind.kind} has no fields"
    return c.report("E014", f"{kind} has no field `{name}`", _at(n), "no fields here", hint)


def _fact_field(c: ExpressionChecker, n: t.Field, of: Sound, s: Scope) -> Sound:
    name = n.name
    if name in FACT_FIELDS:
        return Sound("factfield", FACT_FIELDS[name], n.start, n.end, (of,), name)
    if s.place == "detector" and of.kind == "match":
        if name not in s.groups:
            known = set(FACT_FIELDS) | s.groups
            return c.report("E014", f"the pattern has no group `{name}`", _at(n), "unknown group", c.near(name, known))
        return Sound("group", TEXT, n.start, n.end, (of,), name)
    return Sound("group", TEXT, n.start, n.end, (of,), name)


__all__ = ["NUMBER", "field_of", "resolve_field", "resolve_name"]
