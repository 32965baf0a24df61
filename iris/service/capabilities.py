"""What this Iris can do and how it is set, for an agent to read before it calls; never a key."""

from __future__ import annotations

from typing import Any

from iris import __version__
from iris.service.core import Core
from iris.service.errors import CATALOGUE, ServiceError
from iris.service.models.evaluate import MAX_CUSTOM_RULES
from iris.service.models.trace import MAX_TOOLS
from iris.service.roster import roster
from iris.service.values import MAX_DEPTH
from iris.verdict.policy import QUESTIONS

Result = dict[str, Any]
TOOLS = (
    "log_trace", "evaluate_output", "get_traces", "list_rules", "deploy_rule", "delete_rule", "delete_trace",
    "evaluate_with_llm_judge", "verify_citations",
)  # fmt: skip
RESOURCES = (
    "iris://capabilities", "iris://proof", "iris://dashboard/summary", "iris://traces/{trace_id}",
    "iris://evaluations/{id}", "iris://audit",
)  # fmt: skip
PROMPTS = ("evaluate-my-agent",)
KEYS = {"anthropic": "IRIS_ANTHROPIC_API_KEY", "openai": "IRIS_OPENAI_API_KEY"}
"""The environment variable that holds the key of each provider."""
HOW_TO_ENABLE = (
    f"Set {KEYS['anthropic']} or {KEYS['openai']} in the environment of the Iris process and start it again.",
    "This release judges with rules alone: no model is called, whatever keys there are.",
)
CITATIONS_PER_CALL = 50
UNMEASURED = "no accuracy has been published for this rule: its answers are not weighed by measured rates"


async def capabilities(core: Core) -> Result:
    """Give the capabilities object of the contract, and the limits that are in force."""
    config, deployed = core.config, core.rules.rules()
    dashboard = f"http://{config.dashboard_host}:{config.dashboard_port}" if config.dashboard else None
    return {
        "version": __version__,
        "transport": config.transport,
        "questions": list(QUESTIONS),
        "rules": roster(core),
        "customRules": {
            "count": len(deployed),
            "enabled": sum(bool(rule["enabled"]) for rule in deployed),
            "quarantined": len(core.rules.quarantined()),
        },
        "judge": _judge(),
        "citations": {"fetchAllowed": False, "domainsRestricted": False},
        "dashboard": {"enabled": config.dashboard, "url": dashboard, "mode": "real"},
        "limits": _limits(core),
        "retention": {"days": config.retention_days, "sweepIntervalHours": config.sweep_interval_hours},
        "errors": {code: when for code, (when, _) in CATALOGUE.items()},
        "tools": list(TOOLS),
        "resources": list(RESOURCES),
        "prompts": list(PROMPTS),
        **core.offers,
    }


def _judge() -> Result:
    return {
        "enabled": False,
        "provider": None,
        "providers": [],
        "costCapUsd": None,
        "howToEnable": list(HOW_TO_ENABLE),
        "relevance": {"configured": False},
        "dailyBudget": None,
    }


def _limits(core: Core) -> Result:
    return {
        "customRulesPerCall": MAX_CUSTOM_RULES,
        "toolsPerTrace": MAX_TOOLS,
        "jsonDepth": MAX_DEPTH,
        "regexBudgetMs": None,
        "regexEngine": "RE2: a pattern takes time in proportion to the text, so it needs no budget",
        "requestBytes": core.config.request_size_limit,
        "httpRateLimitPerMin": core.config.rate_mcp,
        "apiRateLimitPerMin": core.config.rate_api,
        "citationsPerCall": CITATIONS_PER_CALL,
    }


def judge_not_enabled(operation: str) -> ServiceError:
    """Say that no model judges here, and what to do."""
    message = f"{operation} needs a model, and no model key reached this process; nothing was judged, spent or stored"
    recovery = [*HOW_TO_ENABLE, "Use evaluate_output: its rules need no model."]
    return ServiceError("IRIS_JUDGE_NOT_ENABLED", message, recovery, see="iris://capabilities")


def proof(core: Core) -> Result:
    """Give the published accuracy of each rule. Fault 204: without counts there is no rate, not even a perfect one."""
    return {
        "corpusVersion": core.evaluator.plan_facts.corpus_version,
        "measured": 0,
        "rules": [{"name": rule["name"], "status": "unmeasured", "why": UNMEASURED, "proof": None} for rule in roster(core)],
    }
