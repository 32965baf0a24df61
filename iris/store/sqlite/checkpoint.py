"""Move the write-ahead log into the database beside the writing, so that no commit has to."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

from iris.store.sqlite.connect import connect

EVERY_S = 0.25
PAGE = 4_096
SOME, MUCH = 1_000, 8_000
"""Pages of log that are worth moving, and pages after which the log is also made to start again."""
ATTEMPTS_S = 5.0


class Checkpointer:
    """A thread that empties the log: now and then, and wholly when texts were deleted."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = path, path.with_name(path.name + "-wal")
        self._wake = threading.Event()
        self._stop = self._wholly = False
        self._thread = threading.Thread(target=self._run, name="iris-checkpoint", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def empty(self) -> None:
        """Empty the log soon, so that nothing deleted stays in it; does not wait."""
        self._wholly = True
        self._wake.set()

    def stop(self) -> None:
        """End, and wait for it."""
        self._stop = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        with contextlib.suppress(sqlite3.Error), contextlib.closing(connect(self._path)) as db:
            seen = 0
            while not self._stop:
                self._wake.wait(EVERY_S)
                self._wake.clear()
                with contextlib.suppress(sqlite3.Error):
                    seen = self._once(db, seen)

    def _once(self, db: sqlite3.Connection, seen: int) -> int:
        """Move what is worth it; gives the size of the log afterwards."""
        pages = self._pages()
        if self._wholly:
            busy, left, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._wholly = bool(busy or left)
        elif pages >= SOME and pages != seen:
            mode = "RESTART" if pages >= MUCH else "PASSIVE"
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if mode == "RESTART":
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self._pages()

    def _pages(self) -> int:
        try:
            return self._log.stat().st_size // PAGE
        except OSError:
            return 0
