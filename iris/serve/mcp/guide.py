"""The long form of how to use Iris over MCP: what the descriptions of the tools leave out. Part of iris://capabilities."""

from __future__ import annotations

from typing import Any

from iris.serve.mcp.descriptions import DESCRIPTIONS

TOOL_GUIDE: dict[str, dict[str, str]] = {
    "log_trace": {
        "when": "After a task that used tools, or to keep what an agent did for later questions about it.",
        "not": "To judge an answer without keeping it: evaluate_output does that.",
        "arguments": (
            "tool_calls: in the order they were made; tool_name, input, output, error, latency_ms. Rules about trajectories, "
            "failures and loops read them. tools: the agent's own tools/list, verbatim, at most 200 entries. spans: name, kind, "
            "status_code, start_time, end_time. run and case_key name a batch and what was asked, so that runs can be compared."
        ),
        "answer": "trace_id and status stored; with evaluate also evaluation. A trace is never changed by a later call.",
        "errors": "IRIS_INVALID_ARGUMENT (also for evaluate without output: nothing is stored then), IRIS_STORAGE_ERROR.",
    },
    "evaluate_output": {
        "when": "Before somebody acts on an answer; after a task; before you say a run was clean.",
        "not": "For questions of taste or of facts only the world can answer: rules do not know them.",
        "arguments": (
            "output or trace_id is needed. input lets relevance and grounding judge; tool_calls let the rules about tools judge; "
            "cost_usd and token_usage let the cost rules judge. expected is a reference answer; expected_trajectory the calls "
            "that were expected. What you pass wins over what the trace has."
        ),
        "answer": (
            "verdict.state is pass, fail or unknown. verdict.basis: clean; detector_veto, a critical detection fired; "
            "policy_gate, a limit somebody set was broken; risk_over_loss, what fired makes a bad answer too likely; "
            "critical_unknown and required_evidence_missing, what had to be known was not; no_rules, nothing could judge. "
            "rule_results explain it, with evidence as offsets into the text. A skipped rule did not pass. With trace_id and "
            "nothing that differs from the trace this is its verdict of record; otherwise it is kept beside it, with "
            "reference_trace_id and provenance.beside."
        ),
        "errors": "IRIS_INVALID_ARGUMENT, IRIS_UNKNOWN_TRACE (before rules run), IRIS_INVALID_RULE_CONFIG, IRIS_STORAGE_ERROR.",
    },
    "get_traces": {
        "when": "To find earlier runs: failures of an agent, expensive runs, runs that mention something.",
        "not": "To read one run whole: iris://traces/{trace_id} has its spans and verdicts.",
        "arguments": (
            "since and until: an instant with its offset or a calendar date, inclusive. min_score and max_score read the latest "
            "verdict of record. limit 1 to 1000. q: words that must occur, key:value terms, or a condition over the run."
        ),
        "answer": "traces, total, limit, offset, next. complete is false when a condition was asked of the newest traces only.",
        "errors": "IRIS_INVALID_ARGUMENT (also for bounds that cross), IRIS_STORAGE_ERROR.",
    },
    "list_rules": {
        "when": "To see what judges here, to find a rule_id, to see what a built-in rule needs.",
        "not": "For how accurate rules are: iris://proof.",
        "arguments": "eval_type and enabled_only filter deployed rules; built-in ones are always listed.",
        "answer": "rules, total, enabled_count, built_in, quarantined.",
        "errors": "IRIS_INTERNAL_ERROR when the folder of rules can not be read.",
    },
    "deploy_rule": {
        "when": "When your user wants something checked from now on.",
        "not": "For one call: custom_rules of evaluate_output.",
        "arguments": (
            "name, eval_type, definition {type, config, weight}. Patterns are RE2: linear in time, without look-around. "
            "min_length counts characters. An expression, {fail_when: 'cost > 0.05usd'}, may use all of the rule language."
        ),
        "answer": "rule, and with replace also replaced and warning. It judges from the next call on.",
        "errors": "IRIS_DUPLICATE_RULE, IRIS_INVALID_RULE_CONFIG, IRIS_INVALID_ARGUMENT, IRIS_STORAGE_ERROR.",
    },
    "delete_rule": {
        "when": "When your user wants a deployed rule gone; with enabled, when it shall rest or judge again.",
        "not": "For built-in rules: which of them are critical is a matter of configuration.",
        "arguments": "rule_id as list_rules shows it. enabled true or false switches, left out it deletes.",
        "answer": "deleted; with enabled: toggled, enabled, rule. Sending it twice changes nothing more.",
        "errors": "IRIS_INVALID_ARGUMENT, IRIS_STORAGE_ERROR.",
    },
    "delete_trace": {
        "when": "When your user wants a run and its texts gone.",
        "not": "To hide a failed run: the verdict stays, without its texts.",
        "arguments": "trace_id, 32 lower-case hex digits.",
        "answer": "deleted. Verdicts about it keep their scores and get erased_at.",
        "errors": "IRIS_INVALID_ARGUMENT, IRIS_STORAGE_ERROR.",
    },
    "evaluate_with_llm_judge": {
        "when": "For what rules can not tell, where your user accepts the cost.",
        "not": "Before evaluate_output, which is free.",
        "arguments": "template, model; expected for correctness, source_material for faithfulness; max_cost_usd as a cap.",
        "answer": "score, passed, rationale, what it cost.",
        "errors": (
            "IRIS_JUDGE_NOT_ENABLED, IRIS_JUDGE_UNKNOWN_MODEL, IRIS_BUDGET_EXCEEDED, IRIS_PROVIDER_ERROR, IRIS_UNKNOWN_TRACE, "
            "IRIS_INVALID_ARGUMENT, IRIS_STORAGE_ERROR."
        ),
    },
    "verify_citations": {
        "when": "Before somebody relies on sources an answer names.",
        "not": "To find sources.",
        "arguments": "model; allow_fetch and domain_allowlist only narrow what the operator allows; max_cost_usd_total as a cap.",
        "answer": "passed is true when every judged citation was supported, null when none was judged.",
        "errors": (
            "IRIS_JUDGE_NOT_ENABLED, IRIS_JUDGE_UNKNOWN_MODEL, IRIS_BUDGET_EXCEEDED, IRIS_JUDGE_FAILED, IRIS_UNKNOWN_TRACE, "
            "IRIS_INVALID_ARGUMENT, IRIS_STORAGE_ERROR."
        ),
    },
}

