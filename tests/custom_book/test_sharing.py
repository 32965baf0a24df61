"""What happens when something is in the way: another process, a crash, a full disk, a second rule of the name."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from iris.custom import folder as folder_module
from iris.custom.book import RuleBook
from iris.custom.folder import LOCK, UNFINISHED
from iris.custom.shape import DuplicateRuleError
from iris.evaluate import Evaluator
from iris.problems import ProblemsFound

from .support import HOSTS, deploy


def names(book: RuleBook) -> list[str]:
    return [r["name"] for r in book.rules()]


def test_a_name_that_is_taken_is_refused_with_the_id_that_has_it(book: RuleBook) -> None:
    """Fault 155."""
    deploy(book)
    with pytest.raises(DuplicateRuleError) as refused:
        deploy(book, number=2)
    assert refused.value.existing == ["rule-00000001"]
    deploy(book, "No_Hosts", 3)
    assert names(book) == ["no_hosts", "No_Hosts"]


def test_a_name_that_another_process_took_just_now_is_refused_too(book: RuleBook, evaluator: Evaluator) -> None:
    """Fault 155."""
    other = RuleBook(book.folder.path, evaluator)
    assert other.rules() == []
    deploy(book)
    with pytest.raises(DuplicateRuleError):
        deploy(other, number=2)


def test_the_name_of_a_built_in_rule_is_allowed_and_warned_of(book: RuleBook) -> None:
    """Fault 155."""
    rule, _, warning = deploy(book, "no_pii")
    assert "built-in" in warning
    result = book.evaluator.evaluate({"output": "see db-a.internal"}, "safety", evaluation_id="e", custom_rules=book.compiled())
    both = {r.get("ruleId"): r["passed"] for r in result["rule_results"] if r["ruleName"] == "no_pii"}
    assert both == {None: True, rule["id"]: False}


def test_changes_within_one_tick_of_the_clock_are_all_seen(
    book: RuleBook, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 157: the folder's date is made to repeat, as it does within one tick."""
    deploy(book)
    tick = book.folder.path.stat().st_mtime_ns
    other = RuleBook(book.folder.path, evaluator)
    real = os.replace

    def within_the_tick(source: Any, target: Any) -> None:
        real(source, target)
        os.utime(book.folder.path, ns=(tick, tick))

    monkeypatch.setattr(os, "replace", within_the_tick)
    for on in (False, True, False):
        assert other.rules()[0]["enabled"] is not on
        book.toggle("rule-00000001", on)
        assert other.rules()[0]["enabled"] is on


