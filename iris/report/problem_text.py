"""Problems as a person reads them: the message, the line, a caret under the place, one line of help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris.problems import Place, Problem
from iris.report.paint import Paint
from iris.report.tally import plural
from iris.report.text import laid_out, visible

LONGEST = 200
"""Characters of a source line that are drawn; a longer one is cut around the place."""
LEAD = 80


def _cut(place: Place) -> tuple[str, int]:
    """Return the source line, cut when it is long, and the index of the place in it."""
    line = place.source_line.rstrip("\r\n")
    index = min(max(place.column - 1, 0), len(line))
    if len(line) <= LONGEST:
        return line, index
    start = max(0, min(index - LEAD, len(line) - LONGEST))
    stop = start + LONGEST
    head, tail = "…" if start else "", "…" if stop < len(line) else ""
    return head + line[start:stop] + tail, index - start + len(head)


def _drawn(place: Place, label: str) -> tuple[str, str]:
    """Return the source line and the line of carets under it."""
    line, index = _cut(place)
    text, offsets = laid_out(line)
    stop = min(index + max(place.length, 1), len(line))
    carets = max(offsets[stop] - offsets[index], 1)
    return text, " " * offsets[index] + "^" * carets + (f" {label}" if label else "")


def _lines(problem: Problem, paint: Paint) -> Iterator[str]:
    head = paint(problem.severity, f"{visible(problem.severity)}[{visible(problem.code)}]")
    yield f"{head}: {paint('bold', visible(problem.message))}"
    place, label = problem.place, visible(problem.label)
    gutter = " " * len(str(place.line)) if place else ""
    if place:
        yield f"{gutter}{paint('note', '-->')} {visible(place.file)}:{place.line}:{place.column}"
    if place and place.source_line:
        text, carets = _drawn(place, label)
        bar = paint("note", "|")
        yield f"{gutter} {bar}"
        yield f"{paint('note', str(place.line))} {bar} {text}"
        spaces = len(carets) - len(carets.lstrip())
        yield f"{gutter} {bar} {' ' * spaces}{paint(problem.severity, carets[spaces:])}"
    elif label:
        yield f"{gutter} = {label}"
    if problem.help:
        yield f"{gutter} {paint('note', '=')} help: {visible(problem.help)}"


def summary(problems: Sequence[Problem]) -> str:
    """Say how many problems there are, in how many files."""
    files = {problem.place.file for problem in problems if problem.place}
    count = plural(len(problems), "problem") if problems else "no problems"
    return f"{count} in {plural(len(files), 'file')}" if files else count


def text_of_problems(problems: Sequence[Problem], *, colour: bool = False) -> str:
    """Return problems as text, in the order given, and a summary line."""
    paint = Paint(colour)
    blocks = ["\n".join(_lines(problem, paint)) for problem in problems]
    return "\n\n".join([*blocks, paint("bold", summary(problems))]) + "\n"
