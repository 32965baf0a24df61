"""Ropes to evidence: spans in raw code points, counts, patterns and calls; never text of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from iris.run.finding import Evidence
from iris.run.values import Bag, Call, Fact, Partial, Range, Text, Unknown

MAX_EVIDENCE = 25
MAX_WALKED = 2000
MOST_WORDS = 12
"""Words of one list that are shown."""


def flatten(rope: Any) -> Iterator[Any]:
    """The leaves of a rope in order, at most 2,000."""
    stack, walked = [rope], 0
    while stack and walked < MAX_WALKED:
        x = stack.pop()
        walked += 1
        if x is None:
            continue
        if isinstance(x, Text | Call) or (isinstance(x, dict) and x.get("type") == "count"):
            yield x
            if isinstance(x, Fact) and isinstance(x.witness, Text):
                stack.append(x.witness)
        elif type(x) is Bag:
            stack.extend(reversed(x.first(MOST_WORDS)))
        elif isinstance(x, list | tuple):
            stack.extend(reversed(x))


def span_of(text: Text, label: str) -> Evidence | None:
    """A part of a text as a span of the raw text; None when it is no text of the run."""
    if text.view.source is None:
        return None
    start, end = text.view.raw(text.start, text.end)
    name = (text.name if isinstance(text, Fact) else "") or label
    return {"type": "span", "source": text.view.source, "start": start, "end": end, "label": name}


def render(rope: Any, label: str) -> list[Evidence]:
    """Evidence items of a rope: counts, then spans, then calls; each once, at most 25."""
    counts: list[Evidence] = []
    spans: list[Evidence] = []
    calls: list[Evidence] = []
    seen: set[Any] = set()
    for x in flatten(rope):
        if isinstance(x, dict):
            item, group = x, counts
        elif type(x) is Call:
            item, group = {"type": "toolCall", "index": x.index, "toolName": x.tool.s, "label": label}, calls
        else:
            made = span_of(x, label)
            if made is None:
                continue
            item, group = made, spans
        key = tuple(item.items())
        if key not in seen:
            seen.add(key)
            group.append(item)
    return [*counts, *_without_words(spans), *calls][:MAX_EVIDENCE]


def _without_words(spans: list[Evidence]) -> list[Evidence]:
    """Leave out the words inside a part, or a word, that is shown under a name of its own."""
    parts = [s for s in spans if s["label"] != WORD]
    return [s for s in spans if s["label"] != WORD or not any(_holds(p, s) for p in parts)]


WORD = "word"
"""The label of words and terms."""
SHARED = "shared word"
"""The label of those that stand in both of two texts."""


def _holds(part: Evidence, span: Evidence) -> bool:
    return bool(part["source"] == span["source"] and part["start"] <= span["start"] and span["end"] <= part["end"])


def span_keys(rope: Any) -> set[tuple[str, int, int]]:
    """The spans of a rope, to tell whether two signals rest on the same place."""
    out = set()
    for x in flatten(rope):
        if isinstance(x, Text) and x.view.source is not None:
            out.add((x.view.source, *x.view.raw(x.start, x.end)))
    return out


def classes_of(rope: Any) -> list[str]:
    """The failure classes of the facts in a rope, in order."""
    return list(dict.fromkeys(x.cls for x in flatten(rope) if isinstance(x, Fact) and x.cls))


def printed(value: Any) -> str:
    """A value in a message: lists by size, numbers with four digits, unknown as `?`."""
    if type(value) is int:
        return str(value)
    if type(value) is Bag:
        return str(len(value))
    if type(value) is Unknown:
        return "?"
    if type(value) is Range:
        return f"{value.low:g} to {value.high:g}"
    if type(value) is Partial:
        return f"{len(value)} to {len(value) + len(value.undecided)}"
    if isinstance(value, list | Bag | dict):
        return str(len(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Text):
        return value.s
    return str(value)


KIND_ORDER = {"count": 0, "pattern": 1, "span": 2, "toolCall": 3, "citation": 4}


def ordered(evidence: list[Evidence]) -> list[Evidence]:
    """Each item once, by kind, at most 25."""
    unique: dict[Any, Evidence] = {tuple(sorted(e.items(), key=lambda kv: kv[0])): e for e in evidence}
    return sorted(unique.values(), key=lambda e: KIND_ORDER[e["type"]])[:MAX_EVIDENCE]


def distinct_places(ropes: Iterable[Any]) -> int:
    """Count ropes, those that rest on overlapping places as one."""
    groups: list[set[tuple[str, int, int]]] = []
    for rope in ropes:
        spans = span_keys(rope)
        apart = []
        for group in groups:
            if any(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for a in spans for b in group):
                spans |= group
            else:
                apart.append(group)
        groups = [*apart, spans]
    return len(groups)
