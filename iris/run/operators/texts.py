"""Tests on texts, and texts made of texts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from iris.run.values import Args, Bag, Fact, Text, as_text, as_texts, fresh
from iris.run.views.words import is_unspaced
from iris.run.views.words import stem as stem_word


def contains(_c: Any, x: Any, wanted: Any) -> bool:
    """Whether any wanted text occurs in any of the texts, in folded case."""
    return _occurs(x, wanted, _anywhere)


def _anywhere(_text: str, _word: str) -> bool:
    return True


def mentions(_c: Any, x: Any, wanted: Any) -> bool:
    """Whether any wanted phrase occurs as whole words, in folded case."""
    return _occurs(x, wanted, _whole)


def _occurs(x: Any, wanted: Any, test: Callable[[str, str], bool]) -> bool:
    words = [plain(t) for t in as_texts(wanted)]
    for text in [x] if type(x) is Text else as_texts(x):
        folded = plain(text)
        for word in words:
            if word and word in folded and test(folded, word):
                return True
    return False


def occurrences(x: Any, wanted: Any, *, whole: bool) -> list[Text]:
    """Where wanted texts occur, for evidence: the first 25 places."""
    out: list[Text] = []
    for text in as_texts(x):
        for word in (plain(t) for t in as_texts(wanted)):
            pattern = r"\s+".join(re.escape(w) for w in word.split())
            for found in re.finditer(pattern, text.s, re.IGNORECASE) if word else ():
                if whole and not _stands_alone(text.s, found.start(), found.end()):
                    continue
                out.append(Text(text.view, text.start + found.start(), text.start + found.end()))
                if len(out) >= MOST_PLACES:
                    return out
    return out


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no word goes on over either end of a stretch."""
    left = start == 0 or not (_joins(text[start - 1]) and _joins(text[start]))
    return left and (end == len(text) or not (_joins(text[end]) and _joins(text[end - 1])))


MOST_PLACES = 25


def plain(text: Text) -> str:
    """A text in folded case with single spaces, kept on its view."""
    derived = text.view.derived
    key = ("plain", text.start, text.end)
    found: str | None = derived.get(key)
    if found is None:
        found = text.fold
        if "  " in found or "\n" in found or "\t" in found or found[:1] == " " or found[-1:] == " ":
            found = " ".join(found.split())
        derived[key] = found
    return found


def _whole(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        if _stands_alone(text, at, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(character: str) -> bool:
    """Letters, digits and `_` make words; scripts without spaces have no word borders to keep."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() and not is_unspaced(character)


def starts(_c: Any, x: Any, wanted: Any) -> bool:
    """Whether the text begins with one of the wanted texts."""
    return as_text(x).fold.startswith(tuple(t.fold for t in as_texts(wanted)))


def ends(_c: Any, x: Any, wanted: Any) -> bool:
    """Whether the text ends with one of the wanted texts."""
    return as_text(x).fold.endswith(tuple(t.fold for t in as_texts(wanted)))


def blank(_c: Any, x: Any) -> bool:
    """Whether nothing is there: null, false, no element, or no visible character."""
    if x is None or x is False:
        return True
    if isinstance(x, Text):
        return not x.s.strip()
    if isinstance(x, str):
        return not x.strip()
    if isinstance(x, dict | list | Args | Bag):
        return len(x) == 0
    return False


def lower(_c: Any, x: Any) -> Text:
    """Lower case."""
    return fresh(as_text(x).s.lower())


def digits(_c: Any, x: Any) -> Text:
    """The ASCII digits."""
    return fresh("".join(ch for ch in as_text(x).s if "0" <= ch <= "9"))


def stem(_c: Any, x: Any) -> Text:
    """The stem of a word."""
    return fresh(stem_word(as_text(x).s.lower()))


def entropy(_c: Any, x: Any) -> float:
    """Shannon entropy in bits a character (Shannon 1948); 0 for an empty text."""
    s = as_text(x).s
    n = len(s)
    return sum(k / n * math.log2(n / k) for k in Counter(s).values()) if n else 0.0


def _raw(x: Any) -> tuple[str | None, int, int, Any]:
    t = as_text(x)
    view = t.view
    start, end = view.raw(t.start, t.end)
    while view.parent is not None:
        view = view.parent
    return view.source, start, end, view


def inside(_c: Any, x: Any, regions: Any) -> bool:
    """Whether a part lies in one of the regions of the same raw text."""
    if not regions:
        return False
    part = as_text(x)
    place = None
    for region in regions:
        if isinstance(region, Text) and region.view is part.view:
            if region.start <= part.start and part.end <= region.end:
                return True
            continue
        place = place or _raw(part)
        _, low, high, other = _raw(region)
        if other is place[3] and low <= place[1] and place[2] <= high:
            return True
    return False


def within(_c: Any, x: Any, others: Any, n: float) -> bool:
    """Whether a part is at most n characters from one of the others, in the raw text."""
    if not others:
        return False
    _, start, end, root = _raw(x)
    for other in others:
        if not isinstance(other, Text):
            continue
        _, low, high, base = _raw(other)
        if base is root and max(low - end, start - high, 0) <= n:
            return True
    return False


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "contains": contains,
        "mentions": mentions,
        "starts": starts,
        "ends": ends,
        "blank": blank,
        "lower": lower,
        "digits": digits,
        "stem": stem,
        "entropy": entropy,
        "inside": inside,
        "within": within,
    }


__all__ = ["Fact", "operators"]
