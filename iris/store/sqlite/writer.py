"""One thread writes. It takes whatever is queued, commits once, and then tells everybody."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from iris.store.interface import StoreError
from iris.store.sqlite.connect import connect, store_error
from iris.store.sqlite.migrations import migrate
from iris.store.sqlite.rollups import Deltas

MOST = 256
"""Jobs of one transaction."""
QUEUED = 20_000
"""Jobs that may wait; more are refused, to be sent again."""
IDLE_S = 0.05
Job = Callable[[sqlite3.Connection, Deltas], Any]
Waiting = tuple[Job, "asyncio.Future[Any]"]
Done = tuple["asyncio.Future[Any]", Any, StoreError | None]


class Writer:
    """Queue of writes; each `write` returns when its transaction is on the disk.

    `idle` does a little in the writing thread when nothing is queued, `undone` is told that a job was taken back.
    """

    def __init__(self, path: Path, idle: Callable[[sqlite3.Connection], bool], undone: Callable[[], None]) -> None:
        self.path, self.idle, self.undone = path, idle, undone
        self.searchable = False
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False

    async def start(self) -> None:
        """Open and migrate in the writing thread. Raises StoreError."""
        self._loop = asyncio.get_running_loop()
        opened: asyncio.Future[Any] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, args=(opened,), name="iris-store", daemon=True)
        self._thread.start()
        self.searchable = await opened

    async def stop(self) -> None:
        """Finish what is queued and close."""
        if self._thread is not None and not self._closing:
            self._closing = True
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)

    async def write(self, job: Job) -> Any:
        """Run a job in the next transaction; giving up the wait does not undo it. Raises StoreError."""
        if self._closing or self._loop is None:
            raise StoreError("the store is closed", reason="closed")
        if self._queue.qsize() >= QUEUED:
            raise StoreError("too many writes are waiting: try again", retryable=True, reason="busy")
        future: asyncio.Future[Any] = self._loop.create_future()
        self._queue.put((job, future))
        return await future

    def _run(self, opened: asyncio.Future[Any]) -> None:
        try:
            db = connect(self.path)
            try:
                searchable = migrate(db)
            except BaseException:
                db.close()
                raise
        except Exception as error:
            self._closing = True
            self._tell([(opened, None, store_error(error))])
            return
        self._tell([(opened, searchable, None)])
        try:
            self._work(db)
        finally:
            db.close()

    def _work(self, db: sqlite3.Connection) -> None:
        resting = False
        while True:
            try:
                first = self._queue.get(timeout=None if resting else IDLE_S)
            except Empty:
                resting = not self._quietly(db)
                continue
            resting = False
            batch, last = self._batch(first)
            if batch:
                self._tell(self._commit(db, batch))
            if last:
                return

    def _quietly(self, db: sqlite3.Connection) -> bool:
        """Work for idle times; it may wait for ever, so a failure ends it until the next write."""
        try:
            while self.idle(db):
                if not self._queue.empty():
                    return True
        except sqlite3.Error:
            pass
        return False

    def _batch(self, first: Waiting | None) -> tuple[list[Waiting], bool]:
        batch = [] if first is None else [first]
        last = first is None
        while len(batch) < MOST and not last:
            try:
                item = self._queue.get_nowait()
            except Empty:
                break
            if item is None:
                last = True
            else:
                batch.append(item)
        return batch, last

    def _commit(self, db: sqlite3.Connection, batch: list[Waiting]) -> list[Done]:
        """One transaction for the batch. Where all of it fails each job gets one of its own, so none fails for another."""
        done: list[Done] = []
        try:
            db.execute("BEGIN IMMEDIATE")
            deltas = Deltas()
            for job, future in batch:
                done.append((future, *self._one(db, job, deltas)))
            deltas.flush(db)
            db.execute("COMMIT")
        except Exception as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self.undone()
            failure = store_error(error)
            if len(batch) == 1 or failure.retryable:
                return [(future, None, failure) for _, future in batch]
            return [settled for item in batch for settled in self._commit(db, [item])]
        return done

    def _one(self, db: sqlite3.Connection, job: Job, deltas: Deltas) -> tuple[Any, StoreError | None]:
        """Run a job; one that fails takes only itself back. Raises what ended the whole transaction."""
        db.execute("SAVEPOINT job")
        own = Deltas()
        try:
            result = job(db, own)
        except Exception as error:
            if not db.in_transaction:
                raise
            db.execute("ROLLBACK TO job")
            db.execute("RELEASE job")
            self.undone()
            return None, store_error(error)
        db.execute("RELEASE job")
        deltas.add(own)
        return result, None

    def _tell(self, done: Sequence[Done]) -> None:
        """Resolve the futures on the loop; one that was closed meanwhile has nobody waiting."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(_settle, done)
        except RuntimeError:
            return


def _settle(done: Sequence[Done]) -> None:
    for future, result, error in done:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
