"""POST /api/v1/traces: one run, an array, or a line a run; what is wrong with one spoils only itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from iris.serve.http.answers import Answer, refusal, said
from iris.serve.http.bodies import TooLargeError, lines, whole
from iris.service.errors import ServiceError
from iris.service.models.trace import IngestTrace
from iris.service.parse import parse
from iris.service.values import JsonError, decode

if TYPE_CHECKING:
    from iris.serve.http.api import Api

TITLE = "Invalid trace payload"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
MOST_BYTES = 64 << 20
MOST_ITEMS = 1_000
GROUP = 100
"""Records that are committed together."""
CONTEXT = ("traceparent", "tracestate", "baggage")


def context_of(request: web.BaseRequest) -> dict[str, str] | None:
    """The trace context of a request's headers."""
    found = {name: value for name in CONTEXT if (value := request.headers.get(name))}
    return found or None


async def post(api: Api, request: web.BaseRequest) -> Answer:
    """Store runs, judged where they ask for it."""
    if request.content_type in NDJSON:
        return await _lines(api, request)
    raw = await whole(request, MOST_BYTES)
    start = raw.lstrip()[:1]
    if start == b"[":
        return await _array(api, request, raw)
    if len(raw) > api.config.request_size_limit:
        raise TooLargeError(api.config.request_size_limit)
    try:
        args = parse(IngestTrace, raw)
        context = context_of(request)
        result = await api.service.log_trace(args, source="http", trace_context=context)
    except ServiceError as error:
        return refusal(error, TITLE if error.code == "IRIS_INVALID_ARGUMENT" else None)
    return Answer(201, result)


async def _array(api: Api, request: web.BaseRequest, raw: bytes) -> Answer:
    try:
        values = decode(raw)
    except JsonError as error:
        return said(400, TITLE, details=[{"field": error.path, "message": error.message}])
    if len(values) > MOST_ITEMS:
        return said(413, f"an array has at most {MOST_ITEMS} runs; send more as application/x-ndjson")
    results = await _group(api, request, values, 0)
    return _told(results)


async def _lines(api: Api, request: web.BaseRequest) -> Answer:
    results: list[dict[str, Any]] = []
    group: list[Any] = []
    async for line in lines(request, api.config.request_size_limit, MOST_BYTES):
        group.append(line)
        if len(group) >= GROUP:
            results += [_short(r) for r in await _group(api, request, group, len(results))]
            group = []
    if group:
        results += [_short(r) for r in await _group(api, request, group, len(results))]
    return _told(results)


async def _group(api: Api, request: web.BaseRequest, items: list[Any], first: int) -> list[dict[str, Any]]:
    """Store some records in one transaction; those that can not be read have their error in their place."""
    places: list[dict[str, Any] | None] = []
    good: list[IngestTrace] = []
    for i, item in enumerate(items, first):
        try:
            if isinstance(item, bytes) and len(item) > api.config.request_size_limit:
                raise ServiceError("IRIS_INVALID_ARGUMENT", f"record {i} is larger than {api.config.request_size_limit} bytes")
            good.append(parse(IngestTrace, item, at=f"[{i}]"))
            places.append(None)
        except ServiceError as error:
            places.append({"status": "refused", **error.body()})
    if good:
        stored = iter(await api.service.ingest(good, source="http", trace_context=context_of(request), partial=True))
        places = [next(stored) if place is None else place for place in places]
    return [place for place in places if place is not None]


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """A record's result with its verdict alone: a long file would have an answer many times its size."""
    evaluation = result.get("evaluation")
    if evaluation is None:
        return result
    kept = {
        key: evaluation[key]
        for key in ("id", "eval_type", "score", "passed", "verdict", "critical_failures")
        if key in evaluation
    }
    return {**result, "evaluation": kept}


def _told(results: list[dict[str, Any]]) -> Answer:
    stored = sum(1 for r in results if r.get("status") == "stored")
    status = 201 if stored == len(results) and results else 207 if stored else 400
    body: dict[str, Any] = {"count": len(results), "stored": stored, "results": results}
    if status == 400:
        body = {"error": TITLE if results else "there is no run in the body", **body}
    return Answer(status, body)
