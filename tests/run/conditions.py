"""Random conditions of the rule language, with types, and random runs with fields missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
DETECTORS = ("d.hedge", "d.word_x", "d.pair", "d.amount", "d.large", "d.euro", "d")
COMPARE = ("==", "!=", "<", "<=", ">", ">=")


@dataclass
class Scope:
    """What an expression may name: loop variables and lets by kind, and how deep it may still go."""

    draw: Draw
    names: dict[str, list[str]] = field(default_factory=dict)
    count: list[int] = field(default_factory=lambda: [0])

    def one(self, *of: Any) -> Any:
        """One of several things."""
        return self.draw(st.sampled_from(of))

    def bind(self, kind: str) -> tuple[str, Scope]:
        """A scope with one more variable."""
        self.count[0] += 1
        name = f"v{self.count[0]}"
        names = {**self.names, kind: [*self.names.get(kind, []), name]}
        return name, Scope(self.draw, names, self.count)

    def named(self, kind: str) -> list[str]:
        """The variables of a kind."""
        return self.names.get(kind, [])


def text(s: Scope, depth: int) -> str:
    """A text: a path, a part, a field of a call, a view or a window."""
    parts = [*s.named("text"), *s.named("fact"), *[f"{c}.{f}" for c in s.named("call") for f in ("result", "tool")]]
    if depth > 0 and s.one(True, False, False):
        return str(s.one(f"folded({text(s, depth - 1)})", f"first({text(s, depth - 1)}, 8)", f"last({text(s, depth - 1)}, 8)"))
    if parts and s.one(True, True, False):
        return str(s.one(*parts))
    return str(s.one("output", "output", "input", "expected"))


def elements(s: Scope, depth: int) -> tuple[str, str]:
    """A list and the kind of its elements."""
    lets = [(name, kind) for kind in ("fact", "text", "call") for name in s.named(f"list of {kind}")]
    shape = s.one("hits", "hits", "parts", "words", "calls", "each", "set", "one", "let")
    if shape == "let" and lets:
        name, kind = s.one(*lets)
        return name, kind
    if depth > 0 and shape == "each":
        return each(s, depth - 1)
    if depth > 0 and shape == "set":
        left, kind = elements(s, depth - 1)
        right, other = elements(s, depth - 1)
        alike = (kind == "call") is (other == "call")
        return f"({left} {s.one('&', '-', '|', '+')} {right})" if alike else left, kind
    if depth > 0 and shape == "one":
        inner, kind = elements(s, depth - 1)
        return f"{s.one('distinct', 'first_of', 'last_of')}({inner})", kind
    if shape == "calls":
        return "calls", "call"
    if shape == "words":
        return f"words({text(s, 0)})", "fact"
    if shape == "parts":
        return f"{s.one('sentences', 'lines', 'blocks')}({text(s, depth - 1)})", "text"
    return f"hits({s.one(*DETECTORS)}, {text(s, depth - 1)})", "fact"


def each(s: Scope, depth: int) -> tuple[str, str]:
    """A filtered, perhaps mapped, list in brackets."""
    over, kind = elements(s, depth)
    name, inner = s.bind(kind)
    where = f" where {flag(inner, depth)}" if s.one(True, True, False) else ""
    if s.one(True, False, False):
        return f"(each {name} in {over}{where} give {text(inner, 0)})", "text"
    return f"(each {name} in {over}{where})", kind


def number(s: Scope, depth: int) -> str:
    """A number without a unit."""
    if depth <= 0:
        return str(s.draw(st.integers(0, 4)))
    shape = s.one("size", "size", "size", "chars", "of", "sum", "arith", "else", "minus", "literal")
    if shape == "size":
        return f"size({elements(s, depth - 1)[0]})"
    if shape == "chars":
        return f"size({text(s, depth - 1)})"
    if shape == "of":
        return f"number({text(s, depth - 1)})"
    if shape == "sum":
        return f"sum(hits(d.amount, {text(s, depth - 1)}))"
    if shape == "arith":
        return f"({number(s, depth - 1)} {s.one('+', '-', '*', '/')} {number(s, depth - 1)})"
    if shape == "else":
        return f"({number(s, depth - 1)} else {number(s, depth - 1)})"
    return f"(-{number(s, depth - 1)})" if shape == "minus" else str(s.draw(st.integers(0, 4)))


def flag(s: Scope, depth: int) -> str:
    """A condition in brackets."""
    if depth <= 0:
        return simple(s)
    shape = s.one("and", "or", "not", "compare", "quant", "pair", "any", "member", "simple", "simple", "else")
    if shape in ("and", "or"):
        return "(" + f" {shape} ".join(flag(s, depth - 1) for _ in range(s.one(2, 3))) + ")"
    if shape == "not":
        return f"(not {flag(s, depth - 1)})"
    if shape == "compare":
        return f"({number(s, depth)} {s.one(*COMPARE)} {number(s, depth - 1)})"
    if shape == "any":
        return f"any({elements(s, depth - 1)[0]})"
    if shape == "member":
        return f"({text(s, 0)} {s.one('in', 'not in')} {elements(s, depth - 1)[0]})"
    if shape == "else":
        return f"({flag(s, depth - 1)} else {s.one('true', 'false')})"
    return quantified(s, depth, pairs=shape == "pair") if shape in ("quant", "pair") else simple(s)


def quantified(s: Scope, depth: int, *, pairs: bool) -> str:
    """A quantifier over one list or over two, the second perhaps after the first's element."""
    over, kind = elements(s, depth - 1)
    name, inner = s.bind(kind)
    bindings = f"{name} in {over}"
    if pairs:
        second, other = elements(inner, depth - 1)
        order = s.one("", f" after {name}", f" before {name}") if other == kind == "call" else ""
        more, inner = inner.bind(other)
        bindings += f", {more} in {second}{order}"
    body = " and ".join(flag(inner, depth - 1) for _ in range(s.one(1, 2, 3)))
    return f"({s.one('some', 'every', 'no')} {bindings} satisfies ({body}))"


