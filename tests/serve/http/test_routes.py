"""Every route answers as it says, from runs that were posted."""

from __future__ import annotations

import pytest

from iris.serve.http.routes import TABLE
from tests.serve.http.site import CLEAN, HOSTS, LEAK, RULE, Site

PERIODS = ("eval-stats", "eval-stats/trend", "eval-stats/rules", "eval-stats/failures", "eval-stats/drift")


@pytest.mark.parametrize("path", ["/health", "//health"])
async def test_health_tells_no_count_and_no_path(site: Site, path: str) -> None:
    """Faults 125, 218, 226: what is not told can not be told wrong."""
    await site.log()
    said = await site.get(path)
    assert said.status == 200
    assert set(said.body) == {"status", "version", "uptime_seconds", "driver", "checks", "storage", "judge", "mode"}
    assert str(site.config.db_path.parent).encode() not in said.raw


async def test_health_is_503_when_a_check_fails(site: Site) -> None:
    await site.store.close()
    said = await site.get("/health")
    assert (said.status, said.body["status"]) == (503, "degraded")


async def test_a_posted_run_is_judged_and_read_back(site: Site) -> None:
    """Faults 165, 166: what is stored is what is judged, and the answer has the whole verdict."""
    calls = [{"tool_name": "search", "input": {"q": "x"}, "output": "found"}]
    told = await site.log(input="When does the report run?", tool_calls=calls, spans=[{"name": "s", "span_id": "a1"}])
    assert told["evaluation"]["verdict"]["state"] in ("pass", "fail", "partial", "advisory", "abstain")
    assert "critical_skipped" in told["evaluation"]
    detail = (await site.get(f"/traces/{told['trace_id']}")).body
    assert detail["trace"]["tool_calls"] == calls
    assert detail["trace"]["source"] == "http"
    assert [s["span_id"] for s in detail["spans"]] == ["a1"]
    assert [e["id"] for e in detail["evals"]] == [told["evaluation"]["id"]]


async def test_a_run_that_asks_for_no_verdict_has_none(site: Site) -> None:
    said = await site.ask("POST", "/traces", {"agent_name": "clerk"})
    assert (said.status, said.body["status"]) == (201, "stored")
    assert "evaluation" not in said.body


async def test_the_list_of_runs_pages_and_filters(site: Site) -> None:
    for name in ("a", "b", "a"):
        await site.log(agent_name=name)
    found = (await site.get("/traces?agent_name=a&limit=1")).body
    assert (found["total"], found["limit"], len(found["traces"])) == (2, 1, 1)


async def test_a_search_says_whether_it_saw_everything(site: Site) -> None:
    await site.log(output="The nightly ledger was closed.")
    found = (await site.get("/traces?q=ledger")).body
    assert len(found["traces"]) == 1
    assert found["search"]["complete"] is True


async def test_a_deleted_run_is_gone_and_logged(site: Site) -> None:
    number = (await site.log())["trace_id"]
    assert (await site.ask("DELETE", f"/traces/{number}")).status == 204
    for method in ("GET", "DELETE"):
        said = await site.ask(method, f"/traces/{number}")
        assert (said.status, said.body["error"]) == (404, "Trace not found")
    assert (await site.get("/audit?action=trace.delete")).body["total"] == 1


async def test_evaluations_are_listed_and_read_one_by_one(site: Site) -> None:
    clean, leak = await site.log(), await site.log(output=LEAK)
    found = (await site.get("/evaluations?passed=false")).body
    assert [r["id"] for r in found["results"]] == [leak["evaluation"]["id"]]
    one = await site.get(f"/evaluations/{clean['evaluation']['id']}")
    assert one.body["trace_id"] == clean["trace_id"]


async def test_judging_again_gives_both_results(site: Site) -> None:
    first = (await site.log())["evaluation"]["id"]
    said = await site.ask("POST", f"/evaluations/{first}/reevaluate")
    assert (said.status, said.body["supersedes"]) == (201, first)
    assert set(said.body) == {"evaluation", "supersedes", "before", "after", "changed"}


