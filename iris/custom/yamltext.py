"""A value as YAML of the subset that packs use: no anchors, tags or folding, and texts that no reader takes for numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

PLAIN_KEY = re.compile(r"[a-z][A-Za-z0-9_]*")
NO_TEXT = ("on", "off", "yes", "no", "true", "false", "null", "y", "n")
"""Words that YAML 1.1 takes for something else than a text."""
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_of(value: Mapping[str, Any]) -> str:
    """A mapping as YAML text; what it holds is JSON."""
    return "".join(f"{line}\n" for line in _mapping(value, ""))


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        name = f"{indent}{_key(key)}:"
        if isinstance(inner, Mapping) and inner:
            yield name
            yield from _mapping(inner, f"{indent}  ")
        elif isinstance(inner, list | tuple) and inner:
            yield name
            yield from _sequence(inner, f"{indent}  ")
        else:
            yield f"{name} {_scalar(inner)}"


def _sequence(value: list[Any] | tuple[Any, ...], indent: str) -> Iterator[str]:
    for inner in value:
        if isinstance(inner, Mapping) and inner:
            lines = list(_mapping(inner, f"{indent}  "))
        elif isinstance(inner, list | tuple) and inner:
            lines = list(_sequence(inner, f"{indent}  "))
        else:
            lines = [f"{indent}  {_scalar(inner)}"]
        yield f"{indent}- {lines[0][len(indent) + 2 :]}"
        yield from lines[1:]


def _key(key: str) -> str:
    plain = PLAIN_KEY.fullmatch(key) and key.lower() not in NO_TEXT
    return key if plain else _scalar(key)


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)  # numbers, true, false, null, and what is empty
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    text = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
