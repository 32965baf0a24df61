"""Arguments to models: every refusal names the argument, what is valid, and the nearest known name."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic_core import ErrorDetails

from iris.service.errors import ServiceError
from iris.service.values import JsonError, decode, storable
from iris.verdict.reading import nearest

M = TypeVar("M", bound=BaseModel)
MOST_PROBLEMS = 10
_STARTS = (("Input should", "should"), ("String should", "should"), ("List should", "should"), ("Value error, ", ""))
Problem = dict[str, Any]


def parse(model: type[M], raw: bytes | str | Mapping[str, Any], *, at: str = "") -> M:
    """Read arguments, as JSON or as values; raises IRIS_INVALID_ARGUMENT. `at` is the path of the arguments, such as `[2]`."""
    try:
        values = decode(raw) if isinstance(raw, bytes | str) else raw
        return _validated(model, storable(dict(values) if isinstance(values, Mapping) else values), at)
    except JsonError as error:
        raise refused([_problem(_joined(at, error.path), error.message)]) from error


def parse_query(model: type[M], pairs: Iterable[tuple[str, str]]) -> M:
    """Read the parameters of a URL: numbers and flags are written as text, and none may be there twice."""
    values: dict[str, Any] = {}
    for key, text in pairs:
        if key in values:
            raise refused([_problem(key, "is given twice; give it once")])
        values[key] = _from_text(model.model_fields[key].annotation, text) if key in model.model_fields else text
    return parse(model, values)


def _validated(model: type[M], values: Any, at: str) -> M:
    if isinstance(values, dict):
        _refuse_two_names(model, values, at)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise refused([_told(model, e, at) for e in error.errors(include_url=False, include_input=False)]) from error


def refused(problems: Sequence[Problem]) -> ServiceError:
    """Make the one error of several problems; `field` and `valid` are those of the first."""
    shown = problems[:MOST_PROBLEMS]
    message = "; ".join(p["message"] for p in shown)
    if len(problems) > len(shown):
        message += f"; and {len(problems) - len(shown)} more"
    first = problems[0]
    recovery = ["Correct the arguments that are named and send the call again; nothing was stored or judged."]
    error = ServiceError("IRIS_INVALID_ARGUMENT", message, recovery, field=first["field"], valid=first.get("valid"))
    error.details = shown
    return error


def _problem(field: str, message: str, valid: Sequence[str] | None = None) -> Problem:
    told = {"field": field, "message": f"`{field}` {message}" if field else message}
    return told | {"valid": list(valid)} if valid else told


def _joined(at: str, path: str) -> str:
    return f"{at}{path}" if not at or path[:1] in ("", "[") else f"{at}.{path}"


def dotted(loc: Sequence[int | str]) -> str:
    """Write a location as a path: `tool_calls[1].error`."""
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _told(model: type[BaseModel], error: ErrorDetails, at: str) -> Problem:
    loc, context = error["loc"], error.get("ctx", {})
    field = _joined(at, dotted(loc)) if loc else at
    if error["type"] == "extra_forbidden":
        return _unknown_key(model_at(model, loc[:-1]) or model, field, str(loc[-1]))
    if error["type"] == "missing":
        return _problem(field, "is missing; it is required")
    if error["type"] == "literal_error":
        inner = model_at(model, loc[:-1])
        valid = _choices(inner.model_fields[str(loc[-1])].annotation) if inner and loc[-1] in inner.model_fields else []
        return _problem(field, f"must be {context.get('expected', 'another value')}", valid)
    if error["type"] in ("model_type", "dict_type", "list_type"):
        kind = "an array" if error["type"] == "list_type" else "an object"
        return _problem(field, f"must be {kind}") if field else _problem("", "the arguments must be one JSON object")
    return _problem(field, _sentence(error["msg"]))


def _sentence(message: str) -> str:
    for start, instead in _STARTS:
        if message.startswith(start):
            return instead + message[len(start) :]
    return message[:1].lower() + message[1:]


def _unknown_key(model: type[BaseModel], field: str, key: str) -> Problem:
    valid = list(model.model_fields)
    reserved: Mapping[str, str] = getattr(model, "RESERVED", {})
    if key in reserved:
        return _problem(field, reserved[key], valid)
    hint = nearest(key, valid)
    listed = "" if hint.startswith("valid") else f" valid: {', '.join(valid)}"
    return _problem(field, f"is no argument here; {hint}{listed}", valid)


def _refuse_two_names(model: type[BaseModel], values: Mapping[str, Any], at: str) -> None:
    for names in aliases(model):
        given = [name for name in names if name in values]
        if len(given) > 1:
            raise refused([_problem(_joined(at, given[1]), f"and `{given[0]}` are one argument; give one of them", names)])


@lru_cache(maxsize=64)
def aliases(model: type[BaseModel]) -> list[list[str]]:
    """The names of each argument that has several."""
    found = [info.validation_alias for info in model.model_fields.values()]
    return [[str(c) for c in alias.choices] for alias in found if isinstance(alias, AliasChoices)]


def model_at(model: type[BaseModel], loc: Sequence[int | str]) -> type[BaseModel] | None:
    """Find the model that describes the value at a location, following fields and items of arrays."""
    found: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, int):
            continue
        info = found.model_fields.get(part) if found else None
        found = _model_in(info.annotation) if info else None
    return found


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for a in get_args(annotation) if (m := _model_in(a))), None)


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is typing.Literal:
        return [str(a) for a in get_args(annotation)]
    return [c for a in get_args(annotation) for c in _choices(a)]


def _from_text(annotation: Any, text: str) -> Any:
    """Read a parameter as its field wants it; what can not be read is left for the model to refuse."""
    kinds = _plain_types(annotation)
    if bool in kinds:
        return {"true": True, "1": True, "false": False, "0": False}.get(text, text)
    try:
        if int in kinds:
            return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else text
        return float(text) if float in kinds else text
    except ValueError:
        return text


def _plain_types(annotation: Any) -> set[Any]:
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return _plain_types(get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return {kind for a in get_args(annotation) for kind in _plain_types(a)}
    return {annotation}
