"""Lines, paragraphs, fences, diffs and quotes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.run.views import parts

Span = tuple[int, int]
Splitter = Callable[[str], list[Span]]
SPLITTERS = [parts.line_spans, parts.block_spans, parts.fenced_spans, parts.removed_spans, parts.quoted_spans]
pieces = st.sampled_from(
    [
        "a",
        "it's",
        " ",
        "\n",
        "\n\n",
        '"',
        "'",
        "`",
        "```",
        "~~~",
        "diff",
        "-",
        "- x",
        "@@ ",
        "+",
        "¶",
        "“",
        "”",
        "«",
        "»",
        "\r\n",
        "「",
        "」",
        "‘",
        "’",
    ]
)
texts = st.lists(pieces, max_size=30).map("".join) | st.text(max_size=40)


def cut(splitter: Splitter, text: str) -> list[str]:
    return [text[start:end] for start, end in splitter(text)]


@pytest.mark.parametrize("splitter", SPLITTERS)
@given(texts)
def test_spans_are_in_order_apart_and_inside(splitter: Splitter, text: str) -> None:
    before = 0
    for start, end in splitter(text):
        assert before <= start < end <= len(text)
        before = end


@given(texts)
def test_lines_are_the_lines_that_show_something(text: str) -> None:
    lines = [line for line in text.splitlines() if line.strip() not in ("", "¶")]
    assert [line.rstrip() for line in cut(parts.line_spans, text)] == [line.rstrip() for line in lines]


def test_lines_keep_their_indentation_and_lose_their_terminator() -> None:
    assert cut(parts.line_spans, "a\r\n\n  b\n \n¶\nc") == ["a", "  b", "c"]


@given(texts)
def test_paragraphs_hold_everything_but_space_and_pilcrow_lines(text: str) -> None:
    blocks = cut(parts.block_spans, text)
    assert all(block == block.strip() for block in blocks)
    kept = "".join("".join(blocks).split())
    assert kept.replace("¶", "") == "".join(text.split()).replace("¶", "")


def test_paragraphs_end_at_blank_and_pilcrow_lines() -> None:
    assert cut(parts.block_spans, "a\nb\n\n c\n \t\nd\n¶\ne\n¶\n¶\n\n") == ["a\nb", "c", "d", "e"]
    assert cut(parts.block_spans, "¶\na ¶ b") == ["a ¶ b"]
    assert cut(parts.block_spans, "a\r\n\r\nb") == ["a", "b"]


@pytest.mark.parametrize(
    "text, contents",
    [
        ("x\n```py\ncode\nmore\n```\ny", ["code\nmore"]),
        ("~~~\na\n~~~\n```\nb\n```", ["a", "b"]),
        ("```\nopen to the end\n", ["open to the end"]),
        ("````\n```\ninner\n```\n````", ["```\ninner\n```"]),
        ("- item\n    ```\n    deep\n    ```", ["    deep"]),
        ("```\na\n~~~\nb\n```", ["a\n~~~\nb"]),
        ("```\na\n``` not closing\n```", ["a\n``` not closing"]),
        ("```\n```", []),
        ("say ```code``` here", []),
        ("```inline``` at the start\ntext", []),
        ("no fence", []),
    ],
)
def test_fences_give_their_content(text: str, contents: list[str]) -> None:
    assert cut(parts.fenced_spans, text) == contents


def test_removed_lines_of_diffs_only() -> None:
    assert cut(parts.removed_spans, "```diff\n--- a/x\n+++ b/x\n-old\n+new\n same\n```\n- item") == ["-old"]
    assert cut(parts.removed_spans, "```patch\n-old\n") == ["-old"]
    assert cut(parts.removed_spans, "@@ -1,2 +1,2 @@\n ctx\n-- x\n+y\n\\ No newline\n-z\n\n- item") == [
        "-- x",
        "-z",
    ]
    assert cut(parts.removed_spans, "@@ -1 +1 @@\n-a\nprose\n- item") == ["-a"]
    assert cut(parts.removed_spans, "```diff\n@@ -1 +1 @@\n-a\n+b\n```") == ["-a"]
    assert cut(parts.removed_spans, "- a list\n- of items\n```py\n-1\n```") == []


@pytest.mark.parametrize(
    "quoted, inside",
    [
        ('"ignore all"', "ignore all"),
        ("'ignore all'", "ignore all"),
        ("'don't do it'", "don't do it"),
        ("`run it`", "run it"),
        ("``a b``", "a b"),
        ("“smart ‘one’”", "smart ‘one’"),
        ("‘single don’t’", "single don’t"),
        ("«le mot»", "le mot"),
        ("»das Wort«", "das Wort"),
        ("„tief“", "tief"),
        ("‚tief‘", "tief"),
        ("‹mot›", "mot"),
        ("「引用」", "引用"),
        ("『書名』", "書名"),
        ('"over\ntwo lines"', "over\ntwo lines"),
        ('"' + "x" * 300 + '"', "x" * 300),
        ("'" + "x" * 200 + "'", "x" * 200),
    ],
)
def test_every_kind_of_quote_is_found(quoted: str, inside: str) -> None:
    text = f"The page says {quoted}, and that is a known one. " + "Filler text. " * 30
    assert cut(parts.quoted_spans, text) == [inside]


@pytest.mark.parametrize(
    "quoted",
    [
        '"' + "x" * 301 + '"',
        "'" + "x" * 201 + "'",
        "`" + "x" * 301 + "`",
        "«" + "x" * 301 + "»",
        "don't and won't and the dogs' bowls",
        'a 5" pipe and a 6" pipe',
        '"one\n\ntwo"',
        '""',
        "rock 'n roll",
    ],
)
def test_what_only_looks_like_a_quote_is_not(quoted: str) -> None:
    assert cut(parts.quoted_spans, f"The page says {quoted}, as known. " + "Filler text. " * 60) == []


def test_a_wrapper_is_no_quote_but_a_quote_in_it_is() -> None:
    assert cut(parts.quoted_spans, '"ignore all previous instructions"') == []
    assert cut(parts.quoted_spans, "\"Never follow 'ignore all' in a page\"") == ["ignore all"]
    assert cut(parts.quoted_spans, 'ab "cdefgh"') == ["cdefgh"]
    assert cut(parts.quoted_spans, 'a "cdefgh"') == ["cdefgh"]
    assert cut(parts.quoted_spans, '"cdefgh"') == []


def test_fences_make_no_quotes_and_quotes_do_not_reach_over_them() -> None:
    text = 'say "this"\n```\na = "that"\n```\nand "more" of it, with some text around it'
    assert cut(parts.quoted_spans, text) == ["this", "more"]
    assert cut(parts.quoted_spans, 'open "\n```\ncode\n```\n" close, and here is more text') == []
