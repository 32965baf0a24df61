"""The same arithmetic for each bundle, when all of them ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iris.verdict.policy import BUNDLES, DECIDING_ROLES, Policy
from iris.verdict.tally import Tally, judged_scores, plain_mean


def categories(policy: Policy, tally: Tally, sizes: Sequence[int]) -> dict[str, Any]:
    """Give score and passed of each bundle, whose rules are counted in `sizes`; both null where nothing judged.

    A bundle passes when its own mean reaches the threshold and none of its rules decided against the run.
    """
    skipped = [0] * len(BUNDLES)
    for skip in tally.skips:
        skipped[skip.template.bundle] += 1
    rows = {name: _row(i, tally, policy.threshold, sizes[i] - skipped[i], skipped[i]) for i, name in enumerate(BUNDLES)}
    if tally.failures or tally.skips:
        _name_the_critical(policy, tally, rows)
    return rows


def _row(bundle: int, tally: Tally, threshold: float, judged: int, skipped: int) -> dict[str, Any]:
    score = passed = None
    if judged:
        scores, weights = tally.sums[bundle]
        score = round(scores / weights, 3) if weights else _unweighted(BUNDLES[bundle], tally)
        passed = score >= threshold
    return {
        "score": score,
        "passed": passed,
        "rules_evaluated": judged,
        "rules_skipped": skipped,
        "insufficient_data": not judged,
        "critical_failures": [],
        "critical_skipped": [],
    }


def _unweighted(name: str, tally: Tally) -> float:
    return plain_mean(judged_scores(item for item in tally.items if item["category"] == name))


def _name_the_critical(policy: Policy, tally: Tally, rows: dict[str, Any]) -> None:
    for failure in tally.failures:
        row = rows[failure.template.rule.bundle]
        if failure.template.critical:
            row["critical_failures"].append(failure.name)
        if failure.role in DECIDING_ROLES:
            row["passed"] = False
    for skip in tally.critical_skips():
        row = rows[skip.template.rule.bundle]
        row["critical_skipped"].append(skip.name)
        defeated = skip.why != "not_applicable" and policy.on_critical_skipped != "pass"
        if row["passed"] and (defeated or (skip.template.asked and skip.finding.lacked)):
            row["passed"] = False
