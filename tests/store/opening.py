"""A store on SQLite for as long as a test needs it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from iris.store.sqlite import SqliteStore
from tests.store.making import micros


@contextlib.asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteStore]:
    """A store on SQLite that is closed in the end."""
    made = SqliteStore(path, clock=micros)
    await made.open()
    try:
        yield made
    finally:
        await made.close()
