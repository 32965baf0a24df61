"""docs/mcp.md, made from the tools themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iris.serve.mcp.descriptions import TITLES
from iris.serve.mcp.guide import PROMPTS, RESOURCES, TEMPLATES, TOOL_GUIDE
from iris.serve.mcp.schemas import Schema
from iris.serve.mcp.tools import Tool, build_tools
from iris.service.errors import CATALOGUE

INTRODUCTION = """# MCP

Iris is an MCP server: on stdio for one client that starts it, on Streamable HTTP at `/mcp` for many. Both speak every version
of the protocol from 2024-11-05 to 2026-07-28; the client's first message decides.

## Transports

**stdio.** One JSON-RPC message a line, UTF-8, ended by LF (CRLF and a byte order mark are let pass). stdout carries the
protocol only: what prints there anyway goes to stderr. The process ends within two seconds of its stdin closing; calls in
progress get one second to finish. SIGTERM and SIGINT end it at once.

**Streamable HTTP.** POST, GET and DELETE on `/mcp` or `/mcp/`, no redirect between them. Answers are event streams; a GET
stream needs a session. A request whose Host names another machine, or whose Origin is neither the server's own nor one of the
allowed origins, is refused with 403 before its body is read. Allowed origins with a `*` allow nothing here.

| What is sent | stdio | HTTP |
|---|---|---|
| no JSON, or not UTF-8 | -32700 | 400, -32700 |
| a batch, `null`, a number; an id that is null or no string or integer; nested deeper than 200 | -32600 | 400, -32600 |
| more than `security.requestSizeLimit` bytes | -32600 naming size and setting; the session goes on | 413, -32600 |
| arguments nested deeper than 100 | IRIS_INVALID_ARGUMENT naming the place | the same |
| more than `security.rateLimit.mcp` requests in a minute | no limit | 429, -32029 naming limit, setting, seconds to reset |
| an unknown method, an unknown tool | -32601, -32602 | the same |
| half a surrogate pair in a text | becomes U+FFFD, so that offsets stay | the same |
| of a repeated key | the last one counts | the same |
| an empty line | nothing | |
| a message without id | nothing is answered, no tool runs | 202 without a body |

An error repeats the id of the request where it can be made out, also for a line that is too long or no JSON.

## Results

A tool answers with one JSON object, as text and as structured content, and with links to where it can be read again. An error
has `isError` and the object `{"error": {"code", "message", "recovery", "retryable", "field", "valid", "see"}}`; for arguments
that are refused before anything runs the text is one sentence instead, naming each of them and what is valid.

Text that was stored comes back between `<untrusted_trace id="…">` marks (`rule`, `evaluation`, `audit`, `summary` likewise)
with an id drawn for each answer, named in `untrusted`. Identifiers, instants and other plain text of up to 64 characters stay
bare. The marks are not part of the text: a rule that contains one is refused.

`traceparent`, `tracestate` and `baggage` in a request's `_meta`, or in its HTTP headers, are kept with the trace."""


def mcp_page() -> str:
    """Give the page below its note: transports, tools, resources, prompts, errors."""
    return "\n\n".join(
        [INTRODUCTION, "## Tools", *(part for tool in build_tools().values() for part in _tool(tool)), _resources(), _errors()]
    )


def _tool(tool: Tool) -> Iterator[str]:
    guide = TOOL_GUIDE[tool.name]
    hints = zip(("changes nothing", "destroys", "can be repeated", "reaches outside"), tool.hints, strict=True)
    told = ", ".join(name for name, holds in hints if holds)
    yield f"### {tool.name}"
    yield f"{TITLES[tool.name]}{f' ({told})' if told else ''}. {guide['when']} Not: {guide['not'][0].lower()}{guide['not'][1:]}"
    rows = [_row(name, schema, name in tool.schema.get("required", ())) for name, schema in tool.schema["properties"].items()]
    yield _table(("Argument", "Type", "About"), rows)
    yield guide["arguments"]
    yield f"Answer: {guide['answer']}"
    fields = [(f"`{name}`", field.get("type", "any"), field["description"]) for name, field in tool.output.fields.items()]
    yield _table(("Field", "Type", "About"), fields)
    yield f"Errors: {guide['errors']}"


def _row(name: str, schema: Schema, required: bool) -> tuple[str, str, str]:
    about = [schema.get("description", "")]
    if "default" in schema:
        about.append(f"{_code(schema['default'])} when left out")
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    if low is not None:
        above = "above " if "exclusiveMinimum" in schema else ""
        about.append(f"{above}{low} to {high}" if high is not None else f"{above or 'at least '}{low}")
    most = schema.get("maxLength", schema.get("maxItems"))
    if most is not None:
        about.append(f"at most {most} {'characters' if 'maxLength' in schema else 'entries'}")
    return f"`{name}`{' (required)' if required else ''}", _type(schema), "; ".join(part for part in about if part)


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"array of {_type(schema['items'])}"
    keys = ", ".join(f"`{name}`" for name in schema.get("properties", ()))
    return f"object {{{keys}}}" if keys else schema.get("type", "any")


def _code(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else "empty"


def _resources() -> str:
    rows = [(f"`{uri}`", about) for uri, (_, about) in {**RESOURCES, **TEMPLATES}.items()]
    rows += [(f"prompt `{name}`", about) for name, about in PROMPTS.items()]
    missing = "A resource that is not there is the protocol error -32002, from 2026-07-28 on -32602, with its `uri` as data."
    return "\n\n".join(["## Resources and prompts", _table(("Address", "Content"), rows), missing])


def _errors() -> str:
    rows = [(f"`{code}`", when) for code, (when, _) in CATALOGUE.items()]
    return "\n\n".join(["## Errors", _table(("Code", "When"), rows)])


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]] | list[tuple[str, str]] | list[tuple[str, str, str]]) -> str:
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)
