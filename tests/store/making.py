"""Traces and evaluations for tests of a store."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from iris.store.interface import NewEvaluation, NewTrace

NOW = datetime(2026, 3, 10, 12, 30, 15, 250_000, tzinfo=UTC)
"""The time it is in the tests."""


def micros(moment: datetime = NOW) -> int:
    """Microseconds since 1970, as the clock of a store gives them."""
    return round(moment.timestamp() * 1_000_000)


def at(*, hours: float = 0, seconds: float = 0) -> str:
    """The instant so long before now."""
    moment = NOW - timedelta(hours=hours, seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def trace(**fields: Any) -> dict[str, Any]:
    """A trace as the service hands it over."""
    made = {"trace_id": secrets.token_hex(16), "agent_name": "helper-bot", "timestamp": at(), "created_at": at(), "source": "tool"}
    return made | fields


def rule(name: str, *, passed: bool | None, category: str = "completeness", **more: Any) -> dict[str, Any]:
    """The result of a rule; None: it was skipped."""
    made = {"ruleName": name, "passed": bool(passed), "score": float(bool(passed)), "message": f"what {name} says", "category": category}
    return made | ({"skipped": True} if passed is None else {}) | more


def result(state: str = "pass", rules: Sequence[dict[str, Any]] = (), **fields: Any) -> dict[str, Any]:
    """What an evaluation found."""
    score = {"pass": 1.0, "fail": 0.25}.get(state)
    made = {
        "id": secrets.token_hex(16),
        "eval_type": "all",
        "score": score or 0.0,
        "passed": state == "pass",
        "verdict": {"state": state, "passed": state == "pass", "basis": "clean" if state == "pass" else "policy_gate", "by": []},
        "rule_results": list(rules),
        "suggestions": ["say more"],
        "critical_failures": [],
        "insufficient_data": state == "unknown",
    }
    return made | fields


def failing(*names: str, **fields: Any) -> dict[str, Any]:
    """A failed evaluation of some rules."""
    return result("fail", [rule(name, passed=False) for name in names], **fields)


def evaluation(found: dict[str, Any], trace_id: str | None = None, **fields: Any) -> NewEvaluation:
    """An evaluation to keep."""
    return NewEvaluation(found, fields.pop("created_at", at()), trace_id=trace_id, **fields)


def judged(found: dict[str, Any], *, created_at: str | None = None, **fields: Any) -> NewTrace:
    """A trace with its verdict of record."""
    made = trace(**fields) | ({"created_at": created_at} if created_at else {})
    return NewTrace(made, (), evaluation(found, made["trace_id"], created_at=created_at or made["created_at"]))
