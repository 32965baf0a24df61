"""Compile rules and expressions from text through the real stages, and evaluate them on a run in the language's words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iris.check.packs import check_packs
from iris.packs.build import shared_doc
from iris.packs.documents import PackDoc
from iris.packs.load import load_rule_text
from iris.packs.read import read_yaml
from iris.packs.source import Source
from iris.plan.build import build_plan
from iris.problems import Problem
from iris.run.compile import UNSET
from iris.run.context import Context
from iris.run.engine import Engine
from iris.run.finding import Finding
from iris.run.trace import Traced, Tracer
from iris.run.values import Bag, Call, Fact, Partial, Range, Text, Unknown
from iris.run.wire import from_case

UNKNOWN = "(unknown)"
"""How `plain` shows an unknown value."""

SHARED = r"""
lists:
  stop_words: [the, a, of, is, and, to]
  fruit: [Apple, pear, crème brûlée]
  networks: [10.0.0.0/8, "2001:db8::/32"]
tables:
  actions: {Refund: [pay_back, credit], mail: send_mail}
detectors:
  hedge: {phrases: [I think, not sure], examples: {hit: [I think so, not sure], miss: [a, b]}}
  word_x: {regex: 'x+', class: stub, examples: {hit: [x, xx], miss: [a, b]}}
  pair: {regex: '(?P<k>[a-z]+)=(?P<v>\w+)', key: match.k, value: match.v, examples: {hit: [a=1, b=2], miss: [a, b]}}
  amount: {regex: '\$(?P<n>\d+)', value: number(match.n), examples: {hit: [$1, $2], miss: [a, b]}}
  large:
    regex: '\d+'
    where: number(match) > 100
    except: [number(match) == 404]
    examples: {hit: ["101", "999"], miss: ["5", "404"]}
  euro: {regex: '\d+ €', examples: {hit: [1 €, 2 €], miss: [a, b]}}
define:
  failed(c): given(c.error) and not blank(c.error)
  near_same(a, b): similar(a, b) > 0.8
  first_letter(t): first(t, 1)
"""

HEAD = "title: t\nbundle: custom\nkind: detection\nclasses: [stub, format]\nversion: 1\nstatus: stable\nabout: a\nremedy: r\n"


def head(name: str = "trial") -> str:
    """The keys that every rule of these tests has."""
    return f"rule: {name}\n{HEAD}"


class Refused(AssertionError):
    """The text does not compile."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{p.code} {p.message}" for p in problems))
        self.problems = problems


def plan_of(*rules: str, shared: str = SHARED) -> dict[str, Any]:
    """Compile rules (YAML texts) with one file `d` of shared names; raises Refused on the first errors."""
    problems: list[Problem] = []
    node, found = read_yaml(Source.of("d.yaml", shared))
    assert node is not None, found
    lists, tables, detectors, definitions = shared_doc("d", node, problems)
    docs = [load_rule_text(f"{text.splitlines()[0].removeprefix('rule: ')}.yaml", text, problems) for text in rules]
    pack = PackDoc(
        "house", "1.0.0", ">=1", "t", "MIT", "house", True, True, tuple(d for d in docs if d is not None),
        (("d", detectors),), tuple(lists), tuple(tables), tuple(definitions),
    )  # fmt: skip
    sound = check_packs([pack], {}, problems)
    errors = [p for p in problems if p.severity == "error"]
    if errors:
        raise Refused(errors)
    return build_plan(sound)


def engine_of(*rules: str, shared: str = SHARED) -> Engine:
    """An engine with the rules."""
    return Engine(plan_of(*rules, shared=shared))


def judge(rule: str, run: Mapping[str, Any], shared: str = SHARED, **config: Any) -> Finding:
    """Compile one rule and judge one run; `config` are settings, as a deployment gives them."""
    engine = engine_of(rule, shared=shared)
    overrides = {engine.rules[0].info.name: {k: (v, "config") for k, v in config.items()}}
    return engine.judge(from_case(run), engine.rules, overrides)[0]


def indented(text: str, by: int = 4) -> str:
    """A text as the body of a block scalar."""
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


class Expression:
    """One compiled expression, evaluated as a `let` of a rule."""

    def __init__(self, text: str, shared: str = SHARED) -> None:
        rule = f"{head()}let:\n  answer: |\n{indented(text)}fail_when: given(answer)\n"
        self.engine = engine_of(rule, shared=shared)
        self.rule = self.engine.rules[0]
        self.node: Any = self.engine.plan["rules"][0]["lets"][0]["body"]["x"]
        self._closure = self.engine.builder.build(self.node)

    def _frame(self, run: Mapping[str, Any]) -> list[Any]:
        return [Context(self.engine, from_case(run)), self.rule.defaults, 0, *[UNSET] * (self.rule.size - 3)]

    def value(self, run: Mapping[str, Any]) -> Any:
        """What the compiled closure gives."""
        return self._closure(self._frame(run))

    def traced(self, run: Mapping[str, Any]) -> Traced:
        """What walking the tree gives."""
        tracer = Tracer(self.engine.builder, self.engine.units, self._frame(run), {})
        return tracer.trace(self.node)


@lru_cache(maxsize=2000)
def expression(text: str) -> Expression:
    """Compile an expression once."""
    return Expression(text)


def value(text: str, run: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression as plain data; checks that both evaluations agree."""
    compiled = expression(text)
    found = plain(compiled.value(run or {}))
    traced = plain(compiled.traced(run or {}).value)
    assert found == traced, f"compiled {found!r}, traced {traced!r}"
    return found


def reasons(text: str, run: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Why an expression is unknown."""
    found = expression(text).value(run or {})
    assert type(found) is Unknown, plain(found)
    return found.reasons


def plain(x: Any) -> Any:
    """A value as plain data: texts as str, facts by their value, undecided elements counted."""
    if isinstance(x, Unknown):
        return UNKNOWN
    if isinstance(x, Fact):
        return x.s if x.value is None else plain(x.value)
    if isinstance(x, Text):
        return x.s
    if isinstance(x, Call):
        return f"call {x.index}"
    if isinstance(x, Range):
        return ("between", x.low, x.high)
    if isinstance(x, Partial):
        return ("partial", [plain(i) for i in x], len(x.undecided))
    if isinstance(x, Bag):
        return [plain(i) for i in x.items()]
    if isinstance(x, list):
        return [plain(i) for i in x]
    return x
