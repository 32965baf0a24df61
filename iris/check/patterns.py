"""Check the pattern of a detector: RE2 syntax, size, groups, and what RE2 reads differently."""

from __future__ import annotations

import re

import re2

from iris.packs.documents import Text
from iris.problems import Problem

MAX_PATTERN = 4096
MAX_PROGRAM = 6000
"""Instructions of a compiled pattern; time per byte grows with it (measured: at most 14 ns each)."""

REWRITES = (
    (r"\(\?[=!]", "look-ahead is not linear: match more and test it in `where:` or `except:` with text_after(match, n)"),
    (r"\(\?<[=!]", "look-behind is not linear: test it in `where:` or `except:` with text_before(match, n)"),
    (r"\\[1-9]", "back-references are not linear: name two groups and compare them in `where:`"),
    (r"\(\?P=", "back-references are not linear: name two groups and compare them in `where:`"),
    (r"\(\?>", "atomic groups do nothing in a linear engine: use `(?:…)`"),
    (r"[*+?}]\+", "possessive repeats do nothing in a linear engine: drop the second `+`"),
    (r"\\Z", "write `\\z` for the end of the text"),
    (r"\\u[0-9a-fA-F]{4}", "write `\\x{…}` for a code point"),
    (r"\(\?#", "patterns have no comments: say it in the detector's `about:`"),
    (r"\(\?[xauL]", "of inline flags there are i, m, s and U"),
)


def options(max_mem: int = 8 << 20) -> re2.Options:
    """RE2 options that never print to standard error."""
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.max_mem = max_mem
    return chosen


def pattern_problems(pattern: Text) -> list[Problem]:
    """Everything wrong with a pattern, at its place."""
    at = pattern.at
    if len(pattern.text) > MAX_PATTERN:
        return [
            Problem(
                "E303",
                f"the pattern has {len(pattern.text)} characters",
                at.place(),
                f"at most {MAX_PATTERN}",
                "split it into detectors",
            )
        ]
    try:
        compiled = re2.compile(pattern.text, options())
    except re2.error as error:
        return [_refused(pattern, _reason(error))]
    found = []
    if compiled.programsize > MAX_PROGRAM:
        message = f"the pattern compiles to {compiled.programsize} instructions"
        found.append(Problem("E303", message, at.place(), f"at most {MAX_PROGRAM}", "shorten counted repeats such as {1,300}"))
    if compiled.search("") is not None:
        found.append(
            Problem(
                "E306",
                "the pattern matches an empty text, so it hits everywhere",
                at.place(),
                "too wide",
                "make a part compulsory",
            )
        )
    brace = re.search(r"\{,\d+\}", pattern.text)
    if brace:
        place = at.place_of(brace.start(), brace.end())
        found.append(
            Problem("E302", f"RE2 reads `{brace[0]}` as plain characters", place, "no repeat", f"write `{{0{brace[0][1:]}`")
        )
    return found


def _reason(error: Exception) -> str:
    raw = error.args[0] if error.args else error
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _refused(pattern: Text, reason: str) -> Problem:
    """Point at what RE2 names, with the rewrite when there is one."""
    fragment = reason.partition(": ")[2]
    for syntax, rewrite in REWRITES:
        for found in re.finditer(syntax, pattern.text):
            if found[0].startswith(fragment) or fragment.startswith(found[0]):
                place = pattern.at.place_of(found.start(), found.end())
                return Problem("E302", f"RE2 can not run the pattern: {reason}", place, "not supported", rewrite)
    at = pattern.text.find(fragment) if fragment else -1
    place = pattern.at.place_of(at, at + len(fragment)) if at >= 0 else pattern.at.place()
    return Problem(
        "E302", f"the pattern does not compile: {reason}", place, "here", _repeat(fragment) or "patterns are RE2 syntax"
    )


def _repeat(fragment: str) -> str:
    return "a repeat may count to 1000, nested ones multiplied" if re.fullmatch(r"\{[\d,]+\}", fragment) else ""


def group_names(pattern: str) -> list[str]:
    """The named groups of a pattern; empty when it does not compile."""
    try:
        return list(re2.compile(pattern, options()).groupindex)
    except re2.error:
        return []


def phrase_pattern(phrases: list[str]) -> str:
    """One pattern for phrases: any case, whole words, any white space between words."""
    return "(?i)(?:" + "|".join(_phrase(p) for p in phrases) + ")"


def _phrase(phrase: str) -> str:
    words = phrase.split()
    body = r"\s+".join(re2.escape(w) for w in words)
    first, last = phrase.strip()[:1], phrase.strip()[-1:]
    return ("\\b" if _word(first) else "") + body + ("\\b" if _word(last) else "")


def _word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