RESOURCES: dict[str, tuple[str, str]] = {
    "iris://capabilities": ("capabilities", "What this Iris can do, how it is set, and the long guide to the tools"),
    "iris://proof": ("proof", "The published accuracy of each rule; unmeasured where nothing has been published"),
    "iris://dashboard/summary": ("summary", "Totals of the last 24 hours"),
    "iris://audit": ("audit", "The newest 100 changes of rules and deletions"),
}
TEMPLATES: dict[str, tuple[str, str]] = {
    "iris://traces/{trace_id}": ("trace", "One stored run: trace, spans, evaluations"),
    "iris://evaluations/{id}": ("evaluation", "One stored evaluation"),
}
PROMPTS: dict[str, str] = {"evaluate-my-agent": "Log a run, judge it, read the verdict, explain it"}


def with_guide(capabilities: dict[str, Any]) -> dict[str, Any]:
    """Give the capabilities with what MCP offers and the guide: the object of iris://capabilities and of the API."""
    guide = {name: {"what": DESCRIPTIONS[name], **TOOL_GUIDE[name]} for name in DESCRIPTIONS}
    offered = {"tools": list(DESCRIPTIONS), "resources": [*RESOURCES, *TEMPLATES], "prompts": list(PROMPTS)}
    return {**capabilities, **offered, "toolGuide": guide}
