"""Evidence in words: positions, counts and calls, never matched text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from iris.report.judged import RuleResult
from iris.report.text import visible
from iris.report.veil import Veil

PLAIN_UNITS = frozenset({"", "ratio", "count"})


def number(value: float) -> str:
    """Write a number for people: at most four places, more only where it would read as zero."""
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text if text not in ("0", "-0") else f"{value:.2g}"


def _span(item: Mapping[str, Any]) -> str:
    return f"{item['source']} {item['start']}..{item['end']} {item['label']}".rstrip()


def _pattern(item: Mapping[str, Any]) -> str:
    # Its count is of the places that were kept, which is no count of what was found.
    return f"pattern {item['name']}"


def _call(item: Mapping[str, Any]) -> str:
    return f"tool_calls[{item['index']}] {item['toolName']} {item['label']}".rstrip()


def _citation(item: Mapping[str, Any]) -> str:
    return f"citation {item['status']} {item['url']}"


def _count(item: Mapping[str, Any]) -> str:
    value, threshold = float(item["value"]), item.get("threshold")
    unit = "" if item["unit"] in PLAIN_UNITS else f" {item['unit']}"
    if threshold is None:
        return f"{item['stat']} {number(value)}{unit}"
    sign = "<" if value < threshold else ">" if value > threshold else "="
    left, right = number(value), number(float(threshold))
    if left == right and sign != "=":
        left, right = repr(value), repr(float(threshold))
    source = f" ({item['thresholdSource']})" if "thresholdSource" in item else ""
    return f"{item['stat']} {left} {sign} {right}{unit}{source}"


PHRASES = {"span": _span, "pattern": _pattern, "toolCall": _call, "citation": _citation, "count": _count}


def phrase(item: Mapping[str, Any], veil: Veil) -> str:
    """Say one item of evidence on one line, without the text it points at."""
    words = PHRASES.get(item["type"])
    return visible(veil.mask(words(item) if words else str(item["type"])))


def told(result: RuleResult) -> list[Mapping[str, Any]]:
    """Return the evidence of a rule that people are shown.

    Left out are counts that have an expression for a name: `why` has those.
    """
    return [item for item in result.get("evidence", ()) if item["type"] != "count" or "(" not in item["stat"]]


def sentence(result: RuleResult, veil: Veil) -> str:
    """Say on one line what a rule found: its name, its message, where."""
    where = "; ".join(phrase(item, veil) for item in told(result))
    message = visible(veil.mask(str(result["message"])))
    return f"{visible(str(result['ruleName']))}: {message}" + (f" [{where}]" if where else "")
