"""GitHub Actions: annotations and the job summary."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from iris.report import Options, reporters
from iris.report.github import Github, annotation, command

from .compare import assert_golden
from .samples import broken, leaking, passing, report, samples, unknown
from .strategies import awkward_text
from .test_pretty import hostile


def test_annotations_and_summary_read_as_in_their_golden_files(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    assert_golden("github.txt", report(Github(summary_file=str(path)), samples()))
    assert_golden("github_summary.md", path.read_text(encoding="utf-8"))


def test_the_summary_is_appended_to_the_file_that_the_runner_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    report(reporters()["github"](Options()), [passing()])
    assert path.read_text(encoding="utf-8").startswith("before\n## Iris: 1 run\n")


def test_without_a_summary_file_only_annotations_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert report(reporters()["github"](Options()), [passing()]) == ""


def test_a_summary_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    text = report(Github(summary_file=str(tmp_path)), [passing()])
    assert text.startswith("::warning title=Iris::the job summary was not written")


@pytest.mark.parametrize(
    "run, start",
    [(leaking(), "::error file=runs.jsonl,line=3,"), (unknown(), "::warning "), (broken(), "::error ")],
)
def test_a_run_that_did_not_pass_is_annotated_where_it_stands(run: object, start: str) -> None:
    assert annotation(run).startswith(start)  # type: ignore[arg-type]


def test_a_run_that_passed_is_not_annotated() -> None:
    assert annotation(passing()) == ""


@settings(deadline=None)
@given(awkward_text)
def test_each_annotation_is_one_command_on_one_line(text: str) -> None:
    lines = report(Github(), hostile(text)).splitlines()
    assert len(lines) == 2
    assert all(line.startswith("::error ") for line in lines)


@given(awkward_text)
def test_a_property_cannot_begin_another(text: str) -> None:
    head = command("error", text, file=text, title=text).split("::", 2)[1]
    assert head.count(",") == 1
    assert head.count("=") == 2 + 2 * text.count("=")


def test_a_long_summary_is_cut_and_counts_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iris.report.github.SUMMARY_BYTES", 400)
    path = tmp_path / "summary.md"
    report(Github(summary_file=str(path)), [leaking()] * 20)
    text = path.read_text(encoding="utf-8")
    rows = text.count("| `run-leak` |")
    assert 0 < rows < 20
    assert f"and {20 - rows} more runs\n" in text
