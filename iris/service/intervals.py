"""Intervals of proportions and of their difference.

Wilson, E. B. (1927), Probable inference, the law of succession, and statistical inference, JASA 22, 209-212.
Newcombe, R. G. (1998), Interval estimation for the difference between independent proportions: comparison of eleven
methods, Statistics in Medicine 17, 873-890, method 10: the score intervals of both, their distances added in squares.
Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, 3rd edition, section 4.2: the difference
that two samples detect with a given power.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

LEVEL = 0.95
POWER = 0.8


def z_of(level: float) -> float:
    """Give the normal quantile that leaves out half of 1 - level on each side."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def wilson(hits: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Give the score interval of hits / n; n > 0."""
    z = z_of(level)
    p, spread = hits / n, z * z / n
    middle = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(p * (1 - p) / n + spread / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def newcombe(hits1: int, n1: int, hits2: int, n2: int, level: float = LEVEL) -> tuple[float, float, float]:
    """Give hits1 / n1 - hits2 / n2 and its interval; n1, n2 > 0."""
    p1, p2 = hits1 / n1, hits2 / n2
    (low1, high1), (low2, high2) = wilson(hits1, n1, level), wilson(hits2, n2, level)
    delta = p1 - p2
    low = delta - sqrt((p1 - low1) ** 2 + (high2 - p2) ** 2)
    high = delta + sqrt((high1 - p1) ** 2 + (p2 - low2) ** 2)
    return delta, low, high


def smallest_detectable(hits1: int, n1: int, hits2: int, n2: int, level: float = LEVEL, power: float = POWER) -> float:
    """Give the difference that samples of these sizes find with the power given; n1, n2 > 0.

    The common rate gets half a count on each side, so that windows of nothing but passes do not promise certainty.
    """
    rate = (hits1 + hits2 + 0.5) / (n1 + n2 + 1)
    quantiles = z_of(level) + NormalDist().inv_cdf(power)
    return min(1.0, quantiles * sqrt(rate * (1 - rate) * (1 / n1 + 1 / n2)))
