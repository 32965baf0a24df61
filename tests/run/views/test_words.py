"""Words, stems and terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.run.views import words as module
from iris.run.views.words import TermTable, stem, word_list, word_spans

pieces = st.sampled_from(
    [
        "a",
        "The",
        "don't",
        "X9",
        "_",
        "-",
        " ",
        "\n",
        "é",
        "İ",
        "ß",
        "今天",
        "雨",
        "ไทย",
        "हिन्दी",
        "می\u200cخواهم",
        "한국",
        "’",
        "camelCase",
        "12",
        "Σ",
        "\u0301",
    ]
)
texts = st.lists(pieces, max_size=20).map("".join) | st.text(max_size=30)
STOP = frozenset(["the", "and", "for", "used"])


@given(texts)
def test_spans_are_the_listed_words_in_place(text: str) -> None:
    spans = word_spans(text)
    assert [word for word, _, _ in spans] == word_list(text)
    for word, start, end in spans:
        raw = text[start:end]
        assert word == raw.replace("\u200c", "").replace("\u200d", "").lower()


@given(texts)
def test_every_letter_and_digit_is_in_a_word(text: str) -> None:
    covered = {i for _, start, end in word_spans(text) for i in range(start, end)}
    assert all(i in covered for i, c in enumerate(text) if c.isalnum())


@pytest.mark.parametrize(
    "text, words",
    [
        ("", []),
        ("Don't stop, it's 5x!", ["don", "t", "stop", "it", "s", "5x"]),
        ("snake_case a-b C3PO", ["snake", "case", "a", "b", "c3po"]),
        ("the agent’s “dash”—here", ["the", "agent", "s", "dash", "here"]),
        ("Café Über", ["café", "über"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("한국 사람", ["한국", "사람"]),
        ("北京今天", ["北京", "京今", "今天"]),
        ("第3章 中", ["第", "3", "章", "中"]),
        ("カタカナー、ひらがな", ["カタ", "タカ", "カナ", "ナー", "ひら", "らが", "がな"]),
        ("ok今天ok", ["ok", "今天", "ok"]),
    ],
)
def test_words_of_each_script(text: str, words: list[str]) -> None:
    assert word_list(text) == words


def test_chinese_sentences_overlap_by_pairs_of_characters() -> None:
    expected, output = set(word_list("北京今天下雨")), set(word_list("今天北京下雨了"))
    assert len(expected & output) / len(expected) > 0.5
    terms = TermTable(frozenset()).terms
    assert len(terms("北京今天下雨") & terms("今天北京下雨了")) / len(terms("北京今天下雨")) > 0.5


@pytest.mark.parametrize(
    "word, expected",
    [
        ("cat", "cat"),
        ("use", "use"),
        ("bus", "bus"),
        ("flies", "fli"),
        ("classes", "class"),
        ("cats", "cat"),
        ("glass", "glass"),
        ("status", "status"),
        ("this", "this"),
        ("running", "run"),
        ("king", "king"),
        ("string", "str"),
        ("hopped", "hop"),
        ("need", "need"),
        ("quickly", "quick"),
        ("automation", "autom"),
        ("operator", "oper"),
        ("create", "cre"),
        ("nation", "nat"),
        ("makes", "mak"),
        ("make", "mak"),
        ("making", "mak"),
        ("falling", "fall"),
        ("passed", "pass"),
        ("buzzed", "buzz"),
        ("uses", "use"),
        ("queries", "queri"),
        ("query", "query"),
        ("ones", "one"),
    ],
)
def test_a_stem_loses_plural_one_ending_last_e_and_a_double(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text("abcdefginostly", max_size=12))
def test_a_stem_is_no_longer_than_the_word_and_begins_it(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert word.startswith(stem(word)) or word.endswith("ies")


@pytest.mark.parametrize(
    "text, terms",
    [
        ("", []),
        ("Run the runs and running", ["run"]),
        ("getUserName read_file a.b/config.yaml", ["get", "user", "nam", "read", "fil", "config", "yaml"]),
        ("abc123def 12345 x9 of it", ["abc", "def"]),
        ("use and used, the using", ["use", "using"]),
        ("HTTPServer XMLHttp", ["httpserver", "xmlhttp"]),
        ("naïve cafés", ["naïv", "café"]),
        ("на это слово", ["это", "слово"]),
        ("한국 사 中 北京", ["한국", "中", "北京"]),
        ("the agent’s parcels", ["agent", "parcel"]),
    ],
)
def test_terms_are_the_stems_of_content_words(text: str, terms: list[str]) -> None:
    assert TermTable(frozenset(["the", "and", "used"])).terms(text) == frozenset(terms)


def test_the_stem_of_a_dropped_word_is_dropped_too() -> None:
    table = TermTable(frozenset(["explaining"]))
    assert table.terms("explain explained explaining explains plain") == {"plain"}


@given(texts)
def test_spans_of_terms_hold_the_same_terms(text: str) -> None:
    table = TermTable(STOP)
    spans = table.term_spans(text)
    assert {term for term, _, _ in spans} == table.terms(text)
    assert table.terms(text) == table.terms(text)
    before = 0
    for _, start, end in spans:
        assert before <= start < end <= len(text)
        before = start


@given(st.lists(texts, max_size=4))
def test_two_tables_do_not_share_what_they_drop(some: list[str]) -> None:
    wide, narrow = TermTable(frozenset()), TermTable(frozenset(["camel", "don"]))
    for text in some:
        assert narrow.terms(text) <= wide.terms(text)
        assert not narrow.terms(text) & {"camel", "don"}


def test_a_table_forgets_when_it_has_met_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_CACHED", 3)
    table = TermTable(frozenset())
    assert table.terms("alpha bravo charlo deltar echon") == {"alpha", "bravo", "charlo", "deltar", "echon"}
    assert table.terms("alpha") == {"alpha"}
    assert len(table.stems) <= 3


def test_the_words_of_a_stem_are_known_whole_though_the_table_forgot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_CACHED", 2)
    words, kin = TermTable(frozenset()).content(["refund", "lever", "refunds", "wheel", "levers"])
    assert words == {"refund", "refunds", "lever", "levers", "wheel"}
    assert {stem: set(found) for stem, found in kin.by_stem.items()} == {
        "refund": {"refund", "refunds"},
        "lever": {"lever", "levers"},
        "wheel": {"wheel"},
    }
    assert set(kin.twins) == words - {"wheel"}
