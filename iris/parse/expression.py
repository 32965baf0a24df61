"""Text of one expression to its tree. The only user of Lark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError

from iris.parse import tree as t

MAX_CHARS = 4096
MAX_DEPTH = 48

WORDS = {
    "COMPARE": "a comparison",
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in double quotes",
    "BOOL": "true or false",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "LPAR": "`(`",
    "COMMA": "`,`",
    "DOT": "`.`",
    "IN": "`in`",
    "SATISFIES": "`satisfies`",
    "FIELD": "a field name",
    "QUANT": "some, every or no",
    "AND": "`and`",
    "OR": "`or`",
    "SUMOP": "`+ - |`",
    "MULOP": "`* / &`",
}


class ExpressionError(Exception):
    """The text is no expression: where it stopped making sense, and what could have stood there."""

    def __init__(self, message: str, start: int, end: int, label: str, help_line: str) -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.label, self.help = message, start, end, label, help_line


def grammar_text() -> str:
    """Read the grammar that ships with Iris."""
    packaged = resources.files("iris") / "grammar" / "condition.lark"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / "grammar" / "condition.lark").read_text(encoding="utf-8")


def _cache_file() -> str | None:
    base = os.environ.get("IRIS_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "iris")
    try:
        os.makedirs(base, mode=0o700, exist_ok=True)
    except OSError:
        return None
    return os.path.join(base, "condition.lark.cache") if os.access(base, os.W_OK) else None


@lru_cache(maxsize=1)
def parser() -> Lark:
    """Build the LALR(1) parser, from the user's own cache directory when it holds the tables."""
    options: dict[str, Any] = {"parser": "lalr", "propagate_positions": True, "maybe_placeholders": True}
    text, cache = grammar_text(), _cache_file()
    if cache is not None:
        try:
            return Lark(text, cache=cache, **options)
        except (OSError, EOFError, ValueError):
            return Lark(text, **options)
    return Lark(text, **options)


@v_args(meta=True)
class _Build(Transformer[Token, t.Node]):
    """One method per rule of the grammar; each gives one node of the tree."""

    def start(self, _m: Any, c: list[t.Node]) -> t.Node:
        return c[0]

    def or_(self, m: Any, c: list[Any]) -> t.Node:
        return t.Or(m.start_pos, m.end_pos, tuple(c))

    def and_(self, m: Any, c: list[Any]) -> t.Node:
        return t.And(m.start_pos, m.end_pos, tuple(c))

    def negate(self, m: Any, c: list[Any]) -> t.Node:
        return t.Negate(m.start_pos, m.end_pos, c[0])

    def quant(self, m: Any, c: list[Any]) -> t.Node:
        return t.Quant(m.start_pos, m.end_pos, str(c[0]), tuple(c[1:-1]), c[-1])

    def each(self, m: Any, c: list[Any]) -> t.Node:
        return t.Each(m.start_pos, m.end_pos, c[0], c[1], c[2])

    def binding(self, m: Any, c: list[Any]) -> t.Node:
        order = str(c[2]) if c[2] is not None else None
        return t.Binding(m.start_pos, m.end_pos, str(c[0]), c[1], order, c[3])

    def compare(self, m: Any, c: list[Any]) -> t.Node:
        return t.Compare(m.start_pos, m.end_pos, str(c[1]), c[0], c[2])

    def member(self, m: Any, c: list[Any]) -> t.Node:
        return t.Member(m.start_pos, m.end_pos, c[0], c[1], False)

    def not_member(self, m: Any, c: list[Any]) -> t.Node:
        return t.Member(m.start_pos, m.end_pos, c[0], c[1], True)

    def fallback(self, m: Any, c: list[Any]) -> t.Node:
        return t.Fallback(m.start_pos, m.end_pos, c[0], c[1])

    def arith(self, m: Any, c: list[Any]) -> t.Node:
        return t.Arith(m.start_pos, m.end_pos, str(c[1]), c[0], c[2])

    def minus(self, m: Any, c: list[Any]) -> t.Node:
        return t.Minus(m.start_pos, m.end_pos, c[0])

    def field(self, m: Any, c: list[Any]) -> t.Node:
        return t.Field(m.start_pos, m.end_pos, c[0], str(c[1]), c[1].start_pos)

    def name(self, m: Any, c: list[Any]) -> t.Node:
        return t.Name(m.start_pos, m.end_pos, str(c[0]))

    def call(self, m: Any, c: list[Any]) -> t.Node:
        return t.Apply(m.start_pos, m.end_pos, str(c[0]), tuple(a for a in c[1:] if a is not None))

    def arg(self, _m: Any, c: list[Any]) -> Any:
        return t.Arg(str(c[0])[:-1] if c[0] is not None else None, c[1])

    def number(self, m: Any, c: list[Any]) -> t.Node:
        return t.Num(m.start_pos, m.end_pos, float(c[0]), str(c[1]) if c[1] is not None else None)

    def string(self, m: Any, c: list[Any]) -> t.Node:
        return t.Str(m.start_pos, m.end_pos, _unquote(str(c[0])))

    def bool(self, m: Any, c: list[Any]) -> t.Node:
        return t.Bool(m.start_pos, m.end_pos, str(c[0]) == "true")

    def list(self, m: Any, c: list[Any]) -> t.Node:
        return t.ListOf(m.start_pos, m.end_pos, tuple(x for x in c if x is not None))


