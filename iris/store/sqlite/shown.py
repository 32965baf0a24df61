"""Stored rows as the interface shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from iris.store.interface import Row
from iris.store.sqlite.moments import DAY
from iris.store.sqlite.text import SECOND, iso

COLUMNS = (
    "seq", "trace_id", "ts", "agent", "framework", "session", "run", "case_key", "source", "cost", "latency", "tokens",
    "tokens_prompt", "tokens_completion", "evaluation_id", "state", "score", "passed", "basis", "failed", "verdict", "kind",
    "significance", "rank", "cost_order", "latency_order", "score_order",
)  # fmt: skip
BODY = ("input", "output", "rest")
NOT_JUDGED: dict[str, Any] = {
    "count": 0, "failed": [], "skipped": [], "passed": 0, "label": "Not judged", "reason": "no evaluation decided about it",
}  # fmt: skip


def trace_of(row: Row, *, bodies: bool) -> Row:
    """A whole trace as it was sent, or what its columns tell.

    `latest` says what the evaluation of record found, `moment` how remarkable the trace is.
    """
    moment = {name: row[name] for name in ("verdict", "kind", "significance")}
    return (whole(row) if bodies else _narrow(row)) | {"latest": _latest(row), "moment": moment}


def whole(row: Mapping[str, Any]) -> Row:
    """The trace as it was sent."""
    trace: Row = json.loads(row["rest"])
    for name in ("input", "output"):
        if row[name] is not None and name not in trace:
            trace[name] = row[name]
    return trace


def _narrow(row: Row) -> Row:
    usage = {f"{part}_tokens": row[name] for part, name in (("prompt", "tokens_prompt"), ("completion", "tokens_completion"))}
    usage = {name: int(n) for name, n in (usage | {"total_tokens": row["tokens"]}).items() if n is not None}
    told = {
        "framework": row["framework"],
        "session_id": row["session"],
        "run_id": row["run"],
        "case_key": row["case_key"],
        "source": row["source"],
        "latency_ms": row["latency"],
        "token_usage": usage or None,
    }
    named = {"trace_id": row["trace_id"], "agent_name": row["agent"], "timestamp": iso(row["ts"]), "cost_usd": row["cost"]}
    return named | {name: value for name, value in told.items() if value is not None}


def _latest(row: Row) -> Row | None:
    if row["evaluation_id"] is None:
        return None
    told = {name: row[name] for name in ("evaluation_id", "score", "state", "basis")}
    passed = None if row["passed"] is None else bool(row["passed"])
    return told | {"passed": passed, "failed_rules": json.loads(row["failed"] or "[]")}


def moment_of(row: Row, now: int) -> Row:
    """A decision moment. `now` in microseconds, for the rank of a failure."""
    trace, detail = whole(row), NOT_JUDGED if row["detail"] is None else json.loads(row["detail"])
    moment: Row = {"id": row["trace_id"], "traceId": row["trace_id"], "agentName": row["agent"]}
    moment["timestamp"] = trace["timestamp"]
    told = {
        "input": trace.get("input"),
        "output": trace.get("output"),
        "costUsd": row["cost"],
        "latencyMs": row["latency"],
        "overallScore": detail.get("score"),
    }
    moment |= {name: value for name, value in told.items() if value is not None}
    failed, skipped = detail["failed"], detail["skipped"]
    total = len(failed) + len(skipped) + detail["passed"]
    moment |= {"verdict": row["verdict"], "evalCount": detail["count"]}
    moment["ruleSnapshot"] = {"failed": failed, "skipped": skipped, "passedCount": detail["passed"], "totalCount": total}
    significance = {"kind": row["kind"], "score": row["significance"], "label": detail["label"], "reason": detail["reason"]}
    moment["significance"] = significance
    if row["rank"] is not None:
        moment["rankScore"] = round(row["significance"] * 0.5 ** (max(0, now - row["ts"]) / DAY), 6)
    return moment


EVALUATION = "result, trace_id, reference_trace_id, created_at, erased_at, output, expected"


def evaluation_of(values: Sequence[Any]) -> Row:
    """A stored evaluation from the columns of EVALUATION."""
    result, trace_id, reference, created_at, erased_at, output, expected = values
    evaluation: Row = json.loads(result)
    evaluation["created_at"] = created_at
    optional = {"trace_id": trace_id, "reference_trace_id": reference, "erased_at": erased_at}
    evaluation |= {name: value for name, value in optional.items() if value is not None}
    texts = (("output_text", output), ("expected_text", expected))
    return evaluation | {name: None if text is None else json.loads(text) for name, text in texts}


def instant(seconds: int) -> str:
    """ISO 8601 of whole seconds since 1970."""
    return iso(seconds * SECOND)
