"""Full-text search over input and output. The index is filled when nothing else is to be written."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence

BATCH = 100
"""Traces indexed in one transaction; a writer that comes meanwhile waits a few milliseconds."""
CATCH_UP = 1_000
"""Traces a search waits for before it looks."""
MERGE_PAGES = 200
PENDING = "SELECT (SELECT ifnull(max(seq), 0) FROM traces) > value FROM marks WHERE name = 'indexed'"
FROM = "trace_text x CROSS JOIN traces t ON t.seq = x.rowid"


def match_of(terms: Sequence[str]) -> str:
    """Terms as a full-text query: each literal, all of them wanted."""
    return " ".join('"' + term.replace('"', '""') + '"' for term in terms)


def searchable(terms: Sequence[str]) -> bool:
    """Whether every term has a character the index knows words by; others have to be looked for in the texts."""
    return all(any(c.isalnum() for c in term) and "\0" not in term for term in terms)


def literal(term: str) -> bool:
    """Whether the index, which knows words only, says too much: `50%` would be found where there is just 50."""
    return term.isascii() and not term.replace(" ", "").isalnum()


def index_some(db: sqlite3.Connection, most: int = BATCH) -> bool:
    """Index the next traces, inside a transaction; gives whether there may be more."""
    done = db.execute("SELECT value FROM marks WHERE name = 'indexed'").fetchone()[0]
    rows = db.execute("SELECT seq, input, output FROM bodies WHERE seq > ? ORDER BY seq LIMIT ?", (done, most)).fetchall()
    if not rows:
        return False
    db.executemany("INSERT INTO trace_text (rowid, input, output) VALUES (?, ?, ?)", rows)
    db.execute("UPDATE marks SET value = ? WHERE name = 'indexed'", (rows[-1][0],))
    return len(rows) == most


def forget_texts(db: sqlite3.Connection, seq: int) -> None:
    """Take a trace's words out of the index, if they are in it, and see that the index is merged over them.

    The mark never points past the newest trace, since SQLite gives the number of a deleted newest row again.
    """
    indexed = db.execute("SELECT value FROM marks WHERE name = 'indexed'").fetchone()[0]
    if indexed >= seq and _there(db):
        texts = db.execute("SELECT input, output FROM bodies WHERE seq = ?", (seq,)).fetchone()
        db.execute("INSERT INTO trace_text (trace_text, rowid, input, output) VALUES ('delete', ?, ?, ?)", (seq, *texts))
        db.execute("UPDATE marks SET value = 1 WHERE name = 'unmerged'")
    newest = "SELECT ifnull(max(seq), 0) FROM traces WHERE seq <> ?"
    db.execute(f"UPDATE marks SET value = min(value, ({newest})) WHERE name = 'indexed'", (seq,))


def _there(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'trace_text'").fetchone() is not None


def unmerged(db: sqlite3.Connection) -> int:
    """Whether deleted words may still be in the index: 1 before the merge began, 2 after, 0 when they are gone."""
    return int(db.execute("SELECT value FROM marks WHERE name = 'unmerged'").fetchone()[0])


def merge_some(db: sqlite3.Connection) -> bool:
    """Rewrite some of the index after a deletion, so that no deleted word stays in it; gives whether more is to do."""
    left = unmerged(db)
    if not left:
        return False
    before = db.total_changes
    pages = -MERGE_PAGES if left == 1 else MERGE_PAGES
    db.execute("INSERT INTO trace_text (trace_text, rank) VALUES ('merge', ?)", (pages,))
    more = db.total_changes - before >= 2  # what FTS5 documents as the sign that a merge did something
    db.execute("UPDATE marks SET value = ? WHERE name = 'unmerged'", (2 if more else 0,))
    return more


def tend(db: sqlite3.Connection) -> bool:
    """Do a little of what waits for an idle moment; gives whether there is more."""
    if not _there(db):
        return False
    if not (db.execute(PENDING).fetchone()[0] or unmerged(db)):
        return False
    db.execute("BEGIN IMMEDIATE")
    try:
        more = index_some(db) or merge_some(db)
        db.execute("COMMIT")
    except sqlite3.Error:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
    return more
