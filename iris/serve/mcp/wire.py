"""One line from a client to one JSON-RPC message, or to the answer that says why it is none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from iris.service.values import JsonError, storable

BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"
_ID = rb'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\\x00-\x1f]{0,200}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*,\s*'
_METHOD = rb'"method"\s*:\s*"[^"\\]{0,100}"\s*,\s*'
_EARLY = re.compile(rb"\s*\{\s*(?:%b)?(?:%b)?(?:%b)?%b" % (_VERSION, _METHOD, _VERSION, _ID))
_LATE = re.compile(_VERSION + _ID + rb"\s*\}\s*$")
HEAD = TAIL = 512
"""Bytes at either end in which the id of a message that can not be read is looked for: clients write it first or last."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a line is no message. `id` is that of the request, where it could be made out."""

    code: int
    message: str
    id: int | str | None = None

    def wire(self) -> bytes:
        """Give the JSON-RPC error, one line."""
        error = {"code": self.code, "message": self.message}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}, separators=(",", ":")).encode() + b"\n"


def read_message(line: bytes) -> JSONRPCMessage | Refusal | None:
    """Read one line; None for one that is empty.

    A byte order mark and a carriage return are let pass. Half a surrogate pair becomes U+FFFD, which keeps offsets.
    """
    text = line.removeprefix(BOM).strip(BLANK)
    if not text:
        return None
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        value = _read_slowly(text)
    return value if isinstance(value, Refusal) else _message(value)


def mended(body: bytes) -> bytes | Refusal:
    """Give the body of a request as the SDK reads it: without a byte order mark or half surrogate pairs, one object."""
    text = body.removeprefix(BOM)
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        value = _read_slowly(text)
        if isinstance(value, Refusal):
            return value
        text = to_json(value)
    checked = _message(value)
    return checked if isinstance(checked, Refusal) else text


def _read_slowly(text: bytes) -> Any:
    """Read what the fast reader does not: lone surrogates, deep nesting. Otherwise say where the line breaks."""
    try:
        decoded = text.decode()
        return storable(json.loads(decoded, parse_constant=_refuse_constant))
    except UnicodeDecodeError as error:
        return Refusal(PARSE_ERROR, f"Parse error: the line is not UTF-8 at byte {error.start}", found_id(text, text))
    except RecursionError:
        return Refusal(INVALID_REQUEST, "Invalid Request: nested too deep to be read", found_id(text, text))
    except JsonError as error:
        where = f"{error.path[:100]} " if error.path else ""
        return Refusal(INVALID_REQUEST, f"Invalid Request: {where}{error.message}", found_id(text, text))
    except ValueError as error:
        return Refusal(PARSE_ERROR, f"Parse error: {str(error)[:200]}", found_id(text, text))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _message(value: Any) -> JSONRPCMessage | Refusal | None:
    if isinstance(value, list):
        return Refusal(INVALID_REQUEST, "Invalid Request: batches are not part of MCP; send one message a line")
    if not isinstance(value, dict):
        return Refusal(INVALID_REQUEST, "Invalid Request: a message is one JSON object")
    number = value.get("id")
    echoed = number if _is_id(number) else None
    if value.get("jsonrpc") != "2.0":
        return Refusal(INVALID_REQUEST, 'Invalid Request: jsonrpc must be "2.0"', echoed)
    if "method" not in value:
        return _response(value, echoed)
    method, params = value["method"], value.get("params")
    if not isinstance(method, str):
        return Refusal(INVALID_REQUEST, "Invalid Request: method must be a string", echoed)
    if "id" in value and echoed is None:
        return Refusal(INVALID_REQUEST, "Invalid Request: id must be a string or an integer; leave it out for a notification")
    if params is not None and not isinstance(params, dict):
        return Refusal(INVALID_PARAMS, "Invalid params: params must be an object", echoed)
    if echoed is None:
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    return JSONRPCRequest(jsonrpc="2.0", id=echoed, method=method, params=params)


def _is_id(number: Any) -> bool:
    return isinstance(number, str) or (isinstance(number, int) and not isinstance(number, bool))


def _response(value: dict[str, Any], echoed: int | str | None) -> JSONRPCMessage | Refusal:
    """Read an answer of the client. It has no id of a request of ours, so a broken one is refused like any message."""
    try:
        return (JSONRPCError if "error" in value else JSONRPCResponse).model_validate(value)
    except ValidationError:
        return Refusal(INVALID_REQUEST, "Invalid Request: neither a request nor an answer: method is missing", echoed)


def request_id(body: bytes) -> int | str | None:
    """Give the id of a request that will not be read further."""
    try:
        number = from_json(body.removeprefix(BOM)).get("id")
    except (ValueError, AttributeError):
        return found_id(body, body)
    return number if _is_id(number) else None


def found_id(head: bytes, tail: bytes) -> int | str | None:
    """Make out the id of a message that can not be read, from its first and last bytes."""
    match = _EARLY.match(head[:HEAD]) or _LATE.search(tail[-TAIL:])
    if match is None:
        return None
    raw = match[1]
    return raw[1:-1].decode(errors="replace") if raw[:1] == b'"' else int(raw)
