"""One run being judged: its values, and what has been worked out so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from iris.run.matcher import EMPTY, Matcher
from iris.run.values import Call, Fact, Partial, Text, Unknown, View, as_texts
from iris.run.wire import Inputs


class Shared(Protocol):
    """What every run of a plan shares."""

    matcher: Matcher
    lists: dict[str, list[Text]]
    tables: dict[str, dict[str, list[str]]]
    definitions: dict[str, Callable[..., Any]]

    def term_table(self, drop: Any) -> Any:
        """The table of stems that leaves a list of words out."""


class Context:
    """The run's values by path, and the caches of one evaluation."""

    __slots__ = ("inputs", "matcher", "memo", "paths", "shared", "steps", "term_table")

    def __init__(self, shared: Shared, inputs: Inputs) -> None:
        self.shared, self.inputs = shared, inputs
        self.paths = inputs.paths
        self.matcher = shared.matcher
        self.term_table = shared.term_table
        self.memo: dict[Any, Any] = {}
        self.steps = 0

    def keeps(self, args: Sequence[Any]) -> bool:
        """Whether a definition of these arguments is worked out once: of one call of the run, or of all of them."""
        return len(args) == 1 and (type(args[0]) is Call or args[0] is self.paths["calls"])

    def hits(self, ids: tuple[int, ...], x: Any) -> Any:
        """The hits of detectors in a text or in each text of a list."""
        kind = type(x)
        if kind is Unknown:
            return x
        if kind is Partial:
            return x.why()
        if kind is Text or kind is Fact:
            return self._of_text(ids, x)
        out: list[Fact] = []
        for text in as_texts(x):
            out += self._of_text(ids, text)
        return out

    def _of_text(self, ids: tuple[int, ...], text: Text) -> list[Fact]:
        if len(ids) == 1:
            return self.matcher.text_hits(ids[0], text)
        view = text.view
        if not view.window:
            matcher = self.matcher
            ids = tuple([i for i in ids if matcher.pattern(i).alone or matcher.has(i, view)])
        if not ids:
            return EMPTY
        found = [f for i in ids for f in self.matcher.text_hits(i, text)]
        found.sort(key=lambda f: (f.start, -f.end))
        return found

    def found(self, ids: tuple[int, ...], x: Any) -> Any:
        """Whether any of the detectors hits a text, or any text of a list."""
        kind = type(x)
        if kind is Text or kind is Fact:
            return self._occurs(ids, x)
        if kind is Unknown:
            return x
        for text in as_texts(x):
            if self._occurs(ids, text):
                return True
        if kind is Partial:
            return x.why()
        return False

    def _occurs(self, ids: tuple[int, ...], text: Text) -> bool:
        occurs = self.matcher.occurs
        if len(ids) == 1:
            return occurs(ids[0], text)
        return any(occurs(i, text) for i in ids)

    def capped(self) -> set[int]:
        """The detectors that stopped at their cap somewhere in this run."""
        return set().union(*(_capped(view) for view in self.roots()))

    def roots(self) -> list[View]:
        """The raw texts of the run that a rule may have read."""
        out = [v.view for v in self.paths.values() if type(v) is Text]
        calls = self.paths["calls"]
        if type(calls) is not Unknown:
            out += [c.result.view for c in calls if type(c.result) is Text]
        return out


def _capped(view: View) -> set[int]:
    found: set[int] = set(view.derived.get("capped", ()))
    for key, child in view.derived.items():
        texts = child if isinstance(child, list) else [child]
        if isinstance(key, tuple) and texts and type(texts[0]) is Text:
            found |= set().union(*(_capped(t.view) for t in texts if t.view is not view))
    return found
