"""The tree of sub-expressions that made a rule fail, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iris.report.text import visible, wrap

MOST_LINES = 40
DEEPEST = 7


def why_lines(why: Mapping[str, Any] | None, width: int) -> list[str]:
    """Write each condition that held and what it was made of, at most 40 lines; nothing without a tree."""
    if not why:
        return []
    lines = ["      why:"]
    for condition in why["conditions"]:
        for depth, text in _walk(condition, 0):
            lead = "        " + "  " * depth
            lines += wrap(visible(text), width, lead, lead + "  ")
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "        …"]


def _walk(node: Mapping[str, Any], depth: int) -> Iterator[tuple[int, str]]:
    said = node.get("expression", node["kind"])
    yield depth, f"{said}  ⇒  {_shown(node['value'])}"
    if depth < DEEPEST:
        for child in node.get("children", ()):
            yield from _walk(child, depth + 1)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
