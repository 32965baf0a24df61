"""`iris eval --config`: settings are in force, and a wrong one is refused before anything is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .command import iris, write_runs


def settings(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def configured(runs: Path, text: str) -> dict[str, dict[str, Any]]:
    """The record of each run, judged under settings."""
    result = iris("eval", runs, "--format", "jsonl", "--config", settings(runs.parent, text))
    assert result.err == ""
    return {r["id"]: r for r in result.lines()}


def test_a_threshold_moves_the_verdict(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "r", [{"id": "short", "output": "It ships."}])
    assert configured(runs, "threshold: 0.5")["short"]["passed"] is True
    record = configured(runs, "threshold: 0.99")["short"]
    assert (record["passed"], record["verdict"]["basis"]) == (False, "score_below_threshold")


def test_a_rule_made_critical_fails_the_verdict_alone(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "r", [{"id": "short", "output": "It ships."}])
    assert configured(runs, "{}")["short"]["critical_failures"] == []
    record = configured(runs, "critical_rules: [min_output_length]")["short"]
    assert (record["passed"], record["critical_failures"]) == (False, ["min_output_length"])


def test_a_rule_made_uncritical_no_longer_vetoes(runs: Path) -> None:
    assert configured(runs, "{}")["leak"]["critical_failures"] == ["no_pii"]
    assert configured(runs, "non_critical_rules: [no_pii]")["leak"]["critical_failures"] == []


def test_a_rules_own_setting_is_in_force_and_named_in_its_evidence(runs: Path) -> None:
    record = configured(runs, "rules: {min_output_length: {min_output_length: 500}}")["clean"]
    (item,) = [i for i in record["rule_results"] if i["ruleName"] == "min_output_length"]
    (count,) = [e for e in item["evidence"] if e["type"] == "count"]
    assert (item["passed"], count["threshold"], count["thresholdSource"]) == (False, 500, "config")


def test_evidence_that_is_required_and_missing_gives_no_verdict(runs: Path) -> None:
    record = configured(runs, "required_evidence: [tool_calls]")["clean"]
    assert (record["verdict"]["state"], record["verdict"]["basis"]) == ("unknown", "required_evidence_missing")


@pytest.mark.parametrize(
    "text, code",
    [
        ("treshold: 0.5", "E110"),
        ("threshold: high", "E112"),
        ("threshold: 70", "E813"),
        ("threshold: .nan", "E112"),
        ("threshold: 0.5\nthreshold: 0.6", "E102"),
        ("critical_rules: no_pii", "E112"),
        ("critical_rules: [no_pi]", "E811"),
        ("critical_rules: [no_pii]\nnon_critical_rules: [no_pii]", "E812"),
        ("on_critical_skipped: ignore", "E113"),
        ("defaults_gate: yes", "E112"),
        ("priors: {stub: 7}", "E813"),
        ("priors: [a]", "E112"),
        ("rules: [a]", "E112"),
        ("rules: {no_pii: 7}", "E112"),
        ("rules: {no_pi: {a: 1}}", "E811"),
        ("rules: {min_output_length: {min: 5}}", "E814"),
        ("rules: {min_output_length: {min_output_length: many}}", "E210"),
        ("rules: {min_output_length: {min_output_length: -1}}", "E210"),
        ("rules: {min_output_length: {min_output_length: 1.5}}", "E210"),
        ("required_evidence: [tool_call]", "E813"),
        ("[a]", "E112"),
        ("a: &x 1\nb: *x", "E103"),
        ("", "E101"),
    ],
)
def test_a_wrong_setting_is_refused_before_anything_is_judged(runs: Path, text: str, code: str) -> None:
    result = iris("eval", runs, "--config", settings(runs.parent, text))
    assert (result.code, result.out) == (2, "")
    assert f"[{code}]" in result.err


def test_settings_that_are_not_there_are_refused(runs: Path) -> None:
    result = iris("eval", runs, "--config", runs.parent / "none.yaml")
    assert result.code == 2
    assert "E109" in result.err
