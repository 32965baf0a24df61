"""YAML is read strictly, and a place inside a text is exact in every way of writing it, or is the text's start."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from iris.flow import built_in_root
from iris.packs.load import load_rule_text
from iris.packs.read import MAX_BYTES, MAX_DEPTH, MAX_NODES, read_text, read_yaml
from iris.packs.reader import json_value
from iris.packs.source import Mapping, Scalar, Source
from iris.problems import Problem

MARK = "☂"


def read(data: str | bytes) -> tuple[Any, list[Problem]]:
    """A file's value, and what is wrong with it."""
    source, problems = read_text("x.yaml", data.encode() if isinstance(data, str) else data)
    if source is None or problems:
        return None, problems
    node, problems = read_yaml(source)
    return (None if node is None else json_value(node)), problems


def found(data: str | bytes) -> list[tuple[str, int, int]]:
    """Code, line and column of each problem."""
    return [(p.code, p.place.line, p.place.column) if p.place else (p.code, 0, 0) for p in read(data)[1]]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a: 1\nb: 2\na: 3\n", [("E102", 3, 1)]),
        ("x:\n  a: 1\n  'a': 2\n", [("E102", 3, 3)]),
        ("{a: 1, a: 2, a: 3}", [("E102", 1, 8), ("E102", 1, 14)]),
        ("a: &one 1\n", [("E103", 1, 4)]),
        ("a: &one {b: 1}\nc: *one\n", [("E103", 1, 4), ("E103", 2, 4)]),
        ("a: &x 1\n<<: *x\n", [("E103", 1, 4), ("E103", 2, 5)]),
        ("a: !!float 1\n", [("E104", 1, 4)]),
        ("a: !own {b: 1}\n", [("E104", 1, 4)]),
        ("a: !!python/object/apply:os.system [x]\n", [("E104", 1, 4)]),
        ("fail_when: ! blank(output)\n", [("E104", 1, 12)]),
        ("a: ! 'x'\n", [("E104", 1, 4)]),
        ("a: 1\n---\nb: 2\n", [("E101", 2, 1)]),
        ("on: 1\n", [("E106", 1, 1)]),
        ("a:\n  no: 1\n  YES: 2\n", [("E106", 2, 3), ("E106", 3, 3)]),
        ("~: 1\n", [("E106", 1, 1)]),
        ("[a]: 1\n", [("E106", 1, 1)]),
        ("a: 1\n\tb: 2\n", [("E107", 2, 1)]),
        ("a:\n\t- b\n", [("E107", 2, 1)]),
        ("a: 'x\n", [("E101", 1, 4)]),
        ("", [("E101", 1, 1)]),
        ("# only a comment\n", [("E101", 1, 1)]),
    ],
)
def test_what_is_not_allowed_is_refused_at_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


def test_a_key_that_stands_twice_names_both_lines() -> None:
    (problem,) = read("a: 1\nb:\n  c: 1\na: 2\n")[1]
    assert problem.place is not None
    assert (problem.place.line, problem.help) == (4, "first on line 1; keep one")


@pytest.mark.parametrize("text", ['"on": 1', "'no': 1", "'': 1", '"null": 1', "---\na: 1", "# why\n---\na: 1\n...\n"])
def test_what_is_plain_enough_is_read(text: str) -> None:
    assert read(text)[1] == []


def test_a_byte_order_mark_is_left_off_at_the_start_alone() -> None:  # B244
    assert read(b"\xef\xbb\xbfrule: a\n") == ({"rule": "a"}, [])
    assert found(b"rule: a\nabout: \xef\xbb\xbfb\n") == [("E107", 2, 8)]


def test_a_file_in_another_encoding_is_refused_at_the_byte() -> None:
    assert found("a: b\ncafé: x\n".encode("latin-1")) == [("E107", 2, 4)]
    assert found("a: b".encode("utf-16"))[0][0] == "E107"


@pytest.mark.parametrize("depth, codes", [(MAX_DEPTH - 1, []), (MAX_DEPTH, ["E105"]), (500, ["E105"])])
def test_a_file_may_be_so_deep(depth: int, codes: list[str]) -> None:
    assert [code for code, *_ in found("a: " + "[" * depth + "]" * depth)] == codes


def test_a_file_may_have_so_many_nodes_and_bytes() -> None:
    assert found("a: [" + "x," * (MAX_NODES - 100) + "]") == []
    assert [c for c, *_ in found("a: [" + "x," * MAX_NODES + "]")] == ["E105"]
    assert found(b"a: " + b"x" * (MAX_BYTES - 3)) == []
    assert [c for c, *_ in found(b"a: " + b"x" * (MAX_BYTES - 2))] == ["E105"]


def test_a_bomb_of_aliases_costs_milliseconds() -> None:  # B242
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 20)}]\n" for i in range(1, 40))
    started = time.process_time()
    value, problems = read(bomb)
    assert time.process_time() - started < 0.2
    assert value is None
    assert {p.code for p in problems} == {"E103"}