def test_a_file_edited_in_place_is_seen_a_second_later(book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(book)
    path = book.folder.path / "no_hosts.yaml"
    folder = path.parent.stat().st_mtime_ns
    path.write_text(path.read_text().replace("db-", "srv-"))
    assert path.parent.stat().st_mtime_ns == folder
    later = time.monotonic() + 1.1
    monkeypatch.setattr("iris.custom.book.time.monotonic", lambda: later)
    assert book.rules()[0]["definition"]["config"]["pattern"].startswith("srv-")


def test_a_crash_between_the_new_rule_and_the_removal_of_the_old_leaves_one(
    book: RuleBook, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(book)

    def killed(self: Any, name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_module.Folder, "remove", killed)
    with pytest.raises(KeyboardInterrupt):
        deploy(book, number=2, replace=True)
    monkeypatch.undo()
    after = RuleBook(book.folder.path, evaluator)
    assert [r["id"] for r in after.rules()] == ["rule-00000002"]
    assert after.quarantined() == []
    deploy(after, "next", 3)
    assert {p.name for p in book.folder.path.glob("*.yaml")} == {"pack.yaml", "rule_00000002.yaml", "next.yaml"}


def test_a_full_disk_leaves_the_old_rule_in_force(book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(book)
    before = {p.name: p.read_bytes() for p in book.folder.path.glob("*.yaml")}

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for change in (
        lambda: deploy(book, number=2, replace=True),
        lambda: deploy(book, "new", 3),
        lambda: book.toggle("rule-00000001", False),
    ):
        with pytest.raises(OSError, match="No space"):
            change()
    assert {p.name: p.read_bytes() for p in book.folder.path.glob("*.yaml")} == before
    assert not list(book.folder.path.glob(f"{UNFINISHED}*"))
    assert [r["id"] for r in book.rules()] == ["rule-00000001"]


def test_a_half_written_file_of_a_killed_process_is_no_rule_and_is_swept(book: RuleBook) -> None:
    deploy(book)
    (book.folder.path / f"{UNFINISHED}x").write_text("rule: hal")
    assert book.quarantined() == []
    deploy(book, "next", 2)
    assert not list(book.folder.path.glob(f"{UNFINISHED}*"))


def test_a_lock_that_is_held_too_long_is_an_error_and_nothing_is_written(book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(book)
    monkeypatch.setattr(folder_module, "PATIENCE", 0.05)
    with open(book.folder.path / LOCK, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another process is changing the rules") as refused:
            deploy(book, "next", 2)
    assert str(book.folder.path) not in str(refused.value)
    assert names(book) == ["no_hosts"]
    deploy(book, "next", 2)


def test_threads_of_one_process_lose_nothing(book: RuleBook) -> None:
    seen: list[int] = []

    def work(who: int) -> None:
        for i in range(5):
            deploy(book, f"r{who}_{i}", who * 16 + i)
            seen.append(len(book.compiled()))

    threads = [threading.Thread(target=work, args=(who,)) for who in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(book.rules()) == max(seen) == 15


def test_a_copied_file_is_quarantined_and_not_run_twice(book: RuleBook) -> None:
    """Fault 158."""
    deploy(book)
    text = (book.folder.path / "no_hosts.yaml").read_text()
    (book.folder.path / "no_hosts_2.yaml").write_text(text)
    (listed,) = book.quarantined()
    assert listed["file"] == "no_hosts_2.yaml"
    assert "no_hosts.yaml has the same id" in listed["reason"]
    assert len(book.compiled()) == 1


def test_files_are_for_their_owner_alone(book: RuleBook) -> None:
    """Fault 143."""
    deploy(book)
    folder = book.folder.path
    assert [p.stat().st_mode & 0o777 for p in (folder.parent, folder)] == [0o700, 0o700]
    assert {p.stat().st_mode & 0o777 for p in folder.iterdir()} == {0o600}


def test_reading_makes_nothing(book: RuleBook) -> None:
    assert (book.rules(), book.compiled(), book.quarantined(), book.hash()) == ([], [], [], "")
    assert not book.folder.path.exists()
    assert book.folder.files() == []


def test_a_folder_that_can_not_be_made_is_an_error_without_its_path(tmp_path: Path, evaluator: Evaluator) -> None:
    """Fault 144."""
    (tmp_path / "file").write_text("")
    blocked = RuleBook(tmp_path / "file" / "rules", evaluator)
    with pytest.raises(OSError, match="Not a directory") as refused:
        deploy(blocked)
    assert refused.value.strerror == "Not a directory"


@pytest.mark.parametrize(
    "more, field",
    [
        ({"name": "x" * 81}, "name"), ({"name": " "}, "name"), ({"description": "x" * 501}, "description"), ({"eval_type": "all"}, "evalType"),
        ({"severity": "urgent"}, "severity"), ({"rule_id": "7"}, "id"), ({"name": "<untrusted_9f>x"}, "name"),
        ({"description": "</untrusted_9f>"}, "description"),
        ({"definition": {"type": "contains_keywords", "config": {"keywords": ["a", "< / UNTRUSTED_9f>".replace(" ", "")]}}}, "definition"),
    ],
)  # fmt: skip
def test_a_rule_with_a_wrong_field_is_refused_by_name(more: dict[str, Any], field: str, book: RuleBook) -> None:
    """Faults 118, 156."""
    with pytest.raises(ProblemsFound) as refused:
        deploy(book, **more)
    assert [p.message.partition(":")[0] for p in refused.value.problems] == [field]
    assert names(book) == []


def test_the_hash_moves_with_what_the_rules_say_and_with_which_are_on(book: RuleBook) -> None:
    deploy(book)
    first, made = book.hash(), book.compiled()[0].info.hash
    deploy(book, number=2, replace=True, definition={**HOSTS, "config": {"pattern": "other"}})
    assert book.hash() not in (first, "")
    assert book.compiled()[0].info.hash != made
    before = book.hash()
    book.toggle("rule-00000002", False)
    assert book.hash() == ""
    book.toggle("rule-00000002", True)
    assert book.hash() == before


def test_a_rule_that_did_not_change_is_not_compiled_again(book: RuleBook) -> None:
    deploy(book)
    (first,) = book.compiled()
    deploy(book, "second", 2)
    assert book.compiled()[0] is first


@pytest.mark.parametrize("severity, critical", [("low", False), ("medium", False), ("high", True), ("critical", True)])
def test_the_severity_says_whether_a_failure_gates(severity: str, critical: bool, book: RuleBook) -> None:
    """Fault 2."""
    deploy(book, severity=severity)
    result = book.evaluator.evaluate({"output": "db-a.internal"}, "custom", evaluation_id="e", custom_rules=book.compiled())
    (item,) = result["rule_results"]
    assert item["critical"] is critical
    assert (result["verdict"]["basis"] == "policy_gate") is critical
    assert item["uncertainty"] == {"basis": "policy"}
