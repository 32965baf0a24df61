"""JSON with the places of its values: for messages that point into a file, and for keeping a part of it as written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

BLANK = re.compile(r"[ \t\r\n]*")
DEEPEST = 100
DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its stretch [start, end) of the text. `items` of an object pair each key, and where it begins, with a node."""

    start: int
    end: int
    value: Any
    items: tuple[tuple[str, int, Node], ...] = ()
    elements: tuple[Node, ...] = ()


def read_json(text: str) -> Node:
    """Read a JSON document; raises json.JSONDecodeError with line and column, also for NaN and for deep nesting."""
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise json.JSONDecodeError("something follows the document", text, end)
    return node


def line_and_column(text: str, index: int) -> tuple[int, int]:
    """The line and column of an index, both from 1."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise json.JSONDecodeError(f"nested deeper than {DEEPEST} levels", text, at)
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)

    def refuse(word: str) -> Any:
        raise json.JSONDecodeError(f"{word} is no JSON", text, at)

    try:
        value, end = json.JSONDecoder(parse_constant=refuse).raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise json.JSONDecodeError("the number is too long", text, at) from None
    if value in (float("inf"), float("-inf")):
        raise json.JSONDecodeError("the number is too large", text, at)
    return Node(at, end, value)


def _object(text: str, at: int, depth: int) -> Node:
    items: list[tuple[str, int, Node]] = []
    here = _skip(text, at + 1)
    if text[here : here + 1] == "}":
        return Node(at, here + 1, {})
    while True:
        if text[here : here + 1] != '"':
            raise json.JSONDecodeError("a key in double quotes must stand here", text, here)
        key, after = DECODER.raw_decode(text, here)
        colon = _skip(text, after)
        if text[colon : colon + 1] != ":":
            raise json.JSONDecodeError("a colon must stand here", text, colon)
        node = _value(text, _skip(text, colon + 1), depth + 1)
        items.append((key, here, node))
        here, closed = _next(text, node.end, "}")
        if closed:
            return Node(at, here, {key: node.value for key, _, node in items}, tuple(items))


def _array(text: str, at: int, depth: int) -> Node:
    elements: list[Node] = []
    here = _skip(text, at + 1)
    if text[here : here + 1] == "]":
        return Node(at, here + 1, [])
    while True:
        node = _value(text, here, depth + 1)
        elements.append(node)
        here, closed = _next(text, node.end, "]")
        if closed:
            return Node(at, here, [node.value for node in elements], elements=tuple(elements))


def _next(text: str, at: int, closing: str) -> tuple[int, bool]:
    """Where the next entry begins, or the end of all and True."""
    here = _skip(text, at)
    if text[here : here + 1] == closing:
        return here + 1, True
    if text[here : here + 1] != ",":
        raise json.JSONDecodeError(f"a comma or `{closing}` must stand here", text, here)
    return _skip(text, here + 1), False
