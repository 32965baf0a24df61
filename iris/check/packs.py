"""Check all packs together: shared names, definitions, detectors, rules, instances."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from iris.check.cases import check_cases
from iris.check.detectors import check_detector
from iris.check.expression import ExpressionChecker
from iris.check.instances import check_instance
from iris.check.rules import IDLE_IN_INSTANCE, RuleChecker, idle_keys
from iris.check.scope import Scope, World, full_name, world_of
from iris.check.sound import SoundDefinition, SoundDetector, SoundPacks, SoundRule, SoundText
from iris.language.operators import operators
from iris.language.paths import PATHS
from iris.language.types import ANY, Type
from iris.packs.documents import DefinitionDoc, PackDoc, RuleDoc
from iris.packs.source import YamlNode, problem_at
from iris.problems import Problem

RESERVED = ("config", "lists", "tables", "match", "fired")
"""Names that an expression gives a meaning of its own."""


def check_packs(packs: list[PackDoc], policy: dict[str, Any], problems: list[Problem]) -> SoundPacks:
    """Check every pack; what is sound is returned even when other things are not."""
    _duplicates(packs, problems)
    worlds = {p.name: world_of(p, packs) for p in packs}
    definitions, detectors, rules = {}, [], []
    types: dict[str, Type] = {}
    for pack in packs:
        definitions.update(_definitions(pack, worlds[pack.name], types, problems))
    for pack in packs:
        detectors += _shared_detectors(pack, worlds[pack.name], problems)
    for pack in packs:
        for rule in pack.rules:
            if rule.use is not None:
                continue
            found = RuleChecker(pack, rule, worlds[pack.name], definitions, problems).check()
            if found is not None:
                rules.append(found[0])
                detectors += found[1]
    templates = {r.name: r for r in rules if r.template}
    for pack in packs:
        for rule in pack.rules:
            if rule.use is not None:
                instance = _instance(pack, rule, templates, problems)
                rules += [instance] if instance else []
    return _gather(packs, rules, detectors, definitions, policy)


def _instance(pack: PackDoc, rule: RuleDoc, templates: Mapping[str, SoundRule], problems: list[Problem]) -> SoundRule | None:
    problems += idle_keys(rule, dict.fromkeys(IDLE_IN_INSTANCE, "an instance takes it from its template"))
    check_cases(pack, rule, {}, None, problems)
    return check_instance(pack, rule, templates, problems)


def _gather(
    packs: list[PackDoc],
    rules: list[SoundRule],
    detectors: list[SoundDetector],
    definitions: dict[str, SoundDefinition],
    policy: dict[str, Any],
) -> SoundPacks:
    lists = {full_name(p, n): items for p in packs for n, items, _ in p.lists}
    tables = {full_name(p, n): rows for p in packs for n, rows, _ in p.tables}
    heads = tuple({"name": p.name, "version": p.version, "built_in": p.built_in} for p in packs)
    return SoundPacks(heads, tuple(rules), tuple(detectors), tuple(definitions.values()), lists, tables, policy)


def _duplicates(packs: list[PackDoc], problems: list[Problem]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for pack in packs:
        named: list[tuple[str, str, YamlNode]] = [("rule", r.name, r.at) for r in pack.rules]
        named += [("list", n, at) for n, _, at in pack.lists] + [("table", n, at) for n, _, at in pack.tables]
        named += [("definition", d.name, d.at) for d in pack.definitions]
        named += [("detector", f"{g}.{d.name}", d.at) for g, ds in pack.detectors for d in ds]
        if pack.at is not None:
            named.append(("pack", pack.name, pack.at))
        for kind, name, at in named:
            key = (kind, name if kind == "pack" else full_name(pack, name))
            if key in seen:
                problems.append(
                    problem_at("E207", f"{kind} `{name}` is already defined in {seen[key]}", at, "again", "rename one")
                )
            place = at.place()
            seen.setdefault(key, f"{place.file}:{place.line}")
            if kind == "definition" and name in operators():
                problems.append(problem_at("E011", f"`{name}` is the name of an operator", at, "taken", "choose another name"))


def _definitions(pack: PackDoc, world: World, types: dict[str, Type], problems: list[Problem]) -> dict[str, SoundDefinition]:
    """Check definitions in an order in which each comes after those it calls; a circle is a problem."""
    out: dict[str, SoundDefinition] = {}
    waiting = {full_name(pack, d.name): d for d in pack.definitions}
    calls = {full: _calls(d.body.text, world) for full, d in waiting.items()}
    while waiting:
        ready = [full for full in waiting if not calls[full] & set(waiting)]
        if not ready:
            circle = _circle(waiting, calls)
            first = waiting[circle[0]]
            others = ", ".join(f"`{waiting[full].name}`" for full in circle[1:])
            how = f"calls itself through {others}" if others else "calls itself"
            problems.append(
                problem_at("E018", f"definition `{first.name}` {how}", first.at, "a circle", "definitions may not be recursive")
            )
            ready = circle
        for full in ready:
            d = waiting.pop(full)
            body = _body(d, world, types, problems)
            if body is not None:
                types[full] = body.node.type
                out[full] = SoundDefinition(full, d.parameters, body)
    return out


def _body(d: DefinitionDoc, world: World, types: dict[str, Type], problems: list[Problem]) -> SoundText | None:
    written = list(re.finditer(r"\w+", d.at.text))[1:]
    for i, name in enumerate(d.parameters):
        if name in PATHS or name in RESERVED or name in d.parameters[:i]:
            place = d.at.place_of(written[i].start(), written[i].end())
            problems.append(
                Problem("E011", f"parameter `{name}` hides what is already called so", place, "taken", "choose another name")
            )
    parameters: dict[str, Type] = dict.fromkeys(d.parameters, ANY)
    parameters.update({f"={k}": v for k, v in types.items()})
    return ExpressionChecker(problems).check(d.body, Scope(world, "definition", parameters=parameters))


def _circle(waiting: Mapping[str, DefinitionDoc], calls: Mapping[str, set[str]]) -> list[str]:
    """Definitions that call each other in a ring, each the next."""
    path = [next(iter(waiting))]
    while True:
        following = next(full for full in waiting if full in calls[path[-1]])
        if following in path:
            return path[path.index(following) :]
        path.append(following)


def _calls(text: str, world: World) -> set[str]:
    words = set(re.findall(r"(?<![.\w])([a-z_][a-z0-9_]*)\s*\(|\bby=([a-z_][a-z0-9_]*)", text))
    words = {a or b for a, b in words}
    return {full for name, (full, _) in world.definitions.items() if name in words}


def _shared_detectors(pack: PackDoc, world: World, problems: list[Problem]) -> list[SoundDetector]:
    out = []
    for group, docs in pack.detectors:
        local = {d.name: full_name(pack, f"{group}.{d.name}") for d in docs}
        for doc in docs:
            full = local[doc.name]
            found = check_detector(doc, full, full_name(pack, group), world, problems, local=local)
            if found:
                out.append(found)
    return out
