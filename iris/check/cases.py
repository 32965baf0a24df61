"""Check what a rule's cases say: that there are enough, and that they name signals and settings that exist."""

from __future__ import annotations

from collections.abc import Mapping

from iris.check.instances import value_problems
from iris.packs.documents import CaseDoc, PackDoc, RuleDoc
from iris.packs.fields import EXPECTATIONS
from iris.packs.reader import near
from iris.packs.source import problem_at
from iris.problems import Problem


def check_cases(
    pack: PackDoc, rule: RuleDoc, settings: Mapping[str, str], signals: set[str] | None, problems: list[Problem]
) -> None:
    """Check all cases of a rule; `settings` gives the type of each, `signals` is None when they are the template's."""
    kinds = {c.expect for c in rule.cases}
    for kind in ("fail", "pass"):
        if kind not in kinds and kinds <= set(EXPECTATIONS) and not pack.deployed:
            message = f"rule `{rule.name}` has no case that expects {kind}"
            problems.append(problem_at("E202", message, rule.at, "untested", f"add a case with `expect: {kind}`"))
    seen: set[str] = set()
    for case in rule.cases:
        if case.name in seen:
            message = f"two cases are called `{case.name}`"
            problems.append(problem_at("E203", message, case.at, "again", "give each case its own name"))
        seen.add(case.name)
        problems += _settings(case, settings)
        for at in case.signals_at if signals is not None else ():
            if at.text not in (signals or ()):
                hint = near(at.text, signals or ()) or "only a rule with `signals:` or `advise:` has signals to name"
                problems.append(problem_at("E204", f"rule `{rule.name}` has no signal `{at.text}`", at, "unknown signal", hint))


def _settings(case: CaseDoc, settings: Mapping[str, str]) -> list[Problem]:
    out = []
    for key, value in case.config_at:
        kind = settings.get(key.text)
        if kind is None:
            hint = near(key.text, settings) or "this rule has no settings"
            out.append(problem_at("E015", f"there is no setting `{key.text}`", key, "unknown setting", hint))
            continue
        given = case.config[key.text]
        if given == []:
            continue
        place = value.place()
        out += [Problem(p.code, p.message, place, p.label, p.help) for p in value_problems(key.text, kind, given)]
    return out
