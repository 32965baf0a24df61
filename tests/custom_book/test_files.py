"""A deployed rule's file says all of the rule, is read back as it was, and is a rule of a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris.cli import run as iris
from iris.custom.book import RuleBook
from iris.custom.files import Stored, UnreadableRuleError, rule_of, text_of
from iris.custom.yamltext import yaml_of
from iris.flow import compile_packs
from iris.packs.read import read_yaml
from iris.packs.reader import json_value
from iris.packs.source import Source
from iris.problems import ProblemsFound

from .support import HOSTS, deploy

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(
        [
            "1e5",
            "null",
            "true",
            "no",
            "0x1f",
            "1:30",
            "2026-01-01",
            "a: b",
            "# c",
            "- d",
            "'",
            "''",
            '"',
            "\\d",
            "a\tb",
            "é\u2028",
            "\ufeff",
            " x ",
            "&a",
            "*a",
            "!t",
            "|",
            "",
            "\x7f",
            "\x00",
            "\r\n",
        ]
    ),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(TEXTS, JSON, max_size=5))
def test_json_written_as_yaml_is_read_back_as_it_was(value: dict[str, Any]) -> None:
    text = yaml_of(value) or "{}\n"
    node, problems = read_yaml(Source.of("x.yaml", text))
    assert [p.message for p in problems] == []
    assert node is not None
    assert repr(json_value(node)) == repr(value)


def row(**more: Any) -> dict[str, Any]:
    now = "2026-01-01T00:00:00.000Z"
    return {
        "id": "rule-00000001", "name": "no_hosts", "description": "", "evalType": "safety", "severity": "high",
        "definition": {"name": "no_hosts", **HOSTS}, "enabled": True, "createdAt": now, "updatedAt": now, "version": 1, **more,
    }  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["low", "medium", "high", "critical"]), st.booleans(), st.integers(1, 99), TEXTS.map(str.strip),
    st.lists(st.sampled_from(["rule-1", "rule-2"]), unique=True), st.sampled_from([{}, {"title": "No hosts"}, {"title": "a: b", "remedy": "x"}]),
)  # fmt: skip
def test_every_part_of_a_rule_is_in_its_file(
    severity: str, enabled: bool, version: int, about: str, replaces: list[str], extras: Any
) -> None:
    stored = Stored(row(severity=severity, enabled=enabled, version=version, description=about), tuple(replaces), extras)
    assert rule_of(text_of("no_hosts", stored), "no_hosts.yaml", "") == stored


@pytest.mark.parametrize(
    "keywords",
    [
        ["1e5", "0.5", "-1"],
        ["null", "true", "~"],
        ["on", "No", "yes"],
        ["2026-01-01", "1:30"],
        ["a", "a"],
        ["it's", "tab\tand\nline"],
    ],
)
def test_words_that_look_like_other_values_stay_words(keywords: list[str], book: RuleBook) -> None:
    deploy(book, definition={"type": "contains_keywords", "config": {"keywords": keywords}})
    again = RuleBook(book.folder.path, book.evaluator)
    assert again.rules()[0]["definition"]["config"]["keywords"] == keywords
    assert again.quarantined() == []


def test_one_list_used_twice_is_written_twice(book: RuleBook) -> None:
    shared = {"type": "string"}
    schema = {"type": "object", "properties": {"a": shared, "b": shared}}
    deploy(book, definition={"type": "json_schema", "config": {"schema": schema}})
    assert RuleBook(book.folder.path, book.evaluator).rules()[0]["definition"]["config"]["schema"] == schema


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("schema", [nested(40), {"const": float("inf")}, {"enum": ["\ud800"]}, {"const": 10**5000}])
def test_what_a_file_can_not_hold_is_refused_and_not_quarantined_later(schema: dict[str, Any], book: RuleBook) -> None:
    with pytest.raises((ProblemsFound, ValueError)) as refused:
        deploy(book, definition={"type": "json_schema", "config": {"schema": schema}})
    assert isinstance(refused.value, ProblemsFound)
    assert book.folder.files() == []


@pytest.mark.parametrize("name", ["No hosts, please!", "a" * 80, "rule_00000002", "pack", "nul", "no_pii", "regex_match"])
def test_packs_check_and_eval_run_the_rules_that_the_book_runs(
    name: str, book: RuleBook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy(book, name=name)
    deploy(book, "off", 2)
    book.toggle("rule-00000002", False)
    folder = str(book.folder.path)
    assert iris(["packs", "check", folder]) == 0
    (tmp_path / "runs.jsonl").write_text('{"output": "see db-main.internal"}\n')
    assert iris(["eval", str(tmp_path / "runs.jsonl"), "--packs", folder, "--format", "json", "--fail-on", "never"]) == 0
    assert f'"{name}"' in capsys.readouterr().out.replace("deployed/", "")
    assert iris(["rules", "list", "--packs", folder]) == 0
    compiled = compile_packs([book.folder.path])
    assert compiled.plan is not None
    mine = [r for r in compiled.plan["rules"] if r["pack"] == "deployed"]
    assert [(r["name"].removeprefix("deployed/"), r["critical"], r["status"]) for r in mine] == [
        ("off", True, "retired"),
        (name, True, "draft"),
    ] or len(mine) == 2


def test_a_rule_without_deployment_that_a_person_wrote_is_a_rule(book: RuleBook) -> None:
    deploy(book, "other", 2)
    (book.folder.path / "no_hosts.yaml").write_text(
        "rule: no_hosts\nuse: regex_no_match\ncritical: true\nwith: {pattern: 'db-'}\n"
    )
    (rule,) = [r for r in book.rules() if r["name"] == "no_hosts"]
    assert (rule["severity"], rule["evalType"], rule["version"]) == ("high", "custom", 1)
    assert book.toggle(rule["id"], False)[1]
    assert RuleBook(book.folder.path, book.evaluator).rules() == book.rules()


def test_what_a_person_added_is_still_there_after_a_switch(book: RuleBook) -> None:
    deploy(book)
    path = book.folder.path / "no_hosts.yaml"
    path.write_text(path.read_text() + "title: Names no host of ours\nremedy: Leave hosts out.\n")
    other = RuleBook(book.folder.path, book.evaluator)
    other.toggle("rule-00000001", False)
    assert "title: 'Names no host of ours'" in path.read_text()
    assert "remedy: 'Leave hosts out.'" in path.read_text()


GOOD = "rule: x\nuse: min_length\nwith: {min_length: 3}\ndeployment: {id: rule-0a}\n"


@pytest.mark.parametrize(
    "text, reason",
    [
        (GOOD.replace("min_length: 3", "min_length: 0"), "config.min_length"),
        (GOOD.replace("min_length: 3", "pattern: x"), "config.pattern"),
        (GOOD.replace("rule-0a", "7"), "id: must be"),
        (GOOD.replace("rule-0a", "rule-0a, severity: urgent"), "severity"),
        (GOOD.replace("rule-0a", "rule-0a, created_at: yesterday"), "createdAt"),
        (GOOD.replace("rule-0a", "rule-0a, replaces: all"), "replaces"),
        (GOOD.replace("rule-0a", "rule-0a, name: [x]"), "name"),
        (GOOD.replace("rule-0a", "rule-0a, source_moment_id: [x]"), "sourceMomentId"),
        (GOOD + "version: two\n", "version"),
        (GOOD + "version: true\n", "version"),
        (GOOD + "weight: heavy\n", "weight"),
        (GOOD + "weight: 0\n", "weight"),
        (GOOD + "bundle: everything\n", "evalType"),
        (GOOD + "about: [x]\n", "description"),
        (GOOD + f"about: {'x' * 501}\n", "description"),
        (GOOD + "about: <untrusted_1f>\n", "fences"),
        (GOOD + "wieght: 2\n", "did you mean `weight`?"),
        (GOOD + "signals: {a: blank(output)}\n", "no key `signals`"),
        (GOOD + "fail_when: blank(output)\n", "either `use`"),
        (GOOD.replace("use: min_length\n", ""), "either `use`"),
        (GOOD.replace("with: {min_length: 3}", "with: [3]"), "config"),
        (GOOD.replace("deployment: {id: rule-0a}", "deployment: 5"), "deployment"),
        ("rule: x\nfail_when: [a]\n", "fail_when"),
        ("rule: x\nfail_when: outptu == 3\n", "outptu"),
        ("- a\n", "no mapping"),
        ("", "empty"),
        ("rule: &a x\n", "anchor"),
        ("x: !!python/object/apply:os.system [id]\n", "tag"),
        ("a: {" * 100, "levels"),
    ],
)
def test_a_file_with_a_mistake_is_quarantined_with_its_reason_and_breaks_nothing(text: str, reason: str, book: RuleBook) -> None:
    """Faults 97, 98, 100, 130, 159."""
    deploy(book, "sound", 2)
    (book.folder.path / "x.yaml").write_text(text)
    (listed,) = book.quarantined()
    assert reason in listed["reason"]
    assert listed["file"] == "x.yaml"
    assert listed["severity"] in ("low", "medium", "high", "critical")
    assert [r["name"] for r in book.rules()] == ["sound"]
    assert len(book.compiled()) == 1


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(alphabet="ab:-[]{}'\"|>#&*!% \n\t?,", max_size=60),
        st.dictionaries(
            st.sampled_from(
                ["rule", "use", "with", "fail_when", "deployment", "version", "weight", "status", "critical", "bundle", "about"]
            ),
            JSON,
        ).map(yaml_of),
    )
)
def test_any_text_is_a_rule_or_says_why_it_is_none(text: str) -> None:
    """Faults 97, 130."""
    try:
        row = rule_of(text, "x.yaml", "2026-01-01T00:00:00.000Z").row
    except UnreadableRuleError as error:
        row = {"definition": {"name": "", "type": "", "config": str(error)}}
    assert row["definition"].keys() >= {"name", "type", "config"}
    assert row["definition"]["config"] != ""
