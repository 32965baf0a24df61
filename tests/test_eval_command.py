"""`iris eval`: what it reads, what it writes, and how it ends."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iris.cli.runs import read_runs
from tests.conftest import Command

GOOD = {"id": "good", "input": "What is the refund policy?", "output": "The refund policy is simple. You get it all back in 30 days."}
BAD = {"id": "bad", "input": "Who is she?", "output": "Her SSN is 512-47-8830, as the record says. That is all."}
AT = ("--judged-at", "2026-01-02T03:04:05Z")


def lines(*runs: object) -> str:
    return "".join(json.dumps(run) + "\n" for run in runs)


def test_results_come_in_input_order_with_the_ids_of_the_runs(iris: Command) -> None:
    done = iris("eval", "-", "--format", "jsonl", *AT, stdin=lines(GOOD, BAD, GOOD | {"id": 3}))
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["id"] for r in results] == ["good", "bad", "3"]
    assert [r["passed"] for r in results] == [True, False, True]
    assert done.returncode == 1


def test_a_bad_record_spoils_only_itself(iris: Command) -> None:
    text = lines(GOOD) + "{broken\n" + lines({"output": {"unexpected": [1]}}, [1], BAD)
    done = iris("eval", "-", "--format", "jsonl", stdin=text)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r.get("error", {}).get("code") for r in results] == [None, "E702", "E704", "E703", None]
    assert done.returncode == 2


@pytest.mark.parametrize("kind", ["array", "runs", "gzip", "pretty document"])
def test_every_form_of_file_is_read(iris: Command, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "runs"
    if kind == "gzip":
        path.write_bytes(gzip.compress(lines(GOOD, BAD).encode()))
    else:
        value = {"array": [GOOD, BAD], "runs": {"runs": [GOOD, BAD]}, "pretty document": [GOOD, BAD]}[kind]
        path.write_text(json.dumps(value, indent=2 if kind.startswith("pretty") else None), encoding="utf-8")
    done = iris("eval", str(path), "--format", "json", "--fail-on", "never")
    assert [r["id"] for r in json.loads(done.stdout)["results"]] == ["good", "bad"]
    assert done.returncode == 0


def test_two_processes_give_the_same_bytes_as_one(iris: Command) -> None:
    text = lines(*[run | {"id": f"{run['id']}{i}"} for i in range(50) for run in (GOOD, BAD)])
    one = iris("eval", "-", "--format", "jsonl", *AT, stdin=text, env={"PYTHONHASHSEED": "1"})
    two = iris("eval", "-", "--format", "jsonl", "--jobs", "2", *AT, stdin=text, env={"PYTHONHASHSEED": "2"})
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 100


@pytest.mark.parametrize(
    ("gate", "code"),
    [("never", 0), ("fail", 1), ("unknown", 1), ("not-passed", 1), ("detector_veto", 1), ("policy_gate", 0), ("rule:no_pii", 1), ("rule:no_tool_loop", 0)],
)
def test_the_gate_trips_on_what_was_asked(iris: Command, gate: str, code: int) -> None:
    assert iris("eval", "-", "--fail-on", gate, stdin=lines(GOOD, BAD)).returncode == code


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--fail-on", "fial"), "E901"),
        (("--judged-at", "soon"), "E902"),
        (("--packs", "nowhere"), "E109"),
        (("--config", "nowhere.yaml"), "E109"),
        (("--output", "no/such/folder/x"), "E706"),
    ],
)
def test_wrong_use_is_a_problem_and_exit_code_two(iris: Command, args: tuple[str, ...], problem: str) -> None:
    done = iris("eval", "-", *args, stdin=lines(GOOD))
    assert done.returncode == 2
    assert f"error[{problem}]" in done.stderr


def test_strict_refuses_a_misspelt_field_and_says_which_was_meant(iris: Command) -> None:
    run: dict[str, object] = {**GOOD, "tool_call": []}
    assert iris("eval", "-", "--fail-on", "never", stdin=lines(run)).returncode == 0
    done = iris("eval", "-", "--strict", stdin=lines(run))
    assert done.returncode == 2
    assert "did you mean `tool_calls`?" in done.stdout


def test_settings_of_a_file_are_in_force_and_in_the_evidence(iris: Command, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("rules:\n  min_output_length: {min_output_length: 500}\n", encoding="utf-8")
    done = iris("eval", "-", "--config", "c.yaml", "--format", "jsonl", "--fail-on", "never", stdin=lines(GOOD))
    result = json.loads(done.stdout)
    item = next(r for r in result["rule_results"] if r["ruleName"] == "min_output_length")
    assert item["passed"] is False
    assert item["evidence"][0] | {"value": 0} == {
        "type": "count", "stat": "length", "unit": "count", "value": 0, "threshold": 500, "thresholdSource": "config",
    } | {"unit": item["evidence"][0]["unit"]}  # fmt: skip


def test_a_setting_of_the_wrong_kind_is_refused(iris: Command, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("rules:\n  no_tool_loop: {max_tool_repeats: many}\n", encoding="utf-8")
    done = iris("eval", "-", "--config", "c.yaml", stdin=lines(GOOD))
    assert done.returncode == 2
    assert "max_tool_repeats" in done.stderr


def test_reports_for_machines_can_be_read_by_them(iris: Command) -> None:
    text = lines(GOOD, BAD)
    sarif = json.loads(iris("eval", "-", "--format", "sarif", stdin=text).stdout)
    assert sarif["version"] == "2.1.0"
    assert any(r["ruleId"] == "no_pii" for r in sarif["runs"][0]["results"])
    junit = ElementTree.fromstring(iris("eval", "-", "--format", "junit", stdin=text).stdout)
    assert len(junit.findall(".//testcase")) == 2
    assert "::error" in iris("eval", "-", "--format", "github", stdin=text).stdout


def test_why_shows_the_expressions_behind_a_failure(iris: Command) -> None:
    done = iris("eval", "-", "--format", "jsonl", "--why", "--fail-on", "never", stdin=lines(BAD))
    item = next(r for r in json.loads(done.stdout)["rule_results"] if r["ruleName"] == "no_pii")
    assert item["why"]["conditions"][0]["value"] is True


def test_no_report_shows_a_secret(iris: Command) -> None:
    secret = "AKIAQQQQWWWWEEEE2222"
    for form in ("pretty", "junit", "sarif", "github"):
        assert secret[:12] not in iris("eval", "-", "--format", form, stdin=lines({"output": f"The key is {secret}. Keep it."})).stdout


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.text(alphabet='{}[]":,0123456789eE.nul\\u \n', max_size=120).map(str.encode))
def test_any_bytes_are_read_as_records_or_problems(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(data.replace(b"\x1f\x8b", b""))
    for record in read_runs(str(path), strict=True):
        assert record.problem is not None or isinstance(record.run, dict)


def test_the_labelled_runs_are_judged_without_an_error(shared: Path, iris: Command, tmp_path: Path) -> None:
    for path in sorted(shared.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            sample = "".join(line for _, line in zip(range(25), file, strict=False))
        done = iris("eval", "-", "--format", "jsonl", "--fail-on", "never", stdin=sample)
        assert done.returncode == 0, (path.name, done.stdout[-500:])
