"""Problems of packs and settings in four formats: for people, programs, code scanning and build logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from iris.problems import Problem
from iris.report.github import command
from iris.report.jsontext import to_json
from iris.report.problem_text import text_of_problems
from iris.report.sarif_parts import SCHEMA, VERSION, location, tool
from iris.report.text import visible

SARIF_LEVELS = {"error": "error", "warning": "warning"}
GITHUB_LEVELS = {"error": "error", "warning": "warning"}


def render_problems(problems: Sequence[Problem], format: str, *, colour: bool = False) -> str:  # noqa: A002 - the public name
    """Return problems as `text`, `json`, `sarif` or `github`. Raises ValueError for another format."""
    if format == "text":
        return text_of_problems(problems, colour=colour)
    writer = problem_formats().get(format)
    if writer is None:
        raise ValueError(f"unknown format {format!r}; formats are text, {', '.join(problem_formats())}")
    return writer(problems)


def problem_formats() -> dict[str, Callable[[Sequence[Problem]], str]]:
    """Return the formats for programs by name."""
    return {"json": _as_json, "sarif": _as_sarif, "github": _as_github}


def _as_json(problems: Sequence[Problem]) -> str:
    return to_json([asdict(problem) for problem in problems], indent=2) + "\n"


def _as_sarif(problems: Sequence[Problem]) -> str:
    codes = list(dict.fromkeys(problem.code for problem in problems))
    rules = [{"id": code, "help": {"text": f"See `iris explain {code}`."}} for code in codes]
    results = [_sarif_result(problem, codes.index(problem.code)) for problem in problems]
    run = {"tool": tool(rules), "columnKind": "unicodeCodePoints", "results": results}
    return to_json({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2) + "\n"


def _sarif_result(problem: Problem, index: int) -> dict[str, Any]:
    place = problem.place
    return {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": SARIF_LEVELS.get(problem.severity, "note"),
        "message": {"text": ". ".join(visible(part) for part in _parts(problem))},
        "locations": [location(place.file, place.line, place.column, place.length)] if place else [],
    }


def _as_github(problems: Sequence[Problem]) -> str:
    return "".join(_github_line(problem) for problem in problems)


def _github_line(problem: Problem) -> str:
    where: dict[str, str | int] = {}
    if problem.place:
        where = {"file": problem.place.file, "line": problem.place.line, "col": problem.place.column}
    level = GITHUB_LEVELS.get(problem.severity, "notice")
    return command(level, "\n".join(_parts(problem)), **where, title=problem.code)


def _parts(problem: Problem) -> list[str]:
    return [part for part in (problem.message, problem.label, problem.help) if part]
