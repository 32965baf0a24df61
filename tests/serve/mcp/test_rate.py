"""So many requests in a minute, and the memory of callers stays small."""

from __future__ import annotations

from iris.serve.mcp.rate import MOST_CALLERS, RateLimit


def test_the_limit_holds_for_a_minute_from_the_first_request_and_for_each_caller() -> None:
    now = [1000.0]
    rate = RateLimit(2, clock=lambda: now[0])
    assert [rate.seconds_to_wait("a") for _ in range(3)] == [None, None, 60]
    assert rate.seconds_to_wait("b") is None
    now[0] += 59.5
    assert rate.seconds_to_wait("a") == 1
    now[0] += 0.5
    assert [rate.seconds_to_wait("a") for _ in range(3)] == [None, None, 60]


def test_no_limit_lets_everything_pass() -> None:
    rate = RateLimit(0)
    assert all(rate.seconds_to_wait("a") is None for _ in range(1000))


def test_callers_without_end_are_forgotten() -> None:
    now = [0.0]
    rate = RateLimit(1, clock=lambda: now[0])
    for number in range(MOST_CALLERS + 500):
        now[0] += 0.0001
        assert rate.seconds_to_wait(str(number)) is None
    assert len(rate._seen) == MOST_CALLERS
    assert rate.seconds_to_wait(str(MOST_CALLERS + 499)) is not None
