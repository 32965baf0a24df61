"""Facts: what says the same thing differently, and which key a value belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rapidfuzz import fuzz

from iris.run.operators.lists import elements
from iris.run.operators.numbers import NUMBER, number
from iris.run.values import Fact, Text, Unknown, as_text, as_texts, value_of


def key_of(x: Any) -> Any:
    """What a fact is about: its key, or what it says when it has none."""
    return value_of(x) if not isinstance(x, Fact) or x.key is None else value_of(x.key)


def with_(fact: Any, key: Any, value: Any, witness: Any = None) -> Fact:
    """A fact like another, with another key, value or witness."""
    out = Fact(fact.view, fact.start, fact.end, getattr(fact, "name", ""), getattr(fact, "cls", None))
    out.key, out.value, out.witness = key, value, witness
    out.groups = getattr(fact, "groups", None)
    return out


def conflicting(_c: Any, said: Any, known: Any) -> list[Fact]:
    """The facts of `said` whose key `known` has, but never with that value; each carries one witness."""
    values: dict[Any, dict[Any, Any]] = {}
    for fact in elements(known):
        values.setdefault(key_of(fact), {}).setdefault(value_of(fact), fact)
    out = []
    for fact in elements(said):
        there = values.get(key_of(fact))
        if there and value_of(fact) not in there:
            out.append(with_(fact, getattr(fact, "key", None), getattr(fact, "value", None), next(iter(there.values()))))
    return out


def partners(_c: Any, a: Any, b: Any) -> list[Any]:
    """The facts of b that share a key with one of a."""
    keys = {key_of(f) for f in elements(a)}
    return [f for f in elements(b) if key_of(f) in keys]


def bind(_c: Any, keys: Any, facts: Any, n: float) -> list[Fact]:
    """Give each fact the nearest key that ends at most n characters before it in the same view."""
    out = []
    spans = sorted((k.end, i, k) for i, k in enumerate(elements(keys)) if isinstance(k, Text))
    for fact in elements(facts):
        best = None
        for end, _, key in spans:
            if end > fact.start:
                break
            if key.view is fact.view and fact.start - end <= n:
                best = key
        if best is not None:
            value = fact.value if isinstance(fact, Fact) and fact.value is not None else as_text(fact)
            out.append(with_(fact, best, value, best))
    return out


def number_values(_c: Any, x: Any) -> list[Fact]:
    """The facts whose value holds a number, with that number as value."""
    out = []
    for fact in elements(x):
        held = fact.value if isinstance(fact, Fact) and fact.value is not None else fact
        if isinstance(held, Text) and not NUMBER.search(held.s):
            continue
        value = number(None, held)
        if type(value) is not Unknown:
            out.append(with_(fact, getattr(fact, "key", None), value))
    return out


def lookup(_c: Any, table: dict[str, list[str]], key: Any) -> list[Text]:
    """A row of a table; empty when the table has none."""
    wanted = value_of(key)
    return as_texts(table.get(wanted, [])) if isinstance(wanted, str) else []


def similar(_c: Any, a: Any, b: Any) -> float:
    """Normalised indel similarity of two texts in folded case, 0 to 1."""
    return fuzz.ratio(as_text(a).fold, as_text(b).fold) / 100.0


def nearest(_c: Any, x: Any, among: Any) -> float:
    """The best similarity with any of the texts; 0 for none."""
    text = as_text(x).fold
    return max((fuzz.ratio(text, t.fold) / 100.0 for t in as_texts(among)), default=0.0)


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "conflicting": conflicting,
        "partners": partners,
        "bind": bind,
        "number_values": number_values,
        "lookup": lookup,
        "similar": similar,
        "nearest": nearest,
    }
