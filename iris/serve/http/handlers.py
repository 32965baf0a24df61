"""What each route does: ask the service, say its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iris.serve.http.answers import Answer, refusal, said
from iris.service.errors import ServiceError
from iris.service.models import lists as ls
from iris.service.models import rules as rl
from iris.service.parse import parse

if TYPE_CHECKING:
    from iris.serve.http.api import Api

Asked = Any
"""The query or body of the route as its model; None where it has none."""


async def no_answer(api: Api, request: Any) -> Answer:
    """The stream of events is answered by the door itself."""
    return said(404, "Unknown API route")


async def health(api: Api, asked: Asked, name: str | None) -> Answer:
    """Whether everything works. Faults 125, 226: one shape at both addresses, no counts, 503 when something is wrong."""
    found = await api.service.health()
    return Answer(200 if found["status"] == "ok" else 503, found, {"Cache-Control": "no-store"})


async def capabilities(api: Api, asked: Asked, name: str | None) -> Answer:
    """What this server can do."""
    from iris.serve.mcp.guide import with_guide

    return Answer(200, with_guide(await api.service.capabilities()))


async def openapi(api: Api, asked: Asked, name: str | None) -> Answer:
    """The OpenAPI document."""
    return Answer(200, api.document())


async def traces(api: Api, asked: ls.ListTraces, name: str | None) -> Answer:
    """A page of runs."""
    return Answer(200, await api.service.list_traces(asked))


async def trace(api: Api, asked: Asked, name: str) -> Answer:
    """One run."""
    return _or_404(await api.service.trace_detail(name), "Trace not found")


async def delete_trace(api: Api, asked: Asked, name: str) -> Answer:
    """Delete a run."""
    try:
        gone = await api.service.delete_trace(parse(rl.DeleteTrace, {"trace_id": name}))
    except ServiceError as error:
        if error.code != "IRIS_INVALID_ARGUMENT":
            raise
        return said(404, "Trace not found")
    return Answer(204) if gone["deleted"] else said(404, "Trace not found")


async def evaluations(api: Api, asked: ls.ListEvaluations, name: str | None) -> Answer:
    """A page of evaluations."""
    return Answer(200, await api.service.evaluations(asked))


async def evaluation(api: Api, asked: Asked, name: str) -> Answer:
    """One evaluation."""
    return _or_404(await api.service.evaluation(name), "Evaluation not found")


async def reevaluate(api: Api, asked: Asked, name: str) -> Answer:
    """Judge again."""
    found = await api.service.reevaluate(name)
    return said(404, "Evaluation not found") if found is None else Answer(201, found)


async def summary(api: Api, asked: ls.Hours, name: str | None) -> Answer:
    """Totals."""
    return Answer(200, await api.service.summary(asked))


async def filters(api: Api, asked: Asked, name: str | None) -> Answer:
    """Names to filter by."""
    return Answer(200, await api.service.filters())


async def statistics(api: Api, asked: ls.PeriodQuery, name: str | None) -> Answer:
    """How a period came out."""
    return Answer(200, await api.service.statistics(asked))


async def trend(api: Api, asked: ls.PeriodQuery, name: str | None) -> Answer:
    """The same over time."""
    return Answer(200, await api.service.trend(asked))


async def rule_statistics(api: Api, asked: ls.PeriodQuery, name: str | None) -> Answer:
    """How often each rule failed."""
    return Answer(200, await api.service.rule_statistics(asked))


async def recent_failures(api: Api, asked: ls.RecentFailures, name: str | None) -> Answer:
    """The newest failures."""
    return Answer(200, await api.service.recent_failures(asked))


async def drift(api: Api, asked: ls.DriftQuery, name: str | None) -> Answer:
    """A period against the one before."""
    return Answer(200, await api.service.drift(asked))


async def failures(api: Api, asked: ls.ListFailures, name: str | None) -> Answer:
    """Failures worth a look."""
    return Answer(200, await api.service.failures(asked))


async def moments(api: Api, asked: ls.ListMoments, name: str | None) -> Answer:
    """Runs by how much they deserve a look."""
    return Answer(200, await api.service.moments(asked))


async def moment(api: Api, asked: Asked, name: str) -> Answer:
    """One moment."""
    return _or_404(await api.service.moment(name), "Decision moment not found")


async def builtin_rules(api: Api, asked: Asked, name: str | None) -> Answer:
    """The roster."""
    return Answer(200, await api.service.builtin_rules())


async def custom_rules(api: Api, asked: Asked, name: str | None) -> Answer:
    """The deployed rules."""
    return Answer(200, await api.service.custom_rules())


async def deploy(api: Api, asked: rl.DeployRule, name: str | None) -> Answer:
    """Deploy a rule."""
    return Answer(201, await api.service.deploy_rule(asked))


async def preview(api: Api, asked: rl.PreviewRule, name: str | None) -> Answer:
    """Try a rule."""
    try:
        return Answer(200, await api.service.preview(asked))
    except ServiceError as error:
        if error.code != "IRIS_INVALID_RULE_CONFIG":
            raise
        told = refusal(error).body
        return Answer(422, {**told, "error": "Rule definition rejected", "message": error.message})


async def switch(api: Api, asked: rl.PatchRule, name: str) -> Answer:
    """Switch a rule."""
    return _or_404(await api.service.patch_rule(name, asked.enabled), "Rule not found")


async def remove(api: Api, asked: Asked, name: str) -> Answer:
    """Delete a rule."""
    return Answer(204) if await api.service.remove_rule(name) else said(404, "Rule not found")


async def audit(api: Api, asked: ls.ListAudit, name: str | None) -> Answer:
    """The log."""
    return Answer(200, await api.service.audit(asked))


async def preferences(api: Api, asked: Asked, name: str | None) -> Answer:
    """What the pages remember."""
    return Answer(200, await api.service.preferences())


async def set_preferences(api: Api, asked: Any, name: str | None) -> Answer:
    """Set some of it."""
    return Answer(200, await api.service.set_preferences(asked.model_dump(exclude_unset=True)))


def _or_404(found: Any, message: str) -> Answer:
    return said(404, message) if found is None else Answer(200, found)
