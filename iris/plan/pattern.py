"""Read an RE2 pattern into items, as far as `literals` needs to know it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a sequence, repeated `low` to `high` times.

    `word` is a letter or digit that must be just this one (in small letters), `digit` any digit, `sign` a character
    that belongs to no word (`text` is it, or empty when it is one of several), `border` an anchor, `group` branches,
    `other` anything else.
    """

    kind: str
    text: str = ""
    low: int = 1
    high: int = 1
    branches: Alternation | None = None


Sequence_ = tuple[Item, ...]
Alternation = tuple[Sequence_, ...]


class _Unreadable(Exception):
    """The pattern has something this reader does not know."""


def read_pattern(pattern: str) -> Alternation | None:
    """The branches of a pattern; None when it can not be read."""
    reader = _Reader(pattern)
    try:
        tree = reader.alternation()
    except (_Unreadable, IndexError, ValueError):
        return None
    return tree if reader.at == len(pattern) else None


COUNT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
CLASSES = {"d": "digit", "s": "sign", "W": "sign", "w": "other", "S": "other", "D": "other"}
ENDLESS = 1_000_000
FLAGS = re.compile(r"\(\?([imsU]*)(?:-[imsU]+)?([:)])")
NAMED = re.compile(r"\(\?P?<[A-Za-z_]\w*>")


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def alternation(self) -> Alternation:
        """Branches until the end or a closing bracket."""
        branches: list[Sequence_] = []
        items: list[Item] = []
        while self.at < len(self.pattern) and self.pattern[self.at] != ")":
            if self.pattern[self.at] == "|":
                self.at += 1
                branches.append(tuple(items))
                items = []
                continue
            item = self.item()
            if item is not None:
                items += _spliced(self.repeated(item))
        return (*branches, tuple(items))

    def item(self) -> Item | None:
        """One element without its repeat; None for flags alone."""
        character = self.pattern[self.at]
        if character == "(":
            return self.group()
        if character == "[":
            return self.bracket()
        if character == "\\":
            return self.escape()
        self.at += 1
        if character in "^$":
            return Item("border")
        if character == ".":
            return Item("other")
        return literal(character)

    def group(self) -> Item | None:
        """A group of any kind."""
        flags = FLAGS.match(self.pattern, self.at)
        named = NAMED.match(self.pattern, self.at)
        if flags:
            self.at = flags.end()
            if flags[2] == ")":
                return None
        elif named:
            self.at = named.end()
        elif self.pattern.startswith("(?", self.at):
            raise _Unreadable
        else:
            self.at += 1
        branches = self.alternation()
        if self.pattern[self.at] != ")":
            raise _Unreadable
        self.at += 1
        return Item("group", branches=branches)

    def escape(self) -> Item:
        """A backslash and what it means."""
        letter = self.pattern[self.at + 1]
        self.at += 2
        if letter in CLASSES:
            return Item(CLASSES[letter])
        if letter in "bAz":
            return Item("border")
        if letter == "B":
            return Item("other", low=0)
        if letter in "pP":
            self.at = self.pattern.index("}", self.at) + 1 if self.pattern[self.at] == "{" else self.at + 1
            return Item("other")
        return literal(self.code(letter))

    def code(self, letter: str) -> str:
        """The character an escape stands for."""
        known = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
        if letter in known:
            return known[letter]
        if letter == "x":
            if self.pattern[self.at] == "{":
                end = self.pattern.index("}", self.at)
                digits, self.at = self.pattern[self.at + 1 : end], end + 1
            else:
                digits, self.at = self.pattern[self.at : self.at + 2], self.at + 2
            return chr(int(digits, 16))
        if letter.isalnum():
            raise _Unreadable
        return letter

    def bracket(self) -> Item:
        """A class: one letter in both cases, only digits, only signs, or anything."""
        start = self.at
        self.at += 1
        negated = self.pattern[self.at] == "^"
        self.at += negated
        found: list[str] = []
        ranged = False
        first = True
        while first or self.pattern[self.at] != "]":
            first = False
            if self.pattern.startswith("[:", self.at):
                raise _Unreadable
            if self.pattern[self.at] == "\\":
                letter = self.pattern[self.at + 1]
                if letter in "dswDSWpPbB":
                    self.at += 2
                    if letter in "pP" and self.pattern[self.at] == "{":
                        self.at = self.pattern.index("}", self.at) + 1
                    found.append({"d": "0", "s": " "}.get(letter, "aé"))
                    ranged = ranged or letter != "s"
                    continue
                self.at += 2
                found.append(self.code(letter))
            else:
                found.append(self.pattern[self.at])
                self.at += 1
            if self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]":
                ranged = True
                found.append("-range-")
                self.at += 1
        self.at += 1
        return _class(self.pattern[start : self.at], found, negated, ranged)

    def repeated(self, item: Item) -> Item:
        """The element with its repeat."""
        low, high = 1, 1
        while self.at < len(self.pattern):
            character = self.pattern[self.at]
            counted = COUNT.match(self.pattern, self.at)
            if character in "*+?":
                low, high = (0 if character != "+" else low), (ENDLESS if character != "?" else high)
                self.at += 1
            elif counted:
                low = int(counted[1])
                high = low if not counted[2] else int(counted[3]) if counted[3] else ENDLESS
                self.at = counted.end()
            else:
                break
            if self.at < len(self.pattern) and self.pattern[self.at] == "?":
                self.at += 1
            break
        return Item(item.kind, item.text, min(item.low, low), high, item.branches)


def _spliced(item: Item) -> Sequence_:
    """A group of one branch that stands once is its items."""
    if item.kind == "group" and item.low == item.high == 1 and item.branches is not None and len(item.branches) == 1:
        return item.branches[0]
    return (item,)


def literal(character: str) -> Item:
    """One fixed character."""
    if character.isascii():
        return Item("word", character.lower()) if character.isalnum() else Item("sign", character)
    # Outside ASCII nothing belongs to a word here, and a letter with two cases may match the other one.
    return Item("sign", character if character.lower() == character.upper() else "")


MOST_SIGNS = 4


def _class(written: str, found: list[str], negated: bool, ranged: bool) -> Item:
    if negated:
        return Item("other")
    if written in ("[0-9]", r"[\d]"):
        return Item("digit")
    joined = "".join(found)
    if not ranged and joined and len(set(joined.lower())) == 1:
        return literal(joined[0])
    if not ranged and joined and not any(ch.isalnum() for ch in joined):
        if len(found) <= MOST_SIGNS:
            return Item("group", branches=tuple((literal(ch),) for ch in found))
        return Item("sign")
    if ranged and re.fullmatch(r"\[(?:[0-9]|[0-9]-[0-9])+\]", written):
        return Item("digit")
    return Item("other")
