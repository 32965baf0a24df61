"""The store under test; a second backend adds its maker to BACKENDS and runs the same conformance suite."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from iris.store.interface import Store
from iris.store.sqlite import SqliteStore
from tests.store.making import micros

BACKENDS: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: SqliteStore(folder / "iris.db", clock=micros)}


@pytest.fixture(params=sorted(BACKENDS))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An open, empty store in which it is always NOW."""
    made = BACKENDS[request.param](tmp_path)
    await made.open()
    yield made
    await made.close()
