"""What holds for all findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from iris.run.finding import Finding, RuleInfo
from iris.verdict.policy import BUNDLES, INPUTS, KINDS, ON_SKIPPED, QUESTIONS, Policy

from .builders import POLICY, counts, fails, judged, passes, rule, skips, text_of

COUNTS = [counts(95, 0, 5, 300), counts(60, 40, 40, 260), counts(5, 0, 0, 5), counts(190, 0, 10, 4000), counts(2, 90, 50, 2)]
CLASSES = ("stub", "pii_leak", "fabrication", "tool_loop", "unheard_of")
SCORES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
SKIP_CLASSES = ("not_applicable", "defeated", "config_invalid")


@dataclass(frozen=True)
class Call:
    """Findings that fit the inputs of their call, and the policy they are judged under."""

    findings: Sequence[Finding]
    carried: dict[str, bool]
    policy: Policy
    accuracy: dict[str, Any]

    def result(self) -> dict[str, Any]:
        return judged(*self.findings, carried=self.carried, policy=self.policy, accuracy=self.accuracy)


Answer = tuple[str, str, bool, float, int]

INPUT_LISTS = st.lists(st.sampled_from([*INPUTS, "latency"]), unique=True, max_size=3)
ANSWERS: st.SearchStrategy[Answer] = st.tuples(
    st.sampled_from(["passes", "fails", "skipped"]), st.sampled_from(SKIP_CLASSES), st.booleans(), SCORES, st.integers(0, 2)
)


def _rule(name: str, needs: list[str], reads: list[str], **facts: Any) -> RuleInfo:
    return rule(name, needs=tuple(needs), reads=tuple(dict.fromkeys([*needs, *reads])), **facts)


RULES = st.builds(
    _rule,
    name=st.sampled_from(["no_stub_output", "says_something", *(f"r{i}" for i in range(6))]),
    needs=INPUT_LISTS,
    reads=INPUT_LISTS,
    bundle=st.sampled_from(BUNDLES),
    kind=st.sampled_from(KINDS),
    question=st.sampled_from([None, *QUESTIONS]),
    classes=st.lists(st.sampled_from(CLASSES), unique=True, max_size=2).map(tuple),
    critical=st.booleans(),
    weight=st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.5, 2.0]),
    settings=st.sampled_from([(), ("limit",)]),
    origin=st.sampled_from(["built-in", "built-in", "custom"]),
    remedy=st.sampled_from(["", "Mend it."]),
)
POLICIES = st.builds(
    replace,
    st.just(POLICY),
    threshold=st.sampled_from([0.0, 0.5, 0.7, 1.0]),
    false_pass_cost=st.sampled_from([0.0, 1.0, 9.0]),
    minimum_runs=st.sampled_from([1, 100]),
    defaults_gate=st.booleans(),
    on_critical_skipped=st.sampled_from(ON_SKIPPED),
    required_evidence=st.sampled_from([(), (), ("output",), ("tool_calls",)]),
)


def answered(r: RuleInfo, carried: dict[str, bool], answer: Answer) -> Finding:
    """Make the finding of a rule; without an input that it needs it skips, whatever was drawn."""
    state, skip_class, own_number, score, found = answer
    lacked = tuple(name for name in r.needs if not carried.get(name))
    if lacked:
        return skips(r, lacked=lacked)
    if state == "skipped":
        return skips(r, skip_class)
    if state == "passes":
        return passes(r, score, own_number=own_number)
    return fails(r, score, own_number=own_number, classes=r.classes[:found])


def _call(drawn: list[tuple[RuleInfo, Answer, Any]], inputs: list[bool], policy: Policy) -> Call:
    carried = dict(zip(INPUTS, inputs, strict=True))
    accuracy = {r.name: published for r, _, published in drawn if published}
    return Call([answered(r, carried, answer) for r, answer, _ in drawn], carried, policy, accuracy)


CALLS = st.builds(
    _call,
    st.lists(st.tuples(RULES, ANSWERS, st.sampled_from([None, *COUNTS])), max_size=9),
    st.lists(st.booleans(), min_size=len(INPUTS), max_size=len(INPUTS)),
    POLICIES,
)


@settings(max_examples=150, deadline=None)
@given(CALLS)
def test_every_result_keeps_the_contract_and_agrees_with_itself(call: Call) -> None:
    result = call.result()
    verdict = result["verdict"]
    assert result["rules_evaluated"] + result["rules_skipped"] == len(result["rule_results"]) == len(call.findings)
    assert [i["ruleName"] for i in result["rule_results"]] == [f.rule.name for f in call.findings]
    assert result["passed"] is verdict["passed"] is (verdict["state"] == "pass")
    if result["passed"]:
        assert result["score"] >= call.policy.threshold
        assert result["critical_failures"] == []
        assert result["rules_evaluated"] > 0
        assert verdict["also"] == []
    assert (verdict["risk"] is not None and verdict["risk"]["lo"] > call.policy.loss_limit) is (
        "risk_over_loss" in [verdict["basis"], *(n["basis"] for n in verdict["also"])]
    )
    assert len(set(result["suggestions"])) == len(result["suggestions"])


@settings(max_examples=60, deadline=None)
@given(CALLS)
def test_the_same_findings_give_the_same_bytes(call: Call) -> None:
    assert text_of(call.result()) == text_of(call.result())


@settings(max_examples=60, deadline=None)
@given(CALLS)
def test_the_score_is_the_weighted_mean_of_what_judged(call: Call) -> None:
    scored = [(f.score, f.rule.weight) for f in call.findings if f.state != "skipped"]
    total = sum(w for _, w in scored)
    if total:
        assert abs(call.result()["score"] - sum(s * w for s, w in scored) / total) <= 0.0005 + 1e-9


@settings(max_examples=400, deadline=None)
@given(CALLS, st.data())
def test_another_input_never_lifts_a_fail(call: Call, data: st.DataObject) -> None:
    """Rules that had answered keep their answer; those that waited for the input may come out in any way."""
    added = data.draw(st.sampled_from([*INPUTS, "latency"]))
    carried = {**call.carried, added: True}
    after = [answered(f.rule, carried, data.draw(ANSWERS)) if _waited(f, added) else f for f in call.findings]
    if call.result()["verdict"]["state"] == "fail":
        assert replace(call, findings=after, carried=carried).result()["verdict"]["state"] == "fail"


@settings(max_examples=150, deadline=None)
@given(CALLS, st.data())
def test_a_waiting_rule_that_comes_to_pass_never_lifts_a_fail(call: Call, data: st.DataObject) -> None:
    waiting = [i for i, f in enumerate(call.findings) if f.lacked]
    if waiting and call.result()["verdict"]["state"] == "fail":
        i = data.draw(st.sampled_from(waiting))
        after = [*call.findings[:i], passes(call.findings[i].rule), *call.findings[i + 1 :]]
        carried = {**call.carried, **dict.fromkeys(call.findings[i].rule.reads, True)}
        assert replace(call, findings=after, carried=carried).result()["verdict"]["state"] == "fail"


def _waited(f: Finding, added: str) -> bool:
    return f.state == "skipped" and f.skip_class == "not_applicable" and added in f.rule.reads


@settings(max_examples=100, deadline=None)
@given(CALLS, st.data())
def test_one_more_failure_never_lifts_a_fail(call: Call, data: st.DataObject) -> None:
    judged_rules = [i for i, f in enumerate(call.findings) if f.state == "passes"]
    if judged_rules and call.result()["verdict"]["state"] == "fail":
        i = data.draw(st.sampled_from(judged_rules))
        worse = fails(call.findings[i].rule, own_number=call.findings[i].own_number)
        after = [*call.findings[:i], worse, *call.findings[i + 1 :]]
        assert replace(call, findings=after).result()["verdict"]["state"] == "fail"
