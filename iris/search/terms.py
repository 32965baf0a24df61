"""Cut a search into `key:value` terms, words, and what is left for the rule language."""

from __future__ import annotations

import re
from dataclasses import dataclass

TERM = re.compile(
    r"""(?P<minus>-?)
        (?:(?P<key>[A-Za-z_][A-Za-z0-9_.]*)(?P<op>:|>=|<=|!=|>|<|=(?!=)))
        (?P<value>"(?:[^"\\]|\\.)*"|[^\s"]+)(?=\s|$)""",
    re.VERBOSE,
)
WORD = re.compile(r'(?P<minus>-?)(?P<word>"(?:[^"\\]|\\.)*"|[^\s"]+|")')
LANGUAGE = re.compile(r"==|!=|<|>|\bsatisfies\b|\bin\s*\[|\b[a-z_]\w*\(.*\)|^\s*not\s*\(")
"""What only a condition of the rule language has; anything else that is left over is words to find."""


@dataclass(frozen=True, slots=True)
class Term:
    """`key:value` or `key>value`; `start` and `end` are code points into the search."""

    key: str
    op: str
    value: str
    quoted: bool
    negated: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a quoted phrase to find."""

    text: str
    negated: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A search in its parts; `rest` is a condition with the terms blanked, so that places stay right."""

    terms: tuple[Term, ...]
    words: tuple[Word, ...]
    rest: str


def unquoted(text: str) -> tuple[str, bool]:
    """The text without its quotes, and whether it had any."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1]), True
    return text, False


def cut(search: str) -> Cut:
    """Cut a search into terms, words and a condition."""
    terms: list[Term] = []
    rest = list(search)
    for found in TERM.finditer(search):
        if (found.start() and not search[found.start() - 1].isspace()) or _quoted(search, found.start()):
            continue
        value, quoted = unquoted(found["value"])
        terms.append(Term(found["key"], found["op"], value, quoted, bool(found["minus"]), found.start(), found.end()))
        rest[found.start() : found.end()] = " " * (found.end() - found.start())
    left = "".join(rest)
    return Cut(tuple(terms), (), _joined(left)) if LANGUAGE.search(left) else Cut(tuple(terms), _words(left), "")


def _quoted(search: str, at: int) -> bool:
    """Whether a place lies inside a quoted text."""
    return len(re.findall(r'(?<!\\)"', search[:at])) % 2 == 1


def _joined(left: str) -> str:
    """The condition without an `and` that joined it to a term before or after it."""
    left = re.sub(r"^(\s*)and\b", lambda m: m[1] + "   ", left)
    return re.sub(r"\band(\s*)$", lambda m: "   " + m[1], left)


def _words(left: str) -> tuple[Word, ...]:
    words = []
    for found in WORD.finditer(left):
        text, _ = unquoted(found["word"])
        if text.strip():
            words.append(Word(text, bool(found["minus"]), found.start(), found.end()))
    return tuple(words)
