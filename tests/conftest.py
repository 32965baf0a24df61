"""What all tests share: a cache of their own, the command, and the labelled data where it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache directory of this test session."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("IRIS_CACHE_DIR")
    os.environ["IRIS_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["IRIS_CACHE_DIR"]
    else:
        os.environ["IRIS_CACHE_DIR"] = before


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of labelled development data, where it lies beside the checkout."""
    folder = ROOT.parent / "shared" / "data" / "dev"
    if not folder.is_dir():
        pytest.skip("labelled development data is not beside this checkout")
    return folder


@pytest.fixture
def iris(tmp_path: Path) -> Command:
    """Run the command in an empty folder; gives the finished process with its text."""

    def run(*args: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "iris", *args],
            input=data,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            timeout=300,
        )
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in out + err, out + err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run
