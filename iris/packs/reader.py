"""Read the keys of one mapping against their table, collecting every problem."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from iris.packs.documents import Text
from iris.packs.fields import Field
from iris.packs.source import Mapping, Scalar, YamlNode, problem_at
from iris.packs.source import Sequence as YamlSequence
from iris.problems import Problem

NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?\Z")


SHAPES = {
    "a text": "put it in quotes when it begins with `[` or `{`",
    "a list": "write `[a, b]`, or one `- a` a line",
    "a list of at least one phrase": "write `[a, b]`",
    "a mapping": "write `key: value` lines",
    "true or false": "write it without quotes",
}


def near(word: str, known: Iterable[str]) -> str:
    """Suggest the known word nearest to one that was written, or the known words when they are few."""
    words = sorted(set(known))
    close = get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    return "one of " + ", ".join(words) if 0 < len(words) <= 12 else ""


class Reader:
    """Typed access to a mapping's values; each mistake becomes one problem and a harmless default."""

    def __init__(self, node: YamlNode, fields: Sequence[Field], what: str, problems: list[Problem]) -> None:
        self.problems, self.what = problems, what
        self.fields = {f.name: f for f in fields}
        self.node = node
        if not isinstance(node, Mapping):
            problems.append(problem_at("E112", f"{what} must be a mapping", node, "not a mapping", "write `key: value` lines"))
            self.values: dict[str, YamlNode] = {}
            return
        self.values = {k.text: v for k, v in node.items}
        self._unknown(node)
        self._missing(node)

    def _unknown(self, node: Mapping) -> None:
        for key, _ in node.items:
            if key.text not in self.fields:
                hint = near(key.text, self.fields)
                self.problems.append(problem_at("E110", f"{self.what} has no key `{key.text}`", key, "unknown key", hint))

    def _missing(self, node: Mapping) -> None:
        for field in self.fields.values():
            if field.required and field.name not in self.values:
                self.problems.append(
                    problem_at("E111", f"{self.what} lacks `{field.name}`", node, "missing key", f"{field.name}: {field.about}")
                )

    def wrong(self, node: YamlNode, wanted: str, hint: str = "") -> None:
        """Report a value of the wrong shape."""
        hint = hint or SHAPES.get(wanted, "such as 1, without quotes" if "number" in wanted else "")
        self.problems.append(problem_at("E112", f"this must be {wanted}", node, f"not {wanted}", hint))

    def text(self, name: str) -> str | None:
        """A text as written, or None when the key is absent."""
        found = self.scalar(name)
        return found.text if found else None

    def scalar(self, name: str) -> Text | None:
        """A text with its place."""
        node = self.values.get(name)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.wrong(node, "a text")
            return None
        self._chosen(name, node)
        return Text(node.text, node)

    def name(self, name: str) -> Text | None:
        """A lower-case name."""
        found = self.scalar(name)
        if found and not NAME.match(found.text):
            self.problems.append(
                problem_at("E113", f"`{found.text}` is no name", found.at, "here", "lower-case letters, digits and `_`")
            )
        return found

    def _chosen(self, name: str, node: Scalar) -> None:
        choices = self.fields[name].choices if name in self.fields else ()
        if choices and node.text not in choices:
            self.problems.append(
                problem_at(
                    "E113", f"`{node.text}` is not one of the values of `{name}`", node, "unknown value", near(node.text, choices)
                )
            )

    def flag(self, name: str, default: bool = False) -> bool:
        """`true` or `false`."""
        found = self.scalar(name)
        if found is None:
            return default
        if found.text not in ("true", "false") or found.at.style != "plain":
            self.wrong(found.at, "true or false")
        return found.text == "true"

    def number(self, name: str, default: float, *, whole: bool = False, least: float = 0.0, above: bool = False) -> float:
        """A finite number, at least `least`, or above it."""
        found = self.scalar(name)
        if found is None:
            return default
        value = scalar_value(found.at)
        bad = isinstance(value, bool) or not isinstance(value, int | float) or (whole and not isinstance(value, int))
        if bad or not math.isfinite(value) or value < least or (above and value == least):
            self.wrong(found.at, f"a {'whole ' if whole else ''}number {'above' if above else 'of at least'} {least:g}")
            return default
        return float(value)

    def texts(self, name: str) -> tuple[Text, ...]:
        """A list of texts."""
        node = self.values.get(name)
        if node is None:
            return ()
        if not isinstance(node, YamlSequence):
            self.wrong(node, "a list")
            return ()
        out = []
        for item in node.items:
            if isinstance(item, Scalar):
                self._chosen(name, item)
                out.append(Text(item.text, item))
            else:
                self.wrong(item, "a text")
        return tuple(out)

    def one_or_more(self, name: str) -> tuple[Text, ...]:
        """One text or a list of texts."""
        if isinstance(self.values.get(name), Scalar):
            found = self.scalar(name)
            return (found,) if found else ()
        return self.texts(name)

    def json(self, name: str) -> Any:
        """The value as JSON: plain numbers, true, false and null are themselves, all else is text."""
        node = self.values.get(name)
        return None if node is None else json_value(node)

    def items(self, name: str) -> tuple[tuple[Scalar, YamlNode], ...]:
        """The entries of a mapping value."""
        node = self.values.get(name)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.wrong(node, "a mapping")
            return ()
        for key, _ in node.items:
            if not NAME.match(key.text):
                self.problems.append(
                    problem_at("E113", f"`{key.text}` is no name", key, "here", "lower-case letters, digits and `_`")
                )
        return node.items

    def sequence(self, name: str) -> tuple[YamlNode, ...]:
        """The entries of a list value."""
        node = self.values.get(name)
        if node is None:
            return ()
        if not isinstance(node, YamlSequence):
            self.wrong(node, "a list")
            return ()
        return node.items


def scalar_value(node: Scalar) -> Any:
    """A plain scalar as JSON would read it (so NO, on, 1:30 and 010 stay text); any other scalar is text."""
    if node.style != "plain":
        return node.text
    if node.text in ("true", "false", "null"):
        return json.loads(node.text)
    if JSON_NUMBER.match(node.text) and len(node.text) < 400:
        return json.loads(node.text)
    return node.text


def json_value(node: YamlNode) -> Any:
    """A node as a JSON value."""
    if isinstance(node, Scalar):
        return scalar_value(node)
    if isinstance(node, Mapping):
        return {k.text: json_value(v) for k, v in node.items}
    return [json_value(item) for item in node.items]
