"""Check `name(args)`: operators against the operator table, definitions against their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iris.check.scope import Scope
from iris.check.sound import Sound
from iris.language.operators import Operator, operators
from iris.language.paths import CALL_FIELDS, FACT_FIELDS
from iris.language.types import ANY, DETECTOR, FACT, FLAG, TEXT, Type, item_of, list_of, number, reads_as_text
from iris.parse import tree as t

if TYPE_CHECKING:
    from iris.check.expression import ExpressionChecker

SIMPLE = {"flag": FLAG, "text": TEXT, "json": Type("json"), "date": Type("date"), "fact": FACT}


def check_apply(c: ExpressionChecker, n: t.Apply, s: Scope) -> Sound:
    """An operator or a definition applied to arguments."""
    definition = s.world.definitions.get(n.name)
    operator = operators().get(n.name)
    if definition is not None:
        full, doc = definition
        if len(n.args) != len(doc.parameters):
            message = f"`{n.name}` takes {_counted(len(doc.parameters))}, not {len(n.args)}"
            return c.report("E017", message, n, "wrong number", f"{n.name}({', '.join(doc.parameters)})")
        args = tuple(c.node(a.value, s) for a in n.args)
        return Sound("def", s.parameters.get(f"={full}", ANY), n.start, n.end, args, full)
    if operator is None:
        known = set(operators()) | set(s.world.definitions)
        at = (n.start, n.start + len(n.name))
        hint = c.near(n.name, known) or "`docs/operators.md` lists the operators"
        return c.report("E012", f"there is no operator or definition `{n.name}`", at, "unknown", hint)
    bound = _bind(c, n, operator)
    if bound is None:
        return Sound("bad", ANY, n.start, n.end)
    bound_args = tuple(_argument(c, n, kind, a, s) for kind, a in bound)
    if not c.clean:
        return Sound("bad", ANY, n.start, n.end)
    return Sound("op", _result(operator, bound_args), n.start, n.end, bound_args, n.name)


def _parameters(operator: Operator) -> tuple[list[tuple[str, str, bool]], bool]:
    spec = [p for p in operator.takes if p != "…"]
    parsed = [(p.split(":")[0], p.split(":")[1].rstrip("?"), p.endswith("?")) for p in spec]
    return parsed, "…" in operator.takes


def _bind(c: ExpressionChecker, n: t.Apply, operator: Operator) -> list[tuple[str, t.Node | None]] | None:
    """Pair each parameter's kind with its argument; None after a problem."""
    parameters, repeats = _parameters(operator)
    positional = [a.value for a in n.args if a.label is None]
    labelled = {a.label: a.value for a in n.args if a.label is not None}
    names = [p[0] for p in parameters]
    for label, value in labelled.items():
        if label not in names:
            at = c.text.text.rfind(label, 0, value.start) if c.text else value.start
            c.report(
                "E017", f"`{n.name}` has no argument `{label}`", (at, at + len(label)), "unknown label", c.near(label, names)
            )
            return None
    if repeats:
        if not positional:
            c.report("E017", f"`{n.name}` needs an argument", n, "empty", signature(operator))
            return None
        return [(parameters[-1][1], value) for value in positional]
    out: list[tuple[str, t.Node | None]] = []
    for name, kind, optional in parameters:
        if name in labelled:
            out.append((kind, labelled[name]))
        elif positional:
            out.append((kind, positional.pop(0)))
        elif optional:
            out.append((kind, None))
        else:
            c.report("E017", f"`{n.name}` needs `{name}`", n, "too few arguments", signature(operator))
            return None
    if positional:
        c.report("E017", f"`{n.name}` takes {_counted(len(parameters))}", positional[0], "too many", signature(operator))
        return None
    return out


def _counted(arguments: int) -> str:
    return f"{arguments} argument{'' if arguments == 1 else 's'}"


def signature(operator: Operator) -> str:
    """How an operator is called, for a help line."""
    return f"{operator.name}({', '.join(p.replace(':', ': ') for p in operator.takes)})"


def _argument(c: ExpressionChecker, n: t.Apply, kind: str, a: t.Node | None, s: Scope) -> Sound | None:
    if a is None:
        return None
    if kind == "detector":
        return _detector(c, a, s)
    if kind == "by":
        return _by(c, a, s)
    sound = c.node(a, s)
    if c.clean and not _fits(kind, sound.type):
        message = f"`{n.name}` wants {_wanted(kind)} here, this is {sound.type}"
        c.report("E019", message, a, f"not {_wanted(kind)}", _cure(kind, sound.type))
    return sound


