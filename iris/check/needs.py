"""Which inputs a condition needs, derived from the paths it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iris.check.sound import Sound
from iris.language.paths import CALL_FIELDS, PATHS

FAR_FIELDS = ("result", "listed", "readonly", "schema")
"""Call fields that stand for another input than the calls themselves."""

NEVER_REQUIRED = ("tool_outputs",)
"""A call without a result leaves that element undecided; it does not silence the rule."""


@dataclass(slots=True)
class Needs:
    """Inputs read anywhere, and those without which the condition cannot be false."""

    reads: set[str] = field(default_factory=set)
    required: set[str] = field(default_factory=set)


def needs_of(
    node: Sound, lets: Mapping[str, Sound], definitions: Mapping[str, Sound], known: Mapping[str, Needs] | None = None
) -> Needs:
    """Derive the needs of one condition through its lets and definitions; `known` are those of definitions without a body."""
    needs = Needs()
    _Walk(lets, definitions, needs, known or {}).visit(node, frozenset())
    return needs


def _path_need(name: str) -> str:
    return "tokens" if name.startswith("tokens") else PATHS[name][1]


class _Walk:
    def __init__(
        self, lets: Mapping[str, Sound], definitions: Mapping[str, Sound], needs: Needs, known: Mapping[str, Needs]
    ) -> None:
        self.lets, self.definitions, self.needs, self.known = lets, definitions, needs, known
        self.seen: set[tuple[str, frozenset[str]]] = set()

    def visit(self, node: Sound, optional: frozenset[str]) -> None:
        """Walk a node; `optional` holds the inputs a guard before it has asked for."""
        if node.kind == "path":
            self.note(_path_need(node.data), optional)
        elif node.kind in ("callfield", "mapfield", "anyfield"):
            if node.data in FAR_FIELDS:
                self.note(CALL_FIELDS[node.data][1], optional)
            self.all(node, optional)
        elif node.kind == "let":
            self.follow(f"let {node.data}", self.lets.get(node.data), optional)
        elif node.kind == "def":
            self.all(node, optional)
            self.follow(f"def {node.data}", self.definitions.get(node.data), optional)
            if node.data in self.known:
                self.needs.reads |= self.known[node.data].reads
                self.needs.required |= self.known[node.data].required - optional
        elif node.kind == "and":
            for item in node.args:
                assert item is not None
                self.visit(item, optional)
                optional = optional | guarded(item)
        elif node.kind == "else":
            assert node.args[0] is not None
            assert node.args[1] is not None
            self.visit(node.args[0], optional | every_need())
            self.visit(node.args[1], optional)
        elif node.kind == "op" and node.data in ("given", "gather"):
            self.all(node, optional | every_need())
        else:
            self.all(node, optional)

    def all(self, node: Sound, optional: frozenset[str]) -> None:
        """Walk every argument."""
        for item in node.args:
            if item is not None:
                self.visit(item, optional)

    def follow(self, name: str, node: Sound | None, optional: frozenset[str]) -> None:
        """Walk a let or definition once for each set of guards."""
        if node is not None and (name, optional) not in self.seen:
            self.seen.add((name, optional))
            self.visit(node, optional)

    def note(self, need: str, optional: frozenset[str]) -> None:
        """Record one reading."""
        self.needs.reads.add(need)
        if need not in optional and need not in NEVER_REQUIRED:
            self.needs.required.add(need)


def every_need() -> frozenset[str]:
    """All inputs, for a place where every reading is optional."""
    return frozenset(need for _, need in PATHS.values()) | {need for _, need in CALL_FIELDS.values()}


def guarded(node: Sound) -> frozenset[str]:
    """The inputs that hold once this operand of an `and` is true."""
    if node.kind == "op" and node.data == "given":
        inner = node.args[0]
        if inner is None:
            return frozenset()
        if inner.kind == "path":
            return frozenset({_path_need(inner.data)})
        if inner.kind in ("callfield", "anyfield", "mapfield") and inner.data in CALL_FIELDS:
            return frozenset({CALL_FIELDS[inner.data][1]}) - {"tool_calls"}
        return frozenset()
    if node.kind == "and":
        return frozenset().union(*(guarded(item) for item in node.args if item is not None))
    return frozenset()
