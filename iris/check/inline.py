"""Compile one condition against a plan that is already loaded, without reading any pack again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.check.expression import ExpressionChecker
from iris.check.needs import Needs, needs_of
from iris.check.scope import Scope, World
from iris.check.sound import SoundText
from iris.packs.documents import DefinitionDoc, Text
from iris.packs.source import Scalar, Source
from iris.problems import Problem


def world_of_plan(plan: Mapping[str, Any]) -> World:
    """The shared names of a plan."""
    detectors: dict[str, dict[str, str]] = {}
    for d in plan["detectors"]:
        if ":" not in d["name"] and "/" not in d["name"]:
            group, _, name = d["name"].rpartition(".")
            detectors.setdefault(group, {})[name] = d["name"]
    nowhere = Scalar(Source.of("", ""), 0, 0, "", "plain")
    definitions = {
        name: (name, DefinitionDoc(name, tuple(f"p{i}" for i in range(u["parameters"])), nowhere, Text("", nowhere)))
        for name, u in plan["definitions"].items()
    }
    return World(detectors, {}, {n: n for n in plan["lists"]}, {n: n for n in plan["tables"]}, definitions)


def check_condition(plan: Mapping[str, Any], condition: str, file: str) -> tuple[SoundText | None, Needs, list[Problem]]:
    """Check a condition that fails a rule when it holds; gives it, the inputs it needs, and the problems."""
    problems: list[Problem] = []
    scalar = Scalar(Source.of(file, condition), 0, len(condition), condition, "plain")
    sound = ExpressionChecker(problems).check(Text(condition, scalar), Scope(world_of_plan(plan), "rule"), "flag")
    known = {name: Needs(set(n["reads"]), set(n["required"])) for name, n in plan["definition_needs"].items()}
    return sound, needs_of(sound.node, {}, {}, known) if sound else Needs(), problems
