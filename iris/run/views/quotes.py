"""Quoted stretches of a text, as spans."""

from __future__ import annotations

import re

from iris.run.views.lines import Span, fenced_spans

_LARGEST_SHARE = 0.6  # a longer quote is a wrapper: it is the text, not a quotation in it
# A look-ahead and what it found stand for a possessive group, which older versions of `re` let match too far.
# An apostrophe stands between letters; a single quote opens after something else and closes before it.
_SINGLE = r"'(?<!\w.)(?=\S)(?=(?P<single>(?:[^'\n]|(?<=\w)'(?=\w)){1,200}))(?P=single)'(?<!\s.)(?!\w)"
_DOUBLE = r'"(?<!\w.)(?P<double>[^"]{1,300}+)"(?!\w)'
_CODE = r"`(?:(?<!`.)(?P<code>[^`]{1,300}+)`(?!`)|`(?<!`..)(?P<code2>[^`]{1,300}+)``(?!`))"
_TYPOGRAPHIC = (
    "“(?P<smart>[^“”]{1,300}+)”|„(?P<low>[^„“”]{1,300}+)[“”]|«(?P<angle>[^«»]{1,300}+)»|»(?P<angle2>[^«»]{1,300}+)«"
    r"|‘(?=(?P<smart1>(?:[^‘’]|(?<=\w)’(?=\w)){1,200}))(?P=smart1)’(?!\w)|‚(?P<low1>[^‚‘’]{1,200}+)[‘’]"
    "|‹(?P<angle3>[^‹›]{1,200}+)›|›(?P<angle4>[^‹›]{1,200}+)‹"
    "|「(?P<corner>[^「」]{1,300}+)」|『(?P<corner2>[^『』]{1,300}+)』|〝(?P<prime>[^〝〟]{1,300}+)〟"
)
_ONLY_SINGLE = re.compile(_SINGLE)
_STRAIGHT = re.compile(f"{_DOUBLE}|{_SINGLE}|{_CODE}")
_ALL = re.compile(f"{_DOUBLE}|{_SINGLE}|{_CODE}|{_TYPOGRAPHIC}")
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")


def quoted_spans(text: str) -> list[Span]:
    """Give the insides of quotes: at most 300 characters, 200 in single quotes, none across a blank line.

    Apostrophes and fences quote nothing, and a quote longer than 60 % of the text is left out.
    """
    pattern = _pattern(text)
    if pattern is None:
        return []
    limit = len(text) * _LARGEST_SHARE
    spans: list[Span] = []
    start = 0
    for first, last in [*fenced_spans(text), (len(text), len(text))]:
        _collect(spans, pattern, text, (start, first), limit)
        start = last
    return spans


def _pattern(text: str) -> re.Pattern[str] | None:
    if not text.isascii():
        return _ALL
    if '"' in text or "`" in text:
        return _STRAIGHT
    return _ONLY_SINGLE if "'" in text else None


def _collect(spans: list[Span], pattern: re.Pattern[str], text: str, region: Span, limit: float) -> None:
    for found in pattern.finditer(text, *region):
        start, end = found.span(found.lastgroup or 0)
        if end - start > limit:
            _collect(spans, pattern, text, (start, end), limit)
        elif "\n" not in found.group() or not _BLANK_LINE.search(text, start, end):
            spans.append((start, end))
