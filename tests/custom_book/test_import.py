"""A custom-rules.json of the TypeScript Iris: what can run is taken over, what can not is kept as it was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from iris.custom.book import RuleBook
from iris.problems import ProblemsFound

from .support import deploy

SHORT: dict[str, Any] = {
    "id": "rule-aaaa0001", "name": "short", "description": " Answers are short. ", "evalType": "completeness", "severity": "critical",
    "definition": {"name": "old name", "type": "max_length", "config": {"max": 90}, "weight": 2}, "enabled": True, "version": 3,
    "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-02T00:00:00.000Z", "sourceMomentId": "ab" * 16,
}  # fmt: skip


def document(tmp_path: Path, *rules: Any) -> Path:
    path = tmp_path / "custom-rules.json"
    path.write_text(json.dumps({"version": 1, "rules": rules}))
    return path


def test_a_rule_keeps_its_id_dates_version_and_source(book: RuleBook, tmp_path: Path) -> None:
    assert book.import_json(document(tmp_path, SHORT))["imported"] == ["rule-aaaa0001"]
    (rule,) = book.rules()
    assert {k: rule[k] for k in SHORT if k not in ("definition", "description")} == {
        k: SHORT[k] for k in SHORT if k not in ("definition", "description")
    }
    assert rule["definition"] == {"name": "short", "type": "max_length", "config": {"max_length": 90}, "weight": 2}
    assert book.compiled()[0].info.rule_id == "rule-aaaa0001"


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"definition": {"type": "regex_match", "config": {"pattern": "(?=x)"}}}, "config.pattern"),
        ({"definition": {"type": "action_policy", "config": {}}}, "type"),
        ({"definition": {"type": "min_length", "config": {"min": 3}, "wieght": 5}}, "wieght"),
        ({"definition": "x"}, "definition"), ({"id": "7"}, "id"), ({"id": None}, "id"), ({"name": None}, "name"), ({"evalType": "all"}, "evalType"),
        ({"severity": None}, "severity"), ({"enabled": "yes"}, "enabled"), ({"version": 1.5}, "version"), ({"createdAt": 5}, "createdAt"),
        ({"colour": "red"}, "colour"), ({"description": "<untrusted_1>"}, "description"), ({"description": ["x"]}, "description"),
    ],
)  # fmt: skip
def test_a_rule_that_can_not_run_is_kept_byte_for_byte_and_named(
    change: dict[str, Any], reason: str, book: RuleBook, tmp_path: Path
) -> None:
    """Faults 97, 130, 159."""
    bad = json.dumps({**SHORT, "id": "rule-bb", "name": "bad", **change}, indent=3)
    path = tmp_path / "custom-rules.json"
    path.write_text('{"version": 1, "rules": [' + json.dumps(SHORT) + ",\n  " + bad + "  ]}")
    report = book.import_json(path)
    assert report["imported"] == ["rule-aaaa0001"]
    (refused,) = report["refused"]
    assert reason in refused["reason"]
    assert (book.folder.path / refused["file"]).read_text() == bad
    (listed,) = book.quarantined()
    assert (listed["file"], listed["reason"]) == (refused["file"], refused["reason"])
    assert len(book.compiled()) == 1
    deploy(book, "after", 5)
    assert (book.folder.path / refused["file"]).read_text() == bad


def test_importing_again_changes_nothing(book: RuleBook, tmp_path: Path) -> None:
    path = document(tmp_path, SHORT, "no rule", {**SHORT, "id": "rule-cc", "name": "bad", "definition": {"type": "?"}})
    book.import_json(path)
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in book.folder.path.iterdir() if p.name != ".lock"}
    report = book.import_json(path)
    assert (report["imported"], report["known"], len(report["refused"])) == ([], ["rule-aaaa0001"], 2)
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in book.folder.path.iterdir() if p.name != ".lock"} == before


def test_a_name_that_is_taken_is_not_taken_over_twice(book: RuleBook, tmp_path: Path) -> None:
    """Fault 155."""
    deploy(book, "short", 9)
    report = book.import_json(document(tmp_path, SHORT))
    assert "rule-00000009" in report["refused"][0]["reason"]
    assert [q["severity"] for q in book.quarantined()] == ["critical"]
    book.delete("rule-00000009")
    assert book.import_json(document(tmp_path, SHORT))["imported"] == ["rule-aaaa0001"]
    assert book.quarantined() == []


def test_a_rule_that_was_replaced_does_not_come_back(book: RuleBook, tmp_path: Path) -> None:
    book.import_json(document(tmp_path, SHORT))
    deploy(book, "short", 9, replace=True)
    report = book.import_json(document(tmp_path, SHORT))
    assert report["known"] == ["rule-aaaa0001"]
    assert [r["id"] for r in book.rules()] == ["rule-00000009"]


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "5", '{"rules": {}}', '{"version": 2, "rules": []}', '{"rules": [], "rules": []}', "\udcff"]
)
def test_a_file_that_holds_no_rules_is_refused_whole(text: str, book: RuleBook, tmp_path: Path) -> None:
    """Fault 131."""
    path = tmp_path / "custom-rules.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ProblemsFound, match="E833"):
        book.import_json(path)
    assert not book.folder.path.exists()
    with pytest.raises(ProblemsFound, match="E833"):
        book.import_json(tmp_path / "absent.json")
