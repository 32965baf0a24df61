"""When judged runs stop a build."""

from __future__ import annotations

from typing import Any

import pytest

from iris.problems import Problem, ProblemsFound
from iris.report.gate import BASES, FailOn, parse_fail_on, terms_tripped, tripped
from iris.report.judged import Judged
from iris.report.tally import tally_of

from .samples import broken, judged, leaking, passing, result, rule, skipped, unknown

FAILED, UNKNOWN, PASSED, ERROR = leaking(), unknown(), passing(), broken()


@pytest.mark.parametrize(
    "fail_on, stopped_by",
    [
        ("never", ()),
        ("fail", (FAILED,)),
        ("unknown", (FAILED, UNKNOWN, ERROR)),
        ("not-passed", (FAILED, UNKNOWN, ERROR)),
        ("detector_veto", (FAILED,)),
        ("critical_unknown", (UNKNOWN,)),
        ("policy_gate", ()),
        ("rule:no_pii", (FAILED,)),
        ("rule:cost_under_threshold", (UNKNOWN,)),
        ("rule:hedging", ()),
        ("rule:topic_consistency", ()),
        (" policy_gate , critical_unknown,rule:no_pii", (FAILED, UNKNOWN)),
    ],
)
def test_a_condition_stops_a_build_for_the_runs_it_is_about(
    fail_on: str, stopped_by: tuple[Judged, ...]
) -> None:
    for run in (FAILED, UNKNOWN, PASSED, ERROR):
        assert tripped([run], fail_on) is (run in stopped_by)
    assert tripped([PASSED, FAILED, UNKNOWN, ERROR], fail_on) is bool(stopped_by)
    assert not tripped([], fail_on)


def test_a_gate_without_a_condition_stops_what_did_not_pass() -> None:
    assert tripped([UNKNOWN])
    assert not tripped([PASSED])


def test_counts_trip_like_the_runs_they_count() -> None:
    runs = [FAILED, UNKNOWN, PASSED, ERROR]
    for text in ("never", "fail", "unknown", "not-passed", *BASES, "rule:no_pii", "rule:none"):
        assert tripped(tally_of(runs), text) is tripped(runs, text)


def test_the_conditions_that_held_are_named_in_the_order_given() -> None:
    assert terms_tripped([FAILED], "rule:no_pii,policy_gate,fail") == ("rule:no_pii", "fail")


@pytest.mark.parametrize("state, basis", [("fail", basis) for basis in BASES] + [("unknown", "no_rules")])
def test_each_basis_is_a_condition(state: str, basis: str) -> None:
    run = judged({}, result([rule("r", "m")], state, basis))
    assert [term for term in BASES if tripped([run], term)] == [basis]


def test_a_layer_that_would_have_decided_alone_is_a_basis_too() -> None:
    run = judged({}, result([rule("r", "m")], "fail", "policy_gate"))
    assert run.result is not None
    run.result["verdict"]["also"] = [{"basis": "risk_over_loss", "state": "fail", "by": ["r"]}]
    assert terms_tripped([run], "risk_over_loss,policy_gate,detector_veto") == (
        "risk_over_loss",
        "policy_gate",
    )


@pytest.mark.parametrize(
    "passed, empty, state", [(True, False, "pass"), (False, False, "fail"), (False, True, "unknown")]
)
def test_a_result_without_a_verdict_is_read_from_its_flags(passed: bool, empty: bool, state: str) -> None:
    outcome: dict[str, Any] = {**result([], "pass" if passed else "fail"), "insufficient_data": empty}
    del outcome["verdict"]
    tally = tally_of([judged({}, outcome)])
    assert tally.states == {state: 1}
    assert tally.not_passed == (not passed)
    assert not tally.bases


def test_a_skipped_rule_does_not_trip_its_condition() -> None:
    assert not tripped([judged({}, result([skipped("no_pii", "needs output")], "unknown"))], "rule:no_pii")


def problems_of(text: str, rules: tuple[str, ...] | None = None) -> list[Problem]:
    """Return the problems of a text for --fail-on."""
    with pytest.raises(ProblemsFound) as caught:
        parse_fail_on(text, rules)
    assert {problem.code for problem in caught.value.problems} == {"E901"}
    return caught.value.problems


@pytest.mark.parametrize(
    "text, help_text",
    [
        ("fial", "did you mean `fail`?"),
        ("notpassed", "did you mean `not-passed`?"),
        ("detector-veto", "did you mean `detector_veto`?"),
        ("FAIL", "did you mean `fail`?"),
        ("no_pii", "did you mean `rule:no_pii`?"),
        ("rule:no_pi", "did you mean `rule:no_pii`?"),
        ("rule:xyzzy", "no loaded pack has a rule of this name"),
    ],
)
def test_a_near_miss_is_suggested(text: str, help_text: str) -> None:
    (problem,) = problems_of(text, ("no_pii", "keyword_overlap"))
    assert problem.help == help_text


@pytest.mark.parametrize("text", ["", " ", "fail,", "zzzzzz", "clean"])
def test_a_condition_without_a_near_miss_gets_the_list(text: str) -> None:
    (problem,) = problems_of(text)
    assert problem.help.startswith("conditions are never, fail, unknown, not-passed, policy_gate")


def test_all_problems_are_found_and_placed() -> None:
    problems = problems_of("fail, fial,rule:")
    places = [problem.place for problem in problems]
    assert [(p.line, p.column, p.length) for p in places if p] == [(1, 7, 4), (1, 12, 5)]


def test_never_stands_alone() -> None:
    (problem,) = problems_of("never,fail")
    assert problem.message == "`never` stands alone"


def test_a_rule_of_any_name_is_taken_when_the_rules_are_not_known() -> None:
    assert parse_fail_on("rule:anything at all, fail") == FailOn(("rule:anything at all", "fail"))


def test_a_rule_that_is_known_is_taken() -> None:
    assert parse_fail_on("rule:no_pii", ["no_pii"]) == FailOn(("rule:no_pii",))


def test_a_basis_does_not_trip_a_run_that_passed() -> None:
    run = judged({}, result([skipped("no_pii", "too long", "defeated")], "pass", "critical_unknown"))
    assert not tripped([run], "critical_unknown,not-passed")


def test_conditions_are_written_as_they_are_read() -> None:
    for text in ("never", "fail,rule:no_pii"):
        assert str(parse_fail_on(text)) == text
