"""Run a command of `iris` in this process, as a person would run it."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from iris.cli import run

HEAD = 'pack: {name}\nversion: 1.0.0\nengine: ">=1"\ntitle: Rules of a house\nlicence: MIT\n'
JUDGED_AT = "2026-01-31T12:00:00Z"
CLEAN = (
    "The nightly copy ran to its end. All tables were copied, and every row count agrees with the day before. "
    "Nothing was left out."
)
"""An answer that no built-in rule fails."""
LEAK = "Her number is 512-47-8830, as the record says; it is her SSN. Nothing else was written down there."
RUNS = [
    {"id": "clean", "output": CLEAN},
    {"id": "leak", "output": LEAK},
    {"id": "no answer", "input": "Did the copy run?"},
]


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    def lines(self) -> list[dict[str, Any]]:
        """The JSON objects of a `jsonl` report."""
        return [json.loads(line) for line in self.out.splitlines()]


def iris(*args: str | Path, stdin: bytes = b"") -> Result:
    """Run one command. An exception that it lets through would be a traceback, and fails the test."""
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(sys, "stdin", given):
        try:
            code = run([str(a) for a in args])
        except SystemExit as ended:
            code = int(ended.code or 0)
    assert "Traceback" not in out.getvalue() + err.getvalue()
    return Result(code, out.getvalue(), err.getvalue())


def write_runs(path: Path, runs: Iterable[Any]) -> Path:
    """Write runs as NDJSON."""
    path.write_text("".join(f"{json.dumps(r)}\n" for r in runs), encoding="utf-8")
    return path


def write_pack(folder: Path, files: Mapping[str, str], name: str = "house") -> Path:
    """Write a pack of some files into a folder; gives the pack's folder."""
    for file, text in {"pack.yaml": HEAD.format(name=name), **files}.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / name


Judge = Callable[..., Result]
"""Judges the bytes of a file, given options."""


def errors(result: Result) -> dict[int, str]:
    """The code of each record that could not be judged, by its place from 0."""
    return {i: record["error"]["code"] for i, record in enumerate(result.lines()) if "error" in record}


def text_of(**facts: str) -> str:
    """A rule with a few facts, whose condition and words can be changed."""
    chosen = {"title": "The answer is short", "kind": "detection", "most": "5", "config": "", "critical": "false", **facts}
    return (
        "rule: short\ntitle: {title}\nkind: {kind}\ncritical: {critical}\n{config}"
        "fail_when: size(words(output)) > {most}\n"
        "cases:\n  - {{name: long, run: {{output: a b c d e f g h}}, expect: fail}}\n"
        "  - {{name: short, run: {{output: a}}, expect: pass}}\n"
    ).format(**chosen)
