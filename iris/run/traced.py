"""What tracing one node gives."""

from __future__ import annotations

from typing import Any

Rope = Any
"""None, a fact, a call, a count (dict), or a list of ropes."""


class Traced:
    """A value, what carried it, the sub-expressions, and per element of a list why it was kept."""

    __slots__ = ("children", "kept", "node", "rope", "value")

    def __init__(
        self,
        node: list[Any],
        value: Any,
        rope: Rope = None,
        children: tuple[Traced, ...] = (),
        kept: dict[int, Rope] | None = None,
    ) -> None:
        self.node, self.value, self.rope, self.children, self.kept = node, value, rope, children, kept
