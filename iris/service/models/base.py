"""Strict models: unknown keys refused at every level, no coercion, finite numbers, arrays sent as JSON text accepted."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema


class Strict(BaseModel):
    """A model that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True, populate_by_name=True)


def from_json_text(value: Any) -> Any:
    """Some clients send an array or object as JSON text: read it, and leave the complaint to the model otherwise."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


JsonText = BeforeValidator(from_json_text)
Absent = SkipJsonSchema[None]
"""Part of `T | Absent = None`: the field may be left out, and null is taken as left out; the schema shows T alone."""

Object = Annotated[dict[str, Any], JsonText]
Instant = Annotated[str, Field(description="ISO 8601 instant with its offset, such as 2026-03-01T12:00:00Z")]
