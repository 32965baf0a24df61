"""Risk from published counts."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.verdict.beta import beta_quantiles
from iris.verdict.compose import Composer
from iris.verdict.risk import Bound, Counts, RiskModel, likelihood_ratios
from iris.verdict.settings import Settings

from .builders import ENVELOPE, PLAN, POLICY, TEXT_ONLY, counts, fails, judged, passes, rule, skips

GOOD = counts(95, 0, 5, 300)
WEAK = counts(60, 40, 40, 260)
STUB = rule("no_stub_output", kind="inference", classes=("stub",))
LOOP = rule("no_tool_loop", classes=("tool_loop",))


def model(**accuracy: Counts) -> RiskModel:
    return RiskModel(POLICY, accuracy)


def estimated(found: RiskModel, *fired: str, quiet: tuple[str, ...] = (), name: str = "stub") -> Bound:
    rules = [(rule(f, classes=(name,)), (name,)) for f in fired]
    bound = found.estimate(rules, [rule(q, classes=(name,)) for q in quiet])
    assert bound is not None
    return bound


def test_quantiles_of_the_uniform_and_the_arcsine_are_exact() -> None:
    assert beta_quantiles(1, 1, 8) == pytest.approx([(i + 0.5) / 8 for i in range(8)], abs=1e-4)
    assert beta_quantiles(0.5, 0.5, 8) == pytest.approx([math.sin(math.pi / 2 * (i + 0.5) / 8) ** 2 for i in range(8)], abs=1e-9)


@pytest.mark.parametrize("n", [3, 40, 5000])
def test_quantiles_of_a_power_are_exact(n: int) -> None:
    assert beta_quantiles(n, 1, 16) == pytest.approx([((i + 0.5) / 16) ** (1 / n) for i in range(16)], abs=2e-3 / n)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_quantiles_rise_and_have_the_mean_of_the_distribution(right: int, wrong: int) -> None:
    a, b = right + 0.5, wrong + 0.5
    points = beta_quantiles(a, b, 64)
    assert points == sorted(points)
    assert all(0 < p < 1 for p in points)
    assert fmean(points) == pytest.approx(a / (a + b), abs=0.3 / math.sqrt(a + b) / 4 + 1e-4)


def test_a_better_detector_says_more_when_it_fires_and_when_it_is_silent() -> None:
    good, weak = likelihood_ratios(GOOD, 0.95), likelihood_ratios(WEAK, 0.95)
    assert good[0].lo > weak[0].hi > 1
    assert good[1].hi < weak[1].lo < 1


@given(*[st.integers(0, 400)] * 4)
def test_an_interval_holds_its_point(tp: int, fp: int, fn: int, tn: int) -> None:
    for ratio in likelihood_ratios(counts(tp, fp, fn, tn), 0.95):
        assert 0 < ratio.lo <= ratio.point <= ratio.hi


def test_more_runs_of_the_same_accuracy_narrow_the_interval() -> None:
    few, many = likelihood_ratios(counts(40, 5, 10, 45), 0.95)[0], likelihood_ratios(counts(400, 50, 100, 450), 0.95)[0]
    assert many.hi - many.lo < few.hi - few.lo


def test_no_false_positive_in_few_runs_is_not_certainty() -> None:
    chance, _ = model(no_stub_output=counts(30, 0, 30, 60)).chance(STUB, counts(30, 0, 30, 60), ("stub",), fired=True)
    assert chance.lo < 0.5 < chance.point < 1


def test_two_detectors_of_one_group_count_as_the_stronger() -> None:
    found = model(no_stub_output=WEAK, says_something=GOOD)
    assert estimated(found, "no_stub_output", "says_something") == estimated(found, "says_something")
    assert estimated(found, quiet=("no_stub_output", "says_something")) == estimated(found, quiet=("says_something",))


def test_two_detectors_of_no_group_multiply() -> None:
    found = model(one=WEAK, two=WEAK)
    both, single = estimated(found, "one", "two"), estimated(found, "one")
    assert both.lo > single.lo
    assert both.point > single.point
    assert estimated(found, quiet=("one", "two")).point < estimated(found, quiet=("one",)).point


def test_a_poor_detector_that_fires_does_not_argue_against_a_good_one() -> None:
    found = model(good=GOOD, poor=counts(5, 100, 95, 100))
    assert estimated(found, "good", "poor") == estimated(found, "good")


def test_a_finding_of_two_classes_counts_once() -> None:
    pii = rule("no_pii", classes=("pii_leak", "credential_leak"))
    found = model(no_pii=GOOD)
    leak = found.estimate([(pii, ("pii_leak",))], [])
    assert found.estimate([(pii, ("pii_leak", "credential_leak"))], []) == leak
    assert found.estimate([(pii, ("credential_leak", "pii_leak"))], []) == leak
    assert found.estimate([(pii, ("credential_leak",))], []) != leak


def test_other_evidence_does_not_dilute_a_fire() -> None:
    found = model(no_stub_output=GOOD, no_tool_loop=GOOD)
    alone = found.estimate([(STUB, ("stub",))], [])
    beside = found.estimate([(STUB, ("stub",))], [LOOP])
    assert alone is not None
    assert beside is not None
    assert beside.lo == alone.lo
    assert beside.point >= alone.point


def test_a_quiet_rule_never_moves_a_class_that_fired() -> None:
    found = model(one=GOOD, two=GOOD)
    assert estimated(found, "one", quiet=("two",)) == estimated(found, "one")


def test_silence_leaves_a_risk_that_is_less_than_the_prior() -> None:
    quiet = estimated(model(one=GOOD), quiet=("one",))
    assert quiet.lo == 0
    assert 0 < quiet.point < POLICY.prior("stub")


def test_a_rule_on_too_few_runs_does_not_enter() -> None:
    few = counts(20, 0, 5, 40)
    found = model(no_stub_output=few)
    assert found.measured(STUB) is None
    assert found.why_unmeasured(STUB) == "measured on 65 labelled runs; 100 are needed"
    assert found.estimate([(STUB, ("stub",))], []) is None


def test_measurements_and_policies_never_enter() -> None:
    found = model(a=GOOD, b=GOOD)
    assert found.measured(rule("a", kind="measurement")) is None
    assert found.measured(rule("b", kind="policy")) is None


def test_a_custom_rule_has_the_counts_of_its_id_not_of_its_name() -> None:
    found = RiskModel(POLICY, {"no_pii": GOOD, "rule-1": WEAK})
    assert found.measured(rule("no_pii", origin="custom")) is None
    assert found.measured(rule("no_pii", origin="custom", rule_id="rule-1")) is WEAK


def test_a_fire_that_is_surely_right_fails_the_run() -> None:
    strong = counts(190, 0, 10, 4000)
    result = judged(fails(STUB), *(passes(rule(f"r{i}")) for i in range(9)), accuracy={"no_stub_output": strong})
    assert result["verdict"]["state"] == "fail"
    assert result["verdict"]["basis"] == "risk_over_loss"
    assert result["verdict"]["by"] == ["no_stub_output"]
    assert result["verdict"]["confidence"] == "decisive"
    assert result["verdict"]["risk"]["lo"] > 0.5
    assert result["score"] == 0.9
    assert result["rule_results"][0]["role"] == "risk"


def test_a_fire_whose_lower_end_is_under_the_limit_passes_however_high_its_middle() -> None:
    optimistic = counts(25, 0, 15, 60)
    result = judged(fails(STUB), *(passes(rule(f"r{i}")) for i in range(9)), accuracy={"no_stub_output": optimistic})
    risk = result["verdict"]["risk"]
    assert risk["lo"] <= 0.5 < risk["pBad"]
    assert result["verdict"]["basis"] == "clean"
    assert result["verdict"]["confidence"] == "marginal"


def test_a_dearer_wrong_pass_lowers_the_limit() -> None:
    policy = replace(POLICY, false_pass_cost=9.0)
    findings = [fails(STUB), *(passes(rule(f"r{i}")) for i in range(9))]
    result = judged(*findings, accuracy={"no_stub_output": counts(25, 0, 15, 60)}, policy=policy)
    assert result["verdict"]["basis"] == "risk_over_loss"


def test_a_measured_rule_prints_what_its_answer_is_worth() -> None:
    result = judged(fails(STUB), passes(LOOP), accuracy={"no_stub_output": GOOD, "no_tool_loop": WEAK})
    fired, quiet = (item["uncertainty"] for item in result["rule_results"])
    assert fired["basis"] == quiet["basis"] == "published_accuracy"
    assert fired["ppv"]["lo"] <= fired["ppv"]["point"] <= fired["ppv"]["hi"]
    assert quiet["missRate"]["hi"] < quiet["prior"]["pi"] == 0.05
    assert fired["corpus"] == GOOD.corpus()
    assert (fired["fired"], quiet["fired"]) == (True, False)
    assert fired["prior"]["source"] == "default"


def test_a_pass_is_decisive_only_when_the_whole_interval_is_under_the_limit() -> None:
    assert judged(passes(STUB), accuracy={"no_stub_output": GOOD})["verdict"]["confidence"] == "decisive"
    assert judged(passes(STUB))["verdict"]["confidence"] == "marginal"


def test_a_pass_over_a_fire_that_may_well_be_right_is_marginal() -> None:
    findings = [fails(STUB), *(passes(rule(f"r{i}")) for i in range(9))]
    verdict = judged(*findings, accuracy={"no_stub_output": counts(25, 3, 15, 97)})["verdict"]
    assert verdict["risk"]["pBad"] < 0.5 < verdict["risk"]["hi"]
    assert (verdict["basis"], verdict["confidence"]) == ("clean", "marginal")


def test_a_composer_estimates_each_pattern_of_answers_for_itself() -> None:
    pii = rule("no_pii", classes=("pii_leak", "credential_leak"))
    accuracy = {"no_pii": GOOD, "no_tool_loop": WEAK}
    composer = Composer(POLICY, Settings(), [pii, LOOP], PLAN, accuracy)
    patterns = [
        [fails(pii, classes=("pii_leak",)), passes(LOOP)],
        [fails(pii, classes=("credential_leak",)), passes(LOOP)],
        [passes(pii), passes(LOOP)],
        [passes(pii), skips(LOOP)],
        [skips(pii), passes(LOOP)],
        [skips(pii), skips(LOOP)],
    ]
    risks = [composer.compose(p, "all", TEXT_ONLY, ENVELOPE)["verdict"]["risk"] for p in patterns]
    assert risks == [judged(*p, accuracy=accuracy)["verdict"]["risk"] for p in patterns]
    assert risks[-1] is None
    assert len({str(r) for r in risks}) == len(patterns)


def test_a_measured_veto_is_decisive_and_an_unmeasured_one_is_not() -> None:
    veto = rule("no_pii", critical=True, classes=("pii_leak",))
    sure = judged(fails(veto), accuracy={"no_pii": counts(190, 0, 10, 4000)})
    assert (sure["verdict"]["basis"], sure["verdict"]["confidence"]) == ("detector_veto", "decisive")
    assert judged(fails(veto))["verdict"]["confidence"] == "marginal"