WORDS = [
    "NO",
    "no",
    "Off",
    "1:30",
    "3.10",
    "010",
    "0x1F",
    "1_000",
    "2024-01-31",
    "2024-01-31T10:00:00Z",
    ".5",
    "+1",
    "~",
    "Null",
    "1.",
]


def test_words_that_yaml_would_turn_into_values_stay_texts_in_lists_and_cases() -> None:  # B234, B238, B240
    problems: list[Problem] = []
    quoted = ", ".join(WORDS)
    rule = load_rule_text(
        "a.yaml",
        f"rule: a\nfail_when: blank(output)\ncases:\n  - {{name: NO, run: {{output: 1:30, input: 2024-01-31, metadata: {{l: [{quoted}]}}}}, expect: pass}}\n",
        problems,
    )
    assert rule is not None
    case = rule.cases[0]
    assert (case.name, case.run["input"], case.run["output"]) == ("NO", "2024-01-31", "1:30")
    assert case.run["metadata"]["l"][:2] == ["NO", "no"]
    assert read(f"l: [{quoted}]")[0] == {"l": [w if w != "3.10" else 3.1 for w in WORDS]}


@pytest.mark.parametrize("text, value", [("1", 1), ("-2", -2), ("0.5", 0.5), ("1e3", 1000.0), ("true", True), ("null", None)])
def test_a_number_of_json_is_a_number_and_a_text_in_quotes(text: str, value: object) -> None:
    assert read(f"a: {text}\nb: '{text}'\nc: \"{text}\"\n") == ({"a": value, "b": text, "c": text}, [])


def test_a_number_too_long_to_be_one_stays_a_text() -> None:
    assert read("a: " + "9" * 5000) == ({"a": "9" * 5000}, [])


# Places inside a text.

LETTERS = "ab é𝄞 :#-'\"\\{}[],|>&*!%@`?\t"


def scalar(text: str) -> Scalar | None:
    """The value of the key `a`, or None when the text is no YAML."""
    node, problems = read_yaml(Source.of("x.yaml", text))
    if node is None or problems or not isinstance(node, Mapping):
        return None
    value = node.items[0][1]
    return value if isinstance(value, Scalar) else None


def assert_exact_or_start(text: str, *, exact: bool = False) -> None:
    """The place of the mark is the mark's own, or where the scalar begins."""
    value = scalar(text)
    if value is None or MARK not in value.text:
        assert not exact, text
        return
    at = value.text.index(MARK)
    place = value.place_of(at, at + 1)
    index = text.index(MARK)
    own = (text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))
    start = value.place()
    got = (place.line, place.column)
    assert got == own or (not exact and got == (start.line, start.column)), text
    if got == own and (start.line, start.column) != own:
        assert place.length == 1


def styled(value: str, style: str | None, width: int) -> str:
    text: str = yaml.dump({"a": value}, default_style=style, allow_unicode=True, width=width)
    return text


@given(
    st.text(LETTERS + "\n", max_size=40),
    st.text(LETTERS + "\n", max_size=40),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([10, 30, 200]),
)
def test_the_mark_is_found_in_any_text_as_a_writer_of_yaml_writes_it(
    before: str, after: str, style: str | None, width: int
) -> None:
    assert_exact_or_start(styled(before + MARK + after, style, width))


@given(
    st.text(LETTERS + "\n\r\x85\u2028", max_size=30),
    st.text(LETTERS + "\n\r\x85\u2028", max_size=30),
    st.sampled_from(
        [
            "a: {}",
            "a: '{}'",
            'a: "{}"',
            "a: |\n  {}",
            "a: >\n  {}",
            "a: |2-\n  {}",
            "a: >+\n  {}\n\nb: c",
            "a:\n  {}",
            "a: [x, {}]",
        ]
    ),
)
def test_the_mark_is_found_in_any_text_as_a_person_writes_it(before: str, after: str, form: str) -> None:
    assert_exact_or_start(form.format((before + MARK + after).replace("\n", "\n  ")))


@given(
    st.lists(st.sampled_from(["a", "bé", "𝄞", "it", "x=1", "(y)"]), max_size=8),
    st.lists(st.sampled_from(["a", "𝄞", "zz"]), max_size=8),
)
def test_the_mark_is_exact_in_ordinary_words_of_all_five_styles(before: list[str], after: list[str]) -> None:
    words = " ".join([*before, MARK, *after])
    lines = "\n  ".join([*before, MARK, *after])
    for form in ("a: {}", "a: '{}'", 'a: "{}"', "a: |\n  {}", "a: >\n  {}"):
        assert_exact_or_start(form.format(words), exact=True)
        assert_exact_or_start(form.format(lines), exact=True)


@pytest.mark.parametrize("path", sorted(built_in_root().rglob("*.yaml")), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_loader_without_c_reads_every_built_in_file_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert yaml.load(text, Loader=yaml.SafeLoader) == yaml.load(text, Loader=yaml.CSafeLoader)
