"""What the tools answer: the top-level fields, their types, and which of them a successful answer always has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Output:
    """The fields of an answer; `always` are those no successful answer lacks."""

    always: frozenset[str]
    fields: Mapping[str, dict[str, Any]]

    def lacks(self, answer: Mapping[str, Any]) -> frozenset[str]:
        """Give the fields an answer should have and has not."""
        return self.always - answer.keys()


def _output(always: str, **fields: tuple[str, str]) -> Output:
    """A type of "" is one that may be null too: lists of types are not understood everywhere."""
    typed = {name: ({"type": kind} if kind else {}) | {"description": about} for name, (kind, about) in fields.items()}
    return Output(frozenset(always.split()), typed)


VERDICT_FIELDS = {
    "id": ("string", "the evaluation, kept at iris://evaluations/{id}"),
    "eval_type": ("string", "the bundle that judged"),
    "score": ("number", "0 to 1, a weighted mean; it never decides"),
    "passed": ("boolean", "true only when verdict.state is pass"),
    "verdict": ("object", "state pass, fail or unknown; basis: what decided; by: the rules; also: what else would have"),
    "rule_results": ("array", "one entry a rule: passed, or skipped with skipReason; message; evidence by offsets"),
    "suggestions": ("array", "what to do about failed rules"),
    "rules_evaluated": ("integer", "rules that gave an answer"),
    "rules_skipped": ("integer", "rules that lacked what they need"),
    "insufficient_data": ("boolean", "no rule could judge"),
    "coverage": ("object", "which questions were judged, which were not and why"),
    "categories": ("object", "with eval_type all: each bundle on its own"),
    "critical_failures": ("array", "critical rules that failed"),
    "critical_skipped": ("array", "critical rules that could not answer"),
    "provenance": ("object", "versions, hashes and thresholds behind the verdict"),
    "note": ("string", "something about this call you should know"),
    "trace_id": ("string", "the trace this is the verdict of record of"),
    "reference_trace_id": ("string", "the trace this was about, when it is not its verdict of record"),
    "erased_at": ("string", "when the texts behind it were deleted"),
}
JUDGE_FIELDS = {
    "id": ("string", "the evaluation, kept at iris://evaluations/{id}"),
    "score": ("number", "0 to 1"),
    "passed": ("boolean", "score against pass_threshold"),
    "pass_threshold": ("number", "what the score was read against"),
    "self_reported_pass": ("boolean", "what the model said about passing; recorded only"),
    "disagreement": ("boolean", "the model's own answer differs from the threshold's"),
    "rationale": ("string", "the reasons, in the model's words"),
    "dimensions": ("object", "scores of the template's parts"),
    "model": ("string", "the model that judged"),
    "provider": ("string", "who was called"),
    "template": ("string", "what was asked of it"),
    "input_tokens": ("number", "tokens sent"),
    "output_tokens": ("number", "tokens received"),
    "cost_usd": ("", "what was spent; null when the model has no price"),
    "latency_ms": ("number", "wall time of the calls"),
    "raw_response_id": ("string", "the provider's id of its answer"),
    "trace_id": ("string", "the linked trace"),
}
CITATION_FIELDS = {
    "id": ("string", "the evaluation, kept at iris://evaluations/{id}"),
    "overall_score": ("", "supported of judged; null when none was judged"),
    "passed": ("", "every judged citation was supported; null when none was judged"),
    "citations": ("array", "each citation: where it is, resolve_status, its source, what the model said"),
    "total_citations_found": ("integer", "citations in the output"),
    "total_resolved": ("integer", "sources that were fetched"),
    "total_judged": ("integer", "citations a model ruled on"),
    "total_supported": ("integer", "of those, supported"),
    "total_unsupported": ("integer", "of those, not supported"),
    "total_cost_usd": ("number", "what was spent"),
    "trace_id": ("string", "the linked trace"),
}
OUTPUTS: dict[str, Output] = {
    "log_trace": _output(
        "trace_id status",
        trace_id=("string", "32 hex; evaluate_output, get_traces and delete_trace take it"),
        status=("string", "stored"),
        evaluation=("object", "with evaluate: the answer of evaluate_output"),
    ),
    "evaluate_output": _output(
        "id eval_type score passed rule_results suggestions rules_evaluated rules_skipped insufficient_data",
        **VERDICT_FIELDS,
    ),
    "get_traces": _output(
        "traces total limit offset",
        traces=("array", "the page; stored text stands between untrusted marks"),
        total=("integer", "traces that match, over all pages"),
        limit=("integer", "size of the page"),
        offset=("integer", "where the page begins"),
        next=("string", "pass it as `after` for the next page"),
        complete=("boolean", "false when a condition was asked of the newest traces only"),
        summary=("object", "with include_summary: totals of the last hour"),
        untrusted=("object", "id and meaning of the marks"),
    ),
    "list_rules": _output(
        "rules total enabled_count built_in quarantined",
        rules=("array", "deployed rules after the filters"),
        total=("integer", "how many those are"),
        enabled_count=("integer", "of those, switched on"),
        built_in=("array", "the shipped rules, never filtered: what each needs, whether it is critical here"),
        quarantined=("array", "stored rules that can not be used; they judge nothing and are kept"),
        untrusted=("object", "id and meaning of the marks"),
    ),
    "deploy_rule": _output(
        "rule",
        rule=("object", "the rule as kept; its id is for delete_rule"),
        replaced=("array", "with replace: the rules that were retired"),
        warning=("string", "what you should know about it"),
    ),
    "delete_rule": _output(
        "deleted rule_id",
        deleted=("boolean", "a rule was removed; false for an unknown id and for a switch"),
        rule_id=("string", "the id you gave"),
        toggled=("boolean", "with enabled: the rule exists and has that state"),
        enabled=("boolean", "with enabled: its state now"),
        rule=("object", "with enabled: the rule as kept"),
    ),
    "delete_trace": _output(
        "deleted trace_id",
        deleted=("boolean", "a trace was removed; false for an unknown id"),
        trace_id=("string", "the id you gave"),
    ),
    "evaluate_with_llm_judge": _output(
        "id score passed pass_threshold rationale dimensions model provider template input_tokens output_tokens cost_usd"
        " latency_ms",
        **JUDGE_FIELDS,
    ),
    "verify_citations": _output(
        "id overall_score passed total_citations_found total_resolved total_judged total_supported total_unsupported"
        " total_cost_usd citations",
        **CITATION_FIELDS,
    ),
}
