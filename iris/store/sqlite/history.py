"""What the writer has to look up to tell what is remarkable about a trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from iris.store.sqlite.moments import BEFORE, HISTORY, spike_of
from iris.store.sqlite.text import dump

FAILED = "verdict IN ('fail', 'partial')"
"""As the partial index of failure patterns says it."""
LOOKED_AT = 1_000
"""Traces looked back on for costs, with one or without."""


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


def cost_spike(db: sqlite3.Connection, tenant: str, agent: str, ts: int, cost: float | None) -> str | None:
    """Say why a cost is far above the agent's own of before `ts`, or None."""
    if not cost:
        return None
    sql = (
        "SELECT cost FROM (SELECT cost FROM traces INDEXED BY traces_agent WHERE tenant_id = ? AND agent = ? AND ts <= ?"
        " ORDER BY ts DESC, seq DESC LIMIT ?) WHERE cost IS NOT NULL LIMIT ?"
    )
    return spike_of(cost, [row[0] for row in db.execute(sql, (tenant, agent, ts, LOOKED_AT, HISTORY))])
