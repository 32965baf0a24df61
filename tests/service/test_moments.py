"""What deserves a look comes first, and lists say what they looked at."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from iris.service.failures import rank_score
from iris.service.models.lists import ListFailures, ListMoments
from iris.service.parse import parse
from iris.store.interface import LOCAL, NewEvaluation

from .calls import CLEAN, LEAK, Refusal, delete, deploy, evaluate, log
from .conftest import World

NOW = datetime.fromisoformat("2026-03-01T12:00:00+00:00")


async def moments(world: World, **args: Any) -> dict[str, Any]:
    """List moments."""
    return await world.service.moments(parse(ListMoments, args))


async def failures(world: World, **args: Any) -> dict[str, Any]:
    """List failures."""
    return await world.service.failures(parse(ListFailures, args))


async def runs(world: World) -> None:
    """A leak of yesterday, a clean run, a failure of now and one that nobody judged."""
    await log(world.service, agent_name="a", output=LEAK, evaluate=True, timestamp="2026-02-28T12:00:00Z")
    await log(world.service, agent_name="a", output=CLEAN, evaluate=True, timestamp="2026-03-01T10:00:00Z")
    await log(world.service, agent_name="b", output="", evaluate=True, timestamp="2026-03-01T12:00:00Z")
    await log(world.service, agent_name="b", output=LEAK, timestamp="2026-03-01T11:00:00Z")


@pytest.mark.parametrize(
    "timestamp, score",
    [("2026-03-01T12:00:00Z", 0.8), ("2026-02-28T12:00:00Z", 0.4), ("2026-02-27T12:00:00Z", 0.2), ("2026-03-09T00:00:00Z", 0.8)],
)
def test_significance_halves_with_every_day_and_the_future_counts_as_now(timestamp: str, score: float) -> None:
    assert rank_score({"timestamp": timestamp, "significance": {"score": 0.8}}, NOW) == pytest.approx(score)


async def test_failures_are_those_that_failed_and_carry_their_rank(world: World) -> None:
    """Faults 210, 214."""
    await runs(world)
    found = await failures(world)
    assert (found["total"], found["limit"]) == (2, 50)
    assert {f["agentName"] for f in found["failures"]} == {"a", "b"}
    for row in found["failures"]:
        assert row["rankScore"] == pytest.approx(rank_score(row, NOW))
    assert (await failures(world, agent_name="a"))["total"] == 1
    assert (await failures(world, q="agent:b"))["search"]["terms"] == ["agent:b"]
    assert (await failures(world, since="2026-03-01"))["total"] == 1


async def test_a_run_that_nobody_judged_is_unevaluated_and_not_a_pass(world: World) -> None:
    """Faults 205, 214."""
    await runs(world)
    every = await moments(world)
    assert [m["verdict"] for m in every["moments"]] == ["fail", "unevaluated", "pass", "fail"]
    for verdict, count in (("pass", 1), ("fail", 2), ("unevaluated", 1), ("partial", 0)):
        assert (await moments(world, verdict=verdict))["total"] == count


async def test_a_moment_follows_the_evaluation_that_supersedes_the_earlier(world: World) -> None:
    rule_id = (await deploy(world.service))["rule"]["id"]
    text = f"{CLEAN} It is on db-main.internal.example."
    trace_id = (await log(world.service, output=text, evaluate=True))["trace_id"]
    await delete(world.service, rule_id=rule_id)
    assert (await evaluate(world.service, trace_id=trace_id))["passed"] is True
    assert [m["id"] for m in (await moments(world, verdict="pass"))["moments"]] == [trace_id]
    assert (await moments(world, verdict="fail"))["total"] == 0


async def test_evaluations_in_force_that_disagree_make_it_partial(world: World) -> None:
    """Faults 205: two judged at once, so that neither supersedes the other."""
    rule_id = (await deploy(world.service))["rule"]["id"]
    trace_id = (await log(world.service, output=f"{CLEAN} It is on db-main.internal.example."))["trace_id"]
    failed = await evaluate(world.service, trace_id=trace_id)
    await delete(world.service, rule_id=rule_id)
    passed = await evaluate(world.service, trace_id=trace_id)
    other = {**passed, "id": "another", "provenance": {**passed["provenance"], "supersedes": passed["id"]}}
    for result in ({**failed, "id": "failed-too"}, other):
        await world.store.add_evaluation(LOCAL, NewEvaluation(result, world.clock(), CLEAN, None, trace_id))
    assert [m["id"] for m in (await moments(world, verdict="partial"))["moments"]] == [trace_id]


async def test_a_verdict_that_could_not_tell_is_unevaluated(world: World) -> None:
    """Faults 201, 214."""
    await log(world.service, output=CLEAN, evaluate=True, eval_type="cost")
    (moment,) = (await moments(world, verdict="unevaluated"))["moments"]
    assert moment["verdict"] == "unevaluated"
    assert (await failures(world))["total"] == 0


async def test_a_filtered_list_has_the_total_of_its_filter_and_says_what_it_looked_at(world: World) -> None:
    """Faults 182."""
    await runs(world)
    page = await moments(world, verdict="fail", limit=1, offset=1)
    assert (page["total"], page["limit"], page["offset"], len(page["moments"])) == (2, 1, 1, 1)
    assert page["window"] == {
        "size": None,
        "scanned": 4,
        "tracesInRange": 4,
        "newest": "2026-03-01T12:00:00.000Z",
        "oldest": "2026-02-28T12:00:00.000Z",
    }
    narrow = await moments(world, verdict="fail", window=2)
    assert narrow["total"] == 1
    assert (narrow["window"]["scanned"], narrow["window"]["oldest"]) == (2, "2026-03-01T11:00:00.000Z")
    assert "window" not in await moments(world)
    assert (await moments(world, verdict="fail", agent_name="nobody"))["window"]["newest"] is None


async def test_the_most_significant_come_first_when_asked_for(world: World) -> None:
    await runs(world)
    ranked = await moments(world, sort_by="significance")
    scores = [m["significance"]["score"] for m in ranked["moments"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]
    assert (await moments(world, min_significance=scores[0]))["total"] < 4
    kind = ranked["moments"][0]["significance"]["kind"]
    assert (await moments(world, significance_kind=kind))["total"] >= 1


@pytest.mark.parametrize(
    "args, field", [({"window": 5}, "window"), ({"sort_by": "significance", "sort_order": "asc"}, "sort_order")]
)
async def test_what_would_be_passed_over_is_refused(world: World, args: dict[str, Any], field: str) -> None:
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await moments(world, **args)
    assert refusal.error.field == field


async def test_one_moment_is_read_whole(world: World) -> None:
    """Faults 227."""
    logged = await log(world.service, output=LEAK, evaluate=True)
    found = await world.service.moment(logged["trace_id"])
    assert found is not None
    assert found["evals"][0]["rule_results"] == logged["evaluation"]["rule_results"]
    assert await world.service.moment("0" * 32) is None
