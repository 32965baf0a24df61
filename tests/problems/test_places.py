"""A problem points at the character that is wrong, in every way YAML can write a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris import flow
from iris.packs.read import MAX_BYTES, MAX_NODES, read_text, read_yaml
from iris.packs.source import Mapping, Scalar, Source, value_indexes
from iris.problems import Problem

from . import golden

TEN = {
    "house/pack.yaml": golden.HEAD.replace("licence", "license"),
    "house/detectors/talk.yaml": """\
please:
  regex: '(?i)please(?! note)'
  examples: {hit: [please, Please], miss: [pleased, thanks]}
thanks:
  phrases: [thanks, thank you]
  where: size(mach) > 3
  examples: {hit: [thanks, Thank You], miss: [thank, thanked]}
""",
    "house/polite.yaml": """\
rule: polite
titel: The answer says please
config:
  most: {type: count, default: many, about: Most words.}
let:
  words_said: words(outptu)
fail_when: |
  not found(talk.pleas, output)
  and (some c in calls satisfies
       c.refusd)
  and size(words_said) > config.most
say: "{first(output, 10)} is not polite"
cases:
  - {name: rude, run: {outptu: Do it.}, expect: fail}
  - {name: polite, run: {output: Please do., calls: [{tool: get, arg: {}}]}, expect: pass}
""",
    "house/quiet.yaml": """\
rule: quiet
fail_when: >
  size(output) > 200
  and size(words(output)) = 3
cases:
  - {name: loud, run: {output: x}, expect: fail}
