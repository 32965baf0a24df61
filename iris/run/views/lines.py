"""Lines, paragraphs, fenced code and removed lines of diffs, as spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_BLANK = " \t\v\f\r\n\x1c\x1d\x1e\x85\u2028\u2029"
# A blank line, or a line that only holds the mark between the values of a JSON view.
_PARAGRAPH_BREAK = re.compile(r"\n(?:[ \t\r]*+(?:\n|¶[ \t\r]*+(?:\n|\Z)))+\s*+")
_BEFORE_FIRST = re.compile(r"\s*+(?:¶[ \t\r]*+(?:\n|\Z)\s*+)*")
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^\n]*+)")
_DIFF_INFO = re.compile(r"\s*(?:diff|patch|udiff)\b", re.IGNORECASE)
_HUNK_LINES = " +-\\"


def line_spans(text: str) -> list[Span]:
    """Give the lines that show something, without their terminators; pilcrow lines show nothing."""
    spans = []
    marked = "¶" in text
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if not line.isspace() and not (marked and line.strip() == "¶"):
            spans.append((start, start + len(line.rstrip(_BLANK))))
        start = end
    return spans


def block_spans(text: str) -> list[Span]:
    """Give the paragraphs: stretches between blank lines or pilcrow lines, trimmed of white space."""
    stop = len(text.rstrip())
    before = _BEFORE_FIRST.match(text, 0, stop)
    start = before.end() if before else 0
    spans = []
    for gap in _PARAGRAPH_BREAK.finditer(text, start, stop):
        end = gap.start()
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            spans.append((start, end))
        start = gap.end()
    if stop > start:
        spans.append((start, stop))
    return spans


def fenced_spans(text: str) -> list[Span]:
    """Give the contents of fenced code; an unclosed fence runs to the end of the text."""
    return [(start, end) for start, end, _ in _fences(text) if end > start]


def removed_spans(text: str) -> list[Span]:
    """Give the lines a diff takes away, in a diff fence or after an `@@` hunk header."""
    if "-" not in text or ("\n-" not in text and not text.startswith("-")):
        return []
    regions = [(start, end) for start, end, info in _fences(text) if _DIFF_INFO.match(info)]
    spans = [span for start, end in regions for span in _removed_in(text, start, end)]
    if "@@" in text:
        known = set(spans)
        spans.extend(span for span in _removed_in_hunks(text) if span not in known)
        spans.sort()
    return spans


def _fences(text: str) -> Iterator[tuple[int, int, str]]:
    """Give the content span and info text of each fence (CommonMark 4.5, at any depth of indentation)."""
    opened: tuple[str, int, str] | None = None
    for mark, info, start, end in _fence_lines(text):
        if opened is None:
            if not (mark[0] == "`" and "`" in info):
                opened = (mark, min(end + 1, len(text)), info)
        elif mark[0] == opened[0][0] and len(mark) >= len(opened[0]) and not info.strip():
            yield opened[1], max(opened[1], start - 1), opened[2]
            opened = None
    if opened is not None:
        yield opened[1], max(opened[1], len(text) - text.endswith("\n")), opened[2]


def _fence_lines(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Give the mark, the rest of the line and its span for each line that starts with a fence's mark."""
    if not ("`" in text and "```" in text) and not ("~" in text and "~~~" in text):
        return
    start = 0
    while start <= len(text):
        line = _FENCE.match(text, start)
        end = line.end() if line else text.find("\n", start)
        end = len(text) if end < 0 else end
        if line:
            yield line.group(1), line.group(2), start, end
        start = end + 1


def _removed_in(text: str, start: int, end: int) -> Iterator[Span]:
    """Give the lines of a diff fence that start with one minus sign."""
    for first, last in _lines_in(text, start, end):
        if text.startswith("-", first) and not text.startswith("--- ", first):
            yield first, last


def _removed_in_hunks(text: str) -> Iterator[Span]:
    """Give the removed lines of hunks; a hunk ends at the first line that cannot be part of it."""
    in_hunk = False
    for first, last in _lines_in(text, 0, len(text)):
        if text.startswith("@@", first):
            in_hunk = True
        elif first == last or text[first] not in _HUNK_LINES:
            in_hunk = False
        elif in_hunk and text[first] == "-":
            yield first, last


def _lines_in(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        last = text.find("\n", start, end)
        last = end if last < 0 else last
        yield start, last
        start = last + 1
