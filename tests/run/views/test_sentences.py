"""Sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.run.views import sentences as module
from iris.run.views.parts import sentence_spans

alphabet = st.sampled_from([*"aaABz09.!?  \n\"')(*-¶'_/,", "Dr", "e.g", "No", "done", "Then"])
ascii_texts = st.lists(alphabet.filter(str.isascii), max_size=40).map("".join)
any_texts = st.lists(alphabet | st.sampled_from("éД。！।”“ж今"), max_size=40).map("".join) | st.text(max_size=40)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It works.", "Really!", "Does it?", "Yes."],
        ["He paid 2.5 dollars.", "It cost $3.40 more."],
        ["Dr. Smith met Mrs. Jones and Prof. Lee.", "They left."],
        ["Use a tool, e.g. Grep, i.e. Search.", "See cf. Table."],
        ["The U.S. Senate met at 9 a.m. Eastern time.", "It ended."],
        ["See No. 5 and Fig. 3 in vol. 2.", "No.", "It is over."],
        ["Acme Inc. 5 Street.", "He works at Acme Inc.", "She left on Jan. 5, not in May.", "Good."],
        ["J. K. Rowling wrote it.", "Plan B. Then rest."],
        ["It isn't John's.", "That is ours."],
        ['"Stop!"', "He ran.", '"Why?"', "(Because.)", "OK."],
        ["Open README.md and run main.py now.", "Version 2.0.1 is out."],
        ["See http://example.com/a?B=c.Now for more.", "End."],
        ["Read the manual.", "- Install it.", "- Run it."],
        ["Wait... what did he say?", "Nothing..."],
        ["What?!", "No way!!", "1 of 5."],
        ["It costs more than etc.", "The rest is free."],
        ["**Bold.**", "*Next.*", "`code`."],
        ["Это тест.", "Второй? да.", "Третий!"],
        ["L'été.", "Été suivant.", "«Oui.»", "¿Sí?", "¡No!"],
    ],
)
def test_a_text_splits_into_its_sentences(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences
    assert split("\n".join(sentences)) == sentences


def test_scripts_with_their_own_full_stop_need_no_space() -> None:
    assert split("今天下雨。你好！「是的。」好吗？好") == [
        "今天下雨。",
        "你好！",
        "「是的。」",
        "好吗？",
        "好",
    ]
    assert split("यह एक है। वह दो है।") == ["यह एक है।", "वह दो है।"]
    assert split("كيف حالك؟ جيد.") == ["كيف حالك؟", "جيد."]


def test_a_missing_space_before_a_capital_ends_a_sentence() -> None:
    assert split("It is done.Next we go!Then home.") == ["It is done.", "Next we go!", "Then home."]


@pytest.mark.parametrize("text", ["System.Out.println", "see lib/foo.Bar here", "a call to obj.Method() here", "me@site.Com now"])
def test_a_capital_inside_a_name_does_not(text: str) -> None:
    assert split(text) == [text]


def test_a_blank_line_or_pilcrow_line_ends_a_sentence_and_one_break_does_not() -> None:
    assert split("A heading\n\nthe text goes\non and on") == ["A heading", "the text goes\non and on"]
    assert split("one\n \t\ntwo") == ["one", "two"]
    assert split("one\n¶\ntwo\n¶\n3") == ["one", "two", "3"]


def test_a_number_that_starts_a_list_item_is_not_a_sentence() -> None:
    assert split("1. Install it.\n2. Run it.\n  3. Rest") == ["1. Install it.", "2. Run it.", "3. Rest"]
    assert split("Go to step 3. Then rest.") == ["Go to step 3.", "Then rest."]


@pytest.mark.parametrize("text", ["", " ", "...", "---\n\n***", "? ! .", "¶", "。"])
def test_a_piece_without_letter_or_digit_is_no_sentence(text: str) -> None:
    assert split(text) == []


def test_pieces_without_letters_between_sentences_are_left_out() -> None:
    assert split('One thing. "..." Two things.\n\n***\n\nThree.') == ["One thing.", "Two things.", "Three."]


@given(any_texts)
def test_spans_are_in_order_trimmed_and_show_something(text: str) -> None:
    before = 0
    for start, end in sentence_spans(text):
        assert before <= start < end <= len(text)
        before = end
        piece = text[start:end]
        assert piece == piece.strip()
        assert any(c.isalnum() for c in piece)


@given(any_texts)
def test_letters_are_never_lost(text: str) -> None:
    kept = "".join(split(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


@given(ascii_texts)
def test_the_ascii_path_splits_as_the_general_one(text: str) -> None:
    general = module._split(text, text, module._END, module._SHOWN)
    assert sentence_spans(text) == general
