"""What only SQLite has: files, locks, full disks, crashes."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iris.store.interface import LOCAL, AuditEntry, NewTrace, StoreError, TraceQuery
from iris.store.sqlite import SqliteStore
from iris.store.sqlite.connect import connect
from iris.store.sqlite.migrations import migrate
from iris.store.sqlite.schema import STEPS
from iris.store.sqlite.search import forget_texts, tend
from tests.store.making import at, failing, judged, trace
from tests.store.opening import opened

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("writing.py")
ROUNDS = 20


async def test_the_connections_are_set_as_documented(tmp_path: Path) -> None:
    """Fault 135: deleted bytes are overwritten; reads can not write."""
    async with opened(tmp_path / "a.db") as store:
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")
        found = await store._writer.write(lambda db, deltas: [db.execute(f"PRAGMA {name}").fetchone()[0] for name in names])
        assert found == ["wal", 2, 1, 1, 5000]
        with pytest.raises(StoreError) as refused:
            await store._fetch("DELETE FROM audit")
        assert refused.value.reason == "readonly"
        with pytest.raises(StoreError):
            await store._fetch("SELECT load_extension('x')")


def test_no_acknowledged_write_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """Fault 139: at a random moment of mixed writes, again and again on the same database."""
    path = tmp_path / "a.db"
    told: dict[str, set[str]] = {kind: set() for kind in ("added", "judged", "deleting", "deleted")}
    for number in range(ROUNDS):
        with subprocess.Popen([sys.executable, str(SCRIPT), str(path), str(number)], stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.02 + number % 7 * 0.02)
            process.kill()
            for line in process.stdout.read().splitlines(keepends=True):
                if line.endswith("\n"):
                    kind, name = line.split()
                    told[kind].add(name)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        traces = {row[0] for row in db.execute("SELECT trace_id FROM traces")}
        evaluations = {row[0] for row in db.execute("SELECT evaluation_id FROM evaluations")}
        orphans = "SELECT count(*) FROM spans WHERE trace_id NOT IN (SELECT trace_id FROM traces)"
        assert db.execute(orphans).fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM traces WHERE seq NOT IN (SELECT seq FROM spans)").fetchone() == (0,)
        assert db.execute("SELECT sum(n) FROM tallies").fetchone() == (len(traces),)
        assert db.execute("SELECT sum(traces), sum(evaluations) FROM totals WHERE width = 60").fetchone() == (len(traces), len(evaluations))
    assert len(told["added"]) > 100
    assert told["added"] - told["deleting"] <= traces
    assert told["judged"] <= evaluations
    assert not told["deleted"] & traces


def test_two_processes_open_one_cold_database_and_both_write(tmp_path: Path) -> None:
    """Faults 137, 138; Reports B193."""
    for number in range(3):
        path = tmp_path / f"{number}.db"
        command = [sys.executable, str(SCRIPT), str(path), "0", "40"]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) for _ in range(2)]
        told = [process.communicate(timeout=60)[0].splitlines() for process in processes]
        assert [process.returncode for process in processes] == [0, 0]
        lines = [line.split() for output in told for line in output if " " in line]
        added, deleted = ({name for kind, name in lines if kind == wanted} for wanted in ("added", "deleted"))
        with contextlib.closing(sqlite3.connect(path)) as db:
            assert {row[0] for row in db.execute("SELECT trace_id FROM traces")} == added - deleted


async def test_a_lock_held_elsewhere_is_an_error_to_try_again_and_reads_go_on(tmp_path: Path) -> None:
    async with opened(tmp_path / "a.db") as store:
        await store.add_traces(LOCAL, [NewTrace(trace())])
        await store._writer.write(lambda db, deltas: None)
        with contextlib.closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            begun = time.monotonic()
            waiting = asyncio.create_task(store.add_traces(LOCAL, [NewTrace(trace())]))
            await asyncio.sleep(0.05)
            assert (await store.traces(LOCAL, TraceQuery())).total == 1
            assert time.monotonic() - begun < 2
            with pytest.raises(StoreError) as refused:
                await waiting
            assert 4 < time.monotonic() - begun < 8
            assert (refused.value.retryable, refused.value.reason) == (True, "busy")
            other.execute("ROLLBACK")
        await store.add_traces(LOCAL, [NewTrace(trace())])
        assert (await store.traces(LOCAL, TraceQuery())).total == 2


async def test_a_full_disk_is_said_and_corrupts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with opened(path) as store:
        await store.add_traces(LOCAL, [judged(failing("r"))])
        pages = await store._writer.write(lambda db, deltas: db.execute("PRAGMA page_count").fetchone()[0])
        await store._writer.write(lambda db, deltas: db.execute(f"PRAGMA max_page_count = {pages + 30}") and None)
        big = [NewTrace(trace(output="x" * 40_000)) for _ in range(12)]
        done = await asyncio.gather(*(store.add_traces(LOCAL, [new]) for new in big), return_exceptions=True)
        refused = [error for error in done if error is not None]
        assert 0 < len(refused) < len(done)
        assert all(isinstance(e, StoreError) and e.reason == "full" and not e.retryable and str(path) not in str(e) for e in refused)
        page = await store.traces(LOCAL, TraceQuery())
        assert page.total == len(page.rows) == 1 + len(done) - len(refused)
        await store._writer.write(lambda db, deltas: db.execute("PRAGMA max_page_count = 1000000") and None)
        await store.add_traces(LOCAL, [big[-1]] if done[-1] else [NewTrace(trace())])
        assert await store._fetch("PRAGMA integrity_check") == [("ok",)]


async def test_a_database_that_can_not_be_written_or_is_none_is_said_without_a_path(tmp_path: Path) -> None:
    """Fault 144."""
    (tmp_path / "text.db").write_text("no database at all, but long enough to be one " * 100)
    (tmp_path / "folder.db").mkdir()
    for path, reason in ((tmp_path / "none" / "a.db", "unopened"), (tmp_path / "folder.db", "unopened"), (tmp_path / "text.db", "no_database")):
        store = SqliteStore(path)
        with pytest.raises(StoreError) as refused:
            await store.open()
        assert refused.value.reason == reason
        assert str(tmp_path) not in str(refused.value)
        await store.close()
    assert (tmp_path / "text.db").read_text().startswith("no database at all")


async def test_a_database_that_became_read_only_is_said_and_can_be_read(tmp_path: Path) -> None:
    async with opened(tmp_path / "a.db") as store:
        await store.add_traces(LOCAL, [NewTrace(trace())])
        await store._writer.write(lambda db, deltas: None)
        setter = store._writer.idle

        def read_only(db: sqlite3.Connection) -> bool:
            db.execute("PRAGMA query_only = ON")
            return False

        store._writer.idle = read_only
        await asyncio.sleep(0.3)
        await store.check()
        await asyncio.sleep(0.3)
        with pytest.raises(StoreError) as refused:
            await store.add_traces(LOCAL, [NewTrace(trace())])
        assert refused.value.reason == "readonly"
        assert (await store.traces(LOCAL, TraceQuery())).total == 1
        store._writer.idle = setter


async def test_a_database_of_a_newer_iris_is_refused_by_its_name(tmp_path: Path) -> None:
    """Fault 140; a newer step that older readers can live with is no obstacle."""
    path = tmp_path / "a.db"
    async with opened(path) as store:
        await store.add_traces(LOCAL, [NewTrace(trace())])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO _iris_migrations VALUES (98, '', '8.0.0', 1)")
    async with opened(path) as store:
        assert (await store.traces(LOCAL, TraceQuery())).total == 1
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO _iris_migrations VALUES (99, '', '9.9.9', 99)")
    before = path.read_bytes()
    store = SqliteStore(path)
    with pytest.raises(StoreError, match=r"9\.9\.9") as refused:
        await store.open()
    assert (refused.value.reason, refused.value.retryable) == ("newer", False)
    assert path.read_bytes() == before


def test_an_older_database_is_upgraded_once_and_keeps_its_rows(tmp_path: Path) -> None:
    """Fault 138: the second process finds the step done."""
    path = tmp_path / "a.db"
    with contextlib.closing(connect(path)) as db:
        migrate(db)
        db.execute("INSERT INTO preferences VALUES ('local', 'theme', '\"dark\"')")
    later = (*STEPS, (2, "ALTER TABLE preferences ADD COLUMN note TEXT; CREATE TABLE more (a TEXT)"))
    with contextlib.closing(connect(path)) as one, contextlib.closing(connect(path)) as two:
        migrate(one, later)
        migrate(two, later)
        assert one.execute("SELECT name, value, note FROM preferences").fetchall() == [("theme", '"dark"', None)]
        assert [row[0] for row in two.execute("SELECT id FROM _iris_migrations ORDER BY id")] == [1, 2]


def test_a_step_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    with contextlib.closing(connect(tmp_path / "a.db")) as db:
        migrate(db)
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, (*STEPS, (2, "CREATE TABLE half (a TEXT); CREATE TABLE traces (a TEXT)")))
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchone() is None
        assert [row[0] for row in db.execute("SELECT id FROM _iris_migrations")] == [1]


async def test_deleted_texts_leave_the_files(tmp_path: Path) -> None:
    """Faults 133, 135: not in the database, not in its log, not among the words of the index."""
    path, secret = tmp_path / "a.db", "Xylophonquartz"
    async with opened(path) as store:
        for i in range(30):
            await store.add_traces(LOCAL, [NewTrace(trace(output=f"filler {i}"))])
        new = judged(failing("r", suggestions=[secret]), output=f"the {secret} " * 50)
        await store.add_traces(LOCAL, [new])
        assert (await store.traces(LOCAL, TraceQuery(text=(secret,)))).total == 1
        trace_id = new.trace["trace_id"]
        await store.delete_trace(LOCAL, trace_id, AuditEntry(at(), "trace.delete", trace_id=trace_id))

        def found() -> bool:
            texts = [p.read_bytes().lower() for p in (path, path.with_name("a.db-wal")) if p.exists()]
            return any(secret.lower().encode() in text for text in texts)

        for _ in range(60):
            await asyncio.sleep(0.1)
            if not found():
                break
        assert not found()


async def test_without_full_text_search_words_are_looked_for_in_the_texts(tmp_path: Path) -> None:
    async with opened(tmp_path / "a.db") as store:
        await store._writer.write(lambda db, deltas: db.execute("DROP TABLE trace_text") and None)
        store._writer.searchable = False
        new = NewTrace(trace(output="some 50% WORDS\0behind"))
        await store.add_traces(LOCAL, [new, NewTrace(trace(output="others"))])
        for words in (("words",), ("50%",), ("behind", "some")):
            page = await store.traces(LOCAL, TraceQuery(text=words))
            assert [row["trace_id"] for row in page.rows] == [new.trace["trace_id"]]
        assert await store.delete_trace(LOCAL, new.trace["trace_id"], AuditEntry(at(), "trace.delete"))


def test_the_index_is_tended_until_nothing_waits(tmp_path: Path) -> None:
    with contextlib.closing(connect(tmp_path / "a.db")) as db:
        migrate(db)
        assert not tend(db)
        forget_texts(db, 1)
        assert db.execute("SELECT value FROM marks WHERE name = 'indexed'").fetchone() == (0,)
