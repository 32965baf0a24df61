"""The full-text index is filled when nothing else is to be written."""

from __future__ import annotations

import sqlite3

BATCH = 200


def index_some(db: sqlite3.Connection) -> bool:
    """Index the next traces; gives whether there may be more."""
    marked = db.execute("SELECT value FROM marks WHERE name = 'indexed'").fetchone()
    if marked is None:
        return False
    rows = db.execute("SELECT seq, input, output FROM bodies WHERE seq > ? ORDER BY seq LIMIT ?", (marked[0], BATCH)).fetchall()
    if not rows:
        return False
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT INTO trace_text (rowid, input, output) VALUES (?, ?, ?)", rows)
    db.execute("UPDATE marks SET value = ? WHERE name = 'indexed'", (rows[-1][0],))
    db.execute("COMMIT")
    return len(rows) == BATCH
