"""The quick way to a pass: what no gate can open is settled for a whole rule by one look at the detectors that hit.

It is open when every text that the rule's gates look at is a reading of one input, and that input is its own reading
(`views.signs`), as ordinary prose is: then all gates are about one text. Otherwise each gate is tested on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iris.run.gates import Gate
from iris.run.values import Text
from iris.run.views.signs import EVERY

if TYPE_CHECKING:
    from iris.run.compile import Node
    from iris.run.condition import Condition
    from iris.run.context import Context

NO_IDS: frozenset[int] = frozenset()

Reading = tuple[str, frozenset[str]]
"""The path of an input, and the readings taken of it."""


def reading_of(node: Node, let_nodes: Mapping[int, Node]) -> Reading | None:
    """The input a text is a reading of; None for any other text."""
    names: set[str] = set()
    while True:
        if node[0] == "let":
            node = let_nodes[node[3]]
        elif node[0] == "hoist":
            node = node[4]
        elif node[0] == "op" and node[3] in EVERY:
            names.add(node[3])
            node = node[4][0]
        else:
            return (node[3], frozenset(names)) if node[0] == "path" else None


def reading_of_gate(gate: Gate, let_nodes: Mapping[int, Node]) -> Reading | None:
    """The one input whose readings a gate is about; None when there is no such."""
    found = [reading_of(node, let_nodes) for node, _ in gate.values()]
    known = [r for r in found if r is not None]
    if len(known) < len(found) or len({path for path, _ in known}) != 1:
        return None
    return known[0][0], frozenset().union(*(names for _, names in known))


class Quiet:
    """The gates of a rule's conditions, tested together."""

    __slots__ = ("_all", "_by_condition", "_path", "_readings", "_shards", "open")

    def __init__(
        self, conditions: Sequence[Condition], path: str, let_nodes: Mapping[int, Node], shard_of: Mapping[int, int]
    ) -> None:
        self._path = path
        self._readings: frozenset[str] = frozenset()
        self._by_condition: list[tuple[Condition, frozenset[int] | None]] = []
        for condition in conditions:
            reading = reading_of_gate(condition.gate, let_nodes) if condition.gate else None
            ids = None
            if condition.gate and reading is not None and reading[0] == path:
                ids = frozenset().union(*(ids for _, ids in condition.gate.values()))
                self._readings |= reading[1]
            self._by_condition.append((condition, ids))
        self._all = NO_IDS.union(*(ids for _, ids in self._by_condition if ids is not None))
        self._shards = tuple(sorted({shard_of[i] for i in self._all}))
        self.open = [c for c, ids in self._by_condition if ids is None]
        """The conditions that no gate can settle."""

    def asked(self, context: Context) -> list[Condition] | None:
        """The conditions that may hold; None when the text is not its own reading."""
        x: Any = context.paths[self._path]
        if type(x) is not Text:
            return None
        view = x.view
        if not self._readings.isdisjoint(view.readings()):
            return None
        matched, match = view.matched, context.matcher.match
        found = NO_IDS
        for k in self._shards:
            hit = matched[k] if k in matched else match(k, view)
            if hit:
                found |= hit
        if self._all.isdisjoint(found):
            return self.open
        return [c for c, ids in self._by_condition if ids is None or not ids.isdisjoint(found)]


def quiet_of(conditions: Sequence[Condition], let_nodes: Mapping[int, Node], shard_of: Mapping[int, int]) -> Quiet | None:
    """The gates of some conditions as one test; None when fewer than one gate is about readings of an input."""
    for condition in conditions:
        reading = reading_of_gate(condition.gate, let_nodes) if condition.gate else None
        if reading is not None:
            return Quiet(conditions, reading[0], let_nodes, shard_of)
    return None
