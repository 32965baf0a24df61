"""Settings from each layer to values by dotted name; every mistake is a problem that names where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from iris.config.table import BOOLEAN_WORDS, KINDS, LARGEST, TABLE, UNITS, Entry
from iris.jsontext import Node, line_and_column, read_json
from iris.problems import Place, Problem

BY_NAME = {entry.name: entry for entry in TABLE}
SECTIONS = {".".join(entry.name.split(".")[:i]) for entry in TABLE for i in range(1, entry.name.count(".") + 1)}
SIZE = re.compile(r"^(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)$", re.IGNORECASE)
LONG_KEY = 10
"""Characters from which a key may be written three letters wrong and still be recognised, instead of two."""
Values = dict[str, tuple[Any, str]]
"""Each setting by name: the value, and what set it."""


class File:
    """A config.json as it was read: its text, for places."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def place(self, start: int, end: int) -> Place:
        """A stretch of the file; it stays on its line."""
        line, column = line_and_column(self.text, start)
        source = self.text.split("\n")[line - 1].rstrip("\r")
        if "apikey" in source.lower():  # messages end in logs, which are no place for a key
            return Place(self.name, line, column)
        return Place(self.name, line, column, max(1, min(end - start, len(source) - column + 1)), source)


def from_file(path: Path, problems: list[Problem]) -> Values:
    """The settings of config.json; a file that is not there sets nothing."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(Problem("E821", f"{path} can not be read: {error.strerror}", None, "", "make it readable, or remove it"))
        return {}
    except UnicodeDecodeError:
        problems.append(Problem("E821", f"{path} is not UTF-8", None, "", "save the file as UTF-8"))
        return {}
    file, values = File(path.name, text), {}
    document = _document(file, problems)
    if document is not None:
        values = _section(document, "", file, problems)
    return values


def _document(file: File, problems: list[Problem]) -> Node | None:
    try:
        root = read_json(file.text)
    except json.JSONDecodeError as error:
        place = file.place(error.pos, error.pos + 1)
        message = f"not JSON: {error.msg} (line {place.line}, column {place.column})"
        problems.append(Problem("E821", message, place, "here", "correct the file, or remove it"))
        return None
    for name, start, first in _twice(root, ""):
        place = file.place(start, start + len(name) + 2)
        message = f"`{name}` stands twice"
        problems.append(
            Problem("E821", message, place, "again", f"first on line {line_and_column(file.text, first)[0]}; keep one")
        )
    if isinstance(root.value, dict):
        return root
    problems.append(
        Problem("E821", "the file must hold an object", file.place(root.start, root.end), "no object", 'such as {"packs": []}')
    )
    return None


def _twice(node: Node, prefix: str) -> Iterator[tuple[str, int, int]]:
    """Keys that an object has twice, at every level: the dotted name, where, and where first."""
    seen: dict[str, int] = {}
    for key, start, child in node.items:
        if key in seen:
            yield f"{prefix}{key}", start, seen[key]
        seen.setdefault(key, start)
        yield from _twice(child, f"{prefix}{key}.")
    for child in node.elements:
        yield from _twice(child, prefix)


def _section(section: Node, prefix: str, file: File, problems: list[Problem]) -> Values:
    values: Values = {}
    for key, start, node in section.items:
        name = f"{prefix}{key}"
        entry, at = BY_NAME.get(name), file.place(node.start, node.end)
        if entry is not None:
            _keep(entry, node.value, "file", values, problems, at)
        elif name in SECTIONS and isinstance(node.value, dict):
            values |= _section(node, f"{name}.", file, problems)
        elif name in SECTIONS:
            problems.append(Problem("E823", f"`{name}` must be an object", at, "no object", "its settings by name"))
        else:
            at = file.place(start, start + len(key) + 2)
            problems.append(Problem("E822", f"there is no setting `{name}`", at, "unknown setting", nearest(name)))
    return values


def nearest(name: str) -> str:
    """The known setting a name was meant to be, or those of its section."""
    parent, _, key = name.rpartition(".")
    prefix = f"{parent}." if parent else ""
    known = {n.removeprefix(prefix).split(".")[0] for n in BY_NAME if n.startswith(prefix)}
    meant = near_key(key, known)
    if meant:
        return f"did you mean `{prefix}{meant}`?"
    elsewhere = sorted(n for n in BY_NAME if n.rpartition(".")[2].lower() == key.lower())
    if elsewhere:
        return "did you mean " + " or ".join(f"`{n}`" for n in elsewhere) + "?"
    return f"known {'in `' + parent + '`' if parent else 'here'}: " + ", ".join(sorted(known))


def near_key(key: str, known: Iterable[str]) -> str | None:
    """The known key that is two letters away at most, three for a long one; upper and lower case are the same."""
    from rapidfuzz.distance import Levenshtein

    reach = 3 if len(key) >= LONG_KEY else 2
    close = sorted((Levenshtein.distance(key.lower(), word.lower()), word) for word in known)
    # A word as short as the reach would be near to everything.
    return next((word for far, word in close if far <= reach and far < len(word)), None)


def _keep(entry: Entry, value: Any, source: str, values: Values, problems: list[Problem], place: Place | None = None) -> None:
    test, wanted = KINDS[entry.kind]
    if not test(value) or (entry.kind == "size" and size_of(value) is None):
        name = f"`{entry.name}`" if place is not None else source
        secret = entry.name == "security.apiKey"
        shown = "another value" if secret else _shown(value)
        hint = f"now {shown}" if place is not None else f"now {shown}; it sets `{entry.name}`"
        problems.append(Problem("E823", f"{name} must be {wanted}", place, f"not {wanted}" if len(wanted) < 60 else "", hint))
    else:
        values[entry.name] = (size_of(value) if entry.kind == "size" else value, source)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return f"`{text[:60]}{'…' if len(text) > 60 else ''}`"


def size_of(value: Any) -> int | None:
    """A size in bytes; None for what is none."""
    if isinstance(value, int):
        size = value
    else:
        found = SIZE.match(value.strip())
        if found is None or found[2].lower() not in UNITS:
            return None
        size = int(float(found[1]) * UNITS[found[2].lower()])
    return size if 0 < size <= LARGEST else None


def from_environment(environ: Mapping[str, str], problems: list[Problem]) -> Values:
    """What environment variables set; empty ones set nothing."""
    values: Values = {}
    for entry in TABLE:
        text = environ.get(entry.env, "").strip() if entry.env is not None else ""
        if text and entry.env is not None:
            _keep(entry, _read(entry, text), entry.env, values, problems)
    return values


def _read(entry: Entry, text: str) -> Any:
    """A variable's text as what its setting holds; a text that is none stays one, and is complained about."""
    if entry.kind == "flag":
        return BOOLEAN_WORDS.get(text.strip().lower(), text)
    if entry.kind in ("port", "count", "days"):
        return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text.strip()) else text
    if entry.kind in ("texts", "origins"):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def from_flags(flags: Mapping[str, Any], problems: list[Problem]) -> Values:
    """What flags of the command line set: dotted name to value, None where a flag was not given."""
    values: Values = {}
    for name, value in flags.items():
        if value is not None:
            entry = BY_NAME[name]
            read = _read(entry, value) if isinstance(value, str) else value
            _keep(entry, read, entry.flag or name, values, problems)
    return values
