"""JSON values that can be stored and sent back: finite numbers, whole characters, a bounded depth."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

MAX_DEPTH = 100
"""Objects and arrays within each other; a deeper value is refused."""
MAX_BITS = 1024
"""Integers up to the largest double are kept digit for digit; a longer one is refused."""
_LONE = re.compile("[\ud800-\udfff]")


class JsonError(Exception):
    """A value that no JSON document can carry. `path` is dotted, empty for the document itself."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path, self.message = path, message


def decode(raw: bytes | str) -> Any:
    """Read one JSON document in UTF-8, with or without a byte order mark; raises JsonError saying where it breaks.

    A repeated key is refused: one of its values would be lost. NaN and Infinity are no JSON.
    """
    try:
        text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise JsonError("", f"the text is not UTF-8: byte {error.start} can not be read") from error
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise JsonError("", f"not JSON: {error.msg.lower()} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise JsonError("", f"nested more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:
        # Python reads integers of at most 4,300 digits.
        raise JsonError("", "an integer has more digits than a number can have") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JsonError(twice, "this key is there twice")
    return made


def _constant(name: str) -> NoReturn:
    raise JsonError("", f"{name} is no JSON number; leave the value out or send null")


def storable(value: Any) -> Any:
    """Give the value with each lone surrogate replaced by U+FFFD, so that offsets into texts stay as they were.

    Raises JsonError for a number that is not finite and for a value nested too deep. NUL characters are kept.
    """
    return _mended(value) if _check(value, "", 0) else value


def _check(value: Any, path: str, depth: int) -> bool:
    """Say whether some text of a value has a lone surrogate."""
    kind = type(value)
    if kind is str:
        return not value.isascii() and not _is_whole(value)
    if kind is dict or kind is list:
        if depth >= MAX_DEPTH:
            raise JsonError(path[:200], f"nested more than {MAX_DEPTH} levels deep")
        return _check_parts(value, path, depth + 1)
    if kind is float and not -1.8e308 < value < 1.8e308:
        raise JsonError(path, "is not a finite number; leave it out or send null")
    if kind is int and value.bit_length() > MAX_BITS:
        raise JsonError(path, "is an integer beyond the largest number")
    return False


def _check_parts(value: Any, path: str, depth: int) -> bool:
    broken = False
    if type(value) is dict:
        for key, part in value.items():
            broken |= (not key.isascii() and not _is_whole(key)) | _check(part, f"{path}.{key}" if path else key, depth)
    else:
        for i, part in enumerate(value):
            broken |= _check(part, f"{path}[{i}]", depth)
    return broken


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    return [_mended(part) for part in value] if isinstance(value, list) else value
