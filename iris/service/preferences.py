"""Preferences of the dashboard: a strict patch over what was set before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.service.core import Core
from iris.service.models.preferences import Preferences
from iris.service.parse import parse


async def read(core: Core, tenant: str) -> dict[str, Any]:
    """Give all preferences that were set."""
    return {"preferences": dict(await core.store.preferences(tenant)), "displayPath": place(core)}


async def write(core: Core, patch: Mapping[str, Any], tenant: str) -> dict[str, Any]:
    """Set the preferences of a patch. Raises IRIS_INVALID_ARGUMENT."""
    values = parse(Preferences, patch).model_dump(exclude_unset=True)
    return {"preferences": dict(await core.store.set_preferences(tenant, values)), "displayPath": place(core)}


def place(core: Core) -> str:
    """Say where they are kept, from the home onwards: the path of this machine is nobody's business. Fault 126."""
    return core.config.home.shown(core.config.db_path)
