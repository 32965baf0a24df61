"""The book of deployed rules: files that people and processes share."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.flow import compile_packs, load_plan
from iris.problems import ProblemsFound

PATTERN = {"type": "regex_no_match", "config": {"pattern": r"db-[a-z]+\.internal"}}


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(load_plan())


@pytest.fixture
def book(tmp_path: Path, evaluator: Evaluator) -> RuleBook:
    return RuleBook(tmp_path / "rules", evaluator)


def deploy(book: RuleBook, name: str = "no_hosts", rule_id: str = "rule-00000001", **more: Any) -> Any:
    given: dict[str, Any] = {
        "rule_id": rule_id, "name": name, "description": "", "eval_type": "safety", "severity": "high", "definition": PATTERN,
        "source_moment_id": None, "replace": False,
    }  # fmt: skip
    return book.deploy(**{**given, **more})


def test_a_deployed_rule_fires_at_once_and_says_which_it_was(book: RuleBook) -> None:
    """Faults 2, 155, 157."""
    assert book.compiled() == []
    deploy(book)
    result = book.evaluator.evaluate(
        {"output": "see db-main.internal"}, "safety", evaluation_id="e", custom_rules=book.compiled()
    )
    (item,) = [r for r in result["rule_results"] if r["ruleName"] == "no_hosts"]
    assert (item["passed"], item["ruleId"], item["category"], item["ruleVersion"]) == (False, "rule-00000001", "safety", 1)
    assert result["passed"] is False


def test_another_process_sees_a_change_with_its_next_use(book: RuleBook, evaluator: Evaluator) -> None:
    """Fault 157."""
    other = RuleBook(book.folder.path, evaluator)
    deploy(book)
    assert [r["id"] for r in other.rules()] == ["rule-00000001"]
    assert other.hash() == book.hash() != ""
    other.toggle("rule-00000001", False)
    assert book.compiled() == []
    assert book.hash() == ""
    other.delete("rule-00000001")
    assert book.rules() == []


def test_switching_is_idempotent(book: RuleBook) -> None:
    """Fault 158."""
    deploy(book)
    assert [book.toggle("rule-00000001", False)[1] for _ in range(2)] == [True, False]
    assert [book.toggle("rule-00000001", True)[1] for _ in range(2)] == [True, False]
    assert len(book.compiled()) == 1
    assert book.toggle("rule-ffffffff", True) == (None, False)
    assert [book.delete("rule-00000001") for _ in range(2)] == [True, False]


def test_replacing_retires_the_rule_of_that_name(book: RuleBook) -> None:
    deploy(book)
    rule, replaced, warning = deploy(book, rule_id="rule-00000002", replace=True)
    assert [r["id"] for r in replaced] == ["rule-00000001"]
    assert rule["version"] == 2
    assert warning is not None
    assert "rule-00000001" in warning
    assert [r["id"] for r in book.rules()] == ["rule-00000002"]


@pytest.mark.parametrize(
    "definition",
    [
        PATTERN, {"type": "regex_match", "config": {"pattern": "ok", "flags": "i"}, "weight": 2.5}, {"type": "min_length", "config": {"min": 5}},
        {"type": "max_length", "config": {"max_length": 5}}, {"type": "contains_keywords", "config": {"keywords": ["a", "b"]}},
        {"type": "excludes_keywords", "config": {"keywords": ["a"]}}, {"type": "json_schema", "config": {"schema": {"type": "object"}}},
        {"type": "cost_threshold", "config": {"maxCost": 0.5}}, {"type": "expression", "config": {"fail_when": 'contains(output, "x")'}},
    ],
    ids=lambda d: d["type"],
)  # fmt: skip
def test_every_type_is_a_file_that_the_compiler_reads_too(definition: dict[str, Any], book: RuleBook) -> None:
    """Fault 160."""
    deploy(book, definition=definition)
    again = RuleBook(book.folder.path, book.evaluator)
    assert again.rules() == book.rules()
    assert again.quarantined() == []
    compiled = compile_packs([book.folder.path], cases=False)
    assert [p.message for p in compiled.problems] == []


@pytest.mark.parametrize("name", ["No hosts, please!", "ünïcode", "a" * 80, "UPPER", "no_pii"])
def test_any_name_can_be_kept(name: str, book: RuleBook) -> None:
    """Fault 156."""
    deploy(book, name=name)
    assert [r["name"] for r in RuleBook(book.folder.path, book.evaluator).rules()] == [name]


@pytest.mark.parametrize(
    "definition, field",
    [
        ({"type": "regex_match", "config": {}}, "config.pattern"),
        ({"type": "regex_match", "config": {"pattern": "("}}, "config.pattern"),
        ({"type": "regex_match", "config": {"pattern": "(?=a)b"}}, "config.pattern"),
        ({"type": "regex_match", "config": {"pattern": None}}, "config.pattern"),
        ({"type": "regex_match", "config": {"pattern": "a" * 1001}}, "config.pattern"),
        ({"type": "contains_keywords", "config": {"keywords": [1, 2]}}, "config.keywords"),
        ({"type": "min_length", "config": {"min_length": 5}, "weight": 0}, "weight"),
        ({"type": "min_length", "config": {"min_length": 5}, "wieght": 5}, "wieght"),
        ({"type": "json_schema", "config": {"schema": {"$ref": "http://x.example/s"}}}, "config.schema"),
        ({"type": "expression", "config": {"fail_when": "nonsense =="}}, "fail_when"),
        ({"type": "nope", "config": {}}, "type"),
    ],
)
def test_a_definition_that_can_not_be_used_is_refused_and_nothing_is_written(
    definition: dict[str, Any], field: str, book: RuleBook
) -> None:
    """Faults 96, 98, 100, 159."""
    with pytest.raises(ProblemsFound, match="E") as refused:
        deploy(book, definition=definition)
    assert any(field in f"{p.message} {p.place}" for p in refused.value.problems)
    assert book.folder.files() == []


def test_a_file_that_holds_no_rule_is_kept_listed_and_never_fires(book: RuleBook) -> None:
    """Faults 46, 97, 130, 131."""
    deploy(book)
    broken = {"bad.yaml": b"rule: [", "odd.yaml": b"\xff\xfe", "none.yaml": b"deployment: {id: x, severity: low}\n"}
    for name, content in broken.items():
        (book.folder.path / name).write_bytes(content)
    listed = {q["file"]: q for q in book.quarantined()}
    assert set(listed) == set(broken)
    assert all(q["reason"] for q in listed.values())
    assert len(book.compiled()) == 1
    deploy(book, name="second", rule_id="rule-00000002")
    assert {name: (book.folder.path / name).read_bytes() for name in broken} == broken


def test_a_rule_changed_by_hand_runs_as_it_stands(book: RuleBook) -> None:
    deploy(book)
    path = book.folder.path / "no_hosts.yaml"
    time.sleep(0.02)
    text = path.read_text().replace("db-[a-z]+", "srv-[a-z]+").replace("critical: true\n", "")
    replacement = path.with_suffix(".new")
    replacement.write_text(text)
    replacement.replace(path)
    (rule,) = book.rules()
    assert rule["definition"]["config"]["pattern"].startswith("srv-")
    assert rule["severity"] == "medium"


def test_rules_of_the_typescript_iris_are_taken_over(book: RuleBook, tmp_path: Path) -> None:
    rules = [
        {"id": "rule-aaaa0001", "name": "short", "evalType": "completeness", "severity": "low", "enabled": False, "version": 3,
         "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-02T00:00:00.000Z", "definition": {"name": "short", "type": "max_length", "config": {"max": 90}}},
        {"id": "rule-aaaa0002", "name": "bad", "evalType": "safety", "definition": {"type": "regex_match", "config": {"pattern": "(?=x)"}}},
        "no rule",
    ]  # fmt: skip
    source = tmp_path / "custom-rules.json"
    source.write_text(json.dumps({"version": 1, "rules": rules}))
    report = book.import_json(source)
    assert report["imported"] == ["rule-aaaa0001"]
    assert [r["rule"] for r in report["refused"]] == rules[1:]
    (rule,) = book.rules()
    assert (rule["version"], rule["enabled"], rule["createdAt"]) == (3, False, "2026-01-01T00:00:00.000Z")
    assert len(book.quarantined()) == 2
    again = book.import_json(source)
    assert (again["imported"], again["known"]) == ([], ["rule-aaaa0001"])
    assert len(book.folder.files()) == 3


WRITER = """
import sys
from pathlib import Path
from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.flow import load_plan
book = RuleBook(Path(sys.argv[1]), Evaluator(load_plan()))
print("ready", flush=True)
for i in range(int(sys.argv[3])):
    name = f"{sys.argv[2]}_{i}"
    book.deploy(rule_id=f"rule-{int(sys.argv[2]):04x}{i:04x}", name=f"r_{name}", description="", eval_type="custom", severity="low",
        definition={"type": "min_length", "config": {"min_length": 1}}, source_moment_id=None, replace=False)
    print(name, flush=True)
