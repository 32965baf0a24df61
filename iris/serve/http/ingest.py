"""POST /api/v1/traces: one run, an array, or a line a run; what is wrong with one spoils only itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from aiohttp import web

from iris.serve.http.answers import Answer, dumped, refusal, said
from iris.serve.http.bodies import TooLargeError, go_on, is_array, lines, whole
from iris.serve.http.records import items, read
from iris.service.errors import ServiceError
from iris.service.models.trace import IngestTrace
from iris.service.parse import parse
from iris.service.values import JsonError

if TYPE_CHECKING:
    from iris.serve.http.api import Api

TITLE = "Invalid trace payload"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
MOST_BYTES = 64 << 20
MOST_RECORDS = 50_000
"""Of one request: each has its result in the answer, so there are as many as an answer can hold."""
GROUP = 100
"""Records that are committed together."""
GROUP_BYTES = 8 << 20
CONTEXT = ("traceparent", "tracestate", "baggage")
KEPT = ("id", "eval_type", "score", "passed", "verdict", "critical_failures")


def context_of(request: web.BaseRequest) -> dict[str, str] | None:
    """The trace context of a request's headers."""
    found = {name: value for name in CONTEXT if (value := request.headers.get(name))}
    return found or None


async def post(api: Api, request: web.BaseRequest) -> Answer:
    """Store runs, judged where they ask for it."""
    limit = api.config.request_size_limit
    if request.content_type in NDJSON:
        await go_on(request)
        return await _Several(api, request).all_of(lines(request, limit, MOST_BYTES))
    raw = await whole(request, limit, MOST_BYTES)
    if is_array(raw):
        return await _Several(api, request).all_of(_values(raw, limit))
    try:
        args = parse(IngestTrace, raw)
        return Answer(201, await api.service.log_trace(args, source="http", trace_context=context_of(request)))
    except ServiceError as error:
        return refusal(error, TITLE if error.code == "IRIS_INVALID_ARGUMENT" else None)


async def _values(raw: bytes, limit: int) -> AsyncIterator[Any]:
    """The values of an array, read twice: JsonError and TooManyError come before the first is given."""
    for number, _ in enumerate(items(raw, limit)):
        if number >= MOST_RECORDS:
            raise TooManyError
        if not number % GROUP:
            await asyncio.sleep(0)
    for value in items(raw, limit):
        yield value


class TooManyError(Exception):
    """A request has more records than it may."""

    def __str__(self) -> str:
        return f"a request has at most {MOST_RECORDS} runs; send the others in another"


class _Several:
    """The results of the records of one request: kept as the bytes they go out as."""

    def __init__(self, api: Api, request: web.BaseRequest) -> None:
        self.api, self.request, self.context = api, request, context_of(request)
        self.results: list[bytes] = []
        self.stored = 0

    async def all_of(self, records: AsyncIterator[Any]) -> Answer:
        """Store the records in groups; a body that turns out too large keeps what was stored before, and says so."""
        group: list[Any] = []
        size = 0
        try:
            async for record in records:
                if len(self.results) + len(group) >= MOST_RECORDS:
                    await self._store(group)
                    raise TooManyError
                group.append(record)
                size += len(record) if isinstance(record, bytes) else 0
                if len(group) >= GROUP or size >= GROUP_BYTES:
                    await self._store(group)
                    group, size = [], 0
            await self._store(group)
        except (TooLargeError, TooManyError) as error:
            return self._told(413, str(error))
        except JsonError as error:
            return said(400, TITLE, details=[{"field": error.path, "message": error.message}])
        return self._answer()

    async def _store(self, group: list[Any]) -> None:
        """Store some records in one transaction; those that can not be read have their error in their place."""
        places: list[dict[str, Any] | None] = []
        good: list[IngestTrace] = []
        for number, record in enumerate(group, len(self.results)):
            try:
                good.append(read(record, number, self.api.config.request_size_limit))
                places.append(None)
            except ServiceError as error:
                places.append({"status": "refused", **error.body()})
        if good:
            answers = await self.api.service.ingest(good, source="http", trace_context=self.context, partial=True)
            stored = iter(answers)
            places = [next(stored) if place is None else place for place in places]
        else:
            await asyncio.sleep(0)
        for place in places:
            assert place is not None
            self.stored += place["status"] == "stored"
            self.results.append(dumped(_short(place)))

    def _answer(self) -> Answer:
        if self.results and self.stored == len(self.results):
            return self._told(201)
        return self._told(207) if self.stored else self._told(400, TITLE if self.results else "there is no run in the body")

    def _told(self, status: int, error: str | None = None) -> Answer:
        head: dict[str, Any] = {"count": len(self.results), "stored": self.stored}
        if error is not None:
            head = {"error": error, **head}
        return Answer(status, b'%b,"results":[%b]}' % (dumped(head)[:-1], b",".join(self.results)))


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """A record's result with its verdict alone: a long file would have an answer many times its size."""
    if "error" in result:
        error = {key: result["error"][key] for key in ("code", "message", "field") if key in result["error"]}
        return {**result, "error": error}
    evaluation = result.get("evaluation")
    if evaluation is None:
        return result
    return {**result, "evaluation": {key: evaluation[key] for key in KEPT if key in evaluation}}
