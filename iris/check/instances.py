"""Check an instance of a template: its parameters, each against its type."""

from __future__ import annotations

import math
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from iris.check.patterns import pattern_problems
from iris.check.scope import full_name
from iris.check.sound import SoundRule
from iris.packs.documents import PackDoc, RuleDoc, Text
from iris.packs.reader import JSON_NUMBER, near
from iris.packs.source import Mapping, Scalar, Source, YamlNode, problem_at
from iris.problems import Problem


def check_instance(
    pack: PackDoc, rule: RuleDoc, templates: AnyMapping[str, SoundRule], problems: list[Problem]
) -> SoundRule | None:
    """Fill a template with an instance's parameters."""
    assert rule.use is not None
    template = templates.get(full_name(pack, rule.use.text)) or templates.get(rule.use.text)
    if template is None:
        prefix = f"{pack.name}/"
        known = [name.removeprefix(prefix) for name in templates if "/" not in name or name.startswith(prefix)]
        problems.append(
            problem_at("E208", f"there is no template `{rule.use.text}`", rule.use.at, "unknown", near(rule.use.text, known))
        )
        return None
    found = _placed(rule, parameter_problems(template, rule.arguments))
    problems += found
    if found:
        return None
    config = {
        k: {**v, "default": rule.arguments[k], "given": "config"} if k in rule.arguments else v
        for k, v in template.config.items()
    }
    own = {
        "title": rule.title,
        "bundle": rule.bundle,
        "critical": rule.critical,
        "weight": rule.weight,
        "version": rule.version,
        "status": rule.status,
        "origin": "built-in" if pack.built_in else "custom",
        "about": rule.about or template.facts["about"],
        "remedy": rule.remedy or template.facts["remedy"],
    }
    facts = {**template.facts, **own}
    return replace(
        template, name=full_name(pack, rule.name), pack=pack.name, facts=facts, config=config, template=False, use=template.name
    )


def _placed(rule: RuleDoc, found: list[tuple[str | None, Problem]]) -> list[Problem]:
    """Point each problem at the parameter it is about: its name when it is unknown, else its value."""
    items: Sequence[tuple[Scalar, YamlNode]] = rule.arguments_at.items if isinstance(rule.arguments_at, Mapping) else ()
    keys: dict[str, tuple[YamlNode, YamlNode]] = {key.text: (key, value) for key, value in items}
    out = []
    for name, p in found:
        key, value = keys.get(name or "", (rule.at, rule.at))
        at = key if p.code == "E209" else value
        out.append(Problem(p.code, p.message, at.place(), p.label, p.help))
    return out


def parameter_problems(template: SoundRule, arguments: dict[str, Any]) -> list[tuple[str | None, Problem]]:
    """What is wrong with an instance's parameters, each with the parameter's name; None when it is missing."""
    found: list[tuple[str | None, Problem]] = []
    for name in arguments:
        if name not in template.config:
            message = f"template `{template.name}` has no parameter `{name}`"
            found.append((name, Problem("E209", message, None, "unknown parameter", near(name, template.config))))
    for name, spec in template.config.items():
        if name in arguments:
            found += [(name, p) for p in value_problems(name, spec["type"], arguments[name])]
        elif spec["required"]:
            message = f"template `{template.name}` needs `{name}`"
            found.append((None, Problem("E209", message, None, "missing parameter", spec["about"])))
    return found


def value_problems(name: str, kind: str, value: Any) -> list[Problem]:
    """What is wrong with one setting's value."""
    if kind in ("count", "ratio", "usd", "ms", "number"):
        return _number(name, kind, value)
    if kind == "words" and not (isinstance(value, list) and value and all(isinstance(v, str) and v.strip() for v in value)):
        return [_wrong(name, "a list of at least one text, none of them empty", "a list of texts", "write `[a, b]`")]
    if kind == "flag" and not isinstance(value, bool):
        return [_wrong(name, "true or false", "a flag", "write it without quotes")]
    if kind in ("text", "pattern"):
        if not isinstance(value, str):
            return [_wrong(name, "a text", "a text", "put it in quotes")]
        return _pattern(name, value) if kind == "pattern" else []
    return []


def _wrong(name: str, wanted: str, what: str, hint: str = "") -> Problem:
    return Problem("E210", f"`{name}` must be {wanted}", None, f"not {what}", hint)


EXAMPLES = {"count": "3", "ratio": "0.5", "usd": "0.25", "ms": "2000", "number": "1.5"}


def is_number(value: Any) -> bool:
    """Whether a value is a number that a floating-point number can hold (true is none)."""
    try:
        return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False


def _number(name: str, kind: str, value: Any) -> list[Problem]:
    bad = not is_number(value)
    if bad or (kind != "number" and value < 0):
        least = "" if kind == "number" else " of at least 0"
        quoted = isinstance(value, str) and JSON_NUMBER.match(value)
        return [
            _wrong(name, f"a number{least}", f"a {kind}", "write it without quotes" if quoted else f"such as {EXAMPLES[kind]}")
        ]
    whole = kind != "count" or value == int(value)
    return [] if whole else [_wrong(name, "a whole number", "a count", f"such as {EXAMPLES[kind]}")]


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
