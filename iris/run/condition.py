"""One condition of a rule, and messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.run.compile import Builder, Closure
from iris.run.evidence import printed
from iris.run.gates import Gates, closed_test, single_gate, view_of
from iris.run.values import View


class Condition:
    """One condition of a rule: its closure for the answer, its node for the evidence."""

    __slots__ = ("closed", "cls", "gate", "name", "node", "run", "say", "single", "text")

    def __init__(self, b: Builder, expression: Mapping[str, Any], name: str, cls: str | None, say: Any) -> None:
        self.node, self.text = expression["x"], expression["t"]
        self.run: Closure = b.build(self.node)
        self.name, self.cls = name, cls
        self.say = message_parts(b, say)
        self.gate = Gates(b.let_nodes, b.in_set).false_when(self.node)
        self.closed = closed_test(b, self.gate) if self.gate else None
        self.single = single_gate(b, self.gate) if self.gate else None

    def shut(self, frame: list[Any], seen: dict[str, View | None]) -> bool:
        """Whether the gate is closed; `seen` keeps the views of the texts."""
        if self.single is None:
            return self.closed is not None and self.closed(frame)
        key, text, ids = self.single
        view = seen[key] if key in seen else seen.setdefault(key, view_of(text(frame)))
        return view is not None and not frame[0].matcher.present(ids, view)


Parts = list[Any] | None


def message_parts(b: Builder, say: list[Any] | None) -> Parts:
    """A message as texts and closures."""
    return None if say is None else [p if isinstance(p, str) else b.build(p["x"]) for p in say if p != ""]


def message(parts: Parts, frame: list[Any]) -> str:
    """Fill a message."""
    return "".join([p if isinstance(p, str) else printed(p(frame)) for p in parts or ()])


def constant_lets(let_nodes: Mapping[int, Any]) -> list[int]:
    """The slots of the lets that read nothing but settings, lists and constants, in order."""
    found: list[int] = []
    for slot, node in let_nodes.items():
        if _is_constant(node, found):
            found.append(slot)
    return found


def _is_constant(node: Any, known: list[int]) -> bool:
    if not isinstance(node, list):
        return True
    if node and node[0] == "let":
        return node[3] in known
    if node and node[0] in ("path", "slot", "hoist", "def", "by", "quant", "each", "detector"):
        return False
    return all(_is_constant(n, known) for n in node)


def detector_ids(value: Any, units: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> frozenset[int]:
    """The detectors that plan nodes ask for, through the definitions they use."""
    if isinstance(value, dict):
        return frozenset().union(*(detector_ids(v, units, seen) for v in value.values()))
    if not isinstance(value, list):
        return frozenset()
    if len(value) == 4 and value[0] == "detector":
        return frozenset(value[3])
    own: frozenset[int] = frozenset()
    name = value[3] if len(value) == 5 and value[0] == "def" else value[4] if len(value) == 5 and value[0] == "by" else None
    if isinstance(name, str) and name in units and name not in seen:
        own = detector_ids(units[name]["body"], units, seen | {name})
    return own.union(*(detector_ids(v, units, seen) for v in value))
