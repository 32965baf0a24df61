"""Answers leave nothing out, and what is posted means over HTTP what it means everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.http.site import LEAK, RULE, Site


async def test_a_moment_has_its_rule_results_whole(site: Site) -> None:
    """Fault 227: the same objects as in the evaluation itself."""
    logged = await site.log(output=LEAK)
    evaluation = (await site.get(f"/evaluations/{logged['evaluation']['id']}")).body
    moment = (await site.get(f"/moments/{logged['trace_id']}")).body
    detail = (await site.get(f"/traces/{logged['trace_id']}")).body
    assert moment["evals"][0]["rule_results"] == evaluation["rule_results"] == detail["evals"][0]["rule_results"]
    assert logged["evaluation"].items() <= evaluation.items()
    failed = next(r for r in evaluation["rule_results"] if r["ruleName"] == "no_pii")
    assert {"evidence", "uncertainty", "classes", "role", "question"} <= failed.keys()


async def test_a_cost_rule_limits_cost_and_a_length_rule_takes_no_amount(site: Site) -> None:
    """Fault 216."""
    limit = {**RULE, "name": "dear", "evalType": "cost", "definition": {"type": "cost_threshold", "config": {"max_cost": 0.05}}}
    assert (await site.ask("POST", "/rules/custom", limit)).status == 201
    for cost, passed in ((0.01, True), (0.06, False)):
        results = (await site.log(cost_usd=cost, eval_type="cost"))["evaluation"]["rule_results"]
        assert next(r for r in results if r["ruleName"] == "dear")["passed"] is passed
    length = {**RULE, "name": "long", "definition": {"type": "max_length", "config": {"max": 0.05}}}
    assert (await site.ask("POST", "/rules/custom", length)).status == 400


@pytest.mark.parametrize("run", [{"evaluate": True}, {"evaluate": True, "output": None}, {"evaluate": True, "output": "x", "eval_type": "other"}])
async def test_a_run_that_can_not_be_judged_as_asked_is_not_stored(site: Site, run: dict[str, Any]) -> None:
    """Faults 164, 166."""
    assert (await site.ask("POST", "/traces", {"agent_name": "clerk", **run})).status == 400
    assert await site.count() == 0


@pytest.mark.parametrize("bundle", ["completeness", "relevance", "safety", "cost", "custom", "all"])
async def test_every_bundle_can_be_asked_for(site: Site, bundle: str) -> None:
    """Fault 166."""
    evaluation = (await site.log(output=LEAK, eval_type=bundle))["evaluation"]
    assert (evaluation["eval_type"], "critical_skipped" in evaluation) == (bundle, True)
    found = (await site.get(f"/evaluations?eval_type={bundle}")).body
    assert [e["id"] for e in found["results"]] == [evaluation["id"]]


async def test_the_trace_context_of_the_headers_is_kept(site: Site) -> None:
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    for sent, kept in ((parent, True), ("00-" + "0" * 32 + "-00f067aa0ba902b7-01", False), ("ff" + parent[2:], False), ("\t", False)):
        said = await site.ask("POST", "/traces", {"agent_name": "clerk"}, headers={"traceparent": sent, "baggage": "a=b"})
        stored = (await site.get(f"/traces/{said.body['trace_id']}")).body["trace"]
        context = (stored.get("metadata") or {}).get("trace_context")
        assert (context is not None and context["traceparent"] == sent) is kept
