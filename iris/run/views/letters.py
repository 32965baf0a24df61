"""Characters brought to their plain form: invisible, accented, compatible and look-alike ones."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from iris.run.views.offsets import Offsets, Splice
from iris.run.views.tables import readings

# Category Cf, both ranges of variation selectors, tags, C1 controls, and the letters that show nothing.
_INVISIBLE = (
    "\x80-\x84\x86-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
_INVISIBLE_ASTRAL = "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
# The combining blocks used on Latin script.
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_WIDER_LATIN = "\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
_LATIN_LETTERS = f"A-Za-z{_WIDER_LATIN}"
# Greek, Cyrillic, Armenian, Coptic, Cherokee and Lisu: the scripts that have letters drawn like Latin ones.
_OTHER_BLOCKS = (
    (0x370, 0x377), (0x37B, 0x37D), (0x37F, 0x37F), (0x386, 0x386), (0x388, 0x3FF), (0x400, 0x481),
    (0x48A, 0x52F), (0x531, 0x556), (0x560, 0x588), (0x13A0, 0x13FD), (0x1C80, 0x1C88), (0x1F00, 0x1FBC),
    (0x1FC2, 0x1FCC), (0x1FD0, 0x1FDB), (0x1FE0, 0x1FEC), (0x1FF2, 0x1FFC), (0x2C80, 0x2CE4),
    (0xA4D0, 0xA4F7), (0xA640, 0xA66E), (0xA680, 0xA69B), (0xAB70, 0xABBF),
)  # fmt: skip
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_IS_INVISIBLE = re.compile(f"[{_INVISIBLE}{_INVISIBLE_ASTRAL}]")
_IS_ACCENT = re.compile(f"[{_ACCENTS}]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_IS_LATIN = re.compile(f"[{_LATIN_LETTERS}]")
_ASCII = bytes(range(128))
_LINE_BREAKS = "\x85\u2028\u2029"
_SHORT = 32  # a run this short is likely to come again; also the stream-safe limit of UAX 15 on marks
_FEW = 40
_MANY = 512  # from here on it pays to look for the changing characters instead of at every run


@dataclass(frozen=True, slots=True)
class _Scripts:
    """Patterns and tables for letters of other scripts drawn like Latin ones."""

    lookalike: re.Pattern[str]
    stretch: re.Pattern[str]
    word: re.Pattern[str]
    genuine: re.Pattern[str]
    alone: dict[int, str]
    beside_latin: dict[int, str]


def not_ascii(text: str) -> str:
    """Give the characters of a text outside ASCII, in order."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


def plain_letters(text: str) -> tuple[str, Offsets | None]:
    """Drop invisible characters and accents on Latin letters, and bring every character to NFKC."""
    rare = not_ascii(text)
    if not _may_change(rare) and unicodedata.is_normalized("NFKC", rare):
        return text, None
    if len(rare) < _MANY:
        return _replace_runs(text, _NOT_ASCII)
    distinct = frozenset(rare)
    moved = {character for character in distinct if _joins(character) or len(_plain(character)) != 1}
    changed = {ord(character): _plain(character) for character in distinct - moved}
    if not moved:
        return _read_each(text, {chr(code): new for code, new in changed.items() if new != chr(code)}), None
    spots = _ranges({code for code, new in changed.items() if new != chr(code)} | {ord(c) for c in moved})
    joining = _ranges({ord(character) for character in moved if _joins(character)})
    before = f"(?:[^\x00-\x7f](?=[{joining}]))?" if joining else ""
    return _replace_runs(text, re.compile(f"{before}[{spots}]+"))


def _read_each(text: str, readings: dict[str, str]) -> str:
    """Replace characters one for one; a few are sooner replaced one after another than looked up at every place."""
    if len(readings) > _FEW or not readings.keys().isdisjoint(readings.values()):
        return text.translate({ord(character): new for character, new in readings.items()})
    for character, new in readings.items():
        text = text.replace(character, new)
    return text


def _replace_runs(text: str, pattern: re.Pattern[str]) -> tuple[str, Offsets | None]:
    splice = Splice(text)
    for run in pattern.finditer(text):
        at = run.start()
        piece = run.group()
        for start, end, new in _seen_changes(piece) if len(piece) <= _SHORT else _changes(piece):
            splice.replace(at + start, at + end, new)
    return splice.done()


def undisguise(text: str) -> str:
    """Read look-alike letters as Latin where they stand for them, one for one; genuine words stay.

    In a word that has Latin letters every look-alike is read. A word without any is read only if it and the
    words around it, up to the next Latin letter, are made of letters drawn the same; a lower-case Greek
    letter alone is a symbol.
    """
    scripts = _scripts()
    if not scripts.lookalike.search(not_ascii(text)):
        return text
    parts: list[str] = []
    done = 0
    for found in scripts.stretch.finditer(text):
        start, end = found.span()
        first = _mixed_head(scripts, text, start)
        last = max(first, _mixed_tail(scripts, text, start, end))
        middle = text[first:last]
        if not scripts.genuine.search(middle):
            middle = scripts.word.sub(_read_alone, middle)
        beside = scripts.beside_latin
        parts += (text[done:start], text[start:first].translate(beside), middle)
        parts.append(text[last:end].translate(beside))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _mixed_head(scripts: _Scripts, text: str, start: int) -> int:
    """Where the word touching a Latin letter on the left ends, or the start if there is none."""
    word = scripts.word.match(text, start) if start and _IS_LATIN.match(text, start - 1) else None
    return word.end() if word else start


