"""Connections that only read, each in a thread of its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import aiosqlite

from iris.store.interface import StoreError
from iris.store.sqlite.connect import BUSY_MS, READER_PRAGMAS, store_error

READERS = 3


class Readers:
    """A few reading connections; a statement goes to the one with the least before it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: list[aiosqlite.Connection] = []
        self._waiting: list[int] = []

    async def open(self) -> None:
        """Open them. Raises StoreError."""
        try:
            for _ in range(READERS):
                reader = aiosqlite.connect(self.path, isolation_level=None, timeout=BUSY_MS / 1000)
                getattr(reader, "_thread", reader).daemon = True  # type: ignore[union-attr]  # else it outlives a crash
                self._open.append(await reader)
                for pragma in READER_PRAGMAS:
                    await reader.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            raise store_error(error) from error
        self._waiting = [0] * READERS

    async def close(self) -> None:
        """Close them; what still reads is waited for."""
        readers, self._open = self._open, []
        for reader in readers:
            await reader.close()

    async def fetch(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """The rows of a statement. Raises StoreError."""
        if not self._open:
            raise StoreError("the store is closed", reason="closed")
        place = self._waiting.index(min(self._waiting))
        self._waiting[place] += 1
        try:
            return list(await self._open[place].execute_fetchall(sql, values))
        except (sqlite3.Error, ValueError) as error:  # a connection closed meanwhile is a ValueError
            raise store_error(error) from error
        finally:
            self._waiting[place] -= 1
