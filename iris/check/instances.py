"""Check an instance of a template: its parameters, each against its type."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from iris.check.patterns import pattern_problems
from iris.check.scope import full_name
from iris.check.sound import SoundRule
from iris.packs.documents import PackDoc, RuleDoc, Text
from iris.packs.reader import near
from iris.packs.source import Scalar, Source, problem_at
from iris.problems import Problem


def check_instance(pack: PackDoc, rule: RuleDoc, templates: dict[str, SoundRule], problems: list[Problem]) -> SoundRule | None:
    """Fill a template with an instance's parameters."""
    assert rule.use is not None
    template = templates.get(rule.use.text)
    if template is None:
        problems.append(problem_at("E208", f"there is no template `{rule.use.text}`", rule.use.at, "unknown", near(rule.use.text, templates)))
        return None
    found = parameter_problems(template, rule.arguments)
    problems += [Problem(p.code, p.message, rule.at.place(), p.label, p.help) for p in found]
    if found:
        return None
    config = {k: {**v, "default": rule.arguments.get(k, v["default"])} for k, v in template.config.items()}
    own = {
        "title": rule.title, "bundle": rule.bundle, "critical": rule.critical, "weight": rule.weight, "version": rule.version,
        "status": rule.status, "origin": "built-in" if pack.built_in else "custom",
        "about": rule.about or template.facts["about"], "remedy": rule.remedy or template.facts["remedy"],
    }
    facts = {**template.facts, **own}
    return replace(template, name=full_name(pack, rule.name), pack=pack.name, facts=facts, config=config, template=False, use=template.name)


def parameter_problems(template: SoundRule, arguments: dict[str, Any]) -> list[Problem]:
    """What is wrong with an instance's parameters; each problem names the field."""
    found = []
    for name in arguments:
        if name not in template.config:
            message = f"template `{template.name}` has no parameter `{name}`"
            found.append(Problem("E209", message, None, "unknown parameter", near(name, template.config)))
    for name, spec in template.config.items():
        if name in arguments:
            found += value_problems(name, spec["type"], arguments[name])
        elif spec["required"]:
            found.append(Problem("E209", f"template `{template.name}` needs `{name}`", None, "missing parameter", spec["about"]))
    return found


def value_problems(name: str, kind: str, value: Any) -> list[Problem]:
    """What is wrong with one setting's value."""
    if kind in ("count", "ratio", "usd", "ms", "number"):
        bad = isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value)
        if bad or (kind != "number" and value < 0):
            return [Problem("E210", f"`{name}` must be a number{'' if kind == 'number' else ' of at least 0'}", None, f"not a {kind}")]
        if kind == "count" and value != int(value):
            return [Problem("E210", f"`{name}` must be a whole number", None, "not a count")]
        return []
    if kind == "words":
        if not isinstance(value, list) or not value or not all(isinstance(v, str) and v.strip() for v in value):
            return [Problem("E210", f"`{name}` must be a list of at least one text, none of them empty", None, "not a list of texts")]
        return []
    if kind == "flag":
        return [] if isinstance(value, bool) else [Problem("E210", f"`{name}` must be true or false", None, "not a flag")]
    if kind in ("text", "pattern"):
        if not isinstance(value, str):
            return [Problem("E210", f"`{name}` must be a text", None, "not a text")]
        return _pattern(name, value) if kind == "pattern" else []
    return []


MAX_USER_PATTERN = 1000


def _pattern(name: str, value: str) -> list[Problem]:
    if len(value) > MAX_USER_PATTERN:
        return [Problem("E303", f"`{name}` has {len(value)} characters", None, f"at most {MAX_USER_PATTERN}")]
    scalar = Scalar(Source.of("", value), 0, len(value), value, "plain")
    return [
        Problem(p.code, f"`{name}`: {p.message}", None, p.label, p.help)
        for p in pattern_problems(Text(value, scalar))
        if p.code != "E306"
    ]
