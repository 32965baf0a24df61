"""Whether rules were deleted, switched or replaced of late: a verdict says so, since its judge may have been chosen."""

from __future__ import annotations

import time
from typing import Any

from iris.service.instants import ago
from iris.store.interface import Store

WINDOW_HOURS = 24
FRESH_SECONDS = 5.0
"""How long an answer is reused; a change made here, or seen in the rules themselves, shows at once."""


class RuleChanges:
    """The changes of the last day, asked of the store at most once in a few seconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, tuple[float, str, dict[str, Any] | None]] = {}

    async def of(self, tenant: str, now: str, ruleset: str) -> dict[str, Any] | None:
        """Give {count, last_change_at, since, audit}, or None when nothing changed. `ruleset` tells the rules apart."""
        known = self._known.get(tenant)
        if known and known[1] == ruleset and time.monotonic() < known[0]:
            return known[2]
        since = ago(now, hours=WINDOW_HOURS)
        row = await self._store.rule_changes(tenant, since)
        told = {**row, "since": since, "audit": "iris://audit"} if row else None
        self._known[tenant] = (time.monotonic() + FRESH_SECONDS, ruleset, told)
        return told

    def forget(self) -> None:
        """Ask the store again next time."""
        self._known.clear()
