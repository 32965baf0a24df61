"""Keeps what a leak finding matched out of every report (masking by place and by content)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iris.report.judged import Judged, results_of
from iris.report.sources import Texts
from iris.report.text import is_hidden

LEAK_CLASSES = frozenset({"pii_leak", "credential_leak"})
GRAM = 12
"""No stretch of a secret this long is ever shown, wherever it stands."""
SHORTEST = 5
"""Secrets shorter than this are masked where they were found, and not looked for elsewhere."""
PREFIX = 4
EVIDENCE_CAP = 25
"""The contract's bound on evidence of one rule: at the bound there may be leaks that nobody listed."""
DOT = "•"
# RFC 7468: a header alone is often all that a detector matched; the key is what follows it.
PRIVATE_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]+-----|\Z)", re.DOTALL)
NAMES = frozenset({"id", "trace_id", "ruleId", "ruleName", "by", "critical_failures", "critical_skipped"})
"""Keys whose values name runs and rules; they are not text of a run."""
TOKEN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/")

Stretch = tuple[int, int]


def _folded(text: str) -> str:
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _widened(text: str, start: int, stop: int) -> Stretch:
    # A capped pattern matches a part of a token; the whole token is the secret then.
    while start > 0 and text[start - 1] in TOKEN:
        start -= 1
    while stop < len(text) and (text[stop] in TOKEN or text[stop] == "="):
        stop += 1
    return start, stop


def _merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    merged: list[Stretch] = []
    for start, stop in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _masked(text: str, stretches: Iterable[Stretch]) -> str:
    pieces, at = [], 0
    for start, stop in stretches:
        # At most a quarter, so that a short secret is not given away by its prefix.
        shown = start + min(PREFIX, (stop - start) // 4)
        pieces += [text[at:shown], DOT * (stop - shown)]
        at = stop
    return "".join([*pieces, text[at:]])


@dataclass(frozen=True, slots=True)
class Veil:
    """What must stay hidden in the report about one run."""

    spans: Mapping[str, tuple[Stretch, ...]] = field(default_factory=dict)
    grams: frozenset[str] = frozenset()
    short: tuple[str, ...] = ()
    withheld: bool = False
    """No text of the run can be shown safely: leaks may be unlisted, or could not be placed."""

    @property
    def clear(self) -> bool:
        """Tell whether nothing was found that must be hidden."""
        return not (self.spans or self.grams or self.short)

    def _matched(self, text: str) -> Iterator[Stretch]:
        if self.clear:
            return
        folded = _folded(text)
        if self.grams:
            yield from ((i, i + GRAM) for i in range(len(text) - GRAM + 1) if folded[i : i + GRAM] in self.grams)
        for secret in self.short:
            yield from ((m.start(), m.end()) for m in re.finditer(re.escape(secret), folded))

    def covered(self, text: str, source: str = "") -> list[Stretch]:
        """Return the stretches of a text that must not be shown, in order and apart."""
        found = [*self.spans.get(source, ()), *self._matched(text)]
        blocks = [m.span() for m in PRIVATE_BLOCK.finditer(text)] if "PRIVATE KEY" in text else []
        return _merged([*(_widened(text, *stretch) for stretch in _merged(found)), *blocks])

    def mask(self, text: str, source: str = "") -> str:
        """Return a text of the same length in which each secret is a short prefix and dots."""
        return _masked(text, self.covered(text, source))

    def scrub(self, value: Any) -> Any:
        """Return a JSON value with every secret masked in every text of it, names of rules and runs kept."""
        if self.clear:
            return value
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            return {key: item if key in NAMES else self.scrub(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.scrub(item) for item in value]
        return value


def _leaks(judged: Judged) -> list[Mapping[str, Any]]:
    return [r for r in results_of(judged) if not LEAK_CLASSES.isdisjoint(r.get("classes", ()))]


def _secrets(texts: Iterable[str]) -> set[str]:
    plain = {_folded(text) for text in texts}
    return plain | {"".join(c for c in text if not is_hidden(c)) for text in plain}


def veil_of(judged: Judged) -> Veil:
    """Gather what the leak findings of a run matched, so that no report shows it."""
    leaks = _leaks(judged)
    if not leaks:
        return Veil()
    texts = Texts(judged.run)
    spans: dict[str, list[Stretch]] = {}
    matched: list[str] = []
    withheld = any(len(r.get("evidence", ())) >= EVIDENCE_CAP for r in leaks)
    for item in (e for r in leaks for e in r.get("evidence", ()) if e["type"] == "span"):
        text = texts.get(item["source"])
        if text is None or not 0 <= item["start"] <= item["end"] <= len(text):
            withheld = True
            continue
        spans.setdefault(item["source"], []).append((item["start"], item["end"]))
        matched.append(text[item["start"] : item["end"]])
    secrets = _secrets(matched)
    return Veil(
        spans={source: tuple(found) for source, found in spans.items()},
        grams=frozenset(s[i : i + GRAM] for s in secrets for i in range(len(s) - GRAM + 1)),
        short=tuple(sorted(s for s in secrets if SHORTEST <= len(s) < GRAM)),
        withheld=withheld,
    )


@dataclass(frozen=True, slots=True)
class Scene:
    """A judged run as a report may show it: its texts, with every leak masked."""

    judged: Judged
    veil: Veil
    texts: Texts
    _masked: dict[str, str | None] = field(default_factory=dict)

    def text(self, source: str) -> str | None:
        """Return the text a span points into, masked, or None when it is not in the run."""
        if source not in self._masked:
            text = self.texts.get(source)
            self._masked[source] = None if text is None else self.veil.mask(text, source)
        return self._masked[source]


def scene_of(judged: Judged) -> Scene:
    """Return a judged run with its veil."""
    return Scene(judged, veil_of(judged), Texts(judged.run))
