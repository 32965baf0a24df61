"""One JSON line a run, in the order of the input, for other programs."""

from __future__ import annotations

from typing import Any

from iris.problems import Problem
from iris.report.jsontext import to_json
from iris.report.judged import Judged
from iris.report.veil import veil_of


def error_of(problem: Problem | None, judged: Judged) -> dict[str, Any]:
    """Return the error object of a run that was not judged; the line of the file itself is left out."""
    # A run that could not be read may hold anything, secrets too.
    code, message, help_ = (problem.code, problem.message, problem.help) if problem else ("", "not judged", "")
    error = {"code": code, "message": message, "recovery": [help_] if help_ else []}
    return {**error, "file": judged.file, "line": judged.line}


def record_of(judged: Judged) -> dict[str, Any]:
    """Return what is written for one run: its evaluate_output result, or its id and error."""
    if judged.result is None:
        return {"id": judged.run_id, "error": error_of(judged.error, judged)}
    record: dict[str, Any] = veil_of(judged).scrub(judged.result)
    return record


class Jsonl:
    """Writes one object a line."""

    def start(self) -> str:
        """Return nothing: lines have no frame."""
        return ""

    def item(self, judged: Judged) -> str:
        """Return the line of one run."""
        return to_json(record_of(judged)) + "\n"

    def end(self) -> str:
        """Return nothing: lines have no frame."""
        return ""
