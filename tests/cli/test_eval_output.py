"""What `iris eval` writes and how it ends: formats, gates, settings, processes, times."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from iris.cli.eval import BATCH, MOST_A_CORE
from iris.report.gate import BASES

from .command import JUDGED_AT, RUNS, Result, iris, write_pack, write_runs

FORMATS = ["pretty", "json", "jsonl", "junit", "sarif", "github"]
RULE = """\
rule: no_copies
title: The answer names no copy
fail_when: mentions(output, "copy")
cases:
  - {name: bad, run: {output: The copy ran.}, expect: fail}
  - {name: good, run: {output: It ran.}, expect: pass}
"""


def states(result: Result) -> dict[str, str]:
    """The state of each run's verdict."""
    return {r["id"]: r["verdict"]["state"] for r in result.lines()}


def test_the_three_runs_come_out_three_ways(runs: Path) -> None:
    assert states(iris("eval", runs, "--format", "jsonl")) == {"clean": "pass", "leak": "fail", "no answer": "unknown"}


@pytest.mark.parametrize(
    "fail_on, clean, leak, unknown",
    [
        (None, 0, 1, 1),
        ("not-passed", 0, 1, 1),
        ("never", 0, 0, 0),
        ("fail", 0, 1, 0),
        ("unknown", 0, 1, 1),
        ("detector_veto", 0, 1, 0),
        ("no_rules", 0, 0, 1),
        ("policy_gate", 0, 0, 0),
        ("rule:no_pii", 0, 1, 0),
        ("rule:no_tool_loop", 0, 0, 0),
        ("rule:no_tool_loop,no_rules", 0, 0, 1),
        ("critical_unknown", 0, 0, 0),
        (" fail , policy_gate ", 0, 1, 0),
    ],
)
def test_a_gate_trips_for_the_runs_it_names(tmp_path: Path, fail_on: str | None, clean: int, leak: int, unknown: int) -> None:
    gate = () if fail_on is None else ("--fail-on", fail_on)
    for run, code in zip(RUNS, (clean, leak, unknown), strict=True):
        path = write_runs(tmp_path / "one.jsonl", [run])
        assert iris("eval", path, *gate).code == code, run["id"]


@pytest.mark.parametrize(
    "fail_on", ["", "fails", "Fail", "rule:", "rule:no_pi", "never,fail", "fail,,unknown", "detector_vetoes"]
)
def test_a_gate_that_is_not_known_is_refused_before_judging(runs: Path, fail_on: str) -> None:
    result = iris("eval", runs, "--fail-on", fail_on)
    assert (result.code, result.out) == (2, "")
    assert "E901" in result.err


@pytest.mark.parametrize("basis", BASES)
def test_every_basis_is_a_gate(runs: Path, basis: str) -> None:
    assert iris("eval", runs, "--fail-on", basis).code in (0, 1)


@pytest.mark.parametrize("gate", ["never", "fail", "rule:no_pii"])
def test_a_record_in_error_ends_in_two_whatever_the_gate(tmp_path: Path, gate: str) -> None:
    assert iris("eval", write_runs(tmp_path / "r", [*RUNS, 7]), "--fail-on", gate).code == 2


@pytest.mark.parametrize(
    "kind, rules", [("completeness", 4), ("relevance", 2), ("safety", 6), ("cost", 3), ("custom", 0), ("all", 15)]
)
def test_a_bundle_runs_its_own_rules(runs: Path, kind: str, rules: int) -> None:
    records = iris("eval", runs, "--format", "jsonl", "--eval-type", kind).lines()
    assert {r["eval_type"] for r in records} == {kind}
    assert {len(r["rule_results"]) for r in records} == {rules}
    if kind not in ("all", "custom"):
        assert {i["category"] for r in records for i in r["rule_results"]} == {kind}


def test_a_bundle_that_is_not_known_is_wrong_use(runs: Path) -> None:
    result = iris("eval", runs, "--eval-type", "safty")
    assert result.code == 2
    assert "invalid choice" in result.err


def test_no_rule_is_no_pass(runs: Path) -> None:  # B111
    result = iris("eval", runs, "--eval-type", "custom", "--format", "jsonl")
    assert result.code == 1
    assert {(r["passed"], r["insufficient_data"], r["verdict"]["basis"]) for r in result.lines()} == {(False, True, "no_rules")}


