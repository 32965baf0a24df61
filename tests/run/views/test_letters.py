"""The tables behind the fold."""

from __future__ import annotations

import unicodedata

from iris.run.views import letters
from iris.run.views.tables import abbreviations, readings, suffixes

EVERY = [chr(code) for code in range(0x80, 0x20000) if not 0xD800 <= code < 0xE000]


def test_no_changing_character_escapes_the_test_for_leaving_a_text_alone() -> None:
    missed = [c for c in EVERY if letters._plain(c) != c and unicodedata.is_normalized("NFKC", c) and not letters._may_change(c)]
    assert missed == []


def test_the_plain_form_of_a_plain_form_is_itself() -> None:
    assert [c for c in EVERY if letters._plain_all(letters._plain(c)) != letters._plain(c)] == []


def test_format_characters_and_variation_selectors_are_dropped() -> None:
    selectors = [chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))]
    for character in [c for c in EVERY if unicodedata.category(c) == "Cf"] + selectors:
        assert letters._plain(character) == ""


def test_letters_are_read_as_letters_and_digits_as_digits_of_their_value() -> None:
    known = readings()
    for table in (known.always, known.alike, known.similar):
        for character, reading in table.items():
            assert reading.isascii()
            assert len(reading) == 1
            assert reading.isdigit() == character.isdecimal()
            assert not reading.isdigit() or unicodedata.decimal(character) == int(reading)


def test_look_alikes_are_of_one_kind_only_and_not_ascii() -> None:
    known = readings()
    kinds = [set(known.always), set(known.alike), set(known.similar)]
    assert len(set.union(*kinds)) == sum(map(len, kinds))
    assert not any(c.isascii() for c in set.union(*kinds))


def test_a_capital_that_looks_like_a_small_l_is_read_as_the_capital_i() -> None:
    assert readings().alike["І"] == "I"
    assert readings().alike["Ι"] == "I"


def test_abbreviations_are_lower_case_and_in_one_list_only() -> None:
    known = abbreviations()
    assert not known.never_end & known.before_number
    assert all(word == word.lower() for word in known.never_end | known.before_number)


def test_longer_endings_come_before_the_ones_they_end_in() -> None:
    for table in (suffixes().plurals, suffixes().endings):
        endings = [suffix.ending for suffix in table]
        for at, ending in enumerate(endings):
            assert not any(later.endswith(ending) and later != ending for later in endings[at + 1 :])
