"""Settings of rules against the types that the rules give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.problems import Problem, ProblemsFound
from iris.verdict.settings import Settings


def value_problems(settings: Settings, types: dict[str, dict[str, str]]) -> list[Problem]:
    """Settings whose value does not fit the type its rule gives; unknown names are found by the verdict stage."""
    from iris.check.instances import value_problems as check

    out: list[Problem] = []
    for rule, keys in settings.rules.items():
        for key, setting in keys.items():
            kind = types.get(rule, {}).get(key)
            if kind is not None:
                out += [
                    Problem(p.code, f"rule `{rule}`: {p.message}", None, p.label, p.help) for p in check(key, kind, setting.value)
                ]
    return out


def check_values(settings: Settings, plan: Mapping[str, Any]) -> None:
    """Raise ProblemsFound for settings of rules whose value does not fit."""
    types = {r["name"]: {k: v["type"] for k, v in r["config"].items()} for r in plan["rules"]}
    found = value_problems(settings, types)
    if found:
        raise ProblemsFound(found)
