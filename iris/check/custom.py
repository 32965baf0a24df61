"""Definitions of custom rules (type, config, weight) to rules: strictly checked, every problem names its field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iris.check.instances import is_number, value_problems
from iris.packs.reader import near
from iris.problems import Problem

TYPES = (
    "regex_match",
    "regex_no_match",
    "min_length",
    "max_length",
    "contains_keywords",
    "excludes_keywords",
    "json_schema",
    "cost_threshold",
    "expression",
)
KEYS = ("name", "type", "config", "weight", "severity")
SEVERITIES = ("low", "medium", "high", "critical")
ALIASES: dict[str, dict[str, str]] = {
    "min_length": {"length": "min_length", "min": "min_length", "minLength": "min_length"},
    "max_length": {"length": "max_length", "max": "max_length", "maxLength": "max_length"},
    "cost_threshold": {"maxCost": "max_cost"},
}
FLAGS = {"i": "i", "m": "m", "s": "s"}
IGNORED_FLAGS = "gu"
"""`g` and `u` change nothing: a rule asks whether the pattern occurs, and texts are Unicode."""
LEAST_ONE = ("min_length", "max_length")
SHARES = ("threshold",)
"""Settings that are a part of a whole, so that above 1 no answer could meet them."""


@dataclass(frozen=True, slots=True)
class CustomRule:
    """A checked definition: the template and its arguments, or a condition of its own."""

    name: str
    type: str
    arguments: dict[str, Any]
    condition: str | None
    weight: float
    critical: bool


def _problem(field: str, message: str, label: str = "", help_line: str = "") -> Problem:
    return Problem("E501", f"{field}: {message}", None, label, help_line)


def check_definition(
    definition: Any, templates: Mapping[str, Mapping[str, Mapping[str, Any]]], *, severity: str | None = None
) -> tuple[CustomRule | None, list[Problem]]:
    """Check one definition. `templates` gives each template's parameters: type, default, required."""
    if not isinstance(definition, Mapping):
        return None, [_problem("definition", "must be an object", "not an object", "such as {name, type, config}")]
    unknown = [str(k) for k in definition if k not in KEYS]
    found = [_problem(k, "is no key of a definition", "unknown key", near(k, KEYS)) for k in unknown]
    name = definition.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= 80 or not name.strip():
        found.append(_problem("name", "must be a text of 1 to 80 characters", "no name", "reports show it"))
    kind = definition.get("type")
    if kind not in TYPES:
        found.append(_problem("type", f"`{kind}` is no type of rule", "unknown type", near(str(kind), TYPES)))
        return None, found
    found += _weight(definition.get("weight", 1)) + _severity(definition.get("severity", severity))
    config = definition.get("config", {})
    if not isinstance(config, Mapping):
        return None, [*found, _problem("config", "must be an object", "not an object", "the settings of the type by name")]
    arguments, problems = _arguments(kind, dict(config), templates)
    found += problems
    if found:
        return None, found
    chosen = definition.get("severity") or severity or "medium"
    condition = arguments.pop("condition") if kind == "expression" else None
    return CustomRule(
        str(name), kind, arguments, condition, float(definition.get("weight", 1)), chosen in ("high", "critical")
    ), []


def _weight(weight: Any) -> list[Problem]:
    good = is_number(weight) and 0 < weight <= HEAVIEST
    return [] if good else [_problem("weight", f"must be a number above 0, at most {HEAVIEST}", "no weight", "1 when left out")]


HEAVIEST = 1000


def _severity(severity: Any) -> list[Problem]:
    hint = "high and critical make the rule critical"
    known = severity is None or severity in SEVERITIES
    return [] if known else [_problem("severity", "must be low, medium, high or critical", "unknown severity", hint)]


def _arguments(kind: str, config: dict[str, Any], templates: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    if kind == "expression":
        return _expression(config)
    for alias, name in ALIASES.get(kind, {}).items():
        if alias in config and name not in config:
            config[name] = config.pop(alias)
    found = _fold_flags(config) if kind.startswith("regex") else []
    parameters = templates[kind]
    for key in config:
        if key not in parameters:
            found.append(_problem(f"config.{key}", f"is no setting of {kind}", "unknown key", near(key, parameters)))
    for key, spec in parameters.items():
        if key in config:
            wrong = value_problems(key, spec["type"], config[key])
            found += [_problem(f"config.{key}", p.message.removeprefix(f"`{key}`").lstrip(": "), p.label, p.help) for p in wrong]
            if key in LEAST_ONE and not wrong and config[key] < 1:
                found.append(_problem(f"config.{key}", "must be at least 1", "too small", "count characters"))
            if key in SHARES and not wrong and config[key] > 1:
                found.append(_problem(f"config.{key}", "must be at most 1", "too large", "a share of the keywords, such as 0.5"))
        elif spec["required"]:
            found.append(_problem(f"config.{key}", f"{kind} needs it", "missing key", spec.get("about", "")))
    found += _schema(config.get("schema")) if kind == "json_schema" else []
    return config, found


def _expression(config: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    unknown = [str(k) for k in config if k != "fail_when"]
    found = [_problem(f"config.{k}", "is no setting of expression", "unknown key", "expression takes fail_when") for k in unknown]
    condition = config.get("fail_when")
    if not isinstance(condition, str) or not condition.strip():
        found.append(_problem("config.fail_when", "must be a condition", "missing", 'such as `not mentions(output, "refund")`'))
    return {"condition": condition}, found


def _fold_flags(config: dict[str, Any]) -> list[Problem]:
    """Write the flags into the pattern, as RE2 reads them."""
    flags = config.pop("flags", "")
    if not isinstance(flags, str) or any(ch not in FLAGS and ch not in IGNORED_FLAGS for ch in flags):
        return [
            _problem("config.flags", "may hold i, m and s", "unknown flag", "g and u are ignored; write others into the pattern")
        ]
    kept = "".join(sorted({ch for ch in flags if ch in FLAGS}))
    if kept and isinstance(config.get("pattern"), str):
        config["pattern"] = f"(?{kept}){config['pattern']}"
    return []


def _schema(schema: Any) -> list[Problem]:
    if schema is None:
        return []
    if not isinstance(schema, Mapping | bool):
        return [_problem("config.schema", "must be a JSON Schema", "no schema", "an object, or true or false")]
    import json

    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"the remote reference {uri} is refused")

    try:
        if len(json.dumps(schema)) > 65_536:
            return [_problem("config.schema", "has more than 64 kB", "too large", "keep to the fields that matter")]
        jsonschema_rs.validator_for(
            dict(schema) if isinstance(schema, Mapping) else schema,
            retriever=refuse,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except (ValueError, TypeError, RecursionError) as error:
        what = f"can not be used: {str(error).splitlines()[0][:200]}"
        return [_problem("config.schema", what, "no schema", "JSON Schema 2020-12 without remote references")]
    return []