""",
}
WHERE = [
    ("house/detectors/talk.yaml", 2, 21, "E302"),
    ("house/detectors/talk.yaml", 6, 15, "E013"),
    ("house/pack.yaml", 1, 1, "E111"),
    ("house/pack.yaml", 5, 1, "E110"),
    ("house/polite.yaml", 2, 1, "E110"),
    ("house/polite.yaml", 4, 32, "E210"),
    ("house/polite.yaml", 6, 21, "E013"),
    ("house/polite.yaml", 8, 18, "E021"),
    ("house/polite.yaml", 10, 10, "E014"),
    ("house/polite.yaml", 12, 8, "E030"),
    ("house/polite.yaml", 14, 24, "E110"),
    ("house/polite.yaml", 15, 66, "E110"),
    ("house/quiet.yaml", 1, 7, "E202"),
    ("house/quiet.yaml", 4, 27, "E001"),
]


def test_every_mistake_of_every_file_is_reported_at_once_with_its_place() -> None:
    with golden.scratch():
        for name, text in TEN.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        found = flow.compile_packs([Path("house")]).problems
    assert [(p.place.file, p.place.line, p.place.column, p.code) for p in found if p.place] == WHERE
    assert all(p.place and p.help for p in found)


def test_the_place_shows_the_line_as_it_stands_in_the_file() -> None:
    with golden.scratch():
        for name, text in TEN.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        found = flow.compile_packs([Path("house")]).problems
    for p in found:
        assert p.place is not None
        assert p.place.source_line == TEN[p.place.file].splitlines()[p.place.line - 1]
        assert p.place.column - 1 + p.place.length <= len(p.place.source_line)


MARK = "☂"
WORDS = st.lists(st.text("abé𝄞z", min_size=1, max_size=6), min_size=1, max_size=6)


def scalar_of(text: str) -> Scalar:
    node, problems = read_yaml(Source.of("x.yaml", text))
    assert not problems
    assert isinstance(node, Mapping)
    value = node.items[0][1]
    assert isinstance(value, Scalar)
    return value


def assert_points_at_mark(text: str) -> None:
    scalar = scalar_of(text)
    at = scalar.text.index(MARK)
    place = scalar.place_of(at, at + 1)
    lines = text.split("\n")
    assert lines[place.line - 1].rstrip("\r")[place.column - 1] == MARK
    assert place.length == 1


@given(
    WORDS, st.integers(0, 5), st.sampled_from(["a: {}", "a: '{}'", 'a: "{}"', "a: |\n  {}\n", "a: >-\n   {}\n", "é: {} # no\n"])
)
def test_a_place_in_one_line_is_exact_in_every_style(words: list[str], at: int, form: str) -> None:
    words.insert(min(at, len(words)), MARK)
    assert_points_at_mark(form.format(" ".join(words)))


@given(
    st.lists(st.tuples(st.sampled_from(["", "", "  "]), WORDS, st.integers(0, 2)), min_size=1, max_size=5),
    st.integers(0, 4),
    st.sampled_from(["|", "|-", "|+", ">", ">-", ">+"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_place_in_a_block_is_exact_over_indented_and_blank_lines(
    lines: list[tuple[str, list[str], int]], at: int, head: str, end: str
) -> None:
    body, chosen = [], min(at, len(lines) - 1)
    for i, (indent, words, blanks) in enumerate(lines):
        body.append("  " + (indent if i else "") + " ".join([*words, MARK] if i == chosen else words))
        body += [""] * blanks
    assert_points_at_mark(end.join([f"a: {head}", *body, "b: c", ""]))


@given(st.lists(st.sampled_from(["it''s", "a", "b c", "☃"]), min_size=1, max_size=5), st.integers(0, 4))
def test_a_place_behind_a_doubled_quote_is_exact(parts: list[str], at: int) -> None:
    parts.insert(min(at, len(parts)), MARK)
    assert_points_at_mark(f"a: '{' '.join(parts)}'")


@given(
    st.lists(st.sampled_from([r"\n", r"\"", r"\\", r"\x41", r"\u00e9", r"\U0001F600", "a", "é"]), max_size=6), st.integers(0, 5)
)
def test_a_place_behind_an_escape_is_exact(parts: list[str], at: int) -> None:
    parts.insert(min(at, len(parts)), MARK)
    assert_points_at_mark(f'a: "{"".join(parts)}"')


@pytest.mark.parametrize(
    "text",
    [
        "a: x ☂\n   y\n",
        "a: x\n   y ☂\n",
        "a: 'x\n\n   y ☂'\n",
        'a: "x\n   y ☂"\n',
        "a: {b: c}\n",
        "a: |2\n    x\n  ☂\n",
        "- a\n- b\n",
    ],
)
def test_a_text_over_several_lines_maps_back_or_not_at_all(text: str) -> None:
    node, _ = read_yaml(Source.of("x.yaml", text))
    for scalar in [v for _, v in node.items] if isinstance(node, Mapping) else []:
        if isinstance(scalar, Scalar) and (indexes := value_indexes(scalar)) is not None:
            assert len(indexes) == len(scalar.text)
            assert all(text[i] == c for i, c in zip(indexes, scalar.text, strict=True) if c not in " \n")


def test_a_place_that_can_not_be_proven_is_the_whole_text() -> None:
    source = Source.of("x.yaml", "a: b")
    assert Scalar(source, 3, 4, "not what stands there", "plain").place_of(0, 3) == source.place(3)


@pytest.mark.parametrize("expression", ["size(calls) = 3", "(size(calls)", "size(callz) > 1"])
def test_a_caret_is_drawn_in_a_run_of_wide_and_combining_characters(expression: str) -> None:
    text = f"a: '\"日本 é\" == output and {expression}'"
    scalar = scalar_of(text)
    at = scalar.text.index("size")
    assert text[scalar.place_of(at, at + 4).column - 1 :].startswith("size")


def problems_of(data: bytes) -> list[Problem]:
    source, problems = read_text("x.yaml", data)
    return problems if source is None or problems else read_yaml(source)[1]


@pytest.mark.parametrize(
    "data, code, word",
    [
        (b"a: " + b"x" * MAX_BYTES, "E105", "bytes"),
        (b"a: [" + b"x," * MAX_NODES + b"x]", "E105", "nodes"),
        (b"a: " + b"[" * 25 + b"]" * 25, "E105", "levels"),
        (b"a: \xff", "E107", "UTF-8"),
        (b"", "E101", "empty"),
        (b"- - -\n :", "E101", "YAML"),
        (b"a: \x00", "E101", "YAML"),
        (b"? [a]\n: b", "E106", "key"),
    ],
)
def test_a_file_that_is_no_plain_document_is_one_problem(data: bytes, code: str, word: str) -> None:
    found = problems_of(data)
    assert [p.code for p in found] == [code]
    assert word in found[0].message


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_and_never_a_crash(data: bytes) -> None:
    for problem in problems_of(data):
        assert problem.code.startswith("E1")


@given(st.text(alphabet="ab:-[]{}'\"|>#&*!% \n\t?,", max_size=40))
def test_any_yaml_text_is_read_or_refused_and_never_a_crash(text: str) -> None:
    for problem in problems_of(text.encode()):
        assert problem.code.startswith("E1")
        assert problem.place is not None
        assert 1 <= problem.place.line <= text.count("\n") + 1
