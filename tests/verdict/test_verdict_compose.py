"""A composer that judges many runs."""

from __future__ import annotations

import json
from typing import Any

from iris.verdict.compose import Composer, compose
from iris.verdict.settings import Setting, Settings

from .builders import (
    ENVELOPE,
    EVERYTHING,
    PLAN,
    POLICY,
    TEXT_ONLY,
    fails,
    fifteen,
    judged,
    passes,
    rule,
    skips,
    text_of,
)

OTHERS = [passes(rule(f"other_{i}")) for i in range(9)]
LIMIT = rule("limit", kind="policy", settings=("limit",))
VETO = rule("no_pii", critical=True)


def test_compose_gives_what_a_composer_gives() -> None:
    call: dict[str, Any] = {"eval_type": "all", "carried": TEXT_ONLY, "envelope": ENVELOPE}
    assert compose(OTHERS, policy=POLICY, settings=Settings(), plan=PLAN, **call) == judged(*OTHERS)


def test_a_composer_gives_each_call_its_own_result() -> None:
    rules = fifteen()
    composer = Composer(POLICY, Settings(rules={"limit": {"limit": Setting(1)}}), rules, PLAN)
    findings = [passes(r) if "output" in r.needs else skips(r) for r in rules]

    def result() -> dict[str, Any]:
        return composer.compose(findings, "all", EVERYTHING, ENVELOPE)

    first, before = result(), text_of(result())
    _spoil(first)
    assert text_of(result()) == before


def _spoil(value: Any) -> None:
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            _spoil(inner)
    value.clear()


def test_a_composer_tells_calls_with_other_inputs_skips_and_rules_apart() -> None:
    rules = fifteen()
    composer = Composer(POLICY, Settings(), rules, PLAN)
    calls = [
        ([passes(r) for r in rules], EVERYTHING),
        ([passes(r) if r.needs == ("output",) else skips(r) for r in rules], TEXT_ONLY),
        ([passes(r) if r.needs == ("output",) else skips(r, "defeated") for r in rules], TEXT_ONLY),
        ([passes(rule(r.name)) for r in rules], EVERYTHING),
        ([passes(r) for r in rules[6:12]], EVERYTHING),
    ]
    for _ in range(2):
        for findings, carried in calls:
            result = composer.compose(findings, "all", carried, ENVELOPE)
            assert result == judged(*findings, carried=carried)


def test_a_composer_keeps_a_bounded_number_of_lineups() -> None:
    composer = Composer(POLICY, Settings(), [], PLAN)
    for i in range(600):
        result = composer.compose([passes(rule(f"inline_{i}", origin="custom"))], "custom", TEXT_ONLY, ENVELOPE)
        assert result["rule_results"][0]["ruleName"] == f"inline_{i}"
    assert len(composer._lineups) <= 256


def test_a_result_is_plain_json() -> None:
    result = judged(*OTHERS, fails(LIMIT), skips(VETO, "defeated"))
    assert json.loads(text_of(result)) == result
