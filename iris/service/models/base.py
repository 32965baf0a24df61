"""Strict models: unknown keys refused at every level, no coercion, finite numbers, arrays sent as JSON text accepted."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from iris.service.values import JsonError, decode, storable


class Strict(BaseModel):
    """A model that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True, populate_by_name=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe a field that may be left out by its type alone: null is accepted, but nobody needs to send it."""
        schema = handler(core_schema)
        for field in handler.resolve_ref_schema(schema).get("properties", {}).values():
            _without_null(field)
        return schema


def _without_null(field: JsonSchemaValue) -> None:
    choices = field.get("anyOf", ())
    kept = [c for c in choices if c != {"type": "null"}]
    if len(kept) == len(choices):
        return
    del field["anyOf"]
    if field.get("default", 0) is None:
        del field["default"]
    field.update(kept[0] if len(kept) == 1 else {"anyOf": kept})


def from_json_text(value: Any) -> Any:
    """Some clients send an array or object as JSON text: read it, and leave the complaint to the model otherwise."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return storable(decode(value))
        except JsonError as error:
            raise ValueError(f"is JSON text that can not be used: {error.message}") from error
    return value


JsonText = BeforeValidator(from_json_text)
Absent: TypeAlias = None
"""Part of `T | Absent = None`: the field may be left out, and null is taken as left out; the schema shows T alone."""

Object = Annotated[dict[str, Any], JsonText]
Instant = Annotated[str, Field(description="ISO 8601 instant with its offset, such as 2026-03-01T12:00:00Z")]