def simple(s: Scope) -> str:
    """A condition without a loop."""
    t = text(s, 1)
    calls = [f"blank({c}.error)" for c in s.named("call")]
    return str(
        s.one(
            f"found({s.one(*DETECTORS)}, {t})", f"found({s.one(*DETECTORS)}, {t})", f"blank({t})", f'contains({t}, "x")',
            f"given({s.one('input', 'output', 'expected')})", f"({t} == {text(s, 0)})", "(cost > 1 usd)", *calls,
        )
    )  # fmt: skip


@st.composite
def rules(draw: Draw) -> tuple[list[tuple[str, str]], list[str]]:
    """Lets and conditions of a rule; the conditions read some of the lets."""
    s = Scope(draw)
    lets: list[tuple[str, str]] = []
    for i in range(draw(st.integers(0, 2))):
        body, kind = elements(s, 2)
        lets.append((f"let{i}", body))
        s.names.setdefault(f"list of {kind}", []).append(f"let{i}")
    return lets, [flag(s, draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 2)))]


WORDS = st.sampled_from(
    ["I think", "not sure", "x", "xx", "a=1", "b=é", "$5", "$12", "101", "404", "3 €", "wörd", "ﬁne", "the", "200"]
)
ENDS = st.sampled_from([" ", " ", ". ", "\n", "\n\n", "! "])
TEXTS = st.lists(st.tuples(WORDS, ENDS), max_size=9).map(lambda ws: "".join(w + e for w, e in ws))
CALLS = st.fixed_dictionaries(
    {"tool": st.sampled_from(["pay", "x", "réad", "101"])},
    optional={"result": TEXTS, "error": st.sampled_from(["", "x", "I think 200"]), "started": st.integers(0, 9)},
)
RUNS = st.fixed_dictionaries(
    {},
    optional={
        "output": TEXTS, "input": TEXTS, "expected": TEXTS, "cost": st.sampled_from([0.5, 2]), "calls": st.lists(CALLS, max_size=4),
    },
)  # fmt: skip
