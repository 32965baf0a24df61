"""A folder of files that several processes share: changes under a lock, each file replaced whole."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from iris.custom.files import PACK
from iris.home import FILE, private_folder

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without it has one process
    fcntl = None  # type: ignore[assignment]

LOCK, UNFINISHED = ".lock", ".writing-"
PATIENCE = 5.0
"""Seconds to wait for another process that changes the folder."""

State = tuple[int, int]


class Folder:
    """The folder of deployed rules."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = os.fspath(path)
        self._newest = 0

    def state(self) -> State | None:
        """What changes when a file is added, replaced or removed: one call to the system."""
        try:
            found = os.stat(self._name)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino

    def files(self) -> list[os.DirEntry[str]]:
        """The files of rules, and those kept from an import, by name. Raises OSError when the folder can not be read."""
        try:
            with os.scandir(self._name) as entries:
                found = [e for e in entries if e.name.endswith((".yaml", ".yml", ".json")) and not e.name.startswith(".")]
        except FileNotFoundError:
            return []
        return sorted((e for e in found if e.name != "pack.yaml"), key=lambda e: e.name)

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock of the folder, which is made when it is not there. Raises OSError."""
        private_folder(self.path)
        with open(self.path / LOCK, "a", opener=_private) as lock:
            if fcntl is not None:
                _wait_for(lock.fileno())
            self._newest = os.stat(self._name).st_mtime_ns
            for left in self.path.glob(f"{UNFINISHED}*"):  # of a process that was killed: nobody else writes now
                left.unlink(missing_ok=True)
            if not (self.path / "pack.yaml").exists():
                self.write("pack.yaml", PACK)
            yield

    def write(self, name: str, text: str) -> None:
        """Put a file in its place whole; it is on the disk when this returns."""
        handle, temporary = tempfile.mkstemp(dir=self.path, prefix=UNFINISHED)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        self._settled()

    def remove(self, name: str) -> None:
        """Take a file away."""
        (self.path / name).unlink(missing_ok=True)
        self._settled()

    def _settled(self) -> None:
        """Bring the folder itself to the disk, with a date that it never had before.

        File systems date changes by the tick of a clock; two changes within one would look like one to a reader
        who saw the first.
        """
        found = os.stat(self._name)
        if found.st_mtime_ns <= self._newest:
            os.utime(self._name, ns=(found.st_atime_ns, self._newest + 1))
        self._newest = max(found.st_mtime_ns, self._newest + 1)
        folder = os.open(self._name, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # some file systems sync no folders
                os.fsync(folder)
        finally:
            os.close(folder)


def _wait_for(lock: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise OSError(errno.EAGAIN, "another process is changing the rules") from None
            time.sleep(0.003)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, FILE)
