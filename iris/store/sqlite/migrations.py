"""Bring a database to the schema of this Iris, one process at a time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from iris import __version__
from iris.store.interface import StoreError
from iris.store.sqlite.schema import LEDGER, MERGE_TWO, SEARCH, STEPS
from iris.store.sqlite.text import SECOND, iso

Steps = Sequence[tuple[int, str]]


def migrate(db: sqlite3.Connection, steps: Steps = STEPS) -> bool:
    """Apply the steps that are missing; gives whether full-text search is there.

    The lock is taken before the ledger is read, so a second process finds the work done. Raises StoreError "newer" when
    the database needs a newer Iris.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(LEDGER)
        done = {row[0] for row in db.execute("SELECT id FROM _iris_migrations")}
        _refuse_newer(db, steps[-1][0])
        for number, statements in steps:
            if number not in done:
                _script(db, statements)
                _record(db, number)
        searchable = _searchable(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return searchable


def _refuse_newer(db: sqlite3.Connection, known: int) -> None:
    needed = db.execute("SELECT version FROM _iris_migrations WHERE oldest_reader > ? ORDER BY id DESC", (known,)).fetchone()
    if needed is not None:
        message = f"the database was upgraded by Iris {needed[0]}, and this is Iris {__version__}: use {needed[0]} or newer"
        raise StoreError(message, reason="newer")


def _record(db: sqlite3.Connection, number: int) -> None:
    now = iso(time.time_ns() * SECOND // 10**9)
    db.execute("INSERT INTO _iris_migrations VALUES (?, ?, ?, ?)", (number, now, __version__, number))


def _script(db: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        if statement.strip():
            db.execute(statement)


def _searchable(db: sqlite3.Connection) -> bool:
    """Make the full-text table; a SQLite built without FTS5 goes on without."""
    try:
        db.execute(SEARCH)
        db.execute(MERGE_TWO)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        return False
    return True