def _mixed_tail(scripts: _Scripts, text: str, start: int, end: int) -> int:
    """Where the word touching a Latin letter on the right begins, or the end if there is none."""
    if end < len(text) and _IS_LATIN.match(text, end):
        while end > start and scripts.word.match(text, end - 1):
            end -= 1
    return end


def _read_alone(word: re.Match[str]) -> str:
    letters = _IS_ACCENT.sub("", word.group())
    is_symbol = len(letters) == 1 and "α" <= letters <= "ω"
    return word.group() if is_symbol else word.group().translate(_scripts().alone)


def _changes(run: str) -> list[tuple[int, int, str]]:
    """Give the clusters of a non-ASCII run that change, with their plain forms."""
    changes = []
    start, size = 0, len(run)
    while start < size:
        end = start + 1
        while end < size and end - start < _SHORT and _joins(run[end]) and not run[start].isspace():
            end += 1
        cluster = run[start:end]
        new = _plain(cluster) if end == start + 1 else _plain_cluster(cluster)
        if new != cluster:
            changes.append((start, end, new))
        start = end
    return changes


@lru_cache(maxsize=8192)
def _seen_changes(run: str) -> list[tuple[int, int, str]]:
    return _changes(run)


@lru_cache(maxsize=65536)
def _joins(character: str) -> bool:
    """Whether a character belongs to the one before: marks, invisible ones, inner letters of Hangul."""
    if _IS_INVISIBLE.match(character):
        return True
    first = unicodedata.normalize("NFKC", character)[0]
    is_inner_hangul = "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7fb"
    return is_inner_hangul or unicodedata.category(first)[0] == "M"


@lru_cache(maxsize=65536)
def _plain(character: str) -> str:
    """The plain form of one character outside ASCII that has no marks after it."""
    if _IS_INVISIBLE.match(character) or _IS_ACCENT.match(character):
        return ""
    if character.isspace():
        return "\n" if character in _LINE_BREAKS else " "
    reading = readings().always.get(character)
    if reading is not None:
        return reading
    parts = unicodedata.normalize("NFKD", character)
    if _IS_LATIN.match(parts) or (len(parts) > 1 and parts[0] in " 0123456789"):
        new = unicodedata.normalize("NFKC", _IS_ACCENT.sub("", parts))
    else:
        new = unicodedata.normalize("NFKC", character)
    return new if new == character else _plain_all(new)


def _plain_cluster(cluster: str) -> str:
    """The plain form of a character with its marks; accents stay only on letters of other scripts."""
    shown = _IS_INVISIBLE.sub("", cluster)
    if not shown or _IS_ACCENT.match(shown):
        return _plain_all(_IS_ACCENT.sub("", shown))
    if len(shown) == 1:
        return _plain_all(shown)
    base = _plain_all(shown[0])
    if base.isascii() or not base.isalpha() or _IS_LATIN.match(base):
        return unicodedata.normalize("NFKC", base + _IS_ACCENT.sub("", shown[1:]))
    return unicodedata.normalize("NFKC", shown)


def _plain_all(text: str) -> str:
    return "".join(c if c.isascii() else _plain(c) for c in text)


def _may_change(rare: str) -> bool:
    """Whether `_plain` may change some character though it is in NFKC."""
    near, far = _changing()
    if near.search(rare):
        return True
    return bool(_ASTRAL.search(rare) and far.search(rare))


@cache
def _changing() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for the first 65,536 characters and for those after: a class that mixes them is slow."""
    always = {ord(c) for c in readings().always}
    near = _ranges({code for code in always if code < 0x10000})
    far = _ranges({code for code in always if code >= 0x10000})
    return (
        re.compile(f"[{_INVISIBLE}{_ACCENTS}\x85\u1680\u2028\u2029{_WIDER_LATIN}{near}]"),
        re.compile(f"[{_INVISIBLE_ASTRAL}{far}]"),
    )


@cache
def _scripts() -> _Scripts:
    known = readings()
    drawn = {ord(letter) for letter in known.alike}
    letters = {code for low, high in _OTHER_BLOCKS for code in range(low, high + 1)}
    anywhere = _ranges(letters)
    return _Scripts(
        lookalike=re.compile(f"[{_ranges(drawn | {ord(letter) for letter in known.similar})}]"),
        stretch=re.compile(f"[{anywhere}](?:[^{_LATIN_LETTERS}]*[{anywhere}{_ACCENTS}])?"),
        word=re.compile(f"[{anywhere}{_ACCENTS}]+"),
        genuine=re.compile(f"[{_ranges(letters - drawn)}]"),
        alone=str.maketrans(known.alike),
        beside_latin=str.maketrans({**known.similar, **known.alike}),
    )


def _ranges(codes: set[int]) -> str:
    """Write code points as the inside of a pattern's class; ranges compile faster than single characters."""
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))
