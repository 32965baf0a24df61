"""The values an expression works on: texts with their place, facts, calls, and what is unknown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from iris.run.unknown import Unknown as Unknown
from iris.run.unknown import joined as joined
from iris.run.unknown import unknown as unknown


class Opaque:
    """The offset map of a decoded text: every part of it is the whole encoded run."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length

    def back(self, _start: int, _end: int) -> tuple[int, int]:
        """The whole run."""
        return 0, self.length


class View:
    """A text as it is read, with the way back to the raw text.

    `source` names the raw text for evidence (`output`, `tool_outputs[2]`), None when it is no text of the run.
    A derived view has a `parent`, a `base` in it, and `offsets` (None: one to one).
    """

    __slots__ = ("base", "data", "derived", "hits", "matched", "offsets", "parent", "parts", "source", "text", "window")

    def __init__(
        self, text: str, source: str | None, parent: View | None = None, base: int = 0, offsets: Any = None, window: bool = False
    ) -> None:
        self.text, self.source, self.parent, self.base, self.offsets, self.window = text, source, parent, base, offsets, window
        self.data: bytes | None = None
        self.matched: dict[int, frozenset[int]] = {}
        self.hits: dict[Any, list[Fact]] = {}
        self.parts: dict[str, list[Text]] = {}
        self.derived: dict[Any, Any] = {}

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """Map a stretch of this view to code points of the raw text."""
        view: View | None = self
        while view is not None:
            if view.offsets is not None:
                start, end = view.offsets.back(start, end)
            start, end, view = start + view.base, end + view.base, view.parent
        return start, end

    def whole(self) -> Text:
        """The whole view as a text."""
        found = self.derived.get("whole")
        if found is None:
            found = self.derived["whole"] = Text(self, 0, len(self.text))
        return found


class Text:
    """A stretch of a view."""

    __slots__ = ("_fold", "_s", "end", "start", "view")

    def __init__(self, view: View, start: int, end: int) -> None:
        self.view, self.start, self.end = view, start, end
        self._s: str | None = None
        self._fold: str | None = None

    @property
    def s(self) -> str:
        """The characters."""
        if self._s is None:
            text = self.view.text
            self._s = text if self.start == 0 and self.end == len(text) else text[self.start : self.end]
        return self._s

    @property
    def fold(self) -> str:
        """The characters in folded case, for comparison."""
        if self._fold is None:
            self._fold = self.s.casefold()
        return self._fold

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.s!r})"


class Fact(Text):
    """A part of a text that says something: what about (`key`), and what (`value`)."""

    __slots__ = ("cls", "groups", "key", "name", "value", "witness")

    def __init__(self, view: View, start: int, end: int, name: str = "", cls: str | None = None) -> None:
        super().__init__(view, start, end)
        self.name, self.cls = name, cls
        self.key: Any = None
        self.value: Any = None
        self.groups: Any = None
        self.witness: Any = None


class Args(dict[str, Any]):
    """The arguments of a call, which read as their JSON text."""

    __slots__ = ("view",)
    view: View


class Call:
    """One tool call of the run; a field that was not supplied is Unknown."""

    __slots__ = (
        "args",
        "error",
        "index",
        "json",
        "key",
        "latency",
        "listed",
        "readonly",
        "result",
        "schema",
        "started",
        "tool",
        "truncated",
    )

    def __init__(self, index: int, tool: Text) -> None:
        self.index, self.tool = index, tool
        self.args: Any = unknown("calls.args")
        self.result: Any = unknown("calls.result")
        self.error: Any = unknown("calls.error")
        self.started: Any = unknown("calls.started")
        self.latency: Any = unknown("calls.latency")
        self.truncated: Any = unknown("calls.truncated")
        self.listed: Any = unknown("tools_catalogue")
        self.readonly: Any = unknown("tools_catalogue")
        self.schema: Any = unknown("tools_catalogue")
        self.json: Any = None
        self.key: str | None = None


class Partial(list[Any]):
    """A filtered list with elements nobody could decide, kept apart."""

    __slots__ = ("undecided",)

    def __init__(self, decided: list[Any], undecided: list[tuple[Any, Unknown]]) -> None:
        super().__init__(decided)
        self.undecided = undecided

    def why(self) -> Unknown:
        """Why some elements are undecided."""
        out: Unknown | None = None
        for _, reason in self.undecided:
            out = joined(out, reason)
        assert out is not None
        return out


