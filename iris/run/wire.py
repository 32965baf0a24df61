"""A run as it was sent, or as a case writes it, to the values that expressions read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from iris.run.values import Args, Call, Text, Unknown, View, plain_text, unknown

MAX_CALLS = 500
"""Calls that are examined; a longer run is judged on its first ones and says so."""


class Inputs:
    """The values of one run by path, which inputs it carried, and how many calls were left out."""

    __slots__ = ("calls_left_out", "carried", "paths")

    def __init__(self) -> None:
        self.paths: dict[str, Any] = dict(ABSENT)
        self.carried: set[str] = set()
        self.calls_left_out = 0


PATH_NEEDS = {
    "output": "output",
    "input": "input",
    "expected": "expected",
    "calls": "tool_calls",
    "tools": "tools_catalogue",
    "cost": "cost",
    "latency": "latency",
    "metadata": "metadata",
    "history": "history",
    "tokens": "tokens",
    "tokens.prompt": "tokens",
    "tokens.completion": "tokens",
    "tokens.total": "tokens",
}
ABSENT: dict[str, Any] = {path: unknown(need) for path, need in PATH_NEEDS.items()}


def from_wire(run: Mapping[str, Any]) -> Inputs:
    """Read a run with the field names of `log_trace` (tool_calls, cost_usd, token_usage …)."""
    out = Inputs()
    _texts(run, out)
    tools = run.get("tools")
    catalogue = _catalogue(tools, out) if isinstance(tools, list) else None
    calls = run.get("tool_calls")
    if calls is None and run.get("spans"):
        from iris.run.spans import calls_of_spans

        calls = calls_of_spans(run["spans"])
    if isinstance(calls, list):
        out.carried.add("tool_calls")
        made = [_wire_call(i, c, catalogue, out) for i, c in enumerate(calls[:MAX_CALLS])]
        out.calls_left_out = max(len(calls) - MAX_CALLS, 0)
        out.paths["calls"] = made
    _numbers(run.get("cost_usd"), run.get("latency_ms"), run.get("token_usage"), out)
    _plain(run, out)
    return out


def from_case(run: Mapping[str, Any]) -> Inputs:
    """Read a run in the language's own words (calls, cost, tokens …), as a rule's cases write it."""
    calls = run.get("calls")
    wire: dict[str, Any] = {k: run[k] for k in ("input", "output", "expected", "metadata", "history") if k in run}
    if isinstance(calls, list):
        wire["tool_calls"] = [_from_case_call(c) for c in calls]
    if "tools" in run:
        wire["tools"] = [_from_case_tool(t) for t in run["tools"]]
    tokens = run.get("tokens") or {}
    wire["token_usage"] = {f"{k}_tokens": v for k, v in tokens.items()}
    wire["cost_usd"], wire["latency_ms"] = run.get("cost"), run.get("latency")
    return from_wire(wire)


CASE_CALL = {"tool": "tool_name", "args": "input", "result": "output", "latency": "latency_ms"}


def _from_case_call(call: Mapping[str, Any]) -> dict[str, Any]:
    return {CASE_CALL.get(k, k): v for k, v in call.items()}


def _from_case_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    out = {k: tool[k] for k in ("name", "description") if k in tool}
    if "schema" in tool:
        out["inputSchema"] = tool["schema"]
    if "readonly" in tool:
        out["annotations"] = {"readOnlyHint": tool["readonly"]}
    return out


def _texts(run: Mapping[str, Any], out: Inputs) -> None:
    for name in ("output", "input", "expected"):
        value = run.get(name)
        if value is None or (name == "input" and isinstance(value, str) and not value.strip()):
            continue
        out.paths[name] = View(value if isinstance(value, str) else plain_text(value), name).whole()
        out.carried.add(name)


def finite(value: Any) -> bool:
    """Whether a value is a finite number (true is none)."""
    try:
        return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False


def _numbers(cost: Any, latency: Any, usage: Any, out: Inputs) -> None:
    if cost is not None and finite(cost) and cost >= 0:
        out.paths["cost"] = cost
        out.carried.add("cost")
    if latency is not None and finite(latency) and latency >= 0:
        out.paths["latency"] = latency
        out.carried.add("latency")
    if isinstance(usage, Mapping):
        for name in ("prompt", "completion", "total"):
            value = usage.get(f"{name}_tokens")
            if value is not None and finite(value) and value >= 0:
                out.paths[f"tokens.{name}"] = value
                out.carried |= {"tokens", f"tokens.{name}"}


def _plain(run: Mapping[str, Any], out: Inputs) -> None:
    for name in ("metadata", "history"):
        if run.get(name) is not None:
            out.paths[name] = run[name]
            out.carried.add(name)


Catalogue = dict[str, tuple[Any, Any]]


def _catalogue(tools: list[Any], out: Inputs) -> Catalogue:
    out.carried.add("tools_catalogue")
    out.paths["tools"] = tools
    found: Catalogue = {}
    for tool in tools:
        if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
            hints = tool.get("annotations")
            readonly = hints.get("readOnlyHint") if isinstance(hints, Mapping) else None
            found[tool["name"]] = (tool.get("inputSchema"), readonly)
    return found


def _wire_call(index: int, call: Any, catalogue: Catalogue | None, out: Inputs) -> Call:
    call = call if isinstance(call, Mapping) else {}
    name = plain_text(call.get("tool_name") or "")
    made = Call(index, View(name, None).whole())
    if "input" in call:
        made.args = arguments(call["input"], index)
    result = call.get("output")
    if result is not None:
        made.result = View(plain_text(result), f"tool_outputs[{index}]").whole()
        made.json = None if isinstance(result, str) else result
        out.carried.add("tool_outputs")
    if "error" in call:
        made.error = "" if call["error"] is None else call["error"]
        if not isinstance(made.error, str):
            made.error = plain_text(made.error)
    for field, key in (("latency", "latency_ms"), ("started", "started")):
        value = call.get(key, call.get("start_time") if field == "started" else None)
        if value is not None:
            setattr(made, field, _moment(value, field))
    if isinstance(call.get("truncated"), bool):
        made.truncated = call["truncated"]
    if catalogue is not None:
        schema, readonly = catalogue.get(name, (None, None))
        made.listed = name in catalogue
        made.schema = schema if schema is not None else {}
        made.readonly = readonly if isinstance(readonly, bool) else unknown("tools_catalogue")
    return made


def _moment(value: Any, field: str) -> Any:
    """Milliseconds as given, or of an ISO 8601 time."""
    if finite(value):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000
        except ValueError:
            pass
    return unknown(f"calls.{field}")


def arguments(value: Any, index: int) -> Any:
    """A call's arguments: an object (also one written as JSON text), or the value as it is."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return View(value, f"tool_calls[{index}].input").whole()
    if isinstance(value, Mapping):
        args = Args(value)
        args.view = View(plain_text(dict(value)), f"tool_calls[{index}].input")
        return args
    if isinstance(value, str):
        return View(value, f"tool_calls[{index}].input").whole()
    return value


__all__ = ["Inputs", "Text", "Unknown", "arguments", "from_case", "from_wire"]
