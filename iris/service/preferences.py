"""Preferences of the dashboard: a strict patch over what was set before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.service.core import Core
from iris.service.models.preferences import Preferences
from iris.service.parse import parse

PLACE = "$IRIS_HOME/iris.db"
"""Where they are kept, as it is shown: the path of this machine is nobody's business. Fault 126."""


async def read(core: Core, tenant: str) -> dict[str, Any]:
    """Give all preferences that were set."""
    return {"preferences": dict(await core.store.preferences(tenant)), "displayPath": PLACE}


async def write(core: Core, patch: Mapping[str, Any], tenant: str) -> dict[str, Any]:
    """Set the preferences of a patch. Raises IRIS_INVALID_ARGUMENT."""
    values = parse(Preferences, patch).model_dump(exclude_unset=True)
    return {"preferences": dict(await core.store.set_preferences(tenant, values)), "displayPath": PLACE}