def _unquote(quoted: str) -> str:
    out, i, body = [], 0, quoted[1:-1]
    escapes = {"n": "\n", "t": "\t"}
    while i < len(body):
        if body[i] == "\\":
            i += 1
            out.append(escapes.get(body[i], body[i]))
        else:
            out.append(body[i])
        i += 1
    return "".join(out)


def _expected(names: Sequence[str], before: str = "") -> str:
    closed = {k for k, pair in (("RPAR", "()"), ("RSQB", "[]")) if before.count(pair[0]) <= before.count(pair[1])}
    words = sorted({WORDS[n] for n in names if n in WORDS and n not in closed})
    return "expected " + " or ".join(words[:4]) if words else "this cannot stand here"


def _syntax(error: UnexpectedInput, text: str) -> ExpressionError:
    at = min(max(error.pos_in_stream or 0, 0), len(text))
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        stop = at + max(len(str(error.token)), 1)
        return ExpressionError(
            f"`{error.token}` cannot stand here",
            at,
            stop,
            _expected(sorted(error.accepts or error.expected), text[:at]),
            _hint(text, at),
        )
    if isinstance(error, UnexpectedCharacters):
        return ExpressionError(
            f"`{text[at : at + 1]}` cannot stand here",
            at,
            at + 1,
            _expected(sorted(error.allowed or ()), text[:at]),
            _hint(text, at),
        )
    expected = sorted(error.accepts or error.expected) if isinstance(error, UnexpectedToken) else []
    end = len(text.rstrip())
    return ExpressionError("the expression stops too early", max(end - 1, 0), max(end, 1), _expected(expected, text), "")


def _hint(text: str, at: int) -> str:
    if text[at : at + 1] == "=":
        return "compare with `==`"
    if text[at : at + 1] == "'":
        return "texts stand in double quotes"
    if text[at : at + 2] in ("&&", "||"):
        return "write `and`, `or`"
    if text[at : at + 1] in "<>=!" or text[at : at + 2] == "!=":
        return "comparisons do not chain: join two with `and`"
    return ""


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "([":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]":
            depth -= 1
    return deepest


def parse(text: str) -> t.Node:
    """Parse one expression; raises ExpressionError with the place of the first mistake."""
    if len(text) > MAX_CHARS:
        raise ExpressionError(f"the expression has {len(text)} characters", 0, 1, f"at most {MAX_CHARS}", "name parts in `let:`")
    if _depth(text) > MAX_DEPTH or text.count("not ") > 200:
        raise ExpressionError("the expression is nested too deeply", 0, 1, f"at most {MAX_DEPTH} levels", "name parts in `let:`")
    try:
        return _Build().transform(parser().parse(text))
    except UnexpectedInput as error:
        raise _syntax(error, text) from None
    except VisitError as error:
        raise ExpressionError(str(error.orig_exc), 0, 1, "", "") from None


__all__ = ["ExpressionError", "UnexpectedEOF", "parse", "parser"]
