"""The Iris home: where an installation keeps its database, settings and rules. Nothing else reads IRIS_HOME."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iris.problems import Problem, ProblemsFound

VARIABLE = "IRIS_HOME"
DIRECTORY, FILE = 0o700, 0o600


@dataclass(frozen=True, slots=True)
class Home:
    """A folder and the names in it."""

    path: Path

    @property
    def database(self) -> Path:
        """Traces, evaluations and the audit log."""
        return self.path / "iris.db"

    @property
    def config(self) -> Path:
        """Settings of this installation."""
        return self.path / "config.json"

    @property
    def rules(self) -> Path:
        """Rules that were deployed: a pack."""
        return self.path / "rules"

    @property
    def runtime(self) -> Path:
        """Where the running server listens; written by the process that bound."""
        return self.path / "runtime.json"

    def shown(self, path: Path) -> str:
        """A path as it may be shown to others: from the home onwards."""
        try:
            return f"${VARIABLE}/{path.relative_to(self.path).as_posix()}"
        except ValueError:
            return path.name

    def prepare(self) -> None:
        """Make the folder, for its owner alone. Raises ProblemsFound (E831) when it can not be written."""
        try:
            private_folder(self.path)
            probe = self.path / f".probe-{os.getpid()}"
            probe.touch(mode=FILE)
            probe.unlink()
        except OSError as error:
            reason = "something that is no folder is there" if _blocked(error) else error.strerror or type(error).__name__
            message = f"the Iris home {self.path} can not be used ({reason}), so set {VARIABLE} to a folder of your own"
            raise ProblemsFound([Problem("E831", message, None, "", "or make that folder writable")]) from None


def home_of(environ: Mapping[str, str]) -> Home:
    """The home that the environment names, or ~/.iris; empty names none."""
    named = environ.get(VARIABLE, "").strip()
    # Absolute, so that a process that changes its directory keeps its home.
    return Home(Path(named or "~/.iris").expanduser().absolute())


def private_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, each for its owner alone; one that is there stays as it is.

    Raises OSError.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=DIRECTORY, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(20, "Not a directory")


def private(path: Path) -> None:
    """Make a file readable for its owner alone; a file system without owners goes on without."""
    with suppress(OSError):
        path.chmod(FILE)


def _blocked(error: OSError) -> bool:
    return isinstance(error, NotADirectoryError | FileExistsError)
