"""Tell from the words of a text which detectors are worth running.

The plan holds, for each detector, what a match must contain (see `plan.literals`). A set of all patterns in one automaton
does the same on paper, but its states multiply on texts it has not met: measured on 1,100 ordinary answers it took 9 ms a
kilobyte, where this takes 15 µs and does not depend on what came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import re2

DIGITS = b"0123456789"
_SMALL = b"abcdefghijklmnopqrstuvwxyz"
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORDS = bytes(
    b + 32 if b in _CAPITALS else b if b in _SMALL or b in DIGITS else 32 for b in range(256)
)
"""Capitals to small letters, everything but ASCII letters and digits to a space."""
FOLDING = (b"\xe2\x84\xaa", b"\xc5\xbf")
"""The two signs outside ASCII that match a letter in any case: the kelvin sign and the long s."""
PREFIX = 3

Rule = tuple[frozenset[str], int]
"""The other tokens an alternative needs, and its detector."""


class Prefilter:
    """The tokens of all detectors; `common` are words too frequent to look for first."""

    def __init__(self, needs: Sequence[tuple[int, list[list[str]]]], common: Iterable[str]) -> None:
        often = frozenset(common)
        self.always = frozenset(i for i, alternatives in needs if not all(alternatives))
        self.all = frozenset(i for i, _ in needs)
        self._rules: dict[str, list[Rule]] = {}
        tokens: set[str] = set()
        for number, alternatives in needs:
            for alternative in alternatives:
                if number not in self.always:
                    first = min(alternative, key=lambda t: _rank(t, often))
                    self._rules.setdefault(first, []).append((frozenset(alternative) - {first}, number))
                    tokens.update(alternative)
        self._words = {t[2:].encode(): t for t in tokens if t.startswith("w:")}
        self._word_set = frozenset(self._words)
        self._prefixes = {t[2:].encode(): t for t in tokens if t.startswith("p:")}
        self._prefix_set = frozenset(self._prefixes)
        self._signs = _Literals([t for t in sorted(tokens) if t.startswith("c:")])
        self._parts = _Literals([t for t in sorted(tokens) if t.startswith("s:")])

    def candidates(self, data: bytes) -> frozenset[int]:
        """The detectors that may hit a text (UTF-8), those that must always be looked for left out."""
        if not data.isascii() and any(sign in data for sign in FOLDING):
            return self.all
        present = self._tokens(data)
        found: list[int] = []
        rules = self._rules
        for token in present:
            for others, number in rules.get(token, ()):
                if others <= present:
                    found.append(number)
        return frozenset(found)

    def _tokens(self, data: bytes) -> set[str]:
        words = frozenset(data.translate(WORDS).split())
        present = {self._words[w] for w in words & self._word_set}
        for beginning in self._prefix_set.intersection([w[:PREFIX] for w in words]):
            present.add(self._prefixes[beginning])
        self._signs.add_present(data, present)
        self._parts.add_present(b" ".join(words), present)
        if len(data.translate(None, DIGITS)) != len(data):
            present.add("d:")
        return present


class _Literals:
    """Fixed texts looked for together: an automaton as small as their letters."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._set: Any = None

    def add_present(self, data: bytes, present: set[str]) -> None:
        """Add the tokens whose text occurs."""
        if not self._tokens:
            return
        if self._set is None:
            made = re2.Set.SearchSet(_quiet())
            for token in self._tokens:
                made.Add(re2.escape(token[2:]))
            made.Compile()
            self._set = made
        tokens = self._tokens
        present.update([tokens[i] for i in self._set.Match(data) or ()])


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options


def _rank(token: str, often: frozenset[str]) -> tuple[int, int, str]:
    kind, text = token[0], token[2:]
    if kind == "w":
        return (0 if text not in often and len(text) > 2 else 3), -len(text), text
    return {"p": 1, "s": 1, "c": 2, "d": 4}[kind], -len(text), text
