"""Decision moments as the interface shows them."""

from __future__ import annotations

from typing import Any

from iris.store.interface import Row
from iris.store.sqlite.rows import trace_of

PREVIEW = 400


def listed(row: Row, body: tuple[Any, Any, str] | None) -> Row:
    """A moment of a list: texts cut to a preview."""
    trace = trace_of(*body) if body is not None else {}
    moment: Row = {
        "id": row["trace_id"],
        "traceId": row["trace_id"],
        "agentName": row["agent"],
        "timestamp": row["ts"],
        "input": _cut(trace.get("input")),
        "output": _cut(trace.get("output")),
        "costUsd": row["cost"],
        "latencyMs": row["latency"],
        "verdict": row["verdict"],
        "overallScore": row["score"],
        "evalCount": 0 if row["evaluation_id"] is None else 1,
        "ruleSnapshot": {"failed": row["failed_rules"], "skipped": [], "passedCount": 0, "totalCount": len(row["failed_rules"])},
        "significance": {
            "kind": row["kind"],
            "score": row["significance"],
            "label": row["label"],
            "reason": row["reason"],
        },
    }
    if row["rank"] is not None:
        moment["rankScore"] = row["rank"]
    return {key: value for key, value in moment.items() if value is not None}


def _cut(text: Any) -> Any:
    return text[:PREVIEW] if isinstance(text, str) else text


def detail(row: Row, body: tuple[Any, Any, str], evaluations: list[Row], spans: list[Row]) -> Row:
    """A moment with everything behind it."""
    trace = trace_of(*body)
    own = [e for e in evaluations if e.get("trace_id") == row["trace_id"]]
    scores = [e["score"] for e in own if not e.get("insufficient_data")]
    moment = listed(row, body)
    for key in ("input", "output"):
        if key in trace:
            moment[key] = trace[key]
    if scores:
        moment["overallScore"] = round(sum(scores) / len(scores), 3)
    moment["evalCount"] = len(own)
    if own:
        moment["ruleSnapshot"] = snapshot(own[0])
    return {**moment, "evals": evaluations, "toolCalls": trace.get("tool_calls") or [], "spans": spans}


def snapshot(result: Row) -> Row:
    """Which rules of a result failed, were skipped and passed."""
    rules = result.get("rule_results", [])
    skipped = [r["ruleName"] for r in rules if r.get("skipped")]
    failed = [r["ruleName"] for r in rules if not r.get("skipped") and not r.get("passed")]
    return {
        "failed": failed,
        "skipped": skipped,
        "passedCount": len(rules) - len(skipped) - len(failed),
        "totalCount": len(rules),
    }
