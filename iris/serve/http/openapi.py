"""The OpenAPI 3.1 document, made of the route table and the models of arguments."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from iris import __version__
from iris.serve.http.routes import TABLE, Route
from iris.service.models.trace import IngestTrace

ERROR = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "what is wrong"},
        "code": {"type": "string", "description": "a code of the catalogue, where the service refused"},
        "details": {"type": "array", "items": {"type": "object"}, "description": "each argument that is wrong"},
        "recovery": {"type": "array", "items": {"type": "string"}, "description": "what to do, in order"},
        "id": {"type": "string", "description": "under which the server's log has it"},
    },
    "required": ["error"],
}
EVERYWHERE = {
    400: "A parameter or the body is wrong; `details` names each argument.",
    401: "A key is needed.",
    403: "The key is wrong, or the Host or Origin is not allowed.",
    405: "The path has no such method.",
    429: "Too many requests; `Retry-After` says when.",
    500: "Something nobody foresaw; the log of the server has it under `id`.",
    503: "The store could not do it now.",
}
WITH_BODY = {413: "The body is larger than it may be.", 415: "The body has another content type."}


def document() -> dict[str, Any]:
    """The whole document."""
    schemas: dict[str, Any] = {"Error": ERROR}
    paths: dict[str, dict[str, Any]] = {}
    for route in TABLE:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Iris", "version": __version__, "description": "Judges what AI agents did."},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"key": []}],
    }


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": route.summary, "operationId": _id(route), "parameters": _parameters(route, schemas)}
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(route, schemas)}
    statuses = {
        **EVERYWHERE,
        **(WITH_BODY if route.body is not None else {}),
        **({404: "Not found."} if "{id}" in route.path else {}),
    }
    statuses |= route.answers
    operation["responses"] = {str(status): _response(route, status, text) for status, text in sorted(statuses.items())}
    return operation


def _id(route: Route) -> str:
    words = [w.strip("{}") for w in route.path.removeprefix("/api/v1").split("/") if w]
    return "_".join(
        [
            route.method.lower(),
            *(w.replace("-", "_").replace(".", "_") for w in words),
            *(() if "/api/" in route.path else ("root",)),
        ]
    )


def _parameters(route: Route, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{id}" in route.path:
        found.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}})
    if route.query is not None:
        schema = _schema(route.query, schemas, inline=True)
        for name, about in schema.get("properties", {}).items():
            own = {k: v for k, v in about.items() if k not in ("title", "default") or v is not None}
            found.append({"name": name, "in": "query", "required": name in schema.get("required", []), "schema": own})
    return found


def _content(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    assert route.body is not None
    one = {"$ref": f"#/components/schemas/{_named(route.body, schemas)}"}
    if route.body is not IngestTrace:
        return {"application/json": {"schema": one}}
    several = {"oneOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": 1000}]}
    return {"application/json": {"schema": several}, "application/x-ndjson": {"schema": {"type": "string"}}}


def _named(model: type[BaseModel], schemas: dict[str, Any]) -> str:
    schemas[model.__name__] = _schema(model, schemas)
    return model.__name__


def _schema(model: type[BaseModel], schemas: dict[str, Any], *, inline: bool = False) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions = schema.pop("$defs", {})
    if not inline:
        schemas |= {}
    for name, definition in definitions.items():
        schemas[name] = _plain(definition)
    plain: dict[str, Any] = _plain(schema)
    return plain


def _plain(value: Any) -> Any:
    """Without titles, and without defaults that stand for left out."""
    if isinstance(value, dict):
        return {
            k: _plain(v)
            for k, v in value.items()
            if not (k == "title" and isinstance(v, str)) and not (k == "default" and v is None)
        }
    return [_plain(v) for v in value] if isinstance(value, list) else value


def _response(route: Route, status: int, text: str) -> dict[str, Any]:
    if status == 204:
        return {"description": text}
    if route.path.endswith("/events") and status == 200:
        return {"description": text, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    good = status < 300 or (status == 503 and route.open)
    schema = {} if good else {"$ref": "#/components/schemas/Error"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
