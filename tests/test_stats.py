"""Intervals of shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.stats import clustered, wilson


@pytest.mark.parametrize(
    "hits, n, low, high", [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 100, 0.7222, 0.8749)]
)
def test_wilson_agrees_with_published_values(hits: int, n: int, low: float, high: float) -> None:
    assert list(wilson(hits, n)) == pytest.approx([low, high], abs=5e-4)


@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_a_share(counts: tuple[int, int]) -> None:
    hits, n = counts
    low, high = wilson(hits, n)
    assert 0 <= low <= high <= 1
    assert n == 0 or low <= hits / n + 1e-12
    assert n == 0 or hits / n <= high + 1e-12


def test_clusters_widen_an_interval() -> None:
    alike = {str(i): (10, 10) if i < 6 else (0, 10) for i in range(12)}
    apart = {str(i): (1, 1) if i < 60 else (0, 1) for i in range(120)}
    width = [high - low for low, high in (clustered(alike), clustered(apart))]
    assert width[0] > 2 * width[1]


def test_no_hits_in_few_clusters_prove_little() -> None:
    assert clustered({"a": (0, 100), "b": (0, 100)}) == wilson(0, 2)
    assert clustered({}) == (0.0, 1.0)


def test_a_seed_gives_the_same_interval_again() -> None:
    clusters = {str(i): (i % 3, 3) for i in range(9)}
    assert clustered(clusters) == clustered(clusters)
