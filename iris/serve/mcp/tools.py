"""The nine tools, in the contract's order: arguments, answer, hints to the client, what runs, where the answer lives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from iris.serve.mcp.descriptions import DESCRIPTIONS, TITLES
from iris.serve.mcp.fence import fenced
from iris.serve.mcp.outputs import OUTPUTS, Output
from iris.serve.mcp.schemas import Schema, input_schema, output_schema
from iris.service.models.evaluate import EvaluateOutput, Judge, VerifyCitations
from iris.service.models.lists import GetTraces
from iris.service.models.rules import DeleteRule, DeleteTrace, DeployRule, ListRules
from iris.service.models.trace import LogTrace

if TYPE_CHECKING:
    from iris.service.service import Service

Answer = dict[str, Any]
TraceContext = dict[str, str] | None
Run = Callable[["Service", Any, TraceContext], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `hints` are readOnly, destructive, idempotent, openWorld; `links` gives the URIs of an answer."""

    name: str
    model: type[BaseModel]
    schema: Schema
    output: Output
    hints: tuple[bool, bool, bool, bool]
    run: Run
    links: Callable[[Answer], list[str]]

    def wire(self) -> dict[str, Any]:
        """Give the entry of tools/list."""
        names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        return {
            "name": self.name,
            "title": TITLES[self.name],
            "description": DESCRIPTIONS[self.name],
            "inputSchema": self.schema,
            "outputSchema": output_schema(self.output.fields),
            "annotations": dict(zip(names, self.hints, strict=True)),
        }


async def _log_trace(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.log_trace(args, source="tool", trace_context=context)


async def _evaluate_output(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.evaluate_output(args, trace_context=context)


async def _get_traces(service: Service, args: Any, context: TraceContext) -> Answer:
    answer = fenced(await service.get_traces(args), "trace", ("traces", "summary"))
    if answer.get("next") is None:
        # The last page has no next one; a null would not be the text that the schema promises.
        answer.pop("next", None)
    return answer


async def _list_rules(service: Service, args: Any, context: TraceContext) -> Answer:
    return fenced(await service.list_rules(args), "rule", ("rules", "quarantined"))


async def _deploy_rule(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.deploy_rule(args)


async def _delete_rule(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.delete_rule(args)


async def _delete_trace(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.delete_trace(args)


async def _judge(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.judge(args)


async def _verify_citations(service: Service, args: Any, context: TraceContext) -> Answer:
    return await service.verify_citations(args)


def _nowhere(answer: Answer) -> list[str]:
    return []


def _proof(answer: Answer) -> list[str]:
    return ["iris://proof"]


def _trace_links(answer: Answer) -> list[str]:
    links = [f"iris://traces/{answer['trace_id']}"]
    evaluation = answer.get("evaluation")
    return links if evaluation is None else [*links, f"iris://evaluations/{evaluation['id']}"]


def _verdict_links(answer: Answer) -> list[str]:
    trace = answer.get("trace_id") or answer.get("reference_trace_id")
    links = [f"iris://evaluations/{answer['id']}"]
    return links if trace is None else [*links, f"iris://traces/{trace}"]


_YES, _NO = True, False
_TABLE: tuple[tuple[str, type[BaseModel], tuple[bool, bool, bool, bool], Run, Callable[[Answer], list[str]]], ...] = (
    ("log_trace", LogTrace, (_NO, _NO, _NO, _NO), _log_trace, _trace_links),
    ("evaluate_output", EvaluateOutput, (_NO, _NO, _YES, _NO), _evaluate_output, _verdict_links),
    ("get_traces", GetTraces, (_YES, _NO, _YES, _NO), _get_traces, _nowhere),
    ("list_rules", ListRules, (_YES, _NO, _YES, _NO), _list_rules, _proof),
    ("deploy_rule", DeployRule, (_NO, _NO, _NO, _NO), _deploy_rule, _nowhere),
    ("delete_rule", DeleteRule, (_NO, _YES, _YES, _NO), _delete_rule, _nowhere),
    ("delete_trace", DeleteTrace, (_NO, _YES, _YES, _NO), _delete_trace, _nowhere),
    ("evaluate_with_llm_judge", Judge, (_NO, _NO, _NO, _YES), _judge, _verdict_links),
    ("verify_citations", VerifyCitations, (_NO, _NO, _NO, _YES), _verify_citations, _verdict_links),
)


def build_tools() -> Mapping[str, Tool]:
    """Give the tools by name, in the contract's order."""
    return {
        name: Tool(name, model, input_schema(model), OUTPUTS[name], hints, run, links)
        for name, model, hints, run, links in _TABLE
    }
