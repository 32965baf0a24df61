"""The report for people: golden files, width, colour, hostile text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris.problems import Problem
from iris.report.evidence import number, phrase
from iris.report.judged import Judged
from iris.report.pretty import Pretty
from iris.report.text import cells
from iris.report.veil import Veil

from .compare import assert_golden
from .samples import count, judged, leaking, passing, report, result, rule, samples, span, unknown
from .strategies import awkward_text


@pytest.mark.parametrize(
    "name, colour, width, verbose",
    [
        ("pretty.txt", False, 100, False),
        ("pretty_narrow.txt", False, 50, False),
        ("pretty_verbose.txt", False, 100, True),
        ("pretty_colour.txt", True, 100, False),
    ],
)
def test_the_report_reads_as_in_its_golden_file(name: str, colour: bool, width: int, verbose: bool) -> None:
    assert_golden(name, report(Pretty(colour=colour, width=width, verbose=verbose), samples()))


def hostile(text: str) -> list[Judged]:
    """Put a text everywhere a run or a rule can bring one."""
    found = rule(
        f"r{text}",
        text,
        signals=[text],
        classes=[text],
        evidence=[
            {"type": "span", "source": "output", "start": 0, "end": len(text), "label": text},
            {
                "type": "span",
                "source": "tool_outputs[0]",
                "start": len(text) // 2,
                "end": len(text),
                "label": text,
            },
            {"type": "toolCall", "index": 0, "toolName": text, "label": text},
            {"type": "pattern", "name": text, "count": 2},
            {"type": "citation", "url": text, "status": "dead"},
        ],
    )
    outcome = result([found], by=[text], suggestions=[text])
    run = {"output": text * 3, "tool_calls": [{"tool_name": text, "input": text, "output": text}]}
    broken = Judged(
        run_id=text, run={}, result=None, error=Problem("E701", text, help=text), line=1, file=text
    )
    return [judged(run, outcome, run_id=text), broken, passing()]


@settings(deadline=None)
@given(awkward_text, st.integers(40, 120), st.booleans())
def test_no_line_is_wider_than_the_terminal(text: str, width: int, verbose: bool) -> None:
    drawn = report(Pretty(width=width, verbose=verbose), hostile(text))
    assert all(cells(line) <= width for line in drawn.split("\n"))


@settings(deadline=None)
@given(awkward_text, st.booleans())
def test_without_colour_there_is_no_escape_byte(text: str, verbose: bool) -> None:
    drawn = report(Pretty(verbose=verbose), hostile(text))
    assert not any(ord(char) < 32 or ord(char) == 127 for char in drawn.replace("\n", ""))
    drawn.encode()


@pytest.mark.parametrize(
    "text",
    ["::stop-commands::x", "w" * 93 + "::error::x", "##[error]x", "a\n::add-mask::x", "\u200b::error::x"],
)
@pytest.mark.parametrize("colour", [False, True])
def test_text_of_a_run_cannot_command_a_build_runner(text: str, colour: bool) -> None:
    for width in (40, 60, 100):
        drawn = report(Pretty(colour=colour, width=width, verbose=True), hostile(text))
        assert not [line for line in drawn.splitlines() if line.lstrip().startswith("::") or "##[" in line]


def test_a_skipped_rule_is_told_when_it_decided_and_otherwise_only_on_request() -> None:
    assert "no_pii skipped: the text is over the limit" in report(Pretty(), [unknown()])
    assert "keyword_overlap skipped" not in report(Pretty(), [unknown()])
    assert "keyword_overlap skipped: needs input" in report(Pretty(verbose=True), [unknown()])


def test_advice_of_a_passing_rule_is_told_on_request() -> None:
    assert report(Pretty(), [passing()]).startswith("✓ PASS run-good · score 0.97 · runs.jsonl:1\n\n")
    assert "· hedging: one phrase could be clearer" in report(Pretty(verbose=True), [passing()])


def test_a_passing_rule_names_no_class() -> None:
    text = "one two"
    advice = rule("r", "m", passed=True, classes=["format"], evidence=[span(text, "two", "output", "x")])
    assert "format" not in report(Pretty(verbose=True), [judged({"output": text}, result([advice], "pass"))])


def test_the_report_streams_one_block_a_run() -> None:
    reporter = Pretty()
    assert reporter.start() == ""
    assert reporter.item(passing()).startswith("✓ PASS run-good")
    assert reporter.item(leaking()).lstrip("\n").startswith("✗ FAIL run-leak")
    assert reporter.end().startswith("2 runs: 1 passed, 1 failed, 0 unknown, 0 errors\n")


def test_places_beyond_five_are_counted_unless_asked_for() -> None:
    text = "one two three four five six seven"
    spans = [span(text, word, "output", "w") for word in text.split()]
    run = judged({"output": text}, result([rule("words", "x", evidence=spans)]))
    assert "and 2 more places" in report(Pretty(), [run])
    assert report(Pretty(verbose=True), [run]).count("~") == sum(map(len, text.split()))


def test_one_place_under_two_labels_is_drawn_once() -> None:
    text = "one two"
    spans = [span(text, "two", "output", name) for name in ("a", "b", "a")]
    drawn = report(Pretty(), [judged({"output": text}, result([rule("words", "x", evidence=spans)]))])
    assert "output 4..7 a, b\n" in drawn
    assert drawn.count("│ one two") == 1


@pytest.mark.parametrize("colour", [False, True])
def test_an_empty_place_is_marked_from_below(colour: bool) -> None:
    text = "one two"
    run = judged({"output": text}, result([rule("words", "x", evidence=[span(text, "", "output", "x")])]))
    assert "│ one two\n        │ ~\n" in report(Pretty(colour=colour), [run])


@pytest.mark.parametrize(
    "source, end", [("output", 99), ("tool_outputs[3]", 2), ("tool_calls[0].output", 2), ("elsewhere", 1)]
)
def test_a_place_that_is_not_in_the_run_is_named_without_text(source: str, end: int) -> None:
    item = {"type": "span", "source": source, "start": 0, "end": end, "label": "x"}
    drawn = report(Pretty(), [judged({"output": "abc"}, result([rule("r", "m", evidence=[item])]))])
    assert f"{source} 0..{end} x" in drawn
    assert "the run has no such text" in drawn


@pytest.mark.parametrize(
    "item, words",
    [
        (count("ratio", 0.12, "ratio", 0.35, "default"), "ratio 0.12 < 0.35 (default)"),
        (count("cost", 0.02, "usd", 0.01, "config"), "cost 0.02 > 0.01 usd (config)"),
        (count("repeats", 3, "count", 3, "rule"), "repeats 3 = 3 (rule)"),
        (count("ratio", 0.349999, "ratio", 0.35, "call"), "ratio 0.349999 < 0.35 (call)"),
        ({"type": "count", "stat": "length", "unit": "chars", "value": 1234567}, "length 1234567 chars"),
        ({"type": "pattern", "name": "injection.override", "count": 2}, "pattern injection.override"),
        (
            {"type": "citation", "url": "https://example.com", "status": "dead"},
            "citation dead https://example.com",
        ),
        (
            {"type": "toolCall", "index": 2, "toolName": "pay", "label": "repeated"},
            "tool_calls[2] pay repeated",
        ),
        ({"type": "sample"}, "sample"),
    ],
)
def test_evidence_is_said_in_words(item: dict[str, object], words: str) -> None:
    assert phrase(item, Veil()) == words


@pytest.mark.parametrize(
    "value, text",
    [
        (0.1, "0.1"),
        (2.0, "2"),
        (0.00001, "1e-05"),
        (1 / 3, "0.3333"),
        (-0.5, "-0.5"),
        (float("inf"), "inf"),
        (0.0, "0"),
    ],
)
def test_a_number_is_short_and_never_rounded_to_nothing(value: float, text: str) -> None:
    assert number(value) == text
