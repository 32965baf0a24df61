"""The one diagnostic type of Iris: what is wrong, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of one line of a file. Line and column count from 1, in code points."""

    file: str
    line: int
    column: int
    length: int = 1
    source_line: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake of a person: a stable code, a sentence, a place, a label under the caret, one help line."""

    code: str
    message: str
    place: Place | None = None
    label: str = ""
    help: str = ""
    severity: str = "error"


class ProblemsFound(Exception):
    """Raised by a stage that cannot go on; carries every problem found so far."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{p.code} {p.message}" for p in problems[:5]))
        self.problems = problems
