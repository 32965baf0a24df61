"""Read runs from files: NDJSON, JSON, gzip; one bad record spoils only itself."""

from __future__ import annotations

import gzip
import io
import json
import math
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, BinaryIO

from iris.problems import Place, Problem, ProblemsFound

MAX_LINE = 64 << 20
MAX_DIGITS = 300
"""Digits of a whole number; a longer one has no place among the floating-point numbers."""
RUN_KEYS = (
    "agent_name", "framework", "input", "output", "expected", "tool_calls", "latency_ms", "token_usage", "cost_usd",
    "metadata", "spans", "timestamp", "tools", "run", "case_key", "session_id", "trace_id", "evaluate", "eval_type",
    "history", "id", "run_id", "label",
)  # fmt: skip
CALL_KEYS = (
    "tool_name",
    "input",
    "output",
    "latency_ms",
    "error",
    "call_id",
    "truncated",
    "token_usage",
    "cost_usd",
    "started",
    "start_time",
)
USAGE_KEYS = ("prompt_tokens", "completion_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Record:
    """One run as it was read, or the problem that prevented it."""

    number: int
    line: int
    run: dict[str, Any]
    problem: Problem | None
    file: str

    @property
    def id(self) -> str:
        """The run's own id, or its place in the file."""
        for key in ("id", "run_id", "trace_id"):
            value = self.run.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value)
        return f"run-{self.number}"


def read_runs(file: str, *, strict: bool) -> Iterator[Record]:
    """Every run of a file in order. Raises ProblemsFound when the file itself can not be read."""
    try:
        with _open(file) as stream:
            yield from _records(stream, file, strict)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(file, error) from None


def readable(file: str) -> None:
    """Raise ProblemsFound (E701) unless a file can be opened, before anything is judged."""
    try:
        if file != "-":
            _open(file).close()
    except OSError as error:
        raise _unreadable(file, error) from None


def _unreadable(file: str, error: Exception) -> ProblemsFound:
    reason = getattr(error, "strerror", None) or str(error)
    return ProblemsFound([Problem("E701", f"{file} can not be read: {reason}", None, "", "check the path; .gz must be gzip")])


def _open(file: str) -> BinaryIO:
    if file == "-":
        raw: Any = sys.stdin.buffer
        head = raw.peek(2)[:2]
        return gzip.open(raw) if head == b"\x1f\x8b" else io.BufferedReader(raw)  # type: ignore[return-value]
    with open(file, "rb") as probe:
        zipped = probe.read(2) == b"\x1f\x8b"
    return gzip.open(file) if zipped else open(file, "rb")  # type: ignore[return-value]


def _records(stream: BinaryIO, file: str, strict: bool) -> Iterator[Record]:
    """NDJSON line by line; a file whose first line is no whole JSON value is read as one document."""
    number = 0
    first = True
    for line_number, raw in enumerate(iter(partial(stream.readline, MAX_LINE), b""), 1):
        if not raw.strip():
            continue
        value, problem = _parse(raw, file, line_number)
        if first and (problem is not None or isinstance(value, list) or _wrapped(value) is not None):
            rest = raw + stream.read()
            whole, whole_problem = _parse(rest, file, line_number)
            if whole_problem is None:
                yield from _document(whole, file, strict)
                return
            yield _record(value, problem, file, line_number, 1, strict)
            yield from _tail(io.BytesIO(rest[len(raw) :]), file, strict, 1, line_number)
            return
        first = False
        number += 1
        yield _record(value, problem, file, line_number, number, strict)


def _tail(stream: BinaryIO, file: str, strict: bool, number: int, line: int) -> Iterator[Record]:
    for offset, raw in enumerate(stream, 1):
        if raw.strip():
            number += 1
            value, problem = _parse(raw, file, line + offset)
            yield _record(value, problem, file, line + offset, number, strict)


def _wrapped(value: Any) -> list[Any] | None:
    """The list of `{"runs": […]}` or `{"traces": […]}`."""
    runs = value.get("runs", value.get("traces")) if isinstance(value, Mapping) else None
    return runs if isinstance(runs, list) else None


