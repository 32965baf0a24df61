"""The JSON Schema of pack files, from the same tables as the reader, for editors."""

from __future__ import annotations

from typing import Any

from iris.packs import fields as f

SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
KINDS: dict[str, dict[str, Any]] = {
    "text": SCALAR,
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
    "flag": {"type": "boolean"},
    "number": {"type": "number", "minimum": 0},
    "integer": {"type": "integer", "minimum": 1},
    "expression": {**SCALAR, "description": "An expression of the rule language."},
    "json": {},
}


def pack_schema(kind: str) -> dict[str, Any]:
    """The schema (draft 2020-12) of a rule, a detectors file, a shared file or pack.yaml."""
    body: dict[str, Any]
    if kind == "detectors":
        body = {"type": "object", "additionalProperties": _object(f.DETECTOR)}
    else:
        body = _object({"rule": f.RULE, "shared": f.SHARED, "pack": f.PACK}[kind])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"Iris {kind}", **body}


def _object(fields: tuple[f.Field, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {x.name: _field(x) for x in fields},
        "required": [x.name for x in fields if x.required],
    }


def _field(x: f.Field) -> dict[str, Any]:
    if x.kind in NESTED:
        return {"description": x.about, **NESTED[x.kind]()}
    if x.kind == "choice":
        return {"description": x.about, "enum": list(x.choices)}
    if x.kind in ("texts", "expressions"):
        item: dict[str, Any] = {"enum": list(x.choices)} if x.choices else SCALAR
        many = {"type": "array", "items": item}
        return {"description": x.about, **(many if x.kind == "texts" else {"anyOf": [SCALAR, many]})}
    chosen = {"enum": list(x.choices)} if x.choices else KINDS[x.kind]
    return {"description": x.about, **{k: v for k, v in chosen.items() if k != "description"}}


def _map_of(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value}


def _run() -> dict[str, Any]:
    call = {"type": "object", "additionalProperties": False, "properties": {k: {} for k in f.CALL_KEYS}}
    tool = {"type": "object", "additionalProperties": False, "properties": {k: {} for k in f.TOOL_KEYS}}
    special = {"calls": {"type": "array", "items": call}, "tools": {"type": "array", "items": tool}}
    return {"type": "object", "additionalProperties": False, "properties": {k: special.get(k, {}) for k in f.RUN_KEYS}}


NESTED: dict[str, Any] = {
    "settings": lambda: _map_of(_object(f.SETTING)),
    "lets": lambda: _map_of(SCALAR),
    "detectors": lambda: _map_of(_object(f.DETECTOR)),
    "skips": lambda: {"type": "array", "items": _object(f.SKIP)},
    "signals": lambda: _map_of({"anyOf": [SCALAR, _object(f.SIGNAL)]}),
    "cases": lambda: {"type": "array", "items": _object(f.CASE)},
    "examples": lambda: _object(f.EXAMPLES),
    "run": _run,
}
