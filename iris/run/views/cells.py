"""Cells of Markdown tables and of blocks of separated values, as spans."""

from __future__ import annotations

import re

from iris.run.views.lines import Span

# The spans of a row's label, of one of its cells and of that column's header.
Cell = tuple[Span, Span, Span | None]
_Line = tuple[int, str]
_Shape = tuple[str, int]

_MOST_COLUMNS = 100
_LONGEST_LINE = 1000
_LONGEST_VALUE = 60  # a longer stretch between commas is a clause
_FEWEST_ROWS = 2
_PROSE_END = ".!?:,;"
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_NUMBER = re.compile(r"[-+(~<>$€£]*\d")
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
_MARKS = {"|": re.compile(r"(?<!\\)\|"), "\t": re.compile("\t"), ";": re.compile(";"), ",": re.compile(",")}
_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*"(?!")')
_AROUND_VALUE = ' \t\r*`"'


def table_cells(text: str) -> list[Cell]:
    """Give every cell of the tables of a text with the label of its row and the header of its column.

    A table has at least two rows of equal length: Markdown rows, or lines of values set apart by tabs,
    semicolons or commas. The header is None when the first row holds a number.
    """
    if "\n" not in text or not ("|" in text or "," in text or ";" in text or "\t" in text):
        return []
    cells: list[Cell] = []
    block: list[_Line] = []
    shape: _Shape | None = None
    start = 0
    for line in text.split("\n"):
        found = _shape(line) if line else None
        if found != shape:
            if shape and len(block) >= _FEWEST_ROWS:
                _read(cells, block, shape)
            block, shape = [], found
        if found:
            block.append((start, line))
        start += len(line) + 1
    if shape and len(block) >= _FEWEST_ROWS:
        _read(cells, block, shape)
    return cells


def _shape(line: str) -> _Shape | None:
    """Give the separator of a line and its number of columns, or None when it is no row."""
    if len(line) > _LONGEST_LINE:
        return None
    if "|" in line:
        mark = "|"
    elif line[-1] in _PROSE_END:
        return None
    else:
        mark = "\t" if "\t" in line else ";" if ";" in line else ","
    count = line.count(mark)
    if not 0 < count <= _MOST_COLUMNS or (mark != "|" and len(line) > _LONGEST_VALUE * (count + 1)):
        return None
    columns = count + 1 if mark != "|" and '"' not in line else len(_split(line, mark))
    return (mark, columns) if columns > 1 else None


def _split(line: str, mark: str) -> list[Span]:
    """Give the spans of a row's values within its line, without the space and emphasis around them."""
    quoted = [field.span() for field in _QUOTED.finditer(line)] if '"' in line and mark != "|" else []
    spans = []
    start = 0
    for found in _MARKS[mark].finditer(line):
        if not any(first < found.start() < last for first, last in quoted):
            spans.append(_trim(line, start, found.start()))
            start = found.end()
    spans.append(_trim(line, start, len(line)))
    if mark == "|":
        return spans[line.lstrip().startswith("|") : len(spans) - (spans[-1][0] == spans[-1][1])]
    return spans


def _trim(line: str, start: int, end: int) -> Span:
    value = line[start:end]
    first = start + len(value) - len(value.lstrip(_AROUND_VALUE))
    return first, max(first, end - len(value) + len(value.rstrip(_AROUND_VALUE)))


def _read(cells: list[Cell], block: list[_Line], shape: _Shape) -> None:
    """Add the cells of a block of lines of one shape, if it is a table."""
    mark, _ = shape
    ruled = mark == "|" and bool(_RULE.fullmatch(block[1][1]))
    rows = [(start, line, _split(line, mark)) for start, line in block]
    if mark != "|" and not _is_separated(rows, mark):
        return
    _, first_line, header = rows[0]
    has_header = ruled or not any(_is_number(first_line, span) for span in header[1:])
    for start, _, row in rows[has_header + ruled :]:
        label = row[0]
        if label[0] == label[1]:
            continue
        for column, span in enumerate(row[1:], 1):
            if span[0] < span[1]:
                top = _moved(header[column], block[0][0]) if has_header else None
                cells.append((_moved(label, start), _moved(span, start), top))


def _is_separated(rows: list[tuple[int, str, list[Span]]], mark: str) -> bool:
    """Whether lines with equally many separators are rows of values, not lines of prose."""
    if any(last - first > _LONGEST_VALUE for _, _, row in rows for first, last in row):
        return False
    if mark == "," and all(_THOUSANDS.sub("", line).count(",") == 0 for _, line, _ in rows):
        return False
    _, line, row = rows[-1]
    if any(_is_number(line, span) for span in row[1:]):
        return True
    return mark == "\t" or (len(row) > _FEWEST_ROWS and mark + " " not in line)


def _is_number(line: str, span: Span) -> bool:
    return bool(_NUMBER.match(line, *span))


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
