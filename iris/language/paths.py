"""The paths of a run that a condition may read, their types, and the input each stands for."""

from __future__ import annotations

from iris.language.types import CALL, JSON, TEXT, Type, list_of, number

PATHS: dict[str, tuple[Type, str]] = {
    "output": (TEXT, "output"),
    "input": (TEXT, "input"),
    "expected": (TEXT, "expected"),
    "calls": (list_of(CALL), "tool_calls"),
    "tools": (JSON, "tools_catalogue"),
    "cost": (number("usd"), "cost"),
    "latency": (number("ms"), "latency"),
    "metadata": (JSON, "metadata"),
    "history": (JSON, "history"),
    "tokens": (JSON, "tokens"),
}
"""Name of the path: its type and the input (contract name) without which it is unknown."""

TOKEN_FIELDS = ("prompt", "completion", "total")

CALL_FIELDS: dict[str, tuple[Type, str]] = {
    "index": (number("count"), "tool_calls"),
    "tool": (TEXT, "tool_calls"),
    "args": (JSON, "tool_calls"),
    "result": (TEXT, "tool_outputs"),
    "error": (TEXT, "tool_calls"),
    "started": (number("ms"), "tool_calls"),
    "latency": (number("ms"), "tool_calls"),
    "truncated": (Type("flag"), "tool_calls"),
    "listed": (Type("flag"), "tools_catalogue"),
    "readonly": (Type("flag"), "tools_catalogue"),
    "schema": (JSON, "tools_catalogue"),
}
"""Field of a call: its type and the input it needs."""

FACT_FIELDS: dict[str, Type] = {
    "text": TEXT,
    "name": TEXT,
    "class": TEXT,
    "key": Type("any"),
    "value": Type("any"),
}
"""Fields every fact has; a detector's named groups come on top."""

RESERVED_GROUPS = ("key", "value", "name", "text", "class")

CONTRACT_NEEDS = (
    "output",
    "input",
    "expected",
    "tool_calls",
    "tool_outputs",
    "tools_catalogue",
    "cost",
    "tokens",
    "citations",
)
"""The inputs that `saw` and `coverage.inputs` may name."""
