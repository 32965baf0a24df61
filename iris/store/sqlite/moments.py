"""How much a trace deserves a look, decided when it is written, so that ranked lists are index walks.

The kinds and their weights are those of the published interface; docs/moments.md says what each means. A cost is a
spike when its modified z-score (Iglewicz and Hoaglin 1993) over the agent's last 200 costs is above 3.5.
"""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from statistics import median
from typing import Any

HISTORY, ENOUGH, SPIKE = 200, 20, 3.5
BEFORE = 5
"""Traces an agent must have before its first failure or a new pattern means anything."""
COLLIDE = 3
SAFETY = "safety"
MOST_AGENTS = 2_000


@dataclass(frozen=True, slots=True)
class Moment:
    """The verdict over all evaluations of a trace and what is remarkable about it."""

    verdict: str
    kind: str
    significance: float
    label: str
    reason: str

    def rank(self, day: float) -> float | None:
        """Days of freshness: halving with each day is one day off the logarithm, so the order never changes with time."""
        return None if self.kind in ("normal-pass", "unevaluated") else log2(self.significance) + day


class Costs:
    """The last costs of each agent, read once and kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], deque[float]] = {}

    def spike(self, db: sqlite3.Connection, tenant: str, agent: str, cost: float | None) -> str | None:
        """Why a cost is far above the agent's own, or None; remembers it."""
        if cost is None:
            return None
        costs = self._of(db, tenant, agent)
        reason = _far(costs, cost) if len(costs) >= ENOUGH and cost > max(costs) * 1.02 else None
        costs.append(cost)
        return reason

    def _of(self, db: sqlite3.Connection, tenant: str, agent: str) -> deque[float]:
        found = self._known.get((tenant, agent))
        if found is None:
            if len(self._known) >= MOST_AGENTS:
                self._known.clear()
            sql = "SELECT cost FROM traces WHERE tenant_id = ? AND agent = ? AND cost IS NOT NULL ORDER BY ts DESC, seq DESC LIMIT ?"
            rows = [r[0] for r in db.execute(sql, (tenant, agent, HISTORY))]
            found = self._known[tenant, agent] = deque(reversed(rows), maxlen=HISTORY)
        return found


def _far(costs: deque[float], cost: float) -> str | None:
    middle = median(costs)
    spread = median(abs(c - middle) for c in costs)
    if spread == 0:
        far = cost > 1.1 * max(costs)
        return f"${cost:.4f}, more than a tenth over every run before" if far else None
    z = 0.6745 * (cost - middle) / spread
    return f"${cost:.4f}; the agent's runs usually cost ${middle:.4f}" if z > SPIKE else None


def verdict_of(passes: list[int]) -> str:
    """Pass, fail, or partial when evaluations of the trace disagree."""
    if not passes:
        return "unevaluated"
    return "pass" if all(passes) else "partial" if any(passes) else "fail"


def failed_rules(result: Mapping[str, Any]) -> list[str]:
    """The names of the rules that failed."""
    return sorted(
        {str(r.get("ruleName")) for r in result.get("rule_results", ()) if not r.get("passed") and not r.get("skipped")}
    )


def moment_of(
    db: sqlite3.Connection,
    tenant: str,
    row: Mapping[str, Any],
    result: Mapping[str, Any] | None,
    passes: list[int],
    spike: str | None,
) -> Moment:
    """What is remarkable about a trace, given its newest result and whether each of its evaluations passed."""
    verdict = verdict_of(passes)
    failed = failed_rules(result) if result is not None else []
    names = ", ".join(failed[:3]) or "no rule"
    if result is not None and verdict != "pass" and _unsafe(result):
        return Moment(verdict, "safety-violation", 1.0, "safety", f"a safety rule failed: {names}")
    if spike is not None:
        return Moment(verdict, "cost-spike", 0.9, "cost spike", spike)
    if verdict in ("fail", "partial"):
        remarkable = _first_or_new(db, tenant, str(row["agent"]), failed)
        if remarkable is not None:
            return Moment(verdict, *remarkable)
        if len(failed) >= COLLIDE:
            return Moment(verdict, "rule-collision", 0.7, f"{len(failed)} rules", f"{len(failed)} rules failed at once: {names}")
        weight = 0.4 if verdict == "partial" else 0.5
        return Moment(verdict, "normal-fail", weight, failed[0][:30] if failed else "failed", f"failed: {names}")
    if verdict == "unevaluated":
        why = "no evaluation names this trace" if result is None else "no evaluation of this trace could tell"
        return Moment(verdict, "unevaluated", 0.1, "not judged", why)
    return Moment(verdict, "normal-pass", 0.05, "passed", "every evaluation passed")


def _unsafe(result: Mapping[str, Any]) -> bool:
    """Whether a rule that vetoes, or the safety bundle, decided."""
    verdict = result.get("verdict") or {}
    deciding = set(verdict.get("by") or ()) | set(result.get("critical_failures") or ())
    return any(
        r.get("category") == SAFETY and (r.get("role") == "veto" or r.get("ruleName") in deciding)
        for r in result.get("rule_results", ())
        if not r.get("passed") and not r.get("skipped")
    )


def _first_or_new(db: sqlite3.Connection, tenant: str, agent: str, failed: list[str]) -> tuple[str, float, str, str] | None:
    """An agent's first failure, or the first time these rules failed together."""
    known = db.execute("SELECT traces, fails FROM agents WHERE tenant_id = ? AND agent = ?", (tenant, agent)).fetchone()
    traces, fails = known or (0, 0)
    new = db.execute("INSERT OR IGNORE INTO patterns VALUES (?, ?, ?)", (tenant, agent, json.dumps(failed))).rowcount > 0
    if traces < BEFORE:
        return None
    if fails == 0:
        return "first-failure", 0.8, "first failure", f"the first failure of {agent} in {traces} runs"
    if new:
        return "novel-pattern", 0.75, "new pattern", "these rules never failed together before: " + ", ".join(failed[:3])
    return None
