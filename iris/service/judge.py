"""Judging: a run with the rules of now, and how the result stands to the trace it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from iris.run.rule import CompiledRule
from iris.service.core import Core
from iris.service.errors import ServiceError
from iris.service.models.evaluate import EvaluateOutput
from iris.service.parse import refused
from iris.service.tracing import trace_context
from iris.service.wire import run_parts
from iris.store.interface import NewEvaluation, StoreError
from iris.verdict.facts import Envelope

Run = Mapping[str, Any]
Result = dict[str, Any]

BIG = 10_000
"""Characters above which a run is judged in a thread, so that it holds up nobody: about 5 ms of work."""
PARTS = ("output", "input", "tool_calls", "tools", "cost_usd", "token_usage")
"""What a trace holds and a call may give differently."""
FOREIGN = ("expected", "expected_trajectory", "custom_rules")
"""What no trace holds: with it, the call judges something else than the trace."""
OF_A_TRACE = (*PARTS, "latency_ms", "metadata", "capture")
TRAJECTORY_UNREAD = "expected_trajectory was accepted, but no rule of this Iris reads it, so it changed nothing."


@dataclass(frozen=True, slots=True)
class Standing:
    """How a verdict stands to a trace: of record (`trace_id`), beside it (`reference_trace_id`, `beside`), or alone."""

    trace_id: str | None = None
    reference_trace_id: str | None = None
    supersedes: str | None = None
    beside: tuple[str, ...] = ()
    trace_context: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


async def judged(
    core: Core, tenant: str, run: Run, eval_type: str | None, standing: Standing, inline: Sequence[CompiledRule] = ()
) -> Result:
    """Judge a run with the built-in, the deployed and the inline rules. Faults 5, 48, 49, 157: all of them join in."""
    now = core.clock()
    rules = [*deployed(core, eval_type), *inline]
    declared, unproven, remarks = recorded(run)
    envelope = Envelope(
        str(uuid4()),
        now,
        standing.trace_id,
        eval_type is None,
        standing.reference_trace_id,
        standing.supersedes,
        standing.beside,
        trace_context=standing.trace_context,
        rules_changed=await core.changes.of(tenant, now, core.rules.hash()),
        remarks=(*standing.remarks, *remarks),
        unread=standing.unread,
        declared=declared,
        unproven=unproven,
    )
    if characters(run) > BIG:
        return await core.aside(core.evaluator.judge, run, eval_type, envelope, rules, dormant(core))
    return core.evaluator.judge(run, eval_type, envelope, rules, dormant(core))


def recorded(run: Run) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Say which inputs were called complete by who recorded the run, which prove nothing, and what is missing of them.

    Faults 36, 37: an agent that says it made no calls proves nothing; a harness that saw all of them does.
    """
    capture = run.get("capture") or {}
    calls = run.get("tool_calls")
    declared = tuple(n for n in capture.get("complete", ()) if not (n == "tool_outputs" and calls == []))
    unproven = ("tool_calls",) if calls == [] and "tool_calls" not in declared else ()
    outputs = any(call.get("output") is not None for call in calls or ())
    there = {"input": bool(run.get("input")), "tool_calls": calls is not None or bool(run.get("spans")), "tool_outputs": outputs}
    missing = [name for name in declared if not there[name]]
    if not missing:
        return declared, unproven, ()
    return declared, unproven, (f"{capture['name']} declared {' and '.join(missing)} complete, and none came.",)


def deployed(core: Core, eval_type: str | None) -> list[CompiledRule]:
    """Give the deployed rules of a bundle; `custom`, `all` and none at all mean every one."""
    rules = core.rules.compiled()
    if eval_type in (None, "all", "custom"):
        return list(rules)
    return [rule for rule in rules if rule.info.bundle == eval_type]


def dormant(core: Core) -> list[dict[str, str]]:
    """Name the deployed rules that would gate and can not be read. Fault 46."""
    return [
        {"ruleId": str(rule.get("id") or rule["file"]), "name": str(rule.get("name") or rule["file"]), "reason": rule["reason"]}
        for rule in core.rules.quarantined()
        if rule.get("severity") not in ("low", "medium")
    ]


