"""Whether a pass rate moved, and when too little is known to say so."""

from __future__ import annotations

from typing import Any

import pytest

from iris.service.models.lists import DriftQuery, PeriodQuery

from .calls import CLEAN, LEAK, evaluate, log
from .conftest import World


def windows(world: World, monkeypatch: pytest.MonkeyPatch, current: tuple[int, int], prior: tuple[int, int]) -> None:
    """Let the store count these (evaluated, passed)."""

    async def drift(*_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return tuple({"since": "a", "until": "b", "evaluated": n, "passed": hits} for n, hits in (current, prior))  # type: ignore[return-value]

    monkeypatch.setattr(world.store, "drift", drift)


@pytest.mark.parametrize(
    "current, prior, enough, significant",
    [
        ((3, 1), (3, 3), False, None),
        ((9, 1), (40, 40), False, None),
        ((40, 20), (40, 38), True, True),
        ((10, 7), (10, 8), True, False),
    ],
)
async def test_a_difference_is_given_from_ten_a_window_on_and_significant_when_its_interval_leaves_out_zero(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    current: tuple[int, int],
    prior: tuple[int, int],
    enough: bool,
    significant: bool | None,
) -> None:
    """Faults 195, 198."""
    windows(world, monkeypatch, current, prior)
    result = await world.service.drift(DriftQuery())
    assert (result["enoughEvidence"], result["minimumPerWindow"], result["period"]) == (enough, 10, "7d")
    difference = result["difference"]
    assert (difference["significant"] if difference else None) is significant
    if difference:
        assert (difference["lo"] > 0 or difference["hi"] < 0) is significant
    assert 0 < result["smallestDetectable"] <= 1


async def test_an_empty_window_has_no_rate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults 200, 212."""
    windows(world, monkeypatch, (0, 0), (12, 6))
    result = await world.service.drift(DriftQuery())
    assert (result["current"]["passRate"], result["current"]["interval"]) == (None, None)
    assert (result["prior"]["passRate"], result["difference"], result["smallestDetectable"]) == (0.5, None, None)


async def test_a_run_narrows_both_windows_and_what_could_not_tell_counts_in_neither(world: World) -> None:
    """Faults 201."""
    for stamp in ("2026-02-28T12:00:00Z", "2026-02-20T12:00:00Z"):
        await log(world.service, output=CLEAN, evaluate=True, run="nightly", timestamp=stamp)
        await log(world.service, output=LEAK, evaluate=True, run="nightly", timestamp=stamp)
        await log(world.service, output=LEAK, evaluate=True, run="other", timestamp=stamp)
        await log(world.service, output=CLEAN, evaluate=True, eval_type="cost", run="nightly", timestamp=stamp)
    result = await world.service.drift(DriftQuery(run="nightly"))
    assert [(w["evaluated"], w["passed"]) for w in (result["current"], result["prior"])] == [(2, 1), (2, 1)]
    assert (await world.service.drift(DriftQuery(run="none")))["current"]["evaluated"] == 0


async def test_statistics_say_null_where_nothing_was_evaluated(world: World) -> None:
    """Faults 212."""
    await log(world.service, output=CLEAN)
    found = await world.service.statistics(PeriodQuery())
    assert (found["passRate"], found["period"]) == (None, "24h")
    await evaluate(world.service, output=CLEAN)
