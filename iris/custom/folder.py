"""A folder of files that several processes share: changes under a lock, each file replaced whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from iris.custom.files import PACK
from iris.home import DIRECTORY

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without it has one process
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"


class Folder:
    """The folder of deployed rules."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> tuple[int, int] | None:
        """What changes when a file is added, replaced or removed: one call to the system."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_nlink

    def files(self) -> list[Path]:
        """The files of rules, by name."""
        if not self.path.is_dir():
            return []
        return sorted(p for p in self.path.glob("*.y*ml") if p.name != "pack.yaml" and not p.name.startswith("."))

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock of the folder, which is made when it is not there."""
        self.path.mkdir(parents=True, exist_ok=True, mode=DIRECTORY)
        with open(self.path / LOCK, "a", opener=_private) as lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            if not (self.path / "pack.yaml").exists():
                self.write("pack.yaml", PACK)
            yield

    def write(self, name: str, text: str) -> None:
        """Put a file in its place whole; it is on the disk when this returns."""
        handle, temporary = tempfile.mkstemp(dir=self.path, prefix=".writing-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        self._settled()

    def remove(self, path: Path) -> None:
        """Take a file away."""
        path.unlink(missing_ok=True)
        self._settled()

    def _settled(self) -> None:
        """Bring the folder itself to the disk."""
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        except OSError:
            return
        finally:
            os.close(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
