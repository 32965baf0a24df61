"""Evidence is what shows the failure: not what was asked, nor how much was given, nor what was looked through in vain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import head, judge

SHARED = """
detectors:
  asked: {regex: 'code', examples: {hit: [code, some code], miss: [a, b]}}
  flag: {regex: '--[a-z]+', examples: {hit: [--fast, a --slow], miss: [a, b]}}
  bad: {regex: 'stub', class: stub, examples: {hit: [stub, a stub], miss: [a, b]}}
"""
RUN = {"input": "Write code with --fast and --slow.", "output": "A stub with --turbo."}


def places(condition: str, run: dict[str, Any]) -> set[tuple[str, str]]:
    """The source and the raw text of every place of a rule that fails."""
    finding = judge(f"{head()}fail_when: |\n  {condition}\n", run, SHARED)
    assert finding.state == "fails"
    found = [e for e in finding.evidence if e["type"] == "span"]
    return {(e["source"], run[e["source"]][e["start"] : e["end"]]) for e in found}


@pytest.mark.parametrize(
    "setting",
    ["found(d.asked, input)", "size(hits(d.flag, input)) >= 2", "any(hits(d.asked, input))", "size(hits(d.flag, gather(input))) >= 2"],
)
@pytest.mark.parametrize("order", ["{0} and found(d.bad, output)", "found(d.bad, output) and {0}"])
def test_what_the_ask_says_is_no_evidence_beside_what_the_answer_says(setting: str, order: str) -> None:
    assert places(order.format(setting), RUN) == {("output", "stub")}


def test_a_condition_on_the_ask_alone_still_shows_its_place() -> None:
    assert places('found(d.asked, input) and not mentions(output, "done")', RUN) == {("input", "code")}


def test_what_was_looked_for_in_vain_leaves_no_place() -> None:
    condition = "some f in hits(d.flag, output) satisfies (size(hits(d.flag, input)) >= 2 and not contains(input, f.text))"
    assert places(condition, RUN) == {("output", "--turbo")}


def test_words_of_both_texts_are_named_apart_from_words_of_one() -> None:
    run = {"input": "cheap rotor brake", "output": "We stock a rotor."}
    finding = judge(f"{head()}fail_when: size(terms(input) & terms(output)) / size(terms(input)) < 0.5\n", run, SHARED)
    found = {(run[e["source"]][e["start"] : e["end"]], e["label"]) for e in finding.evidence if e["type"] == "span"}
    assert found == {("rotor", "shared word"), ("cheap", "word"), ("brake", "word")}
