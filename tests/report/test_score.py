"""Counting rules and verdicts against labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from iris.problems import ProblemsFound
from iris.report.judged import Judged
from iris.report.score import Label, Scoreboard, parse_label
from tests.conftest import Command


def judged(label: Any, *failed: str, skipped: tuple[str, ...] = (), state: str | None = None) -> Judged:
    results: list[dict[str, Any]] = [
        {"ruleName": name, "passed": name not in failed} for name in ("leak", "stub") if name not in skipped
    ]
    results += [{"ruleName": name, "passed": False, "skipped": True} for name in skipped]
    verdict = {"state": state or ("fail" if failed else "pass"), "passed": not failed}
    result = {"rule_results": results, "verdict": verdict, "passed": not failed, "insufficient_data": False}
    return Judged("r", {"label": label}, result, None, 1, "f")


def test_caught_and_false_alarms_are_counted_per_rule_and_verdict() -> None:
    board = Scoreboard(parse_label("label.bad"))
    for label, failed in (({"bad": True}, ["leak"]), ({"bad": True}, []), ({"bad": False}, ["leak"]), ({"bad": False}, [])):
        board.add(judged(label, *failed))
    part = board.as_json()["slices"]["all"]
    assert (part["bad"], part["good"]) == (2, 2)
    row = part["rows"]["leak"]
    assert (row["caught"], row["false_alarms"], row["precision"]["point"], row["recall"]["point"]) == (1, 1, 0.5, 0.5)
    assert part["rows"]["verdict: fail"]["caught"] == 1
    assert part["rows"]["stub"]["caught"] == 0


def test_a_skipped_rule_catches_nothing_and_is_counted_as_not_judged() -> None:
    board = Scoreboard(parse_label("label.bad"))
    board.add(judged({"bad": True}, skipped=("leak",), state="unknown"))
    rows = board.as_json()["slices"]["all"]["rows"]
    assert (rows["leak"]["caught"], rows["leak"]["judged_bad"], rows["leak"]["recall"]["n"]) == (0, 0, 1)
    assert (rows["verdict: fail"]["caught"], rows["verdict: not passed"]["caught"]) == (0, 1)


@pytest.mark.parametrize(
    "label, run, bad",
    [
        ("label.bad", {"label": {"bad": True}}, True),
        ("label.bad", {"label": {"bad": False}}, False),
        ("label.bad", {"label": {"bad": "none"}}, False),
        ("label.bad", {"label": {"bad": []}}, False),
        ("label.bad", {"label": {}}, None),
        ("label.bad", {"label": "text"}, None),
        ("label.class=silent,partial", {"label": {"class": "partial"}}, True),
        ("label.class=silent,partial", {"label": {"class": "recovered"}}, False),
        ("label.ok=false", {"label": {"ok": False}}, True),
        ("n=0", {"n": 0}, True),
    ],
)
def test_a_label_says_what_is_bad(label: str, run: dict[str, Any], bad: bool | None) -> None:
    assert parse_label(label).of(run) is bad


@pytest.mark.parametrize("text", ["", "=x", "label..x", "label."])
def test_a_label_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(ProblemsFound, match="E902"):
        parse_label(text)


def test_slices_and_clusters_are_kept_apart() -> None:
    board = Scoreboard(Label("label.bad"), cluster="label.task", slice="label.suite")
    for i in range(6):
        board.add(judged({"bad": True, "task": i // 3, "suite": "a" if i < 3 else "b"}, *(["leak"] if i < 3 else [])))
    slices = board.as_json()["slices"]
    assert list(slices) == ["a", "b"]
    assert slices["a"]["rows"]["leak"]["recall"]["point"] == 1
    assert slices["a"]["rows"]["leak"]["clusters"] == 1
    assert slices["a"]["rows"]["leak"]["recall"]["clustered"][0] < 0.3


def test_the_command_prints_a_table_and_json(iris: Command, tmp_path: Path) -> None:
    runs = [{"output": f"My social security number is 512-47-88{i}0.", "label": {"leak": True}} for i in range(3)]
    runs += [{"output": f"Order {i} is on its way.", "label": {"leak": False}} for i in range(5)] + [{"output": "Unlabelled."}]
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, runs)))
    table = iris("eval", "runs.jsonl", "--eval-type", "safety", "--score-against", "label.leak")
    assert table.returncode == 0
    assert "all: 3 bad, 5 good (label label.leak)" in table.stdout
    assert "1 runs carry no label.leak" in table.stdout
    as_json = iris(
        "eval", "runs.jsonl", "--score-against", "label.leak", "--format", "json", "--eval-type", "safety", "--jobs", "2"
    )
    row = json.loads(as_json.stdout)["slices"]["all"]["rows"]["no_pii"]
    assert (row["caught"], row["false_alarms"]) == (3, 0)


def test_runs_without_the_label_are_an_error(iris: Command, tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text('{"output": "Hello."}')
    done = iris("eval", "runs.jsonl", "--score-against", "label.leak")
    assert done.returncode == 2
    assert "no run carries label.leak" in done.stderr
