"""Settings from each layer to values by dotted name; every mistake is a problem that names where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from iris.config.table import BOOLEAN_WORDS, KINDS, TABLE, UNITS, Entry
from iris.problems import Place, Problem

BY_NAME = {entry.name: entry for entry in TABLE}
SECTIONS = {".".join(entry.name.split(".")[:i]) for entry in TABLE for i in range(1, entry.name.count(".") + 1)}
SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([a-z]*)$", re.IGNORECASE)
Values = dict[str, tuple[Any, str]]
"""Each setting by name: the value, and what set it."""


def from_file(path: Path, problems: list[Problem]) -> Values:
    """The settings of config.json; a file that is not there sets nothing."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(Problem("E821", f"{path} can not be read: {error.strerror}", None, "", "make it readable, or remove it"))
        return {}
    document = _document(raw, path, problems)
    values: Values = {}
    if document is not None:
        _section(document, "", path.name, values, problems)
    return values


def _document(raw: bytes, path: Path, problems: list[Problem]) -> dict[str, Any] | None:
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in items:
            if key in seen:
                twice.append(key)
            seen[key] = value
        return seen

    try:
        document = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        where = Place(path.name, error.lineno, error.colno)
        problems.append(
            Problem("E821", f"not JSON: {error.msg}", where, "here", "correct the file; Iris does not start without it")
        )
        return None
    except (UnicodeDecodeError, RecursionError, ValueError):
        problems.append(Problem("E821", f"{path.name} is no JSON that can be read", None, "", "write UTF-8 JSON"))
        return None
    problems += [Problem("E821", f"{path.name}: the key `{key}` stands twice", None, "", "keep one of them") for key in twice]
    if not isinstance(document, dict):
        problems.append(Problem("E821", f"{path.name} must hold an object", None, "", 'such as {"dashboard": {"enabled": true}}'))
        return None
    return document


def _section(section: Mapping[str, Any], prefix: str, file: str, values: Values, problems: list[Problem]) -> None:
    for key, value in section.items():
        name = f"{prefix}{key}"
        entry = BY_NAME.get(name)
        if entry is not None:
            _keep(entry, value, file, values, problems)
        elif name in SECTIONS and isinstance(value, Mapping):
            _section(value, f"{name}.", file, values, problems)
        elif name in SECTIONS:
            problems.append(Problem("E823", f"{file}: `{name}` must be an object", None, "", "its settings by name"))
        else:
            problems.append(Problem("E822", f"{file}: there is no setting `{name}`", None, "", nearest(name)))


def nearest(name: str) -> str:
    """The known setting a name was meant to be, or those of its section."""
    folded = name.lower()
    reach = 3 if len(name.split(".")[-1]) >= 10 else 2
    close = sorted((Levenshtein.distance(folded, known.lower()), known) for known in (*BY_NAME, *SECTIONS))
    if close[0][0] <= reach:
        return f"did you mean `{close[0][1]}`?"
    parent = name.rpartition(".")[0]
    siblings = [n for n in BY_NAME if n.startswith(f"{parent}.")] if parent else sorted({n.split(".")[0] for n in BY_NAME})
    return "known here: " + ", ".join(siblings)


def _keep(entry: Entry, value: Any, source: str, values: Values, problems: list[Problem]) -> None:
    test, wanted = KINDS[entry.kind]
    if not test(value) or (entry.kind == "size" and size_of(value) is None):
        shown = json.dumps(value)[:60] if not isinstance(value, str) else f"`{value[:60]}`"
        problems.append(Problem("E823", f"{source}: `{entry.name}` must be {wanted}, it is {shown}", None, "", "correct it"))
    else:
        values[entry.name] = (size_of(value) if entry.kind == "size" else value, source)


def size_of(value: Any) -> int | None:
    """A size in bytes; None for what is none."""
    if isinstance(value, int):
        return value if value > 0 else None
    found = SIZE.match(value.strip())
    if found is None or found[2].lower() not in UNITS:
        return None
    return int(float(found[1]) * UNITS[found[2].lower()]) or None


def from_environment(environ: Mapping[str, str], problems: list[Problem]) -> Values:
    """What environment variables set; empty ones set nothing."""
    values: Values = {}
    for entry in TABLE:
        text = environ.get(entry.env) if entry.env is not None else None
        if text:
            assert entry.env is not None
            _keep(entry, _read(entry, text), entry.env, values, problems)
    return values


def _read(entry: Entry, text: str) -> Any:
    """A variable's text as what its setting holds; a text that is none stays one, and is complained about."""
    if entry.kind == "flag":
        return BOOLEAN_WORDS.get(text.strip().lower(), text)
    if entry.kind in ("port", "count", "days"):
        return int(text) if re.fullmatch(r"-?\d{1,9}", text.strip()) else text
    if entry.kind == "texts":
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