def characters(value: Any) -> int:
    """Count the characters of all texts of a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(characters(part) for part in value.values())
    return sum(characters(part) for part in value) if isinstance(value, list) else 0


async def evaluate_output(core: Core, args: EvaluateOutput, tenant: str, context: Mapping[str, Any] | None) -> Result:
    """Judge what a call gives, and keep the result.

    Faults 11, 12, 163: the trace is looked up before anything runs, and a call that gives anything else than the trace
    holds, or names one bundle, is kept beside the trace and never becomes its verdict.
    """
    trace = await _named(core, tenant, args.trace_id)
    given = _given(args)
    run = await _run(core, tenant, trace, given)
    output = _output(run, trace)
    inline = core.inline.of([r.model_dump(exclude_none=True) for r in args.custom_rules]) if args.custom_rules else []
    standing = _standing(trace, given, args, context)
    result = await judged(core, tenant, run, args.eval_type, standing, inline)
    await keep(core, tenant, result, output, args.expected)
    return result


async def _named(core: Core, tenant: str, trace_id: str | None) -> Result | None:
    if trace_id is None:
        return None
    trace = await core.store.trace(tenant, trace_id)
    if trace is None:
        raise unknown_trace(trace_id)
    return trace


def unknown_trace(trace_id: str) -> ServiceError:
    """Say that no such trace is stored."""
    recovery = [
        "List the stored traces with get_traces and use one of their ids.",
        "Or leave trace_id out and give the output itself.",
    ]
    message = f"no trace {trace_id[:80]!r} is stored; nothing was judged"
    return ServiceError("IRIS_UNKNOWN_TRACE", message, recovery, field="trace_id")


def _given(args: EvaluateOutput) -> Result:
    given = {name: value for name in ("output", "input", "cost_usd") if (value := getattr(args, name)) is not None}
    if args.expected is not None:
        given["expected"] = args.expected
    return given | run_parts(args)


async def _run(core: Core, tenant: str, trace: Result | None, given: Result) -> Result:
    """Merge what the call gives over what the trace holds; spans speak only where nobody recorded calls."""
    if trace is None:
        return given
    run = {name: trace[name] for name in OF_A_TRACE if trace.get(name) is not None} | given
    if given.keys() & {"input", "tool_calls"}:
        run.pop("capture", None)  # what was declared of the trace says nothing of what this call gives
    if "tool_calls" not in run:
        run["spans"] = await core.store.spans(tenant, trace["trace_id"])
    return run


def _output(run: Result, trace: Result | None) -> str:
    output = run.get("output")
    if isinstance(output, str) and output:
        return output
    why = "is missing; give it, or the trace_id of a stored trace that has one"
    if output == "":
        why = "is empty: there is nothing to judge"
    elif trace:
        why = "is missing, and the trace has none"
    raise refused([{"field": "output", "message": f"`output` {why}"}])


def _standing(trace: Result | None, given: Result, args: EvaluateOutput, context: Mapping[str, Any] | None) -> Standing:
    kept = trace_context(context)
    unread = ("expected_trajectory",) if args.expected_trajectory is not None else ()
    remarks = (TRAJECTORY_UNREAD,) if unread else ()
    if trace is None:
        return Standing(trace_context=kept, remarks=remarks, unread=unread)
    differing = differences(trace, given, args)
    if differing:
        return Standing(None, trace["trace_id"], None, differing, kept, remarks, unread)
    latest = trace.get("latest") or {}
    return Standing(trace["trace_id"], None, latest.get("evaluation_id"), (), kept, remarks, unread)


def differences(trace: Run, given: Run, args: EvaluateOutput) -> tuple[str, ...]:
    """Name what a call gives that the trace does not hold."""
    found = [name for name in PARTS if name in given and _plain(given[name]) != _plain(trace.get(name))]
    found += [name for name in FOREIGN if getattr(args, name) is not None]
    if args.eval_type not in (None, "all"):
        found.append("eval_type")
    return tuple(found)


def _plain(value: Any) -> Any:
    """Leave out what is null, so that a field that was left out equals one that was sent as null."""
    if isinstance(value, Mapping):
        return {key: part for key, part in value.items() if part is not None}
    return [_plain(part) for part in value] if isinstance(value, list) else value


async def keep(core: Core, tenant: str, result: Result, output: str | None, expected: str | None) -> None:
    """Store an evaluation and publish it. Raises IRIS_UNKNOWN_TRACE when its trace was deleted meanwhile."""
    trace_id, reference = result.get("trace_id"), result.get("reference_trace_id")
    stamp = result["provenance"]["judgedAt"]
    try:
        await core.store.add_evaluation(tenant, NewEvaluation(result, stamp, output, expected, trace_id, reference))
    except StoreError as error:
        if error.reason == "unknown_trace":
            raise unknown_trace(trace_id or "") from error
        raise
    core.publish("evaluation.stored", event_of(result))


def event_of(result: Mapping[str, Any]) -> Result:
    """Give what is published of an evaluation: no text of the run."""
    verdict = result["verdict"]
    event = {key: result.get(key) for key in ("id", "trace_id", "reference_trace_id", "eval_type", "score", "passed")}
    return event | {"state": verdict["state"], "basis": verdict["basis"], "by": verdict["by"]}


async def reevaluate(core: Core, evaluation_id: str, tenant: str) -> Result | None:
    """Judge the trace of an evaluation with the rules of now; None when there is no such evaluation.

    Raises IRIS_INVALID_ARGUMENT of kind `conflict` when it is no trace's verdict, or the trace or its output is gone.
    """
    row = await core.store.evaluation(tenant, evaluation_id)
    if row is None:
        return None
    trace_id = row.get("trace_id")
    if trace_id is None:
        beside = row.get("reference_trace_id")
        raise conflict(f"it stands beside trace {beside}" if beside else "it belongs to no stored trace")
    trace = await core.store.trace(tenant, trace_id)
    if trace is None or row.get("erased_at"):
        raise conflict("its trace was deleted")
    if not trace.get("output"):
        raise conflict("its trace has no output")
    run = await _run(core, tenant, trace, {})
    result = await judged(core, tenant, run, row["eval_type"], Standing(trace_id, supersedes=evaluation_id))
    await keep(core, tenant, result, trace["output"], None)
    before, after = _outcome(row), _outcome(result)
    return {"evaluation": result, "supersedes": evaluation_id, "before": before, "after": after, "changed": before != after}


def conflict(why: str) -> ServiceError:
    """Say that an evaluation can not be judged again."""
    recovery = ["Use evaluate_output with the text that is to be judged."]
    return ServiceError("IRIS_INVALID_ARGUMENT", f"the evaluation can not be repeated: {why}", recovery, kind="conflict")


def _outcome(row: Mapping[str, Any]) -> Result:
    verdict = row.get("verdict") or {}
    failed = [r["ruleName"] for r in row.get("rule_results", ()) if not r.get("passed") and not r.get("skipped")]
    return {"passed": row.get("passed"), "score": row.get("score"), "state": verdict.get("state"), "failed": failed}
