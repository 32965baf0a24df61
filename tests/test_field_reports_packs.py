"""Faults reported of other evaluators, as they must come out here: how YAML is read, and how patterns run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from iris import flow
from iris.evaluate import Evaluator
from iris.packs.documents import PackDoc
from iris.packs.load import load_packs
from iris.packs.read import read_text, read_yaml
from iris.packs.reader import json_value
from iris.problems import Problem, ProblemsFound
from tests.problems import golden

CASES = """\
cases:
  - {name: bad, run: {output: Sorry.}, expect: fail}
  - {name: good, run: {output: Done.}, expect: pass}
"""


@pytest.fixture
def pack() -> Iterator[Callable[[dict[str, str]], list[Problem]]]:
    """Compile a pack of some files beside the stub of the built-in packs."""
    with golden.scratch():

        def compiled(files: dict[str, str]) -> list[Problem]:
            for name, text in {"pack.yaml": golden.HEAD, **files}.items():
                path = Path("house") / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return flow.compile_packs([Path("house")]).problems

        yield compiled


def read(text: str) -> tuple[Any, list[Problem]]:
    source, problems = read_text("x.yaml", text.encode())
    if source is None or problems:
        return None, problems
    node, problems = read_yaml(source)
    return (None if node is None else json_value(node)), problems


def loaded() -> PackDoc:
    (found,) = load_packs(Path("house"), built_in=False, problems=[])
    return found


def test_the_country_code_no_stays_a_text(pack: Callable[[dict[str, str]], list[Problem]]) -> None:  # B234
    problems = pack(
        {
            "lists/places.yaml": "lists:\n  countries: [SE, NO, DK]\n",
            "no_country.yaml": "rule: no_country\nfail_when: mentions(output, lists.countries)\n"
            "cases:\n  - {name: NO, run: {output: It ships to NO.}, expect: fail}\n"
            "  - {name: on, run: {output: It is switched off.}, expect: pass}\n",
        }
    )
    assert problems == []
    assert loaded().lists[0][1] == ("SE", "NO", "DK")


@pytest.mark.parametrize(
    "word",
    ["NO", "no", "on", "Off", "yes", "y", "~", "Null", "1_000", "0x1F", "1:30", "010", "1e", ".5", "2024-01-31", "=", "<<"],
)
def test_a_plain_word_stays_the_text_it_is(word: str) -> None:  # B234
    assert read(f"a: {word}\nb: [{word}]\n") == ({"a": word, "b": [word]}, [])


@pytest.mark.parametrize(
    "text, value", [("3", 3), ("-0.5", -0.5), ("1e3", 1000.0), ("true", True), ("null", None), ("'3'", "3"), ('"true"', "true")]
)
def test_only_json_numbers_and_words_are_values(text: str, value: object) -> None:  # B234
    assert read(f"a: {text}") == ({"a": value}, [])


def test_a_repeated_key_is_refused_with_both_lines() -> None:  # B236
    _, (problem,) = read("rules:\n  - id: a\nrules:\n  - id: b\n")
    assert problem.code == "E102"
    assert problem.place is not None
    assert problem.place.line == 3
    assert "line 1" in problem.help


def test_a_repeated_key_is_found_at_every_depth() -> None:  # B236
    _, problems = read("a:\n  - {b: 1, c: {d: 1, d: 2}, b: 2}\n")
    assert [p.code for p in problems] == ["E102", "E102"]


def test_a_time_never_becomes_a_number(pack: Callable[[dict[str, str]], list[Problem]]) -> None:  # B238
    rule = "rule: on_time\nconfig:\n  most: {type: ms, default: 1:30, about: Time.}\nfail_when: latency > config.most\n" + CASES
    (problem,) = pack({"on_time.yaml": rule})
    assert problem.code == "E210"
    assert read("max_time: 1:30\nratio: 1:10\n") == ({"max_time": "1:30", "ratio": "1:10"}, [])


def test_a_version_keeps_its_last_zero(pack: Callable[[dict[str, str]], list[Problem]]) -> None:  # B240
    assert pack({"pack.yaml": golden.HEAD.replace("1.0.0", "3.10"), "lists/codes.yaml": "lists:\n  codes: [010, 3.10]\n"}) == []
    assert loaded().version == "3.10"
    assert loaded().lists[0][1] == ("010", "3.10")


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", [BOMB, "a: &a [*a]\n", "a: &a {b: *a}\n", "<<: *x\n"])
def test_aliases_are_refused_before_anything_is_built(text: str) -> None:  # B242
    started = time.perf_counter()
    value, problems = read(text)
    assert value is None
    assert problems
    assert problems[0].code in ("E101", "E103")
    assert time.perf_counter() - started < 0.1


def test_a_bomb_names_each_anchor_and_alias() -> None:  # B242
    _, problems = read(BOMB)
    assert {p.code for p in problems} == {"E103"}
    assert len(problems) == 9 + 8 * 9


def test_a_byte_order_mark_at_the_start_is_no_part_of_a_key() -> None:  # B244
    assert read("\ufeffid: a\n") == ({"id": "a"}, [])


@pytest.mark.parametrize("text, line", [("\ufeff\ufeffid: a\n", 1), ("id: a\n\ufeffname: b\n", 2)])
def test_a_byte_order_mark_elsewhere_is_named(text: str, line: int) -> None:  # B244
    value, (problem,) = read(text)
    assert value is None
    assert problem.code == "E107"
    assert "byte-order mark" in problem.message
    assert problem.place is not None
    assert problem.place.line == line


def test_a_misspelt_key_hides_no_other_mistake(pack: Callable[[dict[str, str]], list[Problem]]) -> None:  # B246
    problems = pack({"x.yaml": "rule: x\nnmae: x\nkind: nosuch\nfail_when: size(outptu) > 3\n" + CASES, "y.yaml": "rule: z\n"})
    assert {p.code for p in problems} == {"E110", "E113", "E013", "E201", "E114", "E202"}
    assert {p.place.file for p in problems if p.place} == {"house/x.yaml", "house/y.yaml"}


@pytest.mark.parametrize("key", ["asserts", "signal", "failwhen", "case", "detector"])
def test_a_misspelt_key_is_an_error_and_never_ignored(pack: Callable[[dict[str, str]], list[Problem]], key: str) -> None:  # B113
    problems = pack({"x.yaml": f"rule: x\n{key}: {{a: b}}\nfail_when: size(output) > 5\n" + CASES})
    assert [p.code for p in problems if p.place and p.place.line == 2] == ["E110"]


# Patterns of custom rules.


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    """An evaluator with the stub of the built-in packs."""
    with golden.scratch():
        plan = flow.compile_packs(cases=False).plan
    assert plan is not None
    return Evaluator(plan)


def answer(evaluator: Evaluator, pattern: str, text: str) -> dict[str, Any]:
    """How a rule that forbids a pattern answers."""
    rules = evaluator.custom([{"name": "own", "type": "regex_no_match", "config": {"pattern": pattern}}])
    result = evaluator.evaluate({"output": text}, "custom", evaluation_id="x", custom_rules=rules)
    return next(dict(r) for r in result["rule_results"] if r["ruleName"] == "own")


@pytest.mark.parametrize("length", [30, 3_000, 100_000])
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", r"(\w+\s?)*$x"])
def test_nested_repeats_run_in_time_proportional_to_the_text(
    evaluator: Evaluator, pattern: str, length: int
) -> None:  # B225, B233
    started = time.perf_counter()
    result = answer(evaluator, pattern, "a" * length + "!")
    assert not result.get("skipped")
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "text, fails", [("a" * 30 + "!", False), ("a" * 30, True), ("a" * 100_000, True), ("b" * 100_000, False)]
)
def test_a_hostile_pattern_is_answered_and_never_waved_through(evaluator: Evaluator, text: str, fails: bool) -> None:  # B231
    result = answer(evaluator, "(a+)+$", text)
    assert (result["passed"], bool(result.get("skipped"))) == (not fails, False)


@pytest.mark.parametrize(
    "pattern, hit, miss",
    [
        (r"^\w+([-+.]\w+)*$", "a-b.c", "a b"),
        ("(xa*)+$", "xaaxa", "y"),
        (r"\d{3}-\d{2}-\d{4}", "000-00-0000", "000-0-0000"),
        ("(?:foo|bar)+", "foobar", "baz"),
    ],
)
def test_a_harmless_pattern_is_accepted(evaluator: Evaluator, pattern: str, hit: str, miss: str) -> None:  # B227
    assert answer(evaluator, pattern, hit)["passed"] is False
    assert answer(evaluator, pattern, miss)["passed"] is True


@pytest.mark.parametrize(
    "pattern", [r"(a)(a|\1)+b", "(?=(a+)+$)x", "(?!a)b", "(?<=a)b", "(?<!a)b", "(?>a+)b", "a++b", r"(?P<x>a)(?P=x)"]
)
def test_what_is_not_linear_is_refused_with_a_rewrite(evaluator: Evaluator, pattern: str) -> None:  # B229
    with pytest.raises(ProblemsFound) as caught:
        answer(evaluator, pattern, "x")
    (problem,) = caught.value.problems
    assert problem.code == "E501"
    assert problem.message.startswith("config.pattern: RE2 can not run the pattern")
    assert problem.help


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{2,1}", "*", "(?P<a-b>x)", "\\"])
def test_a_broken_pattern_is_refused_when_it_is_given(evaluator: Evaluator, pattern: str) -> None:  # B229
    with pytest.raises(ProblemsFound):
        answer(evaluator, pattern, "x")


@pytest.mark.parametrize("pattern", ["(?:a{1,100}){1,100}", "a{1,1000}" * 8, r"[\pL\pN]{1,900}@", "x" * 1001])
def test_a_pattern_too_large_to_be_quick_is_refused(evaluator: Evaluator, pattern: str) -> None:  # B225
    started = time.perf_counter()
    with pytest.raises(ProblemsFound):
        answer(evaluator, pattern, "x")
    assert time.perf_counter() - started < 2
