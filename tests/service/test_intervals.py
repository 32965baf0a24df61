"""Intervals of rates against published figures, and what they promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.service.intervals import newcombe, smallest_detectable, wilson


@pytest.mark.parametrize(
    "hits, n, low, high",
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_score_interval_is_that_of_the_literature(hits: int, n: int, low: float, high: float) -> None:
    """The figures are those of Newcombe's comparison of seven methods for one proportion (1998), table I."""
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    "one, two, low, high",
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 10), 0.6075, 1.0)],
)
def test_the_interval_of_a_difference_is_that_of_the_literature(
    one: tuple[int, int], two: tuple[int, int], low: float, high: float
) -> None:
    """The figures are those of Newcombe's comparison of eleven methods (1998), table II, method 10."""
    delta, found_low, found_high = newcombe(*one, *two)
    assert delta == pytest.approx(one[0] / one[1] - two[0] / two[1])
    assert (found_low, found_high) == pytest.approx((low, high), abs=5e-5)


counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts)
def test_intervals_hold_their_point_and_turn_round_with_the_windows(one: tuple[int, int], two: tuple[int, int]) -> None:
    low, high = wilson(*one)
    assert 0 <= low <= one[0] / one[1] + 1e-12
    assert one[0] / one[1] - 1e-12 <= high <= 1
    delta, first, last = newcombe(*one, *two)
    back, back_first, back_last = newcombe(*two, *one)
    assert first - 1e-12 <= delta <= last + 1e-12
    assert (back, back_first, back_last) == pytest.approx((-delta, -last, -first))


@given(st.integers(5, 200))
def test_more_evaluations_detect_a_smaller_difference(n: int) -> None:
    assert smallest_detectable(n, n, n, n) > 0
    assert smallest_detectable(n, 2 * n, n, 2 * n) > smallest_detectable(2 * n, 4 * n, 2 * n, 4 * n)


def test_ninety_a_window_detect_twenty_points_of_a_half() -> None:
    assert smallest_detectable(45, 90, 45, 90) == pytest.approx(0.209, abs=1e-3)