def test_a_leftover_kind_of_evaluation_is_noted(runs: Path) -> None:
    assert all("note" in r for r in iris("eval", runs, "--format", "jsonl").lines())
    assert not any("note" in r for r in iris("eval", runs, "--format", "jsonl", "--eval-type", "all").lines())


def test_rules_of_a_pack_of_ones_own_run_beside_the_built_in_ones(runs: Path, tmp_path: Path) -> None:
    pack = write_pack(tmp_path, {"no_copies.yaml": RULE})
    result = iris("eval", runs, "--packs", pack, "--format", "jsonl", "--eval-type", "custom")
    first = result.lines()[0]["rule_results"]
    assert [(i["ruleName"], i["passed"]) for i in first] == [("house/no_copies", False)]
    assert iris("eval", runs, "--packs", pack, "--fail-on", "rule:house/no_copies").code == 1
    assert iris("eval", runs, "--packs", tmp_path, "--fail-on", "rule:house/no_copies").code == 1


def test_a_pack_that_does_not_compile_judges_nothing(runs: Path, tmp_path: Path) -> None:
    pack = write_pack(tmp_path, {"no_copies.yaml": RULE.replace("output,", "outptu,")})
    for folder, code in ((pack, "E013"), (tmp_path / "nothing", "E109"), (runs, "E109")):
        result = iris("eval", runs, "--packs", folder)
        assert (result.code, result.out) == (2, "")
        assert code in result.err


def test_machine_formats_can_be_read(runs: Path) -> None:
    document = json.loads(iris("eval", runs, "--format", "json").out)
    assert [r["id"] for r in document["results"]] == [r["id"] for r in RUNS]
    assert document["summary"]["runs"] == 3
    assert [r["id"] for r in iris("eval", runs, "--format", "jsonl").lines()] == [r["id"] for r in RUNS]
    suites = ElementTree.fromstring(iris("eval", runs, "--format", "junit").out.encode())
    assert [case.get("name") for case in suites.iter("testcase")] == [r["id"] for r in RUNS]
    sarif = json.loads(iris("eval", runs, "--format", "sarif").out)
    assert sarif["version"] == "2.1.0"
    assert "no_pii" in {r["ruleId"] for r in sarif["runs"][0]["results"]}
    github = iris("eval", runs, "--format", "github").out
    assert any(line.startswith("::error") for line in github.splitlines())
    pretty = iris("eval", runs).out
    assert all(run["id"] in pretty for run in RUNS)


@pytest.mark.parametrize("form", FORMATS)
def test_no_report_shows_what_leaked(runs: Path, form: str) -> None:
    result = iris("eval", runs, "--format", form, "--verbose", "--why")
    assert "512-47" not in result.out + result.err


@pytest.mark.parametrize("form", FORMATS)
def test_two_processes_write_the_same_bytes_as_one(tmp_path: Path, form: str) -> None:
    path = write_runs(tmp_path / "many.jsonl", [{**RUNS[i % 3], "id": f"r{i}"} for i in range(70)] + [7])
    one, two = (iris("eval", path, "--format", form, "--judged-at", JUDGED_AT, "--jobs", n) for n in ("1", "2"))
    assert one == two
    assert one.code == 2


