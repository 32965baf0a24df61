"""What the routes answer: the fields that are always there and their types, as JSON Schema. More may come with them."""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]
TYPES: dict[str, Any] = {
    "text": {"type": "string"},
    "count": {"type": "integer", "minimum": 0},
    "number": {"type": "number"},
    "ratio": {"type": "number", "minimum": 0, "maximum": 1},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
    "list": {"type": "array"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "objects": {"type": "array", "items": {"type": "object"}},
}


def fields(described: str, **more: Shape) -> Shape:
    """An object with these fields, `name:type` each; a type that ends in ? may be null."""
    properties: dict[str, Shape] = {}
    for word in described.split():
        name, _, kind = word.partition(":")
        plain = TYPES[kind.removesuffix("?")]
        properties[name] = {**plain, "type": [plain["type"], "null"]} if kind.endswith("?") else plain
    properties |= more
    return {"type": "object", "required": list(properties), "properties": properties}


def several(item: Shape) -> Shape:
    """An array."""
    return {"type": "array", "items": item}


CHECK = {"enum": ["ok", "failed"]}
HEALTH = fields(
    "version:text uptime_seconds:number driver:text judge:object mode:text",
    status={"enum": ["ok", "degraded"]},
    storage=CHECK,
    checks=fields("", storage=CHECK, rules_store=CHECK, migrations=CHECK),
)
CAPABILITIES = fields(
    "version:text transport:text questions:texts rules:objects customRules:object judge:object citations:object"
    " dashboard:object limits:object retention:object errors:object tools:texts resources:texts prompts:texts"
)
OPENAPI = fields("openapi:text info:object paths:object components:object")
EVALUATION = fields(
    "id:text eval_type:text score:ratio passed:flag rule_results:objects suggestions:texts rules_evaluated:count"
    " rules_skipped:count insufficient_data:flag"
)
STORED = fields("trace_id:text cost_usd:number? cost_source:text?", status={"const": "stored"})
RECORD = fields("", status={"enum": ["stored", "refused"]})
RECORDS = fields("count:count stored:count", results=several(RECORD))
INGESTED = {"anyOf": [STORED, RECORDS]}
TRACE = fields("trace_id:text agent_name:text timestamp:text created_at:text source:text cost_usd:number?")
PAGE = "total:count limit:count"
TRACES = fields(f"{PAGE} offset:count next:text? complete:flag", traces=several(TRACE))
TRACE_DETAIL = fields("spans:objects", trace=TRACE, evals=several(EVALUATION))
EVALUATIONS = fields(f"{PAGE} offset:count", results=several(EVALUATION))
OUTCOME = fields("passed:flag score:ratio state:text failed:texts")
REEVALUATED = fields("supersedes:text changed:flag", evaluation=EVALUATION, before=OUTCOME, after=OUTCOME)
SUMMARY = fields(
    "total_traces:count avg_latency_ms:number total_cost_usd:number error_rate:ratio eval_pass_rate:ratio?",
    traces_per_hour=several(fields("hour:text count:count")),
    top_agents=several(fields("agent_name:text count:count")),
)
FILTERS = fields("agent_names:texts frameworks:texts")
STATISTICS = fields(
    "period:text passRate:ratio? avgScore:ratio? totalEvals:count totalCost:number agentCount:count",
    safetyViolations=fields("pii:count injection:count hallucination:count"),
)
TREND = several(fields("timestamp:text avgScore:ratio? passRate:ratio? evalCount:count"))
RULE_STATISTICS = several(fields("rule:text passRate:ratio totalRun:count failCount:count"))
RECENT_FAILURES = several(EVALUATION)
WINDOW = fields("since:text? until:text? evaluated:count passed:count passRate:ratio? interval:object?")
DRIFT = fields(
    "period:text run:text? difference:object? enoughEvidence:flag minimumPerWindow:count smallestDetectable:number?",
    current=WINDOW,
    prior={"anyOf": [WINDOW, {"type": "null"}]},
)
MOMENT = fields(
    "id:text traceId:text agentName:text timestamp:text evalCount:count ruleSnapshot:object",
    verdict={"enum": ["pass", "fail", "partial", "unevaluated"]},
    significance=fields("kind:text score:ratio label:text reason:text"),
)
FAILURES = fields(f"{PAGE} scanned:count next:text? complete:flag", failures=several(MOMENT))
MOMENTS = fields(f"{PAGE} offset:count", moments=several(MOMENT))
ROSTER = fields("rules:objects")
RULE = fields(
    "id:text name:text description:text evalType:text severity:text definition:object enabled:flag createdAt:text"
    " updatedAt:text version:count"
)
RULES = fields("quarantined:objects", rules=several(RULE))
DEPLOYED = fields("", rule=RULE)
PREVIEW = fields(
    "tracesEvaluated:count wouldPass:count wouldFail:count wouldSkip:count examples:objects windowSinceIso:text evalType:text"
)
AUDIT = fields(f"{PAGE} offset:count", entries=several(fields("ts:text action:text user:text")))
PREFERENCES = fields("preferences:object displayPath:text")
