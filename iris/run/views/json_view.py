"""Views of a text that is one JSON document: its values, or its values under their keys."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from iris.run.views.offsets import Offsets, Splice

LONGEST = 512_000
_BETWEEN = "\n¶\n"
_LABEL = ": "
# Only for text that `json.loads` has accepted. The last group that matched names the kind.
_TOKEN = re.compile(
    r""""(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*+)"(?P<key>\s*+:)?+"""
    r"|(?P<other>-?[0-9][0-9.eE+-]*+|true|false)|(?P<none>null|[{\[])"
)
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_STRICT = json.JSONDecoder(parse_constant=_refuse)


def json_values(text: str) -> tuple[str, Offsets | None] | None:
    """Read each string, number and boolean as a paragraph of its own, with pilcrow lines between.

    Gives None when the text is not one JSON object or array of at most 512,000 characters, or has no such
    value. Blank strings read as nothing.
    """
    return _view(text, labelled=False) if _is_document(text) else None


def json_labelled(text: str) -> tuple[str, Offsets | None] | None:
    """Read each value as `"key": value`, or the key alone when an object, array or null follows.

    Gives None in the same cases as `json_values`.
    """
    return _view(text, labelled=True) if _is_document(text) else None


def _is_document(text: str) -> bool:
    if not text or len(text) > LONGEST:
        return False
    ends = text[0] + text[-1]
    if ends not in ("{}", "[]"):
        if not ends[0].isspace() and not ends[1].isspace():
            return False
        bare = text.strip()
        if bare[:1] + bare[-1:] not in ("{}", "[]"):
            return False
    try:
        _STRICT.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _view(text: str, labelled: bool) -> tuple[str, Offsets | None] | None:
    """Splice the text of a valid document: keep values, replace everything between them."""
    splice = Splice(text)
    kept_to = 0
    between = ""
    scalars = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup or "other"
        if kind == "none" or (kind == "key" and not labelled):
            between = _BETWEEN if kept_to else ""
            continue
        scalars = scalars or kind != "key"
        first, last = token.span(kind if kind == "other" else "string")
        if kind == "key":
            first, last = first - 1, last + 1
        elif kind == "string" and between != _LABEL and _is_blank(text[first:last]):
            continue
        splice.replace(kept_to, first, between)
        _keep(splice, text, first, last)
        kept_to = last
        between = _LABEL if kind == "key" else _BETWEEN
    splice.cut(kept_to)
    return splice.done() if scalars else None


def _is_blank(body: str) -> bool:
    """Whether the inside of a string token shows nothing."""
    return not body or body.isspace() or ("\\" in body and not _said(body).strip())


def _said(body: str) -> str:
    said: str = json.loads(f'"{body}"')
    return _LONE_SURROGATE.sub("\ufffd", said)


def _keep(splice: Splice, text: str, start: int, end: int) -> None:
    """Keep a stretch as it is but for its escapes."""
    if text.find("\\", start, end) < 0:
        return
    for escape in _ESCAPE.finditer(text, start, end):
        splice.replace(*escape.span(), _said(escape.group()))