def _fits(kind: str, of: Type) -> bool:
    if of.kind == "any" or kind in ("any", "path"):
        return True
    if kind == "text":
        return reads_as_text(of)
    if kind == "texts":
        return reads_as_text(of) or of.kind in ("list", "call")
    if kind == "list":
        return of.kind in ("list", "json")
    if kind == "number":
        return of.kind in ("number", "json")
    if kind == "json":
        return of.kind in ("json", "text", "fact")
    return of.kind == kind


def _wanted(kind: str) -> str:
    return {"texts": "a text or a list", "text": "a text", "list": "a list", "number": "a number"}.get(kind, f"a {kind}")


def _cure(kind: str, of: Type) -> str:
    if kind == "number" and reads_as_text(of):
        return "did you mean `number(…)`?"
    if kind == "list" and reads_as_text(of):
        return "put it in `[…]`, or take its `words(…)`, `sentences(…)`"
    if kind == "date" and reads_as_text(of):
        return "did you mean `date(…)`?"
    if kind == "text" and of.kind == "list":
        return "take its elements one by one: `some x in … satisfies …`"
    return {"table": "write `tables.name`", "call": "name one call, as in `some c in calls`"}.get(kind, "")


def _detector(c: ExpressionChecker, a: t.Node, s: Scope) -> Sound:
    """A detector's name, or the name of a group of them."""
    if isinstance(a, t.Name):
        if a.name in s.local_detectors:
            return Sound("detector", DETECTOR, a.start, a.end, (), (s.local_detectors[a.name],))
        if s.world.group(a.name):
            return Sound("detector", DETECTOR, a.start, a.end, (), tuple(s.world.group(a.name).values()))
        known = set(s.world.detectors) | set(s.local_detectors)
        return c.report("E021", f"there is no detector `{a.name}`", a, "unknown detector", c.near(a.name, known))
    if isinstance(a, t.Field) and isinstance(a.of, t.Name):
        group = s.world.group(a.of.name)
        if a.name in group:
            return Sound("detector", DETECTOR, a.start, a.end, (), (group[a.name],))
        if group:
            at, what = (a.name_start, a.name_start + len(a.name)), f"group `{a.of.name}` has no detector `{a.name}`"
            return c.report("E021", what, at, "unknown detector", c.near(a.name, group))
        what = f"there is no detector group `{a.of.name}`"
        return c.report("E021", what, a.of, "unknown group", c.near(a.of.name, s.world.detectors))
    return c.report("E021", "this must be the name of a detector", a, "not a detector", "write `group.name`")


def _by(c: ExpressionChecker, a: t.Node, s: Scope) -> Sound:
    """`by=`: a field, a one-argument operator, or a one-parameter definition."""
    if not isinstance(a, t.Name):
        what = "`by` takes the name of a field, an operator or a definition"
        return c.report("E017", what, a, "not a name", "as in `by=key`; name what you mean in `define:`")
    definition = s.world.definitions.get(a.name)
    if definition is not None and len(definition[1].parameters) == 1:
        return Sound("by", ANY, a.start, a.end, (), ("def", definition[0]))
    operator = operators().get(a.name)
    if operator is not None and a.name not in ("value", "text"):
        return Sound("by", ANY, a.start, a.end, (), ("op", a.name))
    if a.name in CALL_FIELDS or a.name in FACT_FIELDS:
        return Sound("by", ANY, a.start, a.end, (), ("field", a.name))
    known = set(CALL_FIELDS) | set(FACT_FIELDS) | set(operators()) | set(s.world.definitions)
    return c.report("E017", f"`{a.name}` is no field, operator or definition", a, "unknown", c.near(a.name, known))


def _result(operator: Operator, args: tuple[Any, ...]) -> Type:
    gives = operator.gives
    first = args[0].type if args and args[0] is not None else ANY
    if gives == "view":
        return list_of(TEXT) if first.kind == "list" else TEXT
    if gives == "same":
        return first
    if gives == "other":
        return args[1].type if len(args) > 1 and args[1] is not None else ANY
    if gives == "item":
        return item_of(first)
    if gives == "groups":
        return list_of(first)
    if gives.startswith("number"):
        return number(gives.partition(":")[2] or None) if operator.name != "size" else _size(first)
    if gives.startswith("list["):
        inner = gives[5:-1]
        return list_of(number("ms") if operator.name == "gaps" else SIMPLE.get(inner, number(None)))
    return SIMPLE[gives]


def _size(of: Type) -> Type:
    return number(None)
