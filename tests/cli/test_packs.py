"""`iris packs`: write, compile, check, test, compare and describe packs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from .command import CLEAN, iris, text_of, write_pack, write_runs

WEAK = """\
rule: short_words
title: The answer has few words
fail_when: size(words(output)) > 2 and mentions(output, "cop{letter}")
cases:
  - {{name: bad, run: {{output: The copy ran and ran.}}, expect: fail}}
  - {{name: good, run: {{output: It ran.}}, expect: pass}}
{more}"""
MORE = """\
  - {name: three words, run: {output: A copy ran.}, expect: fail}
  - {name: two words, run: {output: Copy ran.}, expect: pass}
  - {name: another thing, run: {output: The sort ran and ran.}, expect: pass}
"""


def test_a_new_pack_compiles_and_checks_as_it_was_written(place: Path) -> None:
    written = iris("packs", "new", "house")
    assert written.code == 0
    assert sorted(p.name for p in Path("house").iterdir()) == [".schema", "no_ticket_numbers.yaml", "pack.yaml"]
    assert iris("packs", "compile", "house").code == 0
    lock = json.loads(Path("house/pack.lock").read_text())
    assert (lock["pack"], list(lock["rules"])) == ("house", ["house/no_ticket_numbers"])
    checked = iris("packs", "check", "house")
    assert (checked.code, checked.err) == (0, "")
    assert iris("packs", "test", "house", "--mutate").code == 0


def test_a_rule_is_written_into_a_pack_that_is_there_and_never_over_one(place: Path) -> None:
    assert iris("packs", "new", "house/first", "--in", "deep/er").code == 0
    assert iris("packs", "new", "house/second", "--in", "deep/er").code == 0
    assert sorted(p.stem for p in Path("deep/er/house").glob("*.yaml")) == ["first", "pack", "second"]
    assert iris("packs", "compile", "deep/er").code == 0
    before = Path("deep/er/house/first.yaml").read_bytes()
    again = iris("packs", "new", "house/first", "--in", "deep/er")
    assert again.code == 2
    assert "E603" in again.err
    assert Path("deep/er/house/first.yaml").read_bytes() == before


@pytest.mark.parametrize("name", ["House", "7", "a-b", "", "a/B", "../x", "a/b/c"])
def test_a_name_that_is_none_writes_nothing(place: Path, name: str) -> None:
    result = iris("packs", "new", name, "--in", "out")
    assert result.code == 2
    assert "E113" in result.err
    assert not Path("out").exists()


def test_what_is_written_fits_its_own_schema(place: Path) -> None:
    iris("packs", "new", "house")
    for file, kind in (("no_ticket_numbers", "rule"), ("pack", "pack")):
        schema = json.loads(Path(f"house/.schema/{kind}.json").read_text())
        Draft202012Validator(schema).validate(yaml.safe_load(Path(f"house/{file}.yaml").read_text()))


def test_compiling_writes_a_lock_once_and_checking_none(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of()})
    missing = iris("packs", "check", "house")
    assert missing.code == 1
    assert "E601" in missing.out
    assert not Path("house/pack.lock").exists()
    assert "wrote house/pack.lock" in iris("packs", "compile", "house").out
    assert "wrote" not in iris("packs", "compile", "house").out
    assert iris("packs", "check", "house").code == 0


@pytest.mark.parametrize("broken", ["", "{", "[]", "7", '{"rules": []}', '{"rules": {"house/short": 7}}'])
def test_a_lock_that_was_tampered_with_is_a_problem(place: Path, broken: str) -> None:
    write_pack(place, {"short.yaml": text_of(), "pack.lock": broken})
    result = iris("packs", "check", "house")
    assert result.code == 1
    assert "E601" in result.out or "E602" in result.out


@pytest.mark.parametrize(
    "file, old, new",
    [
        ("short.yaml", "> 5", "> 6"),
        ("short.yaml", "kind: detection", "kind: inference"),
        ("short.yaml", "critical: false", "critical: true"),
        ("pack.yaml", "1.0.0", "1.0.1"),
        ("lists/words.yaml", "[a]", "[a, b]"),
        ("detectors/talk.yaml", "hello+", "hello*"),
    ],
)
def test_whatever_changes_a_rule_puts_its_lock_out_of_date(place: Path, file: str, old: str, new: str) -> None:
    condition = "size(words(output)) > 5 and not any(words(output) & lists.own) and not found(talk.hello, output)"
    write_pack(
        place,
        {
            "short.yaml": text_of().replace("size(words(output)) > 5", condition).replace("a b c d", "c d e f"),
            "lists/words.yaml": "lists: {own: [a]}\n",
            "detectors/talk.yaml": "hello: {regex: 'hello+', examples: {hit: [hello, helloo], miss: [hey, hel]}}\n",
        },
    )
    assert iris("packs", "compile", "house").code == 0
    path = place / "house" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    result = iris("packs", "check", "house")
    assert result.code == 1
    assert "E602" in result.out


def test_a_comment_leaves_the_lock_as_it_is(place: Path) -> None:
    pack = write_pack(place, {"short.yaml": text_of()})
    iris("packs", "compile", "house")
    (pack / "short.yaml").write_text("# why\n" + text_of())
    assert iris("packs", "check", "house").code == 0


def test_problems_come_in_every_format_and_stop_the_lock(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of(most="many")})
    for part in ("compile", "check", "test"):
        result = iris("packs", part, "house", "--format", "json")
        assert result.code == 1
        assert [p["code"] for p in json.loads(result.out)] == ["E013"]
    assert json.loads(iris("packs", "check", "house", "--format", "sarif").out)["version"] == "2.1.0"
    assert iris("packs", "check", "house", "--format", "github").out.startswith("::error ")
    assert not Path("house/pack.lock").exists()


def test_a_pack_without_problems_is_an_empty_list_for_machines(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of()})
    for part in ("compile", "check"):
        result = iris("packs", part, "house", "--format", "json")
        assert (result.code, json.loads(result.out)) == (0, [])


def test_a_case_that_disagrees_stops_compiling(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of(most="7 + 1")})
    result = iris("packs", "compile", "house")
    assert result.code == 1
    assert "E401" in result.out


@pytest.mark.parametrize("folder", ["nothing", "runs.jsonl", "empty"])
def test_a_folder_without_packs_is_a_problem(place: Path, folder: str) -> None:
    Path("empty").mkdir()
    result = iris("packs", "check", folder)
    assert result.code == 1
    assert "E109" in result.out


def test_testing_says_what_each_case_answered(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of()})
    out = iris("packs", "test", "house").out
    assert out.startswith("house/short\n")
    assert "  fail long: " in out
    assert "  pass short: " in out
    unknown = iris("packs", "test", "house", "--rule", "shrt")
    assert unknown.code == 2
    assert "did you mean `short`?" in unknown.err


def test_a_weak_rule_has_survivors_and_a_strong_one_has_none(place: Path) -> None:
    pack = write_pack(place, {"short_words.yaml": WEAK.format(letter="y", more="status: stable\n")})
    weak = iris("packs", "test", "house", "--mutate", "--rule", "short_words")
    assert weak.code == 1
    assert 'conjunct `mentions(output, "copy")` dropped' in weak.out
    (pack / "short_words.yaml").write_text(WEAK.format(letter="y", more=MORE + "status: stable\n"))
    strong = iris("packs", "test", "house", "--mutate", "--rule", "short_words")
    assert strong.code == 0
    assert strong.out == "3 mutants, 3 noticed, 0 survived\n"


def test_survivors_of_a_draft_are_told_and_stop_nothing(place: Path) -> None:
    write_pack(place, {"short_words.yaml": WEAK.format(letter="y", more="status: draft\n")})
    result = iris("packs", "test", "house", "--mutate")
    assert result.code == 0
    assert "survived  house/short_words" in result.out


def test_the_list_holds_built_in_packs_and_ones_own(place: Path) -> None:
    write_pack(place, {"short.yaml": text_of()})
    rows = json.loads(iris("packs", "list", "--packs", "house", "--format", "json").out)
    assert {r["name"]: r["rules"] for r in rows if not r["built_in"]} == {"house": ["house/short"]}
    assert {r["name"] for r in rows if r["built_in"]} == {"common", "safety", "templates"}
    text = iris("packs", "list", "--packs", "house").out
    assert "house 1.0.0 (yours, 1 rules)\n  house/short\n" in text


def test_the_built_in_packs_check_with_fresh_locks() -> None:
    result = iris("packs", "check")
    assert (result.code, result.err) == (0, "")
    assert "15 rules" in result.out


def test_a_clean_answer_passes_under_the_stub(place: Path) -> None:
    path = write_runs(place / "clean.jsonl", [{"output": CLEAN}])
    assert iris("eval", path).code == 0
