"""Traces and evaluations for the tests of stores."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from iris.store.interface import NewEvaluation, NewTrace

OUTPUT = "The order was refunded on 3 March."


def instant(minute: int) -> str:
    """A minute of the first days of March 2026."""
    day, rest = divmod(minute, 1440)
    return f"2026-03-{1 + day:02d}T{rest // 60:02d}:{rest % 60:02d}:00.000Z"


def trace_id(n: int) -> str:
    return f"{n:032x}"


def result(n: int, failed: tuple[str, ...] = (), *, state: str | None = None, score: float | None = None, eval_type: str = "all") -> dict[str, Any]:
    """A result of evaluate_output in which some rules failed; `no_pii` vetoes."""
    rules: list[dict[str, Any]] = [
        {"ruleName": name, "passed": name not in failed, "score": float(name not in failed), "message": f"about {name}",
         "category": "safety" if name == "no_pii" else "completeness", "role": "veto" if name == "no_pii" else "advisory",
         "evidence": [{"type": "span", "source": "output", "start": 0, "end": 3, "label": name}]}
        for name in ("no_pii", "sentence_count", "topic_consistency", "min_output_length")
    ]  # fmt: skip
    rules.append({"ruleName": "keyword_overlap", "passed": False, "score": 0.0, "message": "", "skipped": True, "skipReason": "needs input"})
    state = state or ("fail" if failed else "pass")
    by = [name for name in failed if name == "no_pii"]
    return {
        "id": str(UUID(int=n)), "eval_type": eval_type, "score": score if score is not None else round(1 - len(failed) / 4, 3), "passed": state == "pass",
        "rule_results": rules, "suggestions": ["mask it"], "rules_evaluated": 4, "rules_skipped": 1, "insufficient_data": False,
        "verdict": {"state": state, "passed": state == "pass", "basis": "detector_veto" if by else "clean", "by": by},
        "critical_failures": by, "provenance": {"irisVersion": "0"},
    }  # fmt: skip


def evaluation(n: int, of: int | None, failed: tuple[str, ...] = (), *, minute: int = 0, beside: bool = False, **more: Any) -> NewEvaluation:
    """An evaluation of a trace, of record or beside it."""
    tid = None if of is None else trace_id(of)
    return NewEvaluation(result(n, failed, **more), instant(minute), OUTPUT, "expected", None if beside else tid, tid if beside else None)


def trace(n: int, *, minute: int | None = None, agent: str = "planner", failed: tuple[str, ...] | None = None, **fields: Any) -> NewTrace:
    """A trace, judged when `failed` is given (empty: it passed)."""
    at = instant(n if minute is None else minute)
    spans = fields.pop("spans", [])
    body = {"trace_id": trace_id(n), "agent_name": agent, "input": f"ask {n}", "output": OUTPUT, "timestamp": at, "created_at": at, "source": "http", **fields}
    judged = None if failed is None else evaluation(10_000 + n, n, failed, minute=n if minute is None else minute)
    return NewTrace({k: v for k, v in body.items() if v is not None}, spans, judged)
