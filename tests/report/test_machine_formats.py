"""JSON Lines and the JSON document."""

from __future__ import annotations

import json

from hypothesis import given, settings

from iris.report.json import Json
from iris.report.jsonl import Jsonl
from iris.report.jsontext import to_json

from .samples import judged, report, result, rule, samples, unknown
from .strategies import awkward_text


def test_each_line_is_the_result_of_one_run_in_order() -> None:
    lines = [json.loads(line) for line in report(Jsonl(), samples()).splitlines()]
    assert lines[:3] == [run.result for run in samples()[:3]]
    assert [line["id"] for line in lines] == ["run-good", "run-leak", "run-big", "line 9"]


def test_a_run_that_was_not_judged_gives_an_error_without_the_line_itself() -> None:
    text = report(Jsonl(), samples()).splitlines()[-1]
    assert json.loads(text) == {
        "id": "line 9",
        "error": {
            "code": "E701",
            "message": "the line is not JSON",
            "recovery": ["each line is one JSON object"],
            "file": "runs.jsonl",
            "line": 9,
        },
    }


def test_the_document_has_results_and_summary() -> None:
    document = json.loads(report(Json(), samples()))
    assert set(document) == {"results", "summary"}
    assert document["results"] == [json.loads(line) for line in report(Jsonl(), samples()).splitlines()]
    assert document["summary"] == {
        "runs": 4,
        "passed": 1,
        "failed": 1,
        "unknown": 1,
        "errors": 1,
        "failures": {
            "cost_under_threshold": 1,
            "keyword_overlap": 1,
            "no_injection_compliance": 1,
            "no_pii": 1,
        },
    }


def test_the_document_of_no_runs_is_valid() -> None:
    assert json.loads(report(Json(), []))["results"] == []


@settings(deadline=None)
@given(awkward_text)
def test_any_text_comes_back_from_one_ascii_line(text: str) -> None:
    written = report(Jsonl(), [judged({}, result([rule("r", text)]), run_id=text)])
    assert written.isascii()
    assert len(written.splitlines()) == 1
    assert "##[" not in written
    assert json.loads(written)["rule_results"][0]["message"] == text


def test_numbers_that_json_does_not_have_become_null() -> None:
    assert to_json({"a": float("nan"), "b": [float("inf"), 1.5]}) == '{"a": null, "b": [null, 1.5]}'


def test_text_that_a_build_runner_would_obey_is_escaped() -> None:
    assert to_json("##[error] ##vso[x]") == '"##\\u005berror] ##vso\\u005bx]"'
    assert json.loads(to_json("##[error] ##vso[x]")) == "##[error] ##vso[x]"


def test_the_summary_counts_an_unknown_verdict_apart() -> None:
    assert json.loads(report(Json(), [unknown()]))["summary"]["unknown"] == 1
