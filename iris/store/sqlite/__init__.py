"""The store on SQLite: one writer thread with group commit, reads beside it."""

from iris.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
