"""YAML text to nodes that remember their place, and places inside a scalar's value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from iris.problems import Place, Problem


@dataclass(frozen=True, slots=True)
class Source:
    """One file as it was read."""

    file: str
    text: str
    line_starts: tuple[int, ...]

    @classmethod
    def of(cls, file: str, text: str) -> Source:
        """Remember where each line starts, so that an index becomes a place."""
        starts = [0]
        for i, character in enumerate(text):
            if character == "\n":
                starts.append(i + 1)
        return cls(file, text, tuple(starts))

    def place(self, index: int, length: int = 1) -> Place:
        """Give the place of a character index; the length stays on its line."""
        index = max(0, min(index, len(self.text)))
        row = bisect_right(self.line_starts, index) - 1
        start = self.line_starts[row]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        length = max(1, min(length, max(len(line) - (index - start), 1)))
        return Place(self.file, row + 1, index - start + 1, length, line)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: its value, how it was written, and its stretch of the file."""

    source: Source
    start: int
    end: int
    text: str
    style: str
    """`plain`, `single`, `double`, `literal` or `folded`."""

    def place(self) -> Place:
        """Where the scalar stands."""
        return self.source.place(self.start, max(self.end - self.start, 1))

    def place_of(self, start: int, end: int) -> Place:
        """Where the characters [start, end) of the value stand in the file."""
        indexes = value_indexes(self)
        if indexes is None or not indexes:
            return self.place()
        start = min(start, len(indexes) - 1)
        last = min(max(end - 1, start), len(indexes) - 1)
        return self.source.place(indexes[start], indexes[last] - indexes[start] + 1)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping with its keys in order; keys are scalars and occur once."""

    source: Source
    start: int
    end: int
    items: tuple[tuple[Scalar, YamlNode], ...]

    def place(self) -> Place:
        """Where the mapping begins."""
        return self.source.place(self.start)

    def get(self, key: str) -> YamlNode | None:
        """The value of a key, or None."""
        return next((v for k, v in self.items if k.text == key), None)

    def key(self, name: str) -> Scalar | None:
        """The key itself, for its place."""
        return next((k for k, _ in self.items if k.text == name), None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence."""

    source: Source
    start: int
    end: int
    items: tuple[YamlNode, ...]

    def place(self) -> Place:
        """Where the sequence begins."""
        return self.source.place(self.start)


YamlNode = Scalar | Mapping | Sequence


def problem_at(code: str, message: str, node: YamlNode, label: str = "", help_line: str = "") -> Problem:
    """Make a problem that points at a node."""
    return Problem(code, message, node.place(), label, help_line)


def value_indexes(scalar: Scalar) -> list[int] | None:
    """Map each character of a scalar's value to its index in the file.

    None when the mapping can not be proven by rebuilding the value; the caller then points at the whole scalar.
    """
    raw = scalar.source.text[scalar.start : scalar.end]
    pairs = list(_pairs(raw, scalar.style))
    while len(pairs) > len(scalar.text) and pairs and pairs[-1][0] in " \n":
        pairs.pop()
    if "".join(c for c, _ in pairs) != scalar.text:
        return None
    return [scalar.start + i for _, i in pairs]


def _pairs(raw: str, style: str) -> Iterator[tuple[str, int]]:
    if style in ("literal", "folded"):
        return _block(raw, style == "folded")
    if style == "single":
        return _fold_flow(list(_single(raw)))
    if style == "double":
        return _fold_flow(list(_double(raw)))
    return _fold_flow([(c, i, False) for i, c in enumerate(raw.rstrip())])


def _single(raw: str) -> Iterator[tuple[str, int, bool]]:
    i, end = 1, len(raw.rstrip()) - 1
    while i < end:
        yield raw[i], i, False
        i += 2 if raw[i] == "'" else 1


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


def _double(raw: str) -> Iterator[tuple[str, int, bool]]:
    i, end = 1, len(raw.rstrip()) - 1
    while i < end:
        if raw[i] != "\\":
            yield raw[i], i, False
            i += 1
            continue
        letter = raw[i + 1]
        if letter in HEX_ESCAPES:
            width = HEX_ESCAPES[letter]
            yield chr(int(raw[i + 2 : i + 2 + width], 16)), i, True
            i += 2 + width
        else:
            yield ESCAPES.get(letter, letter), i, True
            i += 2


def _fold_flow(items: list[tuple[str, int, bool]]) -> Iterator[tuple[str, int]]:
    """Line breaks inside a flow scalar become one space, or n-1 newlines for n breaks."""
    i = 0
    while i < len(items):
        character, at, _ = items[i]
        j = i
        while j < len(items) and items[j][0] in " \t\n\r" and not items[j][2]:
            j += 1
        breaks = sum(1 for k in range(i, j) if items[k][0] == "\n")
        if breaks:
            for k in range(max(breaks - 1, 1)):
                yield (" " if breaks == 1 else "\n"), items[i + k][1]
            i = j
        else:
            yield character, at
            i += 1


def _block(raw: str, folded: bool) -> Iterator[tuple[str, int]]:
    """The lines of a block scalar without their indentation, joined as its style says (YAML 1.2, 8.1)."""
    at = raw.find("\n") + 1
    lines: list[tuple[int, str]] = []
    for line in raw[at:].splitlines(keepends=True):
        lines.append((at, line))
        at += len(line)
    indent = min((len(x) - len(x.lstrip(" ")) for _, x in lines if x.strip()), default=0)
    bodies = [line.rstrip("\r\n")[indent:] for _, line in lines]
    for row, (start, line) in enumerate(lines):
        for k, character in enumerate(bodies[row]):
            yield character, start + indent + k
        end = start + len(line.rstrip("\r\n"))
        if line.endswith("\n") and (join := _join(bodies, row) if folded else "\n"):
            yield join, end


def _join(bodies: list[str], row: int) -> str:
    """What a folded scalar makes of the break after a line: a space, a line break, or nothing before blank lines."""
    rest = [body for body in bodies[row + 1 :] if body]
    if not bodies[row] or not rest or rest[0][0] in " \t" or bodies[row][0] in " \t":
        return "\n"
    return " " if bodies[row + 1] else ""
