"""What the writer has to look up to tell what is remarkable about a trace."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence

from iris.store.sqlite.moments import BEFORE, HISTORY, spike_of
from iris.store.sqlite.text import dump

FAILED = "verdict IN ('fail', 'partial')"
"""As the partial index of failure patterns says it."""
LOOKED_AT = 500
"""Traces looked back on for costs, with one or without."""
BEFORE_IT = (
    "SELECT ts, cost FROM traces INDEXED BY traces_agent WHERE tenant_id = ? AND agent = ? AND ts <= ?"
    " ORDER BY ts DESC, seq DESC LIMIT ?"
)
LATEST = 2**62
MOST_AGENTS = 1_000


class AgentPast:
    """The other traces of an agent, by index."""

    def __init__(self, db: sqlite3.Connection, tenant: str, agent: str, seq: int = -1) -> None:
        self._db, self._who, self._seq = db, (tenant, agent), seq

    def known(self) -> bool:
        """Whether it has at least BEFORE other traces."""
        sql = (
            "SELECT count(*) FROM (SELECT 1 FROM traces INDEXED BY traces_agent"
            " WHERE tenant_id = ? AND agent = ? AND seq <> ? LIMIT ?)"
        )
        return bool(self._db.execute(sql, (*self._who, self._seq, BEFORE)).fetchone()[0] >= BEFORE)

    def failed(self) -> bool:
        """Whether another of its traces failed."""
        return self._any("")

    def failed_so(self, rules: Sequence[str]) -> bool:
        """Whether another of its traces failed exactly these rules."""
        return self._any(" AND failed = ?", dump(list(rules)))

    def _any(self, more: str, *values: str) -> bool:
        sql = (
            f"SELECT 1 FROM traces INDEXED BY traces_pattern WHERE tenant_id = ? AND agent = ? AND {FAILED}{more}"
            " AND seq <> ? LIMIT 1"
        )
        return self._db.execute(sql, (*self._who, *values, self._seq)).fetchone() is not None


class Costs:
    """The last costs of each agent, kept as long as nobody else writes and nothing is taken back."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Kept] = {}
        self._version = -1

    def forget(self) -> None:
        """Read them again: a write was undone, or a trace deleted."""
        self._known.clear()

    def check(self, db: sqlite3.Connection) -> None:
        """Forget them when another process wrote since."""
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version or len(self._known) > MOST_AGENTS:
            self.forget()
            self._version = version

    def spike(self, db: sqlite3.Connection, who: tuple[str, str], ts: int, cost: float | None) -> str | None:
        """Say why a cost is far above the agent's own of before `ts`, or None; then it belongs to them."""
        if cost is None:
            return None
        kept = self._known.get(who)
        if kept is None:
            kept = self._known[who] = _Kept(*_before(db, who, LATEST))
        if ts < kept.newest:  # it came late, so what is kept is not what was before it
            self._known.pop(who)
            return spike_of(cost, sorted(_before(db, who, ts)[1]))
        why = spike_of(cost, kept.ordered)
        kept.add(ts, cost)
        return why


class _Kept:
    """The costs of an agent, oldest first and also by size."""

    def __init__(self, newest: int, costs: list[float]) -> None:
        self.newest, self.costs, self.ordered = newest, deque(costs), sorted(costs)

    def add(self, ts: int, cost: float) -> None:
        self.newest = ts
        self.costs.append(cost)
        insort(self.ordered, cost)
        if len(self.costs) > HISTORY:
            del self.ordered[bisect_left(self.ordered, self.costs.popleft())]


def _before(db: sqlite3.Connection, who: tuple[str, str], ts: int) -> tuple[int, list[float]]:
    """The time of an agent's newest trace up to an instant, and its last costs, oldest first."""
    rows = db.execute(BEFORE_IT, (*who, ts, LOOKED_AT)).fetchall()
    costs = [cost for _, cost in rows if cost is not None][:HISTORY]
    return (rows[0][0] if rows else -LATEST), costs[::-1]
