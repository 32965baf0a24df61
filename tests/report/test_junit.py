"""JUnit: valid XML, one test case a run, counts that agree."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given, settings

from iris.report.judged import Judged
from iris.report.junit import Junit

from .samples import KEY, report, samples
from .strategies import awkward_text
from .test_pretty import hostile


def suite_of(runs: list[Judged]) -> ET.Element:
    """Parse the report on some runs and return its suite."""
    root = ET.fromstring(report(Junit(), runs))
    assert root.tag == "testsuites"
    assert [child.tag for child in root] == ["testsuite"]
    return root[0]


def test_each_run_is_a_test_case_with_its_outcome() -> None:
    cases = list(suite_of(samples()))
    assert [case.tag for case in cases] == ["testcase"] * 4
    assert [case.attrib["name"] for case in cases] == ["run-good", "run-leak", "run-big", "line 9"]
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["failure"], ["error"]]
    assert {case.attrib["classname"] for case in cases} == {"runs.jsonl"}
    assert [case.attrib["line"] for case in cases] == ["1", "3", "7", "9"]


def test_the_counts_agree_with_the_cases() -> None:
    suite = suite_of(samples() * 2)
    assert {key: suite.attrib[key] for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "4",
        "errors": "2",
        "skipped": "0",
    }


def test_a_failure_names_its_basis_and_every_failed_rule() -> None:
    failure = suite_of(samples())[1][0]
    assert failure.attrib == {"type": "detector_veto", "message": "detector_veto by no_pii"}
    lines = (failure.text or "").splitlines()
    places = "output 17..37 secrets.aws_key; output 60..71 personal.us_ssn"
    assert lines[0] == f"no_pii: 2 personal or secret values [{places}]"
    assert lines[-1] == "topic_consistency skipped: needs input"
    assert KEY[:8] not in (failure.text or "")


def test_an_unknown_verdict_says_why_it_was_not_judged() -> None:
    skip = suite_of(samples())[2][0]
    assert skip.attrib == {"type": "unknown", "message": "not judged: critical_unknown by no_pii"}
    assert "no_pii skipped: the text is over the limit" in (skip.text or "")


def test_an_error_names_its_problem() -> None:
    error = suite_of(samples())[3][0]
    assert error.attrib == {"type": "E701", "message": "the line is not JSON"}
    assert error.text == "each line is one JSON object"


def test_a_report_on_no_runs_is_an_empty_suite() -> None:
    assert suite_of([]).attrib["tests"] == "0"


@settings(deadline=None)
@given(awkward_text)
def test_any_text_gives_valid_xml(text: str) -> None:
    cases = list(suite_of(hostile(text)))
    assert len(cases) == 3
    report(Junit(), hostile(text)).encode()
