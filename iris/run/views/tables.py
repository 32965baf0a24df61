"""The data files behind the views, each read once when first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Readings:
    """Characters read as ASCII ones: always, when drawn alike, or only similar and beside Latin."""

    always: dict[str, str]
    alike: dict[str, str]
    similar: dict[str, str]


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Lower-case words, without their last stop, that a stop does not end a sentence after."""

    never_end: frozenset[str]
    before_number: frozenset[str]


@dataclass(frozen=True, slots=True)
class Suffix:
    """A word ending, what replaces it, and the length a word must exceed to lose it."""

    ending: str
    new: str
    longer_than: int


@dataclass(frozen=True, slots=True)
class Suffixes:
    """The stemmer's steps: the first plural that fits, then the first ending that fits."""

    plurals: tuple[Suffix, ...]
    not_plural: tuple[str, ...]
    endings: tuple[Suffix, ...]
    kept_double: str


@cache
def readings() -> Readings:
    """Read the table of look-alikes."""
    kinds: dict[str, dict[str, str]] = {"always": {}, "alike": {}, "similar": {}}
    for line in _lines("confusables.txt"):
        code, reading, kind = line.split()
        first = int(code, 16)
        if kind == "digits":
            kinds["always"].update((chr(first + digit), str(digit)) for digit in range(10))
        else:
            kinds[kind][chr(first)] = reading
    return Readings(kinds["always"], kinds["alike"], kinds["similar"])


@cache
def abbreviations() -> Abbreviations:
    """Read the two lists of abbreviations."""
    parts = _sections("abbreviations.txt")
    return Abbreviations(frozenset(parts["never_end"]), frozenset(parts["before_number"]))


@cache
def suffixes() -> Suffixes:
    """Read the stemmer's table."""
    parts = _sections("stem_suffixes.txt")
    return Suffixes(
        plurals=_suffixes(parts["plural"]),
        not_plural=tuple(parts["not_plural"]),
        endings=_suffixes(parts["ending"]),
        kept_double="".join(parts["kept_double"]),
    )


def _suffixes(words: list[str]) -> tuple[Suffix, ...]:
    rows = zip(words[0::3], words[1::3], words[2::3], strict=True)
    return tuple(Suffix(ending, "" if new == "-" else new, int(size)) for ending, new, size in rows)


def _sections(name: str) -> dict[str, list[str]]:
    """Read a file of `[section]` lines, each followed by words."""
    parts: dict[str, list[str]] = {}
    words: list[str] = []
    for line in _lines(name):
        if line.startswith("["):
            words = parts.setdefault(line.strip("[]"), [])
        else:
            words.extend(line.split())
    return parts


def _lines(name: str) -> list[str]:
    from importlib.resources import files  # costs milliseconds; most short runs never read a table

    lines = (files("iris.run") / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
