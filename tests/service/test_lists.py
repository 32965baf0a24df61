"""Lists check their bounds, count what they filter, and cut what is long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from iris.evaluate import utc_now
from iris.service.cut import shortened
from iris.service.match import match_of
from iris.service.models.lists import ListEvaluations, ListTraces
from iris.service.parse import parse

from .calls import CLEAN, LEAK, Refusal, evaluate, log, traces
from .conftest import World, meets


@pytest.mark.parametrize(
    "args, field, both",
    [
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "since", ("2026-03-02T00", "2026-03-01T00")),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "since", ("2026-03-02", "2026-03-01")),
        ({"min_score": 0.9, "max_score": 0.1}, "min_score", ("0.9", "0.1")),
        ({"since": "yesterday"}, "since", ("yesterday",)),
        ({"until": "08/01/2026"}, "until", ("08/01/2026",)),
        ({"since": "2026-03-01T00:00:00"}, "since", ("2026-03-01T00:00:00",)),
        ({"since": "2026-03-01T00:00:00 02:00"}, "since", ()),
        ({"sort_by": "relevance"}, "sort_by", ()),
        ({"q": "cost >> 3"}, "q", ("character 7",)),
        ({"q": "agnet:x"}, "q", ()),
    ],
)
async def test_bounds_that_can_match_nothing_or_mean_nothing_are_refused(
    world: World, args: dict[str, Any], field: str, both: tuple[str, ...]
) -> None:
    """Faults 151, 152."""
    for model in (traces(world.service, **args), world.service.list_traces(parse(ListTraces, args))):
        with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
            await model
        assert refusal.error.field == field
        assert all(value in refusal.error.message for value in both)


async def test_a_calendar_date_is_its_whole_day_and_bounds_are_inclusive(world: World) -> None:
    for hour in ("2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00Z", "2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00Z"):
        await log(world.service, output=hour, timestamp=hour)

    async def found(**args: Any) -> list[str]:
        return [t["output"][:13] for t in (await traces(world.service, **args, sort_order="asc"))["traces"]]

    assert await found(since="2026-03-01", until="2026-03-01") == ["2026-03-01T00", "2026-03-01T23"]
    assert await found(since="2026-03-02T01:00:00+01:00") == ["2026-03-02T00"]
    assert await found(until="2026-02-28T23:59:59.999Z") == ["2026-02-28T23"]


async def test_the_total_is_that_of_the_filter_across_pages(world: World) -> None:
    for i in range(5):
        await log(world.service, agent_name="a" if i else "b", output=str(i), framework="f", session_id="s")
    page = meets("get_traces", await traces(world.service, agent_name="a", limit=2, offset=1))
    assert (page["total"], page["limit"], page["offset"], len(page["traces"])) == (4, 2, 1, 2)
    assert (await traces(world.service, framework="F"))["total"] == 0
    assert (await traces(world.service, session="s"))["total"] == 5
    first = await traces(world.service, limit=3)
    second = await traces(world.service, limit=3, after=first["next"])
    assert [t["output"] for t in (*first["traces"], *second["traces"])] == ["4", "3", "2", "1", "0"]
    assert second["next"] is None
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await traces(world.service, after="nonsense")
    assert refusal.error.field == "after"


async def test_only_the_verdict_of_record_is_filtered_by(world: World) -> None:
    """Faults 150."""
    logged = await log(world.service, output=CLEAN, evaluate=True)
    low = [{"name": "never", "type": "contains_keywords", "config": {"keywords": ["zebra"]}, "weight": 1000}]
    beside = await evaluate(world.service, trace_id=logged["trace_id"], custom_rules=low)
    assert beside["score"] < 0.1
    assert (await traces(world.service, max_score=0.2))["total"] == 0
    assert (await traces(world.service, min_score=0.9))["total"] == 1


async def test_long_texts_are_cut_and_say_how_long_they_are(world: World) -> None:
    await log(world.service, output="x" * 3000, input="short", tool_calls=[{"tool_name": "t", "output": {"page": "y" * 900}}])
    (row,) = (await traces(world.service))["traces"]
    assert (len(row["output"]), row["input"]) == (500, "short")
    assert row["cut"] == {"output": 3000, "tool_calls[0].output.page": 900}
    (whole,) = (await traces(world.service, include_text=True))["traces"]
    assert (len(whole["output"]), "cut" in whole) == (3000, False)


def test_cutting_leaves_the_trace_as_it_was() -> None:
    trace = {"trace_id": "t" * 900, "metadata": {"a": ["b" * 600, 3, None]}}
    assert shortened(trace)["cut"] == {"metadata.a[0]": 600}
    assert len(trace["metadata"]["a"][0]) == 600  # type: ignore[index]
    assert "cut" not in shortened({"output": "x" * 500})


async def test_a_search_finds_words_and_keys(world: World) -> None:
    await log(world.service, agent_name="a", output="the zebra crossed", cost_usd=0.2)
    await log(world.service, agent_name="b", output="the horse crossed", cost_usd=0.01)
    async with asyncio.timeout(5):
        while not (found := await traces(world.service, q="zebra"))["traces"]:
            await asyncio.sleep(0.02)  # full text is indexed in the background
    assert [t["agent_name"] for t in found["traces"]] == ["a"]
    assert found["search"]["words"] == ["zebra"]
    assert found["traces"][0]["match"] == {
        "field": "output",
        "span": {"start": 4, "end": 9},
        "snippet": "the zebra crossed",
        "fragments": [],
    }
    for q in ("agent:b", "cost<0.1", "cost < 0.1usd"):
        assert [t["agent_name"] for t in (await traces(world.service, q=q))["traces"]] == ["b"], q


def test_a_match_says_where_each_word_stands() -> None:
    trace = {"input": "Where is the Zebra?", "output": "x" * 100 + " by the river " + "y" * 100}
    match = match_of(trace, ["river", "zebra", "lion"])
    assert match is not None
    assert (match["field"], trace["output"][match["span"]["start"] : match["span"]["end"]]) == ("output", "river")
    assert len(match["snippet"]) == 5 + 2 * 60
    assert match["fragments"] == ["Where is the Zebra?"]
    assert match_of(trace, ["lion"]) is None
    assert match_of({"trace_id": "t"}, ["lion"]) is None


async def test_the_summary_comes_when_it_is_asked_for(world: World) -> None:
    await log(world.service, output=CLEAN, timestamp=utc_now())
    assert (await traces(world.service, include_summary=True))["summary"]["total_traces"] == 1
    assert "summary" not in await traces(world.service)


async def test_a_trace_is_read_back_with_its_spans_and_all_its_evaluations(world: World) -> None:
    logged = await log(world.service, output=LEAK, evaluate=True, spans=[{"name": "work"}], metadata={"nul": "a\x00b"})
    beside = await evaluate(world.service, trace_id=logged["trace_id"], output=CLEAN)
    detail = await world.service.trace_detail(logged["trace_id"])
    assert detail is not None
    assert detail["trace"]["metadata"] == {"nul": "a\x00b"}
    assert [s["name"] for s in detail["spans"]] == ["work"]
    assert [e["id"] for e in detail["evals"]] == [beside["id"], logged["evaluation"]["id"]]
    assert await world.service.trace_detail("0" * 32) is None


async def test_evaluations_are_listed_by_page(world: World) -> None:
    logged = await log(world.service, output=LEAK, evaluate=True)
    await evaluate(world.service, output=CLEAN)
    page = await world.service.evaluations(ListEvaluations(passed=False))
    assert ([r["id"] for r in page["results"]], page["total"]) == ([logged["evaluation"]["id"]], 1)
    assert (await world.service.evaluations(ListEvaluations()))["total"] == 2
