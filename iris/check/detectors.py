"""Check detectors: pattern, groups, conditions, examples."""

from __future__ import annotations

from collections.abc import Iterable

from iris.check.expression import ExpressionChecker
from iris.check.patterns import group_names, pattern_problems, phrase_pattern
from iris.check.scope import Scope, World
from iris.check.sound import SoundDetector, SoundText
from iris.language.paths import RESERVED_GROUPS
from iris.packs.documents import DetectorDoc, SettingDoc, Text
from iris.packs.reader import near
from iris.packs.source import problem_at
from iris.problems import Problem

LEAST_EXAMPLES = 2


def check_detector(
    doc: DetectorDoc,
    full: str,
    group: str,
    world: World,
    problems: list[Problem],
    *,
    parameters: dict[str, SettingDoc] | None = None,
    local: dict[str, str] | None = None,
    examples_needed: bool = True,
) -> SoundDetector | None:
    """Check one detector; None when it can not be used."""
    before = len(problems)
    pattern = _pattern(doc, problems)
    names = frozenset(group_names(pattern)) if pattern else frozenset()
    if doc.regex:
        _reserved(doc.regex, names, problems)
    if doc.regex_from:
        _parameter(doc.regex_from, parameters or {}, problems)
    if examples_needed and not doc.regex_from and doc.examples_read:
        _examples(doc, problems)
    scope = Scope(world, "detector", groups=names, local_detectors=local or {})
    checker = ExpressionChecker(problems)
    where = _maybe(checker, doc.where, scope, "flag")
    excepts = [x for e in doc.excepts if (x := checker.check(e, scope, "flag")) is not None]
    key = _maybe(checker, doc.key, scope, "any")
    value = _maybe(checker, doc.value, scope, "any")
    if len(problems) > before:
        return None
    return SoundDetector(
        full,
        group,
        doc.cls.text if doc.cls else None,
        pattern,
        doc.regex_from.text if doc.regex_from else None,
        where,
        tuple(excepts),
        key,
        value,
        tuple(t.text for t in doc.hits),
        tuple(t.text for t in doc.misses),
    )


def _maybe(checker: ExpressionChecker, text: Text | None, scope: Scope, want: str) -> SoundText | None:
    return checker.check(text, scope, want) if text else None


def _pattern(doc: DetectorDoc, problems: list[Problem]) -> str | None:
    if doc.regex:
        problems += pattern_problems(doc.regex)
        return doc.regex.text
    if doc.phrases:
        for phrase in doc.phrases:
            if not phrase.text.strip():
                problems.append(Problem("E306", "an empty phrase hits everywhere", phrase.at.place(), "empty", "remove it"))
        return phrase_pattern([p.text for p in doc.phrases])
    return None


def _parameter(name: Text, parameters: dict[str, SettingDoc], problems: list[Problem]) -> None:
    """A pattern from outside: there must be such a parameter, and it must hold a pattern."""
    known = parameters.get(name.text)
    if known is None:
        hint = near(name.text, parameters) or "`regex_from` stands in a template, whose `parameters` it names"
        problems.append(problem_at("E015", f"there is no parameter `{name.text}`", name.at, "unknown parameter", hint))
    elif known.type != "pattern":
        problems.append(
            problem_at(
                "E019", f"`{name.text}` holds a {known.type}", name.at, "not a pattern", "give the parameter `type: pattern`"
            )
        )


def _reserved(regex: Text, names: Iterable[str], problems: list[Problem]) -> None:
    for name in sorted(set(names) & set(RESERVED_GROUPS)):
        at = regex.text.find(f"<{name}>")
        place = regex.at.place_of(at + 1, at + 1 + len(name))
        problems.append(
            Problem(
                "E031",
                f"a group may not be called `{name}`",
                place,
                "reserved",
                "every fact has a field of that name: choose another",
            )
        )


def _examples(doc: DetectorDoc, problems: list[Problem]) -> None:
    for what, texts in (("hit", doc.hits), ("miss", doc.misses)):
        if len(texts) < LEAST_EXAMPLES:
            problems.append(
                Problem(
                    "E304",
                    f"detector `{doc.name}` shows {len(texts)} examples that {what}",
                    doc.at.place(),
                    f"at least {LEAST_EXAMPLES}",
                    f"add `examples: {{hit: […], miss: […]}}` with texts that {what}",
                )
            )
