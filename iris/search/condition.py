"""A condition of the rule language over stored runs: what an index answers, the rest by the engine."""

from __future__ import annotations

import re
from typing import Any

from iris.check.inline import check_condition
from iris.evaluate import Evaluator
from iris.language.types import unit_value
from iris.packs.source import Scalar, Source
from iris.parse import tree as t
from iris.parse.expression import ExpressionError, parse
from iris.plan.inline import condition_rule
from iris.problems import Problem, ProblemsFound
from iris.run.wire import from_wire
from iris.search.parts import Part, Row, asked, both, either, one_test, opposite
from iris.store.filters import FIELDS

OWN = {name: name for name in FIELDS if name != "rule"} | {"duration": "latency", "verdict": "state"}
"""Names of stored fields that a condition may compare; those the run itself has mean the same there."""
OPS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def condition_parts(text: str, evaluator: Evaluator) -> list[Part]:
    """The conjuncts of a condition. Raises ProblemsFound with carets into the search."""
    try:
        tree = parse(text)
    except ExpressionError as error:
        at = Scalar(Source.of("q", text), 0, len(text), text, "plain").place_of(error.start, error.end)
        raise ProblemsFound([Problem("E001", error.message, at, error.label, error.help)]) from None
    reader = _Reader(text, evaluator)
    parts = [reader.part(n) for n in (tree.items if isinstance(tree, t.And) else (tree,))]
    if reader.problems:
        raise ProblemsFound(reader.problems)
    return parts


class _Reader:
    """Turns nodes into parts; a node that no index can answer becomes one condition for the engine."""

    def __init__(self, text: str, evaluator: Evaluator) -> None:
        self.text, self.evaluator = text, evaluator
        self.problems: list[Problem] = []

    def part(self, node: t.Node) -> Part:
        """The part a node stands for."""
        if isinstance(node, t.And):
            return both([self.part(n) for n in node.items])
        if isinstance(node, t.Or):
            return either([self.part(n) for n in node.items])
        if isinstance(node, t.Negate):
            return opposite(self.part(node.of))
        return self._stored(node) or self._asked(node)

    def _stored(self, node: t.Node) -> Part | None:
        if isinstance(node, t.Compare):
            left, right, op = node.left, node.right, OPS[node.op]
            if _field(left) is None:
                left, right, op = right, left, TURNED.get(op, op)
            field = _field(left)
            return self._compared(field, op, right) if field is not None else None
        if isinstance(node, t.Member) and (field := _field(node.left)) and isinstance(node.right, t.ListOf):
            values = [_literal(i) for i in node.right.items]
            if FIELDS[field] == "text" and all(isinstance(v, str) for v in values):
                part = one_test(field, "in", tuple(values))
                return opposite(part) if node.negated else part
        if isinstance(node, t.Apply) and node.name == "given" and len(node.args) == 1 and (field := _field(node.args[0].value)):
            return one_test(field, "given", True)
        return None

    def _compared(self, field: str, op: str, right: t.Node) -> Part | None:
        value = _literal(right)
        if value is None:
            return None
        if (FIELDS[field] == "number") != isinstance(value, float) or isinstance(value, bool):
            wanted = "a number" if FIELDS[field] == "number" else "a text"
            at = Scalar(Source.of("q", self.text), 0, len(self.text), self.text, "plain").place_of(right.start, right.end)
            self.problems.append(Problem("E722", f"`{field}` is compared with {wanted}", at, f"not {wanted}", f"write {wanted}"))
        return one_test(field, op, value)

    def _asked(self, node: t.Node) -> Part:
        """A condition for the engine, judged as a rule that fails where it holds."""
        source = _with_failed(self.text, node)
        sound, needs, found = check_condition(self.evaluator.engine.plan, source, "q")
        self.problems += found
        if sound is None or found:
            return asked(lambda row: None)
        rule = self.evaluator.engine.compiled(condition_rule(self.evaluator.engine.plan, "search", sound, needs, {}))
        engine = self.evaluator.engine

        def test(row: Row) -> bool | None:
            state = engine.judge(from_wire(row), [rule])[0].state
            return {"fails": True, "passes": False}.get(state)

        return asked(test)


def _field(node: t.Node) -> str | None:
    """The stored field a node names."""
    if isinstance(node, t.Name):
        return OWN.get(node.name)
    if isinstance(node, t.Field) and isinstance(node.of, t.Name):
        return OWN.get(f"{node.of.name}.{node.name}")
    return None


def _literal(node: t.Node) -> Any:
    """A constant: a text, or a number in the unit of its field."""
    if isinstance(node, t.Str):
        return node.value
    if isinstance(node, t.Num):
        return float(unit_value(node.value, node.unit)[0]) if node.unit else float(node.value)
    return None


def _with_failed(text: str, node: t.Node) -> str:
    """The text of a node, everything before it blanked so that places stay, `c.failed` read as `failed(c)`."""
    own = re.sub(r"\b([a-z_][a-z0-9_]*)\.failed\b(?!\()", r"failed(\1)", text[node.start : node.end])
    return re.sub(r"[^\n]", " ", text[: node.start]) + own
