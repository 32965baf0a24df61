"""docs/http-api.md, made from the route table."""

from __future__ import annotations

from pydantic import BaseModel

from iris.serve.http.openapi import EVERYWHERE, WITH_BODY
from iris.serve.http.routes import TABLE, Route

HEAD = """# The HTTP interface

`iris serve --dashboard` serves it at `http://127.0.0.1:6920`. Bodies and answers are JSON. An unknown parameter or key is
refused with its name, the valid ones and the nearest. `/api/v1/openapi.json` is the same as a document for programs.

An error is `{"error": "what is wrong", "code": …, "details": [{"field", "message", "valid"}], "recovery": [what to do]}`; from
500 on it says no more than an id, under which the log of the server has the rest.

## Sending runs

`POST /api/v1/traces` takes a run (201), an array of at most 1,000 (201, 207 when some were refused, 400 when all were) or, as
`application/x-ndjson`, a run a line: at most 64 MB, read as it comes and stored in groups of 100. What is wrong with one
run spoils only itself; `results` has an answer for each, in order. With `"evaluate": true` each is judged by exactly what is stored,
and the answer has the evaluation (of a line: its verdict, score and id). A `traceparent` header is kept with the run.

## Live events

`GET /api/v1/events` is a stream of server-sent events: `trace.stored`, `evaluation.stored`, `rule.changed`, `trace.deleted`. Each
has an id; a reader that comes back with `Last-Event-ID` gets what it missed, of the last 1,000. A reader that falls 256 events
behind is let go. At most 8 streams from one address.

## Every address

"""
LIMITS = """
Every answer but health carries `RateLimit` and `RateLimit-Policy` (draft 7); 429 also `Retry-After`.
"""


def page() -> str:
    """The whole page."""
    statuses = "".join(f"- {status}: {text}\n" for status, text in sorted({**EVERYWHERE, **WITH_BODY}.items()))
    common = f"Besides what each says, an answer can be:\n\n{statuses}{LIMITS}\n"
    return HEAD + common + "\n".join(_route(route) for route in TABLE)


def _route(route: Route) -> str:
    lines = [f"### {route.method} {route.path}", "", route.summary, ""]
    lines += [f"- {status}: {text}" for status, text in sorted(route.answers.items())]
    for title, model in (("Parameters", route.query), ("Body", route.body)):
        if model is not None:
            lines += ["", f"{title}: {_names(model)}."]
    return "\n".join([*lines, ""])


def _names(model: type[BaseModel]) -> str:
    return ", ".join(f"`{name}`" + (" (required)" if field.is_required() else "") for name, field in model.model_fields.items())
