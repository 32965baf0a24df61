"""Requests a minute by caller, and the headers that tell a caller where it stands (RateLimit header fields, draft 7)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

WINDOW = 60.0
MOST_CALLERS = 10_000


class Limiter:
    """Counts requests of each caller in a minute that begins with its first."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit, self.clock = limit, clock
        self._seen: dict[str, list[float]] = {}

    def take(self, caller: str) -> tuple[bool, dict[str, str]]:
        """Count a request; gives whether it may pass, and the headers."""
        now = self.clock()
        seen = self._seen.get(caller)
        if seen is None or now - seen[0] >= WINDOW:
            if seen is None and len(self._seen) >= MOST_CALLERS:
                self._forget(now)
            seen = self._seen[caller] = [now, 0]
        seen[1] += 1
        wait = max(1, math.ceil(seen[0] + WINDOW - now))
        left = max(0, self.limit - int(seen[1]))
        headers = {"RateLimit-Policy": f"{self.limit};w=60", "RateLimit": f"limit={self.limit}, remaining={left}, reset={wait}"}
        if seen[1] <= self.limit:
            return True, headers
        return False, {**headers, "Retry-After": str(wait)}

    def _forget(self, now: float) -> None:
        self._seen = {caller: seen for caller, seen in self._seen.items() if now - seen[0] < WINDOW}
        while len(self._seen) >= MOST_CALLERS:
            del self._seen[next(iter(self._seen))]
