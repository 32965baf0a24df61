"""Trying a rule on stored traces before it is deployed. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iris.run.finding import Finding
from iris.run.rule import CompiledRule
from iris.run.wire import from_wire
from iris.service.core import Core
from iris.service.instants import ago
from iris.service.models.rules import PreviewRule
from iris.store.filters import Test
from iris.store.interface import TraceQuery

Result = dict[str, Any]
PAGE = 100
MOST_EXAMPLES = 5
PREVIEW_CHARACTERS = 200
COUNTS = {"passes": "wouldPass", "fails": "wouldFail", "skipped": "wouldSkip"}


async def preview(core: Core, args: PreviewRule, tenant: str) -> Result:
    """Say what a rule would have said of the traces of a window, newest first, and of a sample. Fault 167."""
    definition = {"name": "preview", **args.definition.model_dump(exclude={"name"}, exclude_none=True)}
    rules = core.inline.of([definition], "definition")
    since = ago(core.clock(), days=args.windowDays)
    counts, examples = await _replayed(core, tenant, rules, since, args.maxTraces)
    result: Result = {"tracesEvaluated": sum(counts.values()), **counts}
    result |= {"examples": examples, "windowSinceIso": since, "evalType": args.evalType}
    if args.sampleOutput is not None:
        (finding,) = await core.aside(_judge, core, [{"output": args.sampleOutput}], rules)
        result["sample"] = _told(finding)
    return result


async def _replayed(
    core: Core, tenant: str, rules: Sequence[CompiledRule], since: str, most: int
) -> tuple[dict[str, int], list[Result]]:
    counts = dict.fromkeys(COUNTS.values(), 0)
    failed: list[Result] = []
    after, left = None, most
    while left > 0:
        query = TraceQuery(Test("time", ">=", since), limit=min(PAGE, left), after=after, count=False)
        page = await core.store.traces(tenant, query)
        for trace, finding in zip(page.rows, await core.aside(_judge, core, page.rows, rules), strict=True):
            counts[COUNTS[finding.state]] += 1
            if finding.state == "fails" and len(failed) < MOST_EXAMPLES:
                failed.append(_example(trace, finding))
        left, after = left - len(page.rows), page.next
        if after is None:
            break
    return counts, failed


def _judge(core: Core, runs: Sequence[Mapping[str, Any]], rules: Sequence[CompiledRule]) -> list[Finding]:
    return [core.evaluator.engine.judge(from_wire(run), rules)[0] for run in runs]


def _example(trace: Mapping[str, Any], finding: Finding) -> Result:
    told = {"traceId": trace["trace_id"], "agentName": trace["agent_name"], "timestamp": trace["timestamp"]}
    return told | _told(finding) | {"outputPreview": (trace.get("output") or "")[:PREVIEW_CHARACTERS]}


def _told(finding: Finding) -> Result:
    told: Result = {"passed": finding.state == "passes", "score": finding.score, "message": finding.message}
    if finding.state == "skipped":
        told |= {"skipped": True, "skipReason": finding.skip_reason or finding.message}
    return told
