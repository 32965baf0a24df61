"""Views of a text that is one JSON document: its values, or its values under their keys."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from iris.run.views.offsets import Edit, Offsets

LONGEST = 512_000
_BETWEEN = "\n¶\n"
_LABEL = ": "
# Only for text that `json.loads` has accepted. The last group that matched names the kind.
_TOKEN = re.compile(
    r""""(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*)"(?P<key>\s*+:)?"""
    r"|(?P<other>-?[0-9][0-9.eE+-]*+|true|false)|(?P<none>null|[{\[])"
)
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


class _Object(list[tuple[str, Any]]):
    """The members of an object in order, repeated keys too."""


# Numbers stay as they are written.
_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=str, parse_float=str, object_pairs_hook=_Object)


def json_values(text: str) -> tuple[str, Offsets | None] | None:
    """Read each string, number and boolean as a paragraph of its own, with pilcrow lines between.

    Gives None when the text is not one JSON object or array of at most 512,000 characters, or has no such
    value. Blank strings read as nothing.
    """
    return _view(text, labelled=False)


def json_labelled(text: str) -> tuple[str, Offsets | None] | None:
    """Read each value as `"key": value`, or the key alone when an object, array or null follows.

    Gives None in the same cases as `json_values`.
    """
    return _view(text, labelled=True)


def _view(text: str, labelled: bool) -> tuple[str, Offsets | None] | None:
    document = _document(text)
    if document is None:
        return None
    pieces, any_scalar = _pieces(document, labelled)
    if not any_scalar:
        return None
    view = _BETWEEN.join(pieces)
    if "\\u" in text:
        view = _LONE_SURROGATE.sub("\ufffd", view)
    return view, Offsets(lambda: _edits(text, labelled))


def _document(text: str) -> Any:
    """Read a text that is one JSON object or array, or give None."""
    if not text or len(text) > LONGEST:
        return None
    ends = text[0] + text[-1]
    if ends not in ("{}", "[]"):
        if not ends[0].isspace() and not ends[1].isspace():
            return None
        bare = text.strip()
        if bare[:1] + bare[-1:] not in ("{}", "[]"):
            return None
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _pieces(document: Any, labelled: bool) -> tuple[list[str], bool]:
    """Give the paragraphs of a view, and whether the document has any scalar at all."""
    pieces: list[str] = []
    any_scalar = False
    stack = [document]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tuple:  # a member of an object
            key, value = node
            shown = _scalar(value)
            if not labelled:
                stack.append(value)
            elif shown is None:
                pieces.append(f'"{key}"')
                stack.append(value)
            else:
                any_scalar = True
                pieces.append(f'"{key}": {shown}')
        elif kind is list or kind is _Object:
            stack.extend(reversed(node))
        elif node is not None:
            any_scalar = True
            shown = _scalar(node)
            if shown and not shown.isspace():
                pieces.append(shown)
    return pieces, any_scalar


def _scalar(node: Any) -> str | None:
    if type(node) is str:
        return node
    return "true" if node is True else "false" if node is False else None


def _edits(text: str, labelled: bool) -> list[Edit]:
    """Scan a valid document again for where the paragraphs of its view lie; made when a span is mapped."""
    edits: list[Edit] = []
    at = kept_to = 0
    between = ""
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "none" or (kind == "key" and not labelled):
            between = _BETWEEN if kept_to else ""
            continue
        first, last = token.span(1)
        if kind == "key":
            first, last = first - 1, last + 1
        elif kind == "other":
            first, last = token.span()
        elif between != _LABEL and _is_blank(text[first:last]):
            continue
        edits.append((at, at + len(between), kept_to, first))
        at += len(between)
        for escape in _ESCAPE.finditer(text, first, last):
            start, end = escape.span()
            edits.append((at + start - first, at + start - first + 1, start, end))
            at -= end - start - 1
        at += last - first
        kept_to = last
        between = _LABEL if kind == "key" else _BETWEEN
    # The last edit lies past the end, so that a span that ends there does not reach into what follows.
    edits.append((at, at + 1, kept_to, len(text)))
    return edits


def _is_blank(body: str) -> bool:
    """Whether the inside of a string token shows nothing."""
    return not body or body.isspace() or ("\\" in body and not json.loads(f'"{body}"').strip())
