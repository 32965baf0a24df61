"""Reading the verdict policy."""

from __future__ import annotations

from typing import Any

import pytest

from iris.problems import Place, Problem, ProblemsFound
from iris.verdict.policy import KINDS, LAYERS, QUESTIONS, policy_from

from .builders import POLICY, policy_data


def problems_of(**changes: Any) -> list[Problem]:
    with pytest.raises(ProblemsFound) as caught:
        policy_from({**policy_data(), **changes})
    return caught.value.problems


def test_the_shipped_policy_has_the_defaults_of_the_contract() -> None:
    assert POLICY.layers == LAYERS
    assert POLICY.threshold == 0.7
    assert POLICY.on_critical_skipped == "unknown"
    assert POLICY.required_evidence == ()
    assert not POLICY.defaults_gate
    assert POLICY.loss_limit == 0.5
    assert tuple(POLICY.questions) == QUESTIONS
    assert set(POLICY.roles) == set(KINDS)


def test_a_class_that_is_not_listed_has_the_other_prior() -> None:
    assert POLICY.prior("incomplete_ask") == 0.15
    assert POLICY.prior("something_new") == POLICY.prior_otherwise


def test_numbers_and_flags_may_be_the_text_of_a_plain_scalar() -> None:
    policy = policy_from({**policy_data(), "threshold": "0.5", "defaults_gate": "true"})
    assert policy.threshold == 0.5
    assert policy.defaults_gate is True


@pytest.mark.parametrize(
    "code, key, value",
    [
        ("E801", "treshold", 0.7),
        ("E803", "threshold", 1.5),
        ("E803", "threshold", "high"),
        ("E803", "threshold", True),
        ("E803", "threshold", float("nan")),
        ("E803", "false_pass_cost", float("inf")),
        ("E803", "false_pass_cost", 10**400),
        ("E803", "defaults_gate", 1),
        ("E803", "prior_otherwise", 0),
        ("E803", "priors", ["stub"]),
        ("E803", "priors", {"stub": 1}),
        ("E803", "required_evidence", "input"),
        ("E803", "measured", {"minimum_runs": 1.5, "interval": 0.95}),
        ("E803", "measured", {"minimum_runs": 10, "interval": 1}),
        ("E803", "groups", {"stub": "no_stub_output"}),
        ("E804", "on_critical_skipped", "maybe"),
        ("E804", "required_evidence", ["inputs"]),
        ("E804", "layers", ["gate", "mean"]),
        ("E805", "layers", ["gate", "veto"]),
        ("E805", "layers", [*LAYERS, "gate"]),
        ("E807", "questions", {"safe_output": ["output"]}),
        ("E808", "groups", {"stub": [["a", "b"], ["b", "c"]]}),
    ],
)
def test_a_mistake_is_a_problem_with_its_code(code: str, key: str, value: Any) -> None:
    problems = problems_of(**{key: value})
    assert code in {p.code for p in problems}
    assert all(p.label and p.help for p in problems)


def test_a_key_that_is_missing_is_named() -> None:
    data = policy_data()
    del data["threshold"]
    with pytest.raises(ProblemsFound) as caught:
        policy_from(data)
    assert [(p.code, p.message) for p in caught.value.problems] == [("E802", "the verdict policy lacks `threshold`")]


def test_an_unknown_key_suggests_the_nearest_one() -> None:
    data = policy_data()
    data["treshold"] = data.pop("threshold")
    with pytest.raises(ProblemsFound) as caught:
        policy_from(data)
    assert caught.value.problems[0].help == "did you mean `threshold`?"


@pytest.mark.parametrize(
    "code, kind, row",
    [
        ("E806", "detection", {"critical": "advisory", "otherwise": "advisory"}),
        ("E806", "policy", {"critical": "gate", "otherwise": "risk"}),
        ("E806", "policy", {"critical": "gate", "decides": "risk", "otherwise": "term"}),
        ("E804", "detection", {"critical": "veto", "otherwise": "nothing"}),
        ("E802", "detection", {"critical": "veto"}),
        ("E801", "detection", {"critical": "veto", "otherwise": "term", "always": "gate"}),
    ],
)
def test_a_wrong_row_of_the_role_table_is_refused(code: str, kind: str, row: dict[str, str]) -> None:
    roles = {**policy_data()["roles"], kind: row}
    assert code in {p.code for p in problems_of(roles=roles)}


def test_every_kind_needs_a_row() -> None:
    roles = policy_data()["roles"]
    del roles["judgment"]
    assert [p.code for p in problems_of(roles=roles)] == ["E802"]


def test_all_mistakes_are_told_at_once() -> None:
    problems = problems_of(threshold=2, prior_otherwise=0, on_critical_skipped="no")
    assert [p.code for p in problems] == ["E803", "E804", "E803"]


def test_a_problem_points_to_where_its_key_was_written() -> None:
    data = policy_data()
    data["priors"]["stub"] = 7
    places = {"priors.stub": Place("verdict.yaml", 40, 9)}
    with pytest.raises(ProblemsFound) as caught:
        policy_from(data, places.get)
    assert caught.value.problems[0].place == places["priors.stub"]


def test_data_that_is_no_mapping_is_refused() -> None:
    data: Any = ["layers"]
    with pytest.raises(ProblemsFound):
        policy_from(data)