"""


def writer(folder: Path, who: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), str(who), str(count)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)


def test_two_processes_deploy_at_once_and_nothing_is_lost(tmp_path: Path, evaluator: Evaluator) -> None:
    writers = [writer(tmp_path / "rules", who, 50) for who in (1, 2)]
    for one in writers:
        one.communicate(timeout=120)
        assert one.returncode == 0
    book = RuleBook(tmp_path / "rules", evaluator)
    assert len(book.rules()) == 100
    assert book.quarantined() == []


def test_a_process_killed_while_it_deploys_leaves_whole_files(tmp_path: Path, evaluator: Evaluator) -> None:
    one = writer(tmp_path / "rules", 1, 400)
    assert one.stdout is not None
    told = [one.stdout.readline() for _ in range(12)]
    one.send_signal(signal.SIGKILL)
    told += one.stdout.read().split()
    one.wait()
    book = RuleBook(tmp_path / "rules", evaluator)
    acknowledged = {f"r_{line.strip()}" for line in told} - {"r_ready"}
    assert acknowledged <= {r["name"] for r in book.rules()}
    assert book.quarantined() == []
    deploy(book)
    assert "no_hosts" in {r["name"] for r in book.rules()}


def test_asking_again_costs_next_to_nothing(book: RuleBook) -> None:
    for i in range(20):
        deploy(book, name=f"r{i}", rule_id=f"rule-{i:08x}")
    book.compiled()
    start = time.perf_counter()
    for _ in range(200):
        book.compiled()
    assert (time.perf_counter() - start) / 200 < 0.0005


@pytest.mark.parametrize("pattern", ["(a|a)*b", "(a|aa)+$", "a*a*a*a*b", ".*.*=.*;"])
def test_patterns_that_explode_elsewhere_are_quick(pattern: str, book: RuleBook) -> None:
    """Faults 85-88."""
    deploy(book, definition={"type": "regex_match", "config": {"pattern": pattern}})
    start = time.perf_counter()
    book.evaluator.evaluate({"output": "a" * 100_000}, "custom", evaluation_id="e", custom_rules=book.compiled())
    assert time.perf_counter() - start < 1.0
