"""The tree of sub-expressions that made a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iris.run.evidence import printed
from iris.run.traced import Traced
from iris.run.values import Unknown


def why_tree(traced: Sequence[tuple[str, str, Traced]], lets: Mapping[int, str], units: Any) -> dict[str, Any]:
    """The sub-expressions that made a result, as a tree of expression, value and children."""

    def why(t: Traced, text: str, depth: int) -> dict[str, Any]:
        node = t.node
        out: dict[str, Any] = {"kind": node[0], "value": printed_value(t.value)}
        if node[1] < node[2] <= len(text):
            out["expression"] = " ".join(text[node[1] : node[2]].split())
        children = []
        for i, c in enumerate(t.children):
            inner = lets[node[3]] if node[0] == "let" else text
            if node[0] == "def" and i == len(t.children) - 1:
                inner = units[node[3]]["body"]["t"]
            if c.node[0] not in PLAIN:
                children.append(why(c, inner, depth + 1))
        if children and depth < MAX_WHY:
            out["children"] = children
        return out

    return {"conditions": [{"name": name, **why(t, text, 0)} for name, text, t in traced]}


PLAIN = ("num", "str", "bool", "listref", "tableref", "path", "slot")
MAX_WHY = 16


def printed_value(value: Any) -> Any:
    """A value in a `why` tree: flags and numbers as they are, texts and lists by size."""
    if isinstance(value, bool | int | float):
        return value
    if type(value) is Unknown:
        return "unknown: " + ", ".join(value.reasons)
    text = value if isinstance(value, str) else getattr(value, "s", None)
    return printed(value) if text is None else f"{len(text)} characters"
