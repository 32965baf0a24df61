"""Every backend runs the same suite; SQLite is the one there is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from iris.store.interface import Store
from iris.store.sqlite import SqliteStore


@pytest.fixture(params=["sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    made = SqliteStore(tmp_path / f"{request.param}.db")
    await made.open()
    yield made
    await made.close()
