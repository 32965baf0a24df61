"""What advises is told apart from what decided, in every report: the mark, the order, the counts, the level."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from iris.report import Options, reporters
from iris.report.github import Github
from iris.report.judged import DECIDING_ROLES, Judged, failed_rules
from iris.report.junit import Junit
from iris.report.pretty import Pretty
from iris.report.sarif import Sarif
from iris.report.tally import plural, tally_of
from iris.verdict import policy

from .samples import count, judged, passing, report, result, rule, skipped, unknown

SUPPLY = "Supply `expected` so that expected_coverage can judge."


def advised(rules: int, **more: Any) -> Judged:
    """A run that passes although some rules point at something."""
    found = [rule(f"r{i}", "could be better", role=("advisory", "term")[i % 2]) for i in range(rules)]
    return judged({"output": "x"}, result(found, "pass", "clean", (), **more), f"advised-{rules}")


def failing(order: tuple[str, ...]) -> Judged:
    """A run that one of three failed rules decided."""
    kinds = {"decider": ("veto", True), "heavy": ("gate", False), "light": ("advisory", False)}
    rules = [rule(name, "m", role=kinds[name][0], critical=kinds[name][1]) for name in order]
    return judged({"output": "x"}, result(rules, by=["decider"]), "failing")


def test_the_roles_that_decide_are_those_of_the_policy() -> None:
    assert set(policy.DECIDING_ROLES) == DECIDING_ROLES


@pytest.mark.parametrize("rules, words", [(1, "1 advisory"), (2, "2 advisories"), (7, "7 advisories")])
@pytest.mark.parametrize("colour", [False, True])
def test_a_pass_with_advisories_looks_like_neither_pass_nor_fail(rules: int, words: str, colour: bool) -> None:
    drawn = report(Pretty(colour=colour), [advised(rules)])
    mark = "\x1b[1;33m▲ PASS\x1b[0m" if colour else "▲ PASS"
    assert drawn.startswith(f"{mark} with {words} · advised-{rules}")
    assert "✓" not in drawn
    assert "✗" not in drawn


def test_a_clean_pass_keeps_its_look() -> None:
    assert report(Pretty(), [passing()]).startswith("✓ PASS run-good")


def test_passes_with_advisories_are_counted_apart() -> None:
    runs = [passing(), advised(1), advised(3), failing(("decider", "light"))]
    assert "4 runs: 3 passed (2 with advisories), 1 failed" in report(Pretty(), runs)
    assert "| 3 (2 with advisories) | 1 | 0 | 0 |" in summary_of(runs)
    assert tally_of(runs).advised == 2
    assert "with advisories" not in report(Pretty(), [passing(), failing(("decider",))])


def summary_of(runs: list[Judged]) -> str:
    reporter = Github()
    report(reporter, runs)
    return reporter.summary()


@pytest.mark.parametrize("order", list(permutations(("decider", "heavy", "light"))))
def test_what_decided_comes_first_and_what_advises_last_in_every_report(order: tuple[str, ...]) -> None:
    run = failing(order)
    assert [r["ruleName"] for r in failed_rules(run)] == ["decider", "heavy", "light"]
    for name in ("pretty", "github", "junit", "sarif"):
        text = report(reporters()[name](Options()), [run])
        assert text.index("decider") < text.index("heavy") < text.index("light"), name
    drawn = report(Pretty(), [run]).splitlines()
    assert [line.split()[0] for line in drawn[1:4]] == ["✗", "✗", "▲"]


@pytest.mark.parametrize("role, critical", [("advisory", False), ("term", False), ("veto", True), ("gate", False)])
def test_no_result_of_a_passing_run_is_more_than_a_note(role: str, critical: bool) -> None:
    run = judged({"output": "x"}, result([rule("r", "m", role=role, critical=critical)], "pass", "clean", ()))
    (found,) = json.loads(report(Sarif(), [run]))["runs"][0]["results"]
    assert found["level"] == "note"


def test_an_input_that_runs_lack_is_asked_for_once() -> None:
    runs = [advised(1, suggestions=["Answer in full.", SUPPLY]) for _ in range(3)]
    drawn = report(Pretty(), runs)
    assert drawn.count(SUPPLY) == 1
    assert drawn.count("→ Answer in full.") == 3
    assert f"inputs that would let more rules judge\n  3  {SUPPLY}\n" in drawn


def test_an_input_without_which_there_is_no_verdict_is_asked_for_at_the_run() -> None:
    lacking = judged({}, result([], "unknown", "no_rules", (), suggestions=[SUPPLY]))
    assert f"  → {SUPPLY}" in report(Pretty(), [lacking])
    assert "Supply %60expected" not in report(Github(), [lacking])
    assert f"no_rules%0A{SUPPLY}" in report(Github(), [lacking])


@pytest.mark.parametrize("stat, told", [("ratio", True), ("length", True), ("size(later)", False), ("max(a, b)", False)])
def test_a_count_without_a_readable_name_is_left_to_why(stat: str, told: bool) -> None:
    found = rule("r", "m", evidence=[count(stat, 3, "count", 2, "rule")])
    runs = [judged({"output": "x"}, result([found], by=["r"]))]
    for reporter in (Pretty(), Pretty(verbose=True), Github(), Junit(), Sarif()):
        assert (stat in report(reporter, runs)) == told


def test_a_signal_is_named_once_and_no_number_stands_beside_it() -> None:
    items = [{"type": "pattern", "name": n, "count": 13} for n in ("clash", "hint")]
    runs = [judged({"output": "x"}, result([rule("r", "1 statement disagrees", signals=["clash"], evidence=items)]))]
    drawn = report(Pretty(), runs)
    assert drawn.count("clash") == 1
    assert "pattern hint\n" in drawn
    assert "13" not in drawn + report(Github(), runs) + report(Junit(), runs)


@pytest.mark.parametrize("run", [unknown(), judged({}, result([skipped("r", "needs input")], "unknown", "no_rules", ()))])
def test_a_run_that_could_not_be_judged_is_no_success_for_a_build_server(run: Judged) -> None:
    written = report(Junit(), [run])
    assert '<failure type="unknown"' in written
    assert 'failures="1"' in written
    assert "skipped: " in written


@pytest.mark.parametrize("number, noun, words", [(1, "run", "1 run"), (0, "run", "0 runs"), (2, "advisory", "2 advisories")])
def test_a_noun_follows_its_number(number: int, noun: str, words: str) -> None:
    assert plural(number, noun) == words
