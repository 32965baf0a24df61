"""`iris explain` and `iris rules` say what decides, and where each value comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iris.cli import run
from iris.cli.explain import catalogue, page
from iris.problems import ProblemsFound

from .expressions import engine

PACK = 'pack: house\nversion: 1.0.0\nengine: ">=1"\ntitle: Ours\nlicence: MIT\n'
RULE = """\
rule: no_ticket
title: No ticket is named
about: |
  First paragraph of the page.

  Second paragraph.
classes: [format]
config:
  most: {type: count, default: 2, about: Tickets that may be named.}
detectors:
  ticket: {regex: 'TICKET-\\d+', examples: {hit: [TICKET-1, "(TICKET-2)"], miss: [ticket, TICKET-x]}}
let:
  tickets: hits(ticket, output)
skip_when:
  - {when: size(calls) > 100, because: too many calls}
signals:
  many:
    when: |
      size(tickets) > config.most
      and not found(ticket, input)
    class: format
    say: "{tickets} tickets"
advise:
  one: any(tickets)
say: "{tickets} tickets, {config.most} allowed"
cases:
  - {name: three, run: {output: TICKET-1 TICKET-2 TICKET-3, input: x}, expect: fail}
  - {name: none, run: {output: Done., input: x}, expect: pass}
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "pack.yaml").write_text(PACK)
    (folder / "no_ticket.yaml").write_text(RULE)
    return folder


def test_a_code_is_explained_without_reading_a_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iris.flow.load_plan", lambda *_: pytest.fail("a pack was read"))
    assert page("e014", []).startswith("E014: a value has no field of this name")
    assert all(entry["title"] in page(code, []) for code, entry in catalogue().items())


def test_a_rule_is_explained_in_full(house: Path) -> None:
    text = page("no_ticket", [house])
    for part in (
        "house/no_ticket: No ticket is named",
        "bundle    custom",
        "kind      policy",
        "critical  no",
        "weight    1",
        "needs     input, output",
        "cases     1 fail, 1 pass, 0 skip",
        "First paragraph of the page.\n\nSecond paragraph.",
        "most (count, default 2): Tickets that may be named.",
        "tickets: hits(ticket, output)",
        "size(calls) > 100: too many calls",
        "  many [format]:\n    size(tickets) > config.most\n    and not found(ticket, input)",
        "one: any(tickets)",
        "{tickets} tickets, {config.most} allowed",
        "detectors: house/no_ticket:ticket",
    ):
        assert part in text


@pytest.mark.parametrize("name", [r["name"] for r in engine().plan["rules"]])
def test_every_built_in_rule_can_be_explained(name: str) -> None:
    rule = next(r for r in engine().plan["rules"] if r["name"] == name)
    text = page(name, [])
    assert rule["title"] in text
    assert rule["hash"] in text
    for key in rule["config"]:
        assert f"\n  {key} (" in text


def test_definitions_operators_and_detectors_are_explained() -> None:
    assert page("failed", []).startswith("failed(c) is a definition of ")
    assert page("terms", []).startswith("terms(text: texts, drop: list?) -> list[fact]")
    text = page("facts.number", [])
    assert text.startswith("facts.number is a detector of ")
    assert "value: number(match)" in text
    assert "hit:  '12'" in text


@pytest.mark.parametrize(
    "name, near", [("no_pi", "no_pii"), ("faild", "failed"), ("term", "terms"), ("E1O1", ""), ("facts.numbr", "facts.number")]
)
def test_an_unknown_name_gets_the_nearest_one(name: str, near: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", name]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "error[E903]" in printed.err
    assert f"did you mean `{near}`?" in printed.err or not near


def test_an_unknown_code_is_no_traceback() -> None:
    with pytest.raises(ProblemsFound) as caught:
        page("E000", [])
    assert [p.code for p in caught.value.problems] == ["E903"]


def test_a_folder_without_packs_is_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "no_pii", "--packs", str(tmp_path / "nowhere")]) == 2
    assert "error[E109]" in capsys.readouterr().err


def test_rules_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "BUNDLE", "KIND", "CRITICAL", "WEIGHT", "STATUS", "TITLE"]
    rules = {r["name"]: r for r in engine().plan["rules"] if not r["template"]}
    assert [line.split()[0] for line in lines] == list(rules)
    assert all(len(line) == len(line.rstrip()) for line in lines)
    assert lines[list(rules).index("no_pii")].split()[1:6] == [
        "safety",
        "detection",
        "yes",
        f"{rules['no_pii']['weight']:g}",
        rules["no_pii"]["status"],
    ]


def test_rules_as_json_agree_with_the_plan(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list", "--packs", str(house), "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["house/no_ticket"] == {
        "name": "house/no_ticket", "bundle": "custom", "kind": "policy", "critical": False, "weight": 1.0,
        "status": "draft", "title": "No ticket is named",
    }  # fmt: skip


def test_settings_are_shown_with_the_layer_they_come_from(
    house: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "iris.yaml"
    file.write_text("rules:\n  house/no_ticket: {most: 5}\nnon_critical_rules: [no_pii]\n")
    given = ["--packs", str(house), "--config", str(file), "--format", "json"]
    assert run(["rules", "show", "no_ticket", *given]) == 0
    assert json.loads(capsys.readouterr().out)["in_force"] == [
        {"name": "critical", "value": False, "layer": "pack"},
        {"name": "most", "value": 5, "layer": "config file"},
    ]
    assert run(["rules", "show", "no_pii", *given]) == 0
    assert json.loads(capsys.readouterr().out)["in_force"][0] == {"name": "critical", "value": False, "layer": "config file"}
    assert run(["rules", "list", *given]) == 0
    assert {r["name"]: r["critical"] for r in json.loads(capsys.readouterr().out)}["no_pii"] is False
    assert run(["rules", "show", "no_ticket", *given[:4]]) == 0
    assert "most      5  (from the config file)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text, code", [("rules: {no_pi: {}}", "E811"), ("rules: {no_tool_loop: {max_cycles: many}}", "E210"), ("thresold: 1", "E110")]
)
def test_a_wrong_settings_file_is_a_problem(text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "iris.yaml"
    file.write_text(text)
    assert run(["rules", "list", "--config", str(file)]) == 2
    assert f"error[{code}]" in capsys.readouterr().err


def test_an_unknown_rule_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "show", "no_tool_lop"]) == 2
    assert "did you mean `no_tool_loop`?" in capsys.readouterr().err
