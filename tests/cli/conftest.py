"""Where the commands of these tests run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.problems import golden

from .command import RUNS, Judge, Result, iris, write_runs


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty folder to stand in, with the small stub as the built-in packs."""
    with golden.scratch() as folder:
        yield folder


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Judge the bytes of a file, one JSON object a run."""

    def judged(data: bytes, *more: str) -> Result:
        path = tmp_path / "runs"
        path.write_bytes(data)
        return iris("eval", path, "--format", "jsonl", "--fail-on", "never", *more)

    return judged


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A run that passes, one that fails, and one that can not be judged."""
    return write_runs(tmp_path / "runs.jsonl", RUNS)
