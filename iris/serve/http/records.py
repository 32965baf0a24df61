"""The records of a body that has several: each read by itself, so that what is wrong with one spoils only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from iris.service.errors import ServiceError
from iris.service.models.trace import IngestTrace
from iris.service.parse import parse, refused
from iris.service.values import DECODER, JsonError, as_text

PLAIN = json.JSONDecoder()
SPACE = re.compile(r"[ \t\r\n]*", re.ASCII)


def read(item: Any, number: int, limit: int) -> IngestTrace:
    """Read one record: a line (bytes), or a value of an array. Raises ServiceError that names it as `[number]`."""
    if isinstance(item, ServiceError):
        raise item
    if isinstance(item, bytes) and len(item) > limit:
        raise too_large(number, limit)
    return parse(IngestTrace, item, at=f"[{number}]")


def too_large(number: int, limit: int) -> ServiceError:
    """Refuse a record by its size."""
    message = f"`[{number}]` is larger than {limit} bytes, the limit of a run (security.requestSizeLimit)"
    return refused([{"field": f"[{number}]", "message": message}])


def items(raw: bytes, limit: int) -> Iterator[Any]:
    """The values of a JSON array, one at a time; in place of one that can not be used, a ServiceError.

    Raises JsonError when the text is no array: where a record ends is not known then.
    """
    text = as_text(raw)
    at = _after_space(text, _after_space(text, 0) + 1)
    number = 0
    if text[at : at + 1] == "]":
        _nothing_follows(text, at + 1)
        return
    while True:
        value, end = _value(text, at, number)
        yield too_large(number, limit) if end - at > limit // 4 and _size(text, at, end) > limit else value
        number += 1
        end = _after_space(text, end)
        sign = text[end : end + 1]
        if sign == "]":
            _nothing_follows(text, end + 1)
            return
        if sign != ",":
            raise _broken(text, end, "`,` or `]` expected")
        at = _after_space(text, end + 1)


def _value(text: str, at: int, number: int) -> tuple[Any, int]:
    try:
        return DECODER.raw_decode(text, at)
    except JsonError as error:
        problem = {"field": f"[{number}]", "message": f"`[{number}]` {error.path}: {error.message}".replace(" : ", ": ")}
        return refused([problem]), _end(text, at)
    except ValueError as error:
        if hasattr(error, "pos"):
            raise _broken(text, error.pos, getattr(error, "msg", "not JSON")) from error
        raise JsonError("", "an integer has more digits than a number can have") from error
    except RecursionError as error:
        raise JsonError("", "nested too deep to be read") from error


def _end(text: str, at: int) -> int:
    """Where a value ends that is JSON but for what the strict decoder refuses: a repeated key, NaN."""
    try:
        return PLAIN.raw_decode(text, at)[1]
    except ValueError as error:
        raise _broken(text, getattr(error, "pos", at), getattr(error, "msg", "not JSON")) from error


def _nothing_follows(text: str, at: int) -> None:
    if _after_space(text, at) != len(text):
        raise _broken(text, at, "text after the array")


def _after_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _size(text: str, at: int, end: int) -> int:
    return len(text[at:end].encode("utf-8", "surrogatepass"))


def _broken(text: str, at: int, what: str) -> JsonError:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return JsonError("", f"not JSON: {what.lower()} at line {line}, column {column}")
