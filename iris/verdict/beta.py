"""Quantiles of Beta distributions, without draws: the same counts always give the same numbers."""

from __future__ import annotations

import math
from itertools import accumulate

CELLS = 512


def beta_quantiles(a: float, b: float, size: int) -> list[float]:
    """Give `size` equally likely points of Beta(a, b): its quantiles at (i + 1/2) / size. `a`, `b` >= 1/2.

    With x = sin(t)^2 the density of t is proportional to sin(t)^(2a-1) cos(t)^(2b-1): bounded for these
    `a`, `b`, and uniform under Jeffreys' prior. It is summed over cells around its peak and inverted.
    """
    low, width = _stretch(a, b)
    step = width / CELLS
    logs = [_log_density(low + (i + 0.5) * step, a, b) for i in range(CELLS)]
    peak = max(logs)
    masses = [math.exp(value - peak) for value in logs]
    sums = list(accumulate(masses))
    return [math.sin(low + step * place) ** 2 for place in _places(masses, sums, size)]


def _stretch(a: float, b: float) -> tuple[float, float]:
    # The spread of t is at most 1 / sqrt(2 (a + b - 1)); ten of them on each side leave out nothing.
    certain = a + b - 1.0
    if certain <= 1.0:
        return 0.0, math.pi / 2
    middle = math.atan2(math.sqrt(2 * a - 1), math.sqrt(2 * b - 1))
    reach = 10.0 / math.sqrt(2 * certain)
    low, high = max(0.0, middle - reach), min(math.pi / 2, middle + reach)
    return low, high - low


def _log_density(t: float, a: float, b: float) -> float:
    return (2 * a - 1) * math.log(math.sin(t)) + (2 * b - 1) * math.log(math.cos(t))


def _places(masses: list[float], sums: list[float], size: int) -> list[float]:
    places, cell = [], 0
    for i in range(size):
        wanted = sums[-1] * (i + 0.5) / size
        while sums[cell] < wanted:
            cell += 1
        places.append(cell + 1 - (sums[cell] - wanted) / masses[cell])
    return places
