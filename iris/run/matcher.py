"""Find what detectors hit: sets of patterns say which occur, then each of those gives its spans."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import islice
from typing import Any
from weakref import WeakValueDictionary

import re2

from iris.run.values import Fact, Text, Unknown, View, unknown

MAX_HITS = 100
SET_MEMORY = 48 << 20
PATTERN_MEMORY = 16 << 20
MOST_GROUPS = 4096
"""Groups of detectors whose sets are remembered at most."""
EMPTY: list[Fact] = []
NO_IDS: frozenset[int] = frozenset()

Condition = Callable[[Any], Any]
"""A compiled expression of a detector, called with the fact."""


def _options(memory: int) -> re2.Options:
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = memory
    return chosen


class Groups:
    """The named groups of one match, given as texts when they are asked for."""

    __slots__ = ("data", "match", "numbers", "view")

    def __init__(self, match: Any, view: View, data: bytes, numbers: dict[str, int]) -> None:
        self.match, self.view, self.data, self.numbers = match, view, data, numbers

    def text(self, fact: Fact, name: str) -> Text | Unknown:
        """One group; an empty text when it took no part in the match."""
        number = self.numbers.get(name)
        if number is None:
            return unknown(f"group {name}")
        start, end = self.match.span(number)
        if start < 0:
            return Text(self.view, fact.end, fact.end)
        if len(self.data) == len(self.view.text):
            return Text(self.view, start, end)
        begin = self.match.start()
        first = fact.start + len(self.data[begin:start].decode("utf-8"))
        return Text(self.view, first, first + len(self.data[start:end].decode("utf-8")))


class Pattern:
    """One detector, ready to run."""

    __slots__ = (
        "__weakref__", "alone", "cls", "excepts", "id", "key", "name", "numbers", "plain", "regex", "source", "value", "where",
    )  # fmt: skip

    def __init__(self, number: int, detector: dict[str, Any]) -> None:
        self.id, self.name, self.cls = number, detector["name"], detector["class"]
        self.source: str | None = detector["pattern"]
        self.alone = self.source is None
        self.regex: Any = None
        self.numbers: dict[str, int] = {}
        self.where: Condition | None = None
        self.excepts: list[Condition] = []
        self.key: Condition | None = None
        self.value: Condition | None = None
        self.plain = not (detector["where"] or detector["excepts"] or detector["key"] or detector["value"])

    def compiled(self) -> Any:
        """The pattern, compiled when it is first needed."""
        if self.regex is None:
            self.regex = re2.compile(self.source, _options(PATTERN_MEMORY))
            self.numbers = dict(self.regex.groupindex)
        return self.regex


class Shard:
    """A few detectors that run as one RE2 set, compiled when it is first needed."""

    __slots__ = ("_set", "ids", "sources")

    def __init__(self, patterns: list[Pattern]) -> None:
        self.ids = [p.id for p in patterns]
        self.sources = [p.source for p in patterns]
        self._set: Any = None

    def match(self, data: bytes) -> list[int]:
        """The detectors whose pattern occurs."""
        if self._set is None:
            self._set = self.ready()
        ids = self.ids
        return [ids[i] for i in self._set.Match(data) or ()]

    def ready(self) -> Any:
        """Compile the set."""
        made = re2.Set.SearchSet(_options(SET_MEMORY))
        for source in self.sources:
            made.Add(source)
        made.Compile()
        return made


class Matcher:
    """All detectors of a plan. Hits are cached on the view, so rules share them.

    Detectors that conditions look for in whole texts run in sets (`plan.reach`), each matched when one of its detectors
    is first asked for; the others are only searched in windows around a hit.
    """

    def __init__(self, detectors: list[dict[str, Any]], sets: list[list[int]]) -> None:
        self.patterns = [Pattern(i, d) for i, d in enumerate(detectors)]
        self._added: WeakValueDictionary[int, Pattern] = WeakValueDictionary()
        self._next = len(self.patterns)
        self.shards = [Shard([self.patterns[i] for i in ids]) for ids in sets]
        self._shard_of: dict[int, int] = {i: k for k, ids in enumerate(sets) for i in ids}
        self._shards_of: dict[frozenset[int], tuple[int, ...]] = {}
        self.shared = frozenset(self._shard_of)
        for pattern in self.patterns:
            pattern.alone = pattern.id not in self._shard_of

    def add(self, detector: dict[str, Any]) -> Pattern:
        """Add a pattern that a rule brings at run time; it is searched on its own, and known while the rule holds it."""
        pattern = Pattern(self._next, detector)
        pattern.alone = True
        self._next += 1
        self._added[pattern.id] = pattern
        return pattern

    def pattern(self, detector: int) -> Pattern:
        """One detector's pattern."""
        return self.patterns[detector] if detector < len(self.patterns) else self._added[detector]

    def present(self, ids: frozenset[int], view: View) -> bool:
        """Whether the pattern of any of these detectors occurs in a view, its other conditions aside."""
        shards = self._shards_of.get(ids)
        if shards is None:
            if len(self._shards_of) >= MOST_GROUPS:
                self._shards_of.clear()
            shards = self._shards_of[ids] = tuple(sorted({self._shard_of[i] for i in ids}))
        matched = view.matched
        for k in shards:
            found = matched.get(k)
            if found is None:
                if view.data is None:
                    view.data = view.text.encode("utf-8", "replace")
                found = matched[k] = frozenset(self.shards[k].match(view.data)) if view.data else NO_IDS
            if not ids.isdisjoint(found):
                return True
        return False

    def has(self, detector: int, view: View) -> bool:
        """Whether the pattern of one detector of a set occurs in a view."""
        k = self._shard_of[detector]
        found = view.matched.get(k)
        if found is None:
            return self.present(frozenset((detector,)), view)
        return detector in found

    def view_hits(self, detector: int, view: View) -> list[Fact]:
        """The hits of one detector in a whole view, in text order."""
        found = view.hits.get(detector)
        if found is None:
            pattern = self.pattern(detector)
            looks = view.window or pattern.alone or self.has(detector, view)
            found = self._scan(pattern, view) if looks else EMPTY
            view.hits[detector] = found
        return found

    def text_hits(self, detector: int, text: Text) -> list[Fact]:
        """The hits that lie in a text."""
        found = self.view_hits(detector, text.view)
        if not found or (text.start == 0 and text.end == len(text.view.text)):
            return found
        low = bisect_left(found, text.start, key=_start)
        high = bisect_right(found, text.end, key=_start)
        return [f for f in found[low:high] if f.end <= text.end]

    def occurs(self, detector: int, text: Text) -> bool:
        """Whether a detector hits a text; free when only the set is needed."""
        view = text.view
        pattern = self.pattern(detector)
        if not view.window and not pattern.alone:
            if not self.has(detector, view):
                return False
            if pattern.plain and text.start == 0 and text.end == len(view.text):
                return True
        return bool(self.text_hits(detector, text))

    def _scan(self, pattern: Pattern, view: View) -> list[Fact]:
        if view.data is None:
            view.data = view.text.encode("utf-8", "replace")
        data = view.data
        ascii_only = len(data) == len(view.text)
        out: list[Fact] = []
        last = count = seen = 0
        for match in islice(pattern.compiled().finditer(data), MAX_HITS):
            seen += 1
            start, end = match.span()
            if not ascii_only:
                count += len(data[last:start].decode("utf-8"))
                last, start, end = start, count, count + len(data[start:end].decode("utf-8"))
            fact = Fact(view, start, end, pattern.name, pattern.cls)
            if not pattern.plain:
                fact.groups = Groups(match, view, data, pattern.numbers)
                if not _counts(pattern, fact):
                    continue
            out.append(fact)
        if seen == MAX_HITS:
            view.derived.setdefault("capped", set()).add(pattern.id)
        return out


def _start(fact: Fact) -> int:
    return fact.start


def _read(of: Condition, fact: Fact) -> Any:
    """A hit's key or value; `match` itself stands for its text, since a fact that holds itself compares for ever."""
    made = of(fact)
    return Text(fact.view, fact.start, fact.end) if made is fact else made


def _counts(pattern: Pattern, fact: Fact) -> bool:
    """Whether a hit passes its detector's own conditions; sets its key and value.

    Key and value come first, so that `where` and `except` can read them.
    """
    if pattern.value is not None:
        fact.value = _read(pattern.value, fact)
        if fact.value is None or type(fact.value) is Unknown:
            return False
    if pattern.key is not None:
        fact.key = _read(pattern.key, fact)
        if fact.key is None or type(fact.key) is Unknown:
            return False
    if pattern.where is not None and pattern.where(fact) is not True:
        return False
    return all(condition(fact) is not True for condition in pattern.excepts)
