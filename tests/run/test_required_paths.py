"""Taking evidence away from a failing run never makes it pass, but for what a rule declares it does not need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from iris import flow
from iris.cases import judge_case, run_cases
from iris.packs.documents import CaseDoc
from iris.run.engine import Engine
from iris.run.finding import Finding
from iris.run.rule import CompiledRule

UNCHECKED_PASS = {"no_hallucination_markers"}
"""Rules whose signals each need inputs of their own, and which pass on the others: `unchecked: pass`."""
CATALOGUE_OPTIONAL = {"no_tool_loop", "no_silent_tool_failure"}
"""Rules that read the catalogue's annotations behind `given`, and go by the tools' names without them."""

Removal = tuple[CompiledRule, CaseDoc, str, Finding, Finding]


@lru_cache(maxsize=1)
def removals() -> list[Removal]:
    """Every case of every built-in rule without one of its paths: rule, case, path, finding before and after."""
    return list(_removals())


def _removals() -> Iterator[Removal]:
    compiled = flow.compile_packs(cases=False)
    assert compiled.plan is not None
    engine = Engine(compiled.plan)
    rules = {r.info.name: r for r in engine.rules}
    for pack in compiled.packs:
        for doc in pack.rules:
            for case, before in run_cases(pack, doc, engine):
                rule = rules.get(doc.name) or engine.instance(doc.name, doc.name, case.config, {})
                for path in case.run:
                    run = {k: v for k, v in case.run.items() if k != path}
                    yield rule, case, path, before, judge_case(engine, rule, replace(case, run=run))


def test_a_fail_becomes_a_pass_only_where_a_rule_says_so() -> None:
    turned = [r for r in removals() if r[3].state == "fails" and r[4].state == "passes"]
    by_rule = {(rule.info.name, rule.unchecked_pass) for rule, *_ in turned}
    assert by_rule == {(n, True) for n in UNCHECKED_PASS} | {(n, False) for n in CATALOGUE_OPTIONAL}
    for rule, case, path, before, after in turned:
        if rule.unchecked_pass:
            assert set(before.signals) <= set(after.unchecked), (case.name, path)
        else:
            assert path == "tools", (rule.info.name, case.name, path)


def test_only_the_expected_rules_pass_unchecked() -> None:
    assert {rule.info.name for rule, *_ in removals() if rule.unchecked_pass} == UNCHECKED_PASS


def test_no_pass_survives_the_loss_of_an_input_the_rule_needs() -> None:
    wire = {"calls": "tool_calls", "tools": "tools_catalogue"}
    lost = [r for r in removals() if wire.get(r[2], r[2]) in r[0].info.needs]
    assert len(lost) > 500
    assert [(r[0].info.name, r[1].name, r[2]) for r in lost if r[4].state == "passes"] == []
    assert all(
        wire.get(r[2], r[2]) in r[4].lacked
        for r in lost
        if r[4].state == "skipped" and r[4].message.startswith("not judged: needs")
    )


def test_no_rule_stops_on_a_run_with_something_missing() -> None:
    assert [
        (r[0].info.name, r[1].name, r[2], r[4].message) for r in removals() if r[4].skip_class == "defeated" != r[3].skip_class
    ] == []