async def test_judging_again_what_was_deleted_is_a_conflict(site: Site) -> None:
    told = await site.log()
    await site.ask("DELETE", f"/traces/{told['trace_id']}")
    assert (await site.ask("POST", f"/evaluations/{told['evaluation']['id']}/reevaluate")).status == 409


async def test_a_trace_whose_newest_evaluation_decides_is_found_by_that_one_alone(site: Site) -> None:
    """Fault 150."""
    told = await site.log(output=LEAK)
    score = told["evaluation"]["score"]
    assert (await site.get(f"/traces?min_score={score}&max_score={score}")).body["total"] == 1
    low = max(0.0, score - 0.2)
    assert (await site.get(f"/traces?min_score={low}&max_score={max(0.0, score - 0.001)}")).body["total"] == 0


async def test_the_numbers_are_those_of_what_was_posted(site: Site) -> None:
    await site.log(framework="langgraph")
    await site.log(output=LEAK, cost_usd=0.5)
    assert (await site.get("/summary?hours=1")).body["total_traces"] == 2
    assert (await site.get("/filters")).body == {"agent_names": ["clerk"], "frameworks": ["langgraph"]}
    stats = (await site.get("/eval-stats?period=24h")).body
    assert stats["totalEvals"] == 2
    assert stats["safetyViolations"]["pii"] == 1
    assert sum(b["evalCount"] for b in (await site.get("/eval-stats/trend")).body) == 2
    rules = (await site.get("/eval-stats/rules")).body
    assert rules[0]["passRate"] == min(r["passRate"] for r in rules)
    assert len((await site.get("/eval-stats/failures?limit=5")).body) == 1
    assert (await site.get("/eval-stats/drift")).body["minimumPerWindow"] == 10


@pytest.mark.parametrize("path", PERIODS)
async def test_an_unknown_period_is_refused_with_those_there_are(site: Site, path: str) -> None:
    said = await site.get(f"/{path}?period=3d")
    assert said.status == 400
    assert "24h" in said.body["details"][0]["valid"]


async def test_failures_and_moments_lead_to_the_run(site: Site) -> None:
    """Fault 182: the total counts what matches."""
    await site.log()
    leak = await site.log(output=LEAK)
    found = (await site.get("/failures")).body
    assert (found["total"], len(found["failures"])) == (1, 1)
    moments = (await site.get("/moments?verdict=fail&limit=50")).body
    assert [m["id"] for m in moments["moments"]] == [leak["trace_id"]]
    assert moments["total"] == 1
    one = await site.get(f"/moments/{leak['trace_id']}")
    assert one.status == 200
    assert (await site.get("/moments/" + "0" * 32)).body["error"] == "Decision moment not found"


async def test_a_rule_is_deployed_judges_is_switched_and_deleted(site: Site) -> None:
    assert (await site.get("/rules/builtin")).body["rules"]
    said = await site.ask("POST", "/rules/custom", RULE)
    assert said.status == 201
    number = said.body["rule"]["id"]
    judged = await site.log(output="Ask db-main.internal.example for it, where all of the orders of the year are kept.")
    assert "no-hosts" in [r["ruleName"] for r in judged["evaluation"]["rule_results"]]
    assert [r["id"] for r in (await site.get("/rules/custom")).body["rules"]] == [number]
    switched = await site.ask("PATCH", f"/rules/custom/{number}", {"enabled": False})
    assert (switched.status, switched.body["enabled"]) == (200, False)
    assert (await site.ask("DELETE", f"/rules/custom/{number}")).status == 204
    for method, body in (("DELETE", None), ("PATCH", {"enabled": True})):
        assert (await site.ask(method, f"/rules/custom/{number}", body)).status == 404


async def test_a_second_rule_of_a_name_is_a_conflict_that_names_the_first(site: Site) -> None:
    """Fault 155."""
    first = (await site.ask("POST", "/rules/custom", RULE)).body["rule"]["id"]
    said = await site.ask("POST", "/rules/custom", RULE)
    assert (said.status, said.body["existing"]) == (409, [first])
    assert (await site.ask("POST", "/rules/custom", {**RULE, "replace": True})).status == 201