def _document(value: Any, file: str, strict: bool) -> Iterator[Record]:
    wrapped = _wrapped(value)
    value = value if wrapped is None else wrapped
    items = value if isinstance(value, list) else [value]
    for i, item in enumerate(items, 1):
        yield _record(item, None, file, 1, i, strict)


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(digits[:9])
    return int(digits)


def _parse(raw: bytes, file: str, line: int) -> tuple[Any, Problem | None]:
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_int=_whole), None
    except UnicodeDecodeError as error:
        return None, Problem("E702", f"line {line} is not UTF-8 at byte {error.start}", Place(file, line, 1), "", "write UTF-8")
    except json.JSONDecodeError as error:
        where = Place(file, line + error.lineno - 1, error.colno)
        return None, Problem("E702", f"not JSON: {error.msg}", where, "", "one run a line (NDJSON), or one JSON document")
    except (RecursionError, ValueError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number that is too long"
        return None, Problem("E702", f"not JSON that can be read: {what}", Place(file, line, 1), "", "")


def _record(value: Any, problem: Problem | None, file: str, line: int, number: int, strict: bool) -> Record:
    if problem is None and not isinstance(value, dict):
        problem = Problem(
            "E703", f"a run must be an object, this is {_name(value)}", Place(file, line, 1), "", 'write {"output": …}'
        )
    run = value if isinstance(value, dict) else {}
    if problem is None:
        found = shape_problems(run, strict=strict)
        if found:
            code, message, hint = found[0]
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            problem = Problem(code, message + more, Place(file, line, 1), "", hint)
    return Record(number, line, run, problem, file)


def _name(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "an object")


def shape_problems(run: Mapping[str, Any], *, strict: bool) -> list[tuple[str, str, str]]:
    """What is wrong with a run's fields: code, message, help."""
    found: list[tuple[str, str, str]] = []
    found += [
        ("E704", f"`{key}` must be a text, it is {_name(run[key])}", "write a JSON document as a text")
        for key in ("input", "output", "expected", "agent_name")
        if run.get(key) is not None and not isinstance(run[key], str)
    ]
    for key in ("cost_usd", "latency_ms"):
        found += _number(run.get(key), key)
    usage = run.get("token_usage")
    if usage is not None and not isinstance(usage, Mapping):
        found.append(("E704", f"`token_usage` must be an object, it is {_name(usage)}", 'such as {"prompt_tokens": 10}'))
    elif usage:
        for key in usage:
            found += _number(usage[key], f"token_usage.{key}") if key in USAGE_KEYS else []
    found += _list(run, "tool_calls") + _list(run, "tools") + _list(run, "spans")
    found += _calls(run.get("tool_calls"), strict)
    return found + (_unknown(run, RUN_KEYS, "a run") if strict else [])


def _number(value: Any, key: str) -> list[tuple[str, str, str]]:
    if value is None:
        return []
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return [("E704", f"`{key}` must be a finite number", "leave it out when it is not known")]
    return []


def _list(run: Mapping[str, Any], key: str) -> list[tuple[str, str, str]]:
    value = run.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(v, Mapping) for v in value):
        return [("E704", f"`{key}` must be a list of objects", "an empty list means that none were made")]
    return []


def _calls(calls: Any, strict: bool) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        if not isinstance(call, Mapping):
            continue
        if not isinstance(call.get("tool_name"), str) or not call["tool_name"]:
            found.append(("E704", f"`tool_calls[{i}].tool_name` must be a text", "name the tool"))
        if call.get("error") is not None and not isinstance(call["error"], str):
            found.append(("E704", f"`tool_calls[{i}].error` must be a text", "null when the call went well"))
        if strict:
            found += _unknown(call, CALL_KEYS, f"tool_calls[{i}]")
    return found


def _unknown(value: Mapping[str, Any], known: tuple[str, ...], what: str) -> list[tuple[str, str, str]]:
    out = []
    for key in value:
        if key not in known:
            close = get_close_matches(str(key), known, n=1)
            out.append(
                ("E705", f"{what} has no field `{key}`", f"did you mean `{close[0]}`?" if close else "drop --strict to carry it")
            )
    return out
