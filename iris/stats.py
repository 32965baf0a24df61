"""Intervals of shares, from counts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import sqrt

Z95 = 1.959963984540054
DRAWS = 2_000


def wilson(hits: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Interval of a share (Wilson 1927); (0, 1) of nothing."""
    if n == 0:
        return 0.0, 1.0
    share, zz = hits / n, z * z
    middle = (share + zz / (2 * n)) / (1 + zz / n)
    half = z * sqrt(share * (1 - share) / n + zz / (4 * n * n)) / (1 + zz / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def clustered(clusters: Mapping[str, tuple[int, int]], seed: int = 7) -> tuple[float, float]:
    """Interval of a share whose cases come in clusters: percentiles of a bootstrap over clusters (hits, n) by name.

    Cases of one task are alike, so that counting each as evidence of its own gives an interval that is too narrow. A
    bootstrap says nothing about a share of 0 or 1: there each cluster counts as one case of `wilson`.
    """
    pairs: Sequence[tuple[int, int]] = [clusters[name] for name in sorted(clusters) if clusters[name][1]]
    if not pairs:
        return 0.0, 1.0
    hits, n = sum(h for h, _ in pairs), sum(n for _, n in pairs)
    if hits in (0, n):
        return wilson(len(pairs) if hits else 0, len(pairs))
    draw = random.Random(seed)
    shares = []
    for _ in range(DRAWS):
        sample = draw.choices(pairs, k=len(pairs))
        shares.append(sum(h for h, _ in sample) / sum(n for _, n in sample))
    shares.sort()
    return shares[int(0.025 * DRAWS)], shares[int(0.975 * DRAWS) - 1]
