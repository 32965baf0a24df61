"""The shape that all reporters share, and the settings they are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from iris.report.judged import Judged


class Reporter(Protocol):
    """Turns judged runs into text as they come; the texts joined in order are the report."""

    def start(self) -> str:
        """Return what stands before the first run."""
        ...

    def item(self, judged: Judged) -> str:
        """Return what is written for one run."""
        ...

    def end(self) -> str:
        """Return what stands after the last run."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of every reporter; each one reads only those that concern it."""

    colour: bool = False
    width: int = 100
    """Columns of the terminal."""
    verbose: bool = False
    version: str = ""
    """Version of Iris, for formats that name their tool."""
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Rule name to `title`, `about` and `remedy`, for formats that carry help."""
    summary_file: str | None = None
    """File that a CI job summary is appended to; GITHUB_STEP_SUMMARY when None."""


Factory = Callable[[Options], Reporter]