@pytest.mark.parametrize("asked", [0, 2, 3, 999, 10**9])
@pytest.mark.parametrize("count", [1, 32, 33, 100])
def test_no_more_processes_start_than_there_are_batches_and_cores_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int, count: int
) -> None:
    started: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers: int, **options: Any) -> None:
            started.append(workers)
            super().__init__(1, **options)

    monkeypatch.setattr("iris.cli.eval.ProcessPoolExecutor", Pool)
    path = write_runs(tmp_path / "some.jsonl", [{"id": f"r{i}", "output": "ok"} for i in range(count)])
    result = iris("eval", path, "--format", "jsonl", "--fail-on", "never", "--jobs", str(asked))
    assert [r["id"] for r in result.lines()] == [f"r{i}" for i in range(count)]
    batches = -(-count // BATCH)
    assert all(1 < n <= min(batches, MOST_A_CORE * (os.cpu_count() or 1)) for n in started)
    assert started or batches == 1 or asked == 0


@pytest.mark.parametrize("jobs", ["-1", "-999"])
def test_a_number_of_processes_below_none_is_refused(runs: Path, jobs: str) -> None:
    result = iris("eval", runs, "--jobs", jobs)
    assert result.code == 2
    assert "E902" in result.err
    assert jobs in result.err


@pytest.mark.parametrize("command", [["eval", "RUNS"], ["rules", "list"], ["packs", "list"], ["explain", "no_pii"]])
@pytest.mark.parametrize("kept", [False, True])
def test_a_folder_without_packs_is_refused_wherever_packs_are_named(
    runs: Path, tmp_path: Path, command: list[str], kept: bool
) -> None:
    empty = tmp_path / "empty" / "deeper" / "still"
    empty.mkdir(parents=True)
    (empty / "pack.yaml").write_text("pack: too_deep\n")
    args = [str(runs) if a == "RUNS" else a for a in command]
    if kept:
        iris(*args)
    result = iris(*args, "--packs", tmp_path / "empty")
    assert result.code == 2
    assert "E109" in result.err


def test_the_settings_reach_every_process(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "many.jsonl", RUNS * 20)
    config = tmp_path / "c.yaml"
    config.write_text("rules: {min_output_length: {min_output_length: 7000}}\n")
    pack = write_pack(tmp_path, {"no_copies.yaml": RULE})
    options = ("--config", config, "--packs", pack, "--format", "jsonl", "--why", "--judged-at", JUDGED_AT)
    one, two = (iris("eval", path, *options, "--jobs", n) for n in ("1", "0"))
    assert one == two
    assert "7000" in one.out


@pytest.mark.parametrize(
    "given, recorded",
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T14:00:00.5+02:00", "2026-01-31T12:00:00.500Z"),
        ("2026-01-31T12:00:00", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z"),
    ],
)
def test_the_time_to_record_is_taken_to_utc(runs: Path, given: str, recorded: str) -> None:
    records = iris("eval", runs, "--format", "jsonl", "--judged-at", given).lines()
    assert {r["provenance"]["judgedAt"] for r in records} == {recorded}


@pytest.mark.parametrize("given", ["yesterday", "", "2026-13-01", "12", "0001-01-01T00:00:00+14:00"])
def test_a_time_that_is_none_is_refused(runs: Path, given: str) -> None:
    result = iris("eval", runs, "--judged-at", given)
    assert (result.code, result.out) == (2, "")
    assert "E902" in result.err


def test_source_date_epoch_is_the_time_unless_one_is_given(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    at = {r["provenance"]["judgedAt"] for r in iris("eval", runs, "--format", "jsonl").lines()}
    assert at == {"1970-01-02T00:00:00.000Z"}
    at = {r["provenance"]["judgedAt"] for r in iris("eval", runs, "--format", "jsonl", "--judged-at", JUDGED_AT).lines()}
    assert at == {"2026-01-31T12:00:00.000Z"}


@pytest.mark.parametrize("epoch", ["soon", "²", "9" * 30])
def test_a_source_date_epoch_that_is_no_time_is_refused(runs: Path, monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    result = iris("eval", runs)
    assert result.code == 2
    assert "SOURCE_DATE_EPOCH" in result.err


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_in_a_file_is_the_report_that_would_be_printed(runs: Path, tmp_path: Path, form: str) -> None:
    printed = iris("eval", runs, "--format", form, "--judged-at", JUDGED_AT)
    written = iris("eval", runs, "--format", form, "--judged-at", JUDGED_AT, "--output", tmp_path / "report")
    assert (written.code, written.out) == (printed.code, "")
    assert (tmp_path / "report").read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize("name", ["no-such-folder/report", "."])
def test_a_report_that_can_not_be_written_is_a_problem(runs: Path, tmp_path: Path, name: str) -> None:
    result = iris("eval", runs, "--output", tmp_path / name)
    assert result.code == 2
    assert "E706" in result.err


def test_why_shows_the_values_behind_each_failed_rule_and_changes_no_verdict(runs: Path) -> None:
    plain = iris("eval", runs, "--format", "jsonl", "--judged-at", JUDGED_AT).lines()
    explained = iris("eval", runs, "--format", "jsonl", "--judged-at", JUDGED_AT, "--why").lines()
    for record in explained:
        for item in record["rule_results"]:
            tree = item.pop("why", None)
            assert (tree is not None) == (not item["passed"] and not item.get("skipped", False)), item["ruleName"]
    assert explained == plain