@pytest.mark.parametrize(
    "change",
    [
        {"name": "n" * 81},
        {"definition": {**HOSTS, "wieght": 5}},
        {"definition": {"type": "regex_no_match", "config": {"pattern": "("}}},
        {"definition": {"type": "regex_no_match", "config": {"patern": "x"}}},
        {"evalType": "saftey"},
    ],
)
async def test_a_rule_that_can_not_work_is_refused_when_it_is_deployed(site: Site, change: dict[str, object]) -> None:
    """Faults 156, 159, 160."""
    assert (await site.ask("POST", "/rules/custom", {**RULE, **change})).status == 400
    assert (await site.get("/rules/custom")).body["rules"] == []



async def test_a_preview_tries_a_rule_on_stored_runs_and_on_the_sample(site: Site) -> None:
    """Fault 167."""
    await site.log()
    said = await site.ask("POST", "/rules/custom/preview", {"definition": HOSTS, "sampleOutput": "at db-main.internal.example"})
    assert said.body["tracesEvaluated"] == 1
    assert said.body["sample"]["passed"] is False
    refused = await site.ask("POST", "/rules/custom/preview", {"definition": {"type": "regex_match", "config": {"pattern": "("}}})
    assert (refused.status, refused.body["error"]) == (422, "Rule definition rejected")


async def test_preferences_are_set_and_show_no_path_of_the_machine(site: Site) -> None:
    """Fault 126."""
    said = await site.ask("PATCH", "/preferences", {"theme": "dark"})
    assert said.body["preferences"]["theme"] == "dark"
    assert str(site.config.db_path.parent).encode() not in said.raw
    assert (await site.get("/preferences")).body == said.body


async def test_capabilities_and_the_document_are_served(site: Site) -> None:
    assert (await site.get("/capabilities")).body["limits"]["requestBytes"] == site.config.request_size_limit
    assert (await site.get("/openapi.json")).body["openapi"] == "3.1.0"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
async def test_an_unknown_address_of_the_interface_is_json_404(site: Site, method: str) -> None:
    """Faults 107, 154."""
    for path in ("/tracez", "//api", "//api/v2/traces", "/traces/a/b", "/"):
        said = await site.ask(method, path)
        assert said.status == 404
        assert said.headers["Content-Type"].startswith("application/json")
        assert method == "HEAD" or said.body == {"error": "Unknown API route"}


async def test_a_method_a_path_has_not_is_told_those_it_has(site: Site) -> None:
    for route in TABLE:
        path = "/" + route.path.replace("{id}", "x")
        said = await site.ask("PUT", path)
        assert said.status == 405
        assert route.method in said.headers["Allow"].split(", ")


async def test_every_get_refuses_a_parameter_it_does_not_know(site: Site) -> None:
    """Fault 153."""
    for route in TABLE:
        if route.method == "GET" and "{id}" not in route.path:
            said = await site.get("/" + route.path + "?agent_nme=x")
            assert said.status == 400, route.path
            assert "agent_nme" in said.body["error"]


@pytest.mark.parametrize("method, path", [("POST", "/traces"), ("POST", "/rules/custom"), ("PATCH", "/preferences"), ("DELETE", "/traces/" + "0" * 32), ("POST", "/evaluations/x/reevaluate")])
async def test_what_changes_something_refuses_a_parameter_too(site: Site, method: str, path: str) -> None:
    """Fault 153."""
    said = await site.ask(method, path + "?dry_run=true", {"agent_name": "clerk"} if method != "DELETE" else None)
    assert (said.status, "dry_run" in said.body["error"]) == (400, True)
    assert await site.count() == 0


async def test_head_is_get_without_its_body(site: Site) -> None:
    said = await site.ask("HEAD", "/traces")
    assert (said.status, said.raw) == (200, b"")


async def test_a_clean_run_passes_over_http(site: Site) -> None:
    told = await site.log(output=CLEAN, eval_type="safety")
    assert told["evaluation"]["passed"] is True
