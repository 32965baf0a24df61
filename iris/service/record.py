"""Writing runs down: every one of a call, with its verdict where one was asked for, or none of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from iris.service.core import Core
from iris.service.errors import ServiceError
from iris.service.judge import Standing, event_of, judged
from iris.service.models.rules import DeleteTrace
from iris.service.models.trace import LogTrace
from iris.service.parse import refused
from iris.service.wire import span_rows, trace_row
from iris.store.interface import AuditEntry, NewEvaluation, NewTrace, StoreError

Result = dict[str, Any]
TURN = 8
"""Runs of a batch that are judged before other requests get their turn."""
NOT_JUDGED = "eval_type was given without evaluate: true, so nothing was judged."


async def ingest(
    core: Core,
    items: Sequence[LogTrace],
    source: str,
    tenant: str,
    context: Mapping[str, Any] | None,
    *,
    partial: bool = False,
) -> list[Result]:
    """Store runs in one transaction. Raises IRIS_INVALID_ARGUMENT before anything is stored; `partial` keeps the good ones.

    Faults 93, 139, 165: the spans and the verdict go with their trace, and the verdict is of what is stored.
    """
    now, seen = core.clock(), set[str]()
    made: list[NewTrace | ServiceError] = []
    for i, args in enumerate(items):
        if i and not i % TURN:
            await asyncio.sleep(0)
        try:
            made.append(await _new(core, args, now, source, tenant, context, seen))
        except ServiceError as error:
            told = within(error, i) if len(items) > 1 else error
            if not partial:
                raise told from error
            made.append(told)
    await _keep(core, tenant, [new for new in made if isinstance(new, NewTrace)])
    return [_answer(core, args, new) for args, new in zip(items, made, strict=True)]


async def _new(
    core: Core, args: LogTrace, now: str, source: str, tenant: str, context: Mapping[str, Any] | None, seen: set[str]
) -> NewTrace:
    trace = trace_row(args, now, source, context)
    spans = span_rows(args.spans, trace, seen) if args.spans else []
    if not args.evaluate:
        return NewTrace(trace, spans)
    if args.output is None:
        message = "`evaluate` needs `output`: there is nothing to judge"
        raise refused([{"field": "output", "message": message}])
    result = await judged(core, tenant, {**trace, "spans": spans}, args.eval_type, Standing(trace_id=trace["trace_id"]))
    return NewTrace(trace, spans, NewEvaluation(result, now, args.output, None, trace["trace_id"]))


def within(error: ServiceError, index: int) -> ServiceError:
    """Say which item of a batch an error is about."""
    error.message = f"item {index}: {error.message}"
    if error.field is not None:
        error.field = f"[{index}].{error.field}"
    error.details = [{**d, "field": f"[{index}].{d['field']}"} for d in error.details]
    return error


async def _keep(core: Core, tenant: str, news: Sequence[NewTrace]) -> None:
    if not news:
        return
    try:
        await core.store.add_traces(tenant, news)
    except StoreError as error:
        if error.reason != "duplicate_span":
            raise
        message = f"{error}; every span has an id of its own, and nothing of this call was stored"
        raise refused([{"field": "spans", "message": message}]) from error


def _answer(core: Core, args: LogTrace, new: NewTrace | ServiceError) -> Result:
    if isinstance(new, ServiceError):
        return {"status": "refused", **new.body()}
    trace = new.trace
    result: Result = {"trace_id": trace["trace_id"], "status": "stored", "cost_usd": trace["cost_usd"]}
    result["cost_source"] = trace.get("cost_source")
    stored = {key: trace.get(key) for key in ("trace_id", "agent_name", "timestamp", "session_id")}
    core.publish("trace.stored", stored)
    if new.evaluation is not None:
        result["evaluation"] = new.evaluation.result
        core.publish("evaluation.stored", event_of(new.evaluation.result))
    elif args.eval_type is not None:
        result["note"] = NOT_JUDGED
    return result


async def delete_trace(core: Core, args: DeleteTrace, tenant: str) -> Result:
    """Delete a trace. Faults 40, 132: the deletion is logged, and the texts of its evaluations go with it."""
    entry = AuditEntry(core.clock(), "trace.delete", trace_id=args.trace_id)
    deleted = await core.store.delete_trace(tenant, args.trace_id, entry)
    if deleted:
        core.publish("trace.deleted", {"trace_id": args.trace_id})
    return {"deleted": deleted, "trace_id": args.trace_id}
