"""Whether everything works."""

from __future__ import annotations

import time
from typing import Any

from iris import __version__
from iris.service.core import Core
from iris.store.interface import StoreError


async def health(core: Core) -> dict[str, Any]:
    """Give status, version and the three checks; `degraded` when one fails. No count, no path: anybody may ask."""
    checks = await _checks(core)
    good = all(checks.values())
    return {
        "status": "ok" if good else "degraded",
        "version": __version__,
        "uptime_seconds": round(time.monotonic() - core.started, 1),
        "driver": "sqlite",
        "checks": {name: "ok" if passed else "failed" for name, passed in checks.items()},
        "storage": "ok" if checks["storage"] else "failed",
        "judge": {"enabled": False, "provider": None},
        "mode": "real",
    }


async def _checks(core: Core) -> dict[str, bool]:
    try:
        found = await core.store.check()
    except StoreError:
        found = {}
    stored = {name: bool(found.get(name, False)) for name in ("storage", "migrations")}
    return {"storage": stored["storage"], "rules_store": _rules(core), "migrations": stored["migrations"]}


def _rules(core: Core) -> bool:
    try:
        core.rules.rules()
    except Exception:
        # Whatever keeps the rules from being read: health reports it, the operations explain it.
        return False
    return True
