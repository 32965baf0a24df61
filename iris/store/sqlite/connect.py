"""Open connections the same way everywhere, and bring the schema up to date."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

from iris import __version__
from iris.store.interface import StoreError
from iris.store.sqlite.schema import LEDGER, NEWEST, SEARCH, STEPS

BUSY_MS = 5_000
RETRY_S = 0.02


def connect(path: Path) -> sqlite3.Connection:
    """Open the database for writing: WAL, every commit on disk, deleted bytes overwritten."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000, cached_statements=256)
    db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    _write_ahead(db)
    for pragma in (
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",
        "wal_autocheckpoint = 4000",
        "cache_size = -32000",
    ):
        db.execute(f"PRAGMA {pragma}")
    return db


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait for another process that switches at the same time, so this does."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_S)


def migrate(db: sqlite3.Connection) -> bool:
    """Apply the steps that are missing, one process at a time; gives whether full-text search is there.

    Raises StoreError when the database was made by a newer Iris.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(LEDGER)
        done = {row[0]: row[1] for row in db.execute("SELECT id, version FROM _iris_migrations")}
        if done and max(done) > NEWEST:
            newer = done[max(done)]
            raise StoreError(
                f"the database was made by Iris {newer}, which is newer than this {__version__}; use that one", reason="newer"
            )
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for number, statements in STEPS:
            if number not in done:
                _script(db, statements)
                db.execute("INSERT INTO _iris_migrations VALUES (?, ?, ?)", (number, now, __version__))
        searchable = _searchable(db)
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return searchable


def _script(db: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        if statement.strip():
            db.execute(statement)


def _searchable(db: sqlite3.Connection) -> bool:
    """Make the full-text table; a SQLite built without FTS5 goes on without."""
    try:
        _script(db, SEARCH)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        return False
    return True


MESSAGES = (
    ("disk is full", "full", False, "the disk is full; free some space, nothing was stored"),
    ("disk I/O", "io", False, "the disk can not be written or read; check it, nothing was stored"),
    ("readonly", "readonly", False, "the database can not be written; check who owns the Iris home"),
    ("unable to open", "unopened", False, "the database can not be opened; check that the Iris home can be written (IRIS_HOME)"),
    ("not a database", "no_database", False, "the file is no database of Iris; move it away, or name another with IRIS_DB_PATH"),
    ("malformed", "damaged", False, "the database is damaged; restore it from a copy"),
    ("locked", "busy", True, "another process holds the database; try again"),
    ("busy", "busy", True, "another process holds the database; try again"),
)
"""Parts of SQLite's messages, and what they mean to a person: reason, whether to try again, sentence."""


def store_error(error: Exception) -> StoreError:
    """What a failure of SQLite means, without a path."""
    if isinstance(error, StoreError):
        return error
    text = str(error)
    for part, reason, retryable, message in MESSAGES:
        if part in text:
            return StoreError(message, retryable=retryable, reason=reason)
    return StoreError("the store failed; its log has the details", reason="failed")
