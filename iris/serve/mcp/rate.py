"""How often one caller may call: so many requests in a minute that begins with the first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW = 60.0
"""Seconds."""
MOST_CALLERS = 10_000
"""Callers remembered; beyond it those whose minute is over are forgotten, then the oldest."""


@dataclass(slots=True)
class RateLimit:
    """Counts requests by caller. A `limit` of 0 or less lets everything pass."""

    limit: int
    clock: Callable[[], float] = time.monotonic
    _seen: dict[str, tuple[float, int]] = field(default_factory=dict)

    def seconds_to_wait(self, caller: str) -> int | None:
        """Count a request; None when it may pass, else after how many seconds the caller's minute is over."""
        if self.limit <= 0:
            return None
        now = self.clock()
        start, count = self._seen.get(caller, (now, 0))
        if now - start >= WINDOW:
            start, count = now, 0
        if count >= self.limit:
            return max(1, math.ceil(start + WINDOW - now))
        if caller not in self._seen and len(self._seen) >= MOST_CALLERS:
            self._forget(now)
        self._seen[caller] = (start, count + 1)
        return None

    def _forget(self, now: float) -> None:
        self._seen = {caller: seen for caller, seen in self._seen.items() if now - seen[0] < WINDOW}
        while len(self._seen) >= MOST_CALLERS:
            del self._seen[next(iter(self._seen))]
