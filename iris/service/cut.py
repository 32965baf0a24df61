"""Long texts of a trace cut for a reader with little room; `cut` says where and how long each was."""

from __future__ import annotations

from typing import Any

MOST = 500
"""Characters of a text that are shown."""
TEXTS = ("input", "output", "tool_calls", "metadata", "tools", "cost_estimate")


def shortened(trace: dict[str, Any], most: int = MOST) -> dict[str, Any]:
    """Give a copy of a trace whose texts have at most `most` characters, with `cut` {path: full length} where any had more."""
    cut: dict[str, int] = {}
    copy = {key: _short(value, key, most, cut) if key in TEXTS else value for key, value in trace.items()}
    return copy | {"cut": cut} if cut else copy


def _short(value: Any, path: str, most: int, cut: dict[str, int]) -> Any:
    if isinstance(value, str):
        if len(value) <= most:
            return value
        cut[path] = len(value)
        return value[:most]
    if isinstance(value, dict):
        return {key: _short(part, f"{path}.{key}", most, cut) for key, part in value.items()}
    return [_short(part, f"{path}[{i}]", most, cut) for i, part in enumerate(value)] if isinstance(value, list) else value
