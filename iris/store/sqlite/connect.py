"""Open connections the same way everywhere."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from pathlib import Path

from iris.store.interface import StoreError

log = logging.getLogger("iris.store")
BUSY_MS = 5_000
RETRY_S = 0.02
LOG_PAGES = 16_000
"""Pages of the write-ahead log after which a commit itself moves them; the checkpointer does it long before."""
WRITER_PRAGMAS = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
    f"wal_autocheckpoint = {LOG_PAGES}",
    "cache_size = -32000",
    "temp_store = MEMORY",
)
READER_PRAGMAS = ("query_only = ON", "cache_size = -16000", "temp_store = MEMORY", f"busy_timeout = {BUSY_MS}")


def connect(path: Path) -> sqlite3.Connection:
    """Open the database for writing: WAL, every commit on disk, deleted bytes overwritten, no extensions."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000, cached_statements=256)
    try:
        with contextlib.suppress(AttributeError):  # a Python built without extensions has nothing to turn off
            db.enable_load_extension(False)
        db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        _write_ahead(db)
        for pragma in WRITER_PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
    except BaseException:
        db.close()
        raise
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


MESSAGES = (
    ("disk is full", "full", False, "the disk is full: free some space; nothing of this call was stored"),
    ("disk I/O", "io", False, "the disk can not be read or written: check it; nothing of this call was stored"),
    ("readonly", "readonly", False, "the database can not be written: check who owns the Iris home (IRIS_HOME)"),
    ("unable to open", "unopened", False, "the database can not be opened: check that the Iris home can be written (IRIS_HOME)"),
    ("not a database", "no_database", False, "the file is no database of Iris: move it away, or name another with IRIS_DB_PATH"),
    ("malformed", "damaged", False, "the database is damaged: restore it from a copy"),
    ("locked", "busy", True, "another process holds the database: try again"),
    ("busy", "busy", True, "another process holds the database: try again"),
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
    log.error("SQLite: %s", text)
    return StoreError("the store failed: its log has the details", reason="failed")
