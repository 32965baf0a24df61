"""What a client is told on connecting names only what there is, and how this server is set."""

from __future__ import annotations

import re
from typing import Any

from iris.serve.mcp.guide import PROMPTS, RESOURCES, TEMPLATES, with_guide
from iris.serve.mcp.instructions import CEILING, instructions
from iris.serve.mcp.tools import build_tools
from tests.serve.mcp.fake import CAPABILITIES

TEXT = instructions(CAPABILITIES, 0.7)


def test_they_fit_and_say_how_this_server_is_set() -> None:
    assert len(TEXT) <= CEILING
    assert "2 built in (safety 1, completeness 1); 1 deployed" in TEXT
    assert "Critical here, each failing a run alone: no_pii." in TEXT
    assert "score of 0.7" in TEXT
    assert "Judge: not enabled. To enable it: Set ANTHROPIC_API_KEY" in TEXT


def test_another_setting_reads_differently() -> None:
    changed: dict[str, Any] = {
        "rules": [{"name": f"r{i}", "category": "cost", "critical": True} for i in range(20)],
        "customRules": {"enabled": 3, "quarantined": 2},
        "judge": {"enabled": True, "provider": "openai"},
    }
    text = instructions(changed, 0.25)
    assert "2 can not be used" in text
    assert "r11 and 8 more" in text
    assert "score of 0.25" in text
    assert "Judge: enabled (openai)" in text
    assert len(text) <= CEILING
    assert "No built-in rule is critical" in instructions({}, 0.7)


def test_every_tool_and_resource_they_name_exists() -> None:
    named = set(re.findall(r"iris://[a-z/_{}]*[a-z}]", TEXT))
    assert named == {*RESOURCES, *TEMPLATES}
    tools = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", TEXT)) - {"no_pii", "tool_calls", "cost_usd", "trace_id"}
    assert tools <= set(build_tools())
    assert tools >= {"log_trace", "evaluate_output", "get_traces", "list_rules", "deploy_rule"}
    assert all(name in TEXT for name in PROMPTS)


def test_the_guide_names_what_is_offered() -> None:
    whole = with_guide({"version": "1"})
    assert whole["version"] == "1"
    assert whole["tools"] == list(whole["toolGuide"]) == list(build_tools())
    assert whole["resources"] == [*RESOURCES, *TEMPLATES]
    assert whole["prompts"] == ["evaluate-my-agent"]
    assert len(whole["toolGuide"]["evaluate_output"]["answer"]) > 200
