"""docs/http-api.md, made from the route table and the models of its queries and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iris.serve.http.events import HEARTBEAT_S, KEPT, MOST_STREAMS
from iris.serve.http.ingest import GROUP, MOST_BYTES, MOST_RECORDS, NDJSON
from iris.serve.http.openapi import EVERYWHERE, WITH_BODY, document
from iris.serve.http.routes import TABLE, Route
from iris.serve.http.sessions import DAYS, EXCHANGES, MOST

INTRODUCTION = f"""# HTTP interface

`iris serve --dashboard` listens on 127.0.0.1:6920 unless told otherwise (docs/configuration.md). Everything is JSON in UTF-8.
The same description for programs is at `/api/v1/openapi.json` (OpenAPI 3.1). Who may call, and how keys and sessions work, is in
docs/security.md.

Queries and bodies are strict: an unknown name, a value of another type, or a parameter given twice is 400, and the answer names
it, with the nearest name that is known. A body needs `Content-Type: application/json`;
another type, or none, is 415, and so is a `Content-Encoding` other than gzip or deflate. With `Expect: 100-continue` a body is
asked for only after Host, Origin, key, rate and size are found good.

## Storing runs

`POST /api/v1/traces` takes one run, an array of runs, or a run a line ({", ".join(f"`{n}`" for n in NDJSON)}). With
`"evaluate": true` a run is judged by the rules and stored together with its verdict.

One run is stored with its spans and its verdict, or not at all. Several are read one by one: what is wrong with one spoils only
itself. They are committed in groups of {GROUP}; the answer has one result a run, in order, and 201 means that all were stored,
207 some, 400 none. Results of several carry a short form of the verdict; the whole one is at `/api/v1/evaluations/{{id}}`.

- `security.requestSizeLimit` (1 MB unless set) holds for one run, also inside an array or a line; larger is 413, or a refused
  record.
- A request of several has at most {MOST_BYTES >> 20} MB and {MOST_RECORDS:,} runs. Lines are stored while they arrive: when a
  limit is passed, the 413 says with `count`, `stored` and `results` what became of those before. An array is read whole first,
  and stores nothing when it is no JSON or too long.
- Sizes are counted while the body comes in, whatever `Content-Length` says, and after a compressed body is unpacked.
- An id in `trace_id` is refused: Iris mints the ids and gives them back.

```sh
curl -s http://127.0.0.1:6920/api/v1/traces -H 'Content-Type: application/json' \\
  -d '{{"agent_name": "clerk", "input": "When is it done?", "output": "At six.", "evaluate": true}}'
```

## Events

`GET /api/v1/events` is a stream (text/event-stream) of `trace.stored`, `evaluation.stored`, `rule.changed` and `trace.deleted`,
each told after it is on disk and without texts of runs. Events are numbered. A reader that comes back with `Last-Event-ID` gets
what it missed of the last {KEPT:,}; when some of that is gone, also after a restart, an event `missed` comes first. A quiet
stream has a comment every {HEARTBEAT_S:.0f} s. A reader that does not keep up is cut off. An address has at most {MOST_STREAMS}
streams (429).

## Errors

An error is `{{"error": "…"}}`. A refusal of the service adds `code` (docs/mcp.md lists them), `recovery` (what to do, in order),
`retryable`, and for arguments `details`: one `{{field, message, valid}}` for each that is wrong. A 500 says nothing about its
cause but the id under which the server's log has it. Any unknown address below `/api` is 404 with `Unknown API route`,
whatever the method. What is no HTTP request (no Host or two, a header over 8 kB, an address over 64 kB) is 400, and the
connection is closed.

| Status | Any route may answer with it |
|---|---|
{{everywhere}}

Requests are limited to `security.rateLimit.api` a minute and address (600 unless set; 0 sets no limit). Each answer says in
`RateLimit`, `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds) where the caller stands; a 429 has
`Retry-After`. Health is not counted. Signing in is limited to {EXCHANGES} tries a minute; {MOST} sessions of {DAYS} days fit.

## Routes"""


def http_page() -> str:
    """Give the page below its note: rules for all routes, then each route."""
    shown = {**EVERYWHERE, **WITH_BODY}
    everywhere = "\n".join(f"| {status} | {text} |" for status, text in sorted(shown.items()))
    schemas = document()["components"]["schemas"]
    routes = [part for route in TABLE for part in _route(route, schemas)]
    inner = [part for name in sorted(schemas) for part in _part(name, schemas)]
    return "\n\n".join([INTRODUCTION.replace("{everywhere}", everywhere), *routes, "## Parts of bodies", *inner])


def _part(name: str, schemas: dict[str, Any]) -> Iterator[str]:
    """What a body has inside it."""
    if name != "Error" and all(route.body is None or route.body.__name__ != name for route in TABLE):
        yield f"**{name}.** {schemas[name]['description']}"
        yield _table("Field", schemas[name])


def _route(route: Route, schemas: dict[str, Any]) -> Iterator[str]:
    yield f"### {route.method} {route.path}"
    yield route.summary
    if route.query is not None:
        yield _table("Parameter", route.query.model_json_schema())
    if route.body is not None:
        yield _table("Field", schemas[route.body.__name__])
    lines = [f"- {status}: {text}{_gives(route, status)}" for status, text in sorted(route.answers.items())]
    yield "\n".join(lines)


def _gives(route: Route, status: int) -> str:
    shape = route.gives if status < 300 and status != 207 else None
    if shape is None:
        return ""
    if "anyOf" in shape:
        return " " + "; several: ".join(_fields(one) for one in shape["anyOf"])
    return f" An array of {_fields(shape['items'])}" if shape["type"] == "array" else f" {_fields(shape)}"


def _fields(shape: dict[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in shape["properties"])


def _table(first: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = [f"| {first} | Value | Unless given |", "|---|---|---|"]
    for name, about in schema["properties"].items():
        default = "required" if name in required else _default(about)
        rows.append(f"| `{name}` | {_value(about)} | {default} |")
    return "\n".join(rows)


def _default(about: dict[str, Any]) -> str:
    value = about.get("default")
    return "" if value is None or value == "" else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _value(about: dict[str, Any]) -> str:
    if "$ref" in about:
        return str(about["$ref"]).rsplit("/", 1)[1]
    told = " or ".join(f"`{v}`" for v in about["enum"]) if "enum" in about else str(about.get("type", "any JSON"))
    if about.get("type") == "array" and "items" in about:
        told = f"array of {_value(about['items'])}"
    low, high = about.get("minimum"), about.get("maximum")
    if low is not None or high is not None:
        told += f", {'' if low is None else _plain(low)}..{'' if high is None else _plain(high)}"
    for key, unit in (("maxLength", "characters"), ("maxItems", "entries")):
        if key in about:
            told += f", at most {about[key]:,} {unit}"
    return told + (f": {about['description']}" if "description" in about else "")


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1e6 else f"{number:.0e}".replace("e+", "e")
