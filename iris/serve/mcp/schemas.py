"""Tool schemas in the narrow JSON Schema that every client understands: one plain object, nothing referenced, no noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, BaseModel

Schema = dict[str, Any]


def input_schema(model: type[BaseModel]) -> Schema:
    """Give the schema of a tool's arguments: inlined, closed, without titles; other spellings of a name are listed too."""
    raw = model.model_json_schema()
    tidied = _tidy(raw, raw.get("$defs", {}))
    properties, required = tidied["properties"], list(tidied.get("required", ()))
    for name, others in spellings(model).items():
        if name in required:
            required.remove(name)
            properties[name]["description"] = f"required; {properties[name]['description']}"
        properties |= {other: {**properties[name], "description": f"the same as {name}: give one of them"} for other in others}
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema | {"additionalProperties": False}


def output_schema(fields: Mapping[str, Schema]) -> Schema:
    """Give the loose schema of a tool's answer. No field is required in it: an error body has none of them, and some
    clients validate that too."""
    return {"type": "object", "properties": {**fields, "error": ERROR}, "additionalProperties": {}}


ERROR: Schema = {"type": "object", "description": "only when isError: code, message, recovery steps, retryable"}


def spellings(model: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    """Give the other names under which a field is accepted, by the field's name."""
    found: dict[str, tuple[str, ...]] = {}
    for name, field in model.model_fields.items():
        if isinstance(field.validation_alias, AliasChoices):
            found[name] = tuple(str(choice) for choice in field.validation_alias.choices if choice != name)
    return found


def _tidy(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Inline references and drop titles and null defaults, in a schema and below it."""
    if "$ref" in schema:
        target = definitions[schema["$ref"].removeprefix("#/$defs/")]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    tidied: Schema = {}
    for key, value in schema.items():
        if key in ("title", "$defs") or (key == "default" and value is None):
            continue
        if key == "properties":
            tidied[key] = {name: _tidy(part, definitions) for name, part in value.items()}
        elif isinstance(value, dict):
            tidied[key] = _tidy(value, definitions)
        else:
            tidied[key] = value
    return tidied