class Range:
    """A count between two bounds, from a list with undecided elements."""

    __slots__ = ("high", "low", "reason")

    def __init__(self, low: float, high: float, reason: Unknown) -> None:
        self.low, self.high, self.reason = low, high, reason


SHOWN = 2000
"""Characters of a text whose words may be shown as evidence."""


class Bag:
    """Words or terms of a text, kept as plain strings until somebody asks for places.

    `keys` are the values; a distinct bag counts each once, `listed` counts every word in order.
    """

    __slots__ = ("_keys", "_shown", "distinct", "listed", "of", "spans")

    def __init__(self, of: list[Text], spans: Any, keys: frozenset[str] | None, listed: list[str] | None, distinct: bool) -> None:
        self.of, self.spans, self._keys, self.listed, self.distinct = of, spans, keys, listed, distinct
        self._shown: list[Fact] | None = None

    @property
    def keys(self) -> frozenset[str]:
        """The distinct values."""
        if self._keys is None:
            self._keys = frozenset(self.listed or ())
        return self._keys

    def __len__(self) -> int:
        if self.distinct or self.listed is None:
            return len(self.keys)
        return len(self.listed)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.items())

    def items(self) -> list[Fact]:
        """The words as facts with places, in text order; a distinct bag gives each value's first place."""
        return list(self._facts([text.s for text in self.of]))

    def first(self, most: int) -> list[Fact]:
        """The first few of them, from the beginning of each text: enough for evidence."""
        if self._shown is None:
            self._shown = list(islice(self._facts([text.s[:SHOWN] for text in self.of]), most))
        return self._shown

    def _facts(self, readings: list[str]) -> Iterator[Fact]:
        seen: set[str] = set()
        for text, reading in zip(self.of, readings, strict=True):
            for word, start, end in self.spans(reading):
                if word not in self.keys or (self.distinct and word in seen):
                    continue
                seen.add(word)
                fact = Fact(text.view, text.start + start, text.start + end, "word")
                fact.value = fact.key = word
                yield fact

    def keep(self, keys: frozenset[str]) -> Bag:
        """The part of the bag with these values."""
        listed = None if self.listed is None or self.distinct else [w for w in self.listed if w in keys]
        return Bag(self.of, self.spans, keys, listed, self.distinct)


TRUE, FALSE = ("flag", True), ("flag", False)
"""What flags are compared by: for Python, but not for the language, true is 1."""


def value_of(x: Any) -> Any:
    """What two things are compared by: text in folded case, a fact's value, a number."""
    kind = type(x)
    if kind is str:
        return x.casefold()
    if kind is Fact:
        return x.fold if x.value is None else value_of(x.value)
    if kind is Text:
        return x.fold
    if kind is Call:
        return ("call", x.index)
    if kind in (list, Partial, Bag, tuple):
        return tuple(value_of(i) for i in x)
    if kind in (dict, Args):
        return json.dumps(x, sort_keys=True, ensure_ascii=False).casefold()
    if kind is bool:
        return TRUE if x else FALSE
    return x


def keys_of(x: Any) -> frozenset[Any]:
    """The set of values of a list."""
    if type(x) is Bag:
        return x.keys
    return frozenset(map(value_of, x))


def fresh(text: str) -> Text:
    """A text that is no part of the run; its view does not point back to it, so both are freed at once."""
    return Text(View(text, None), 0, len(text))


def plain_text(x: Any) -> str:
    """A JSON value as text: strings as they are, others as sorted JSON."""
    return x if isinstance(x, str) else json.dumps(x, sort_keys=True, ensure_ascii=False)


def as_text(x: Any) -> Text:
    """Read any value as a text."""
    kind = type(x)
    if kind is Text or kind is Fact:
        return x  # type: ignore[no-any-return]
    if kind is Args:
        return x.view.whole()  # type: ignore[no-any-return]
    if kind is str:
        return fresh(x)
    if x is None:
        return fresh("")
    return fresh(plain_text(x))


def as_texts(x: Any) -> list[Text]:
    """Read a value as texts: a list gives each element, nested lists are laid flat."""
    kind = type(x)
    if kind in (list, Partial, tuple, Bag):
        return [t for i in x for t in as_texts(i)]
    return [as_text(x)]
