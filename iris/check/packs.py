"""Check all packs together: shared names, definitions, detectors, rules, instances."""

from __future__ import annotations

from typing import Any

from iris.check.detectors import check_detector
from iris.check.expression import ExpressionChecker
from iris.check.instances import check_instance
from iris.check.rules import RuleChecker
from iris.check.scope import Scope, World, full_name, world_of
from iris.check.sound import SoundDefinition, SoundDetector, SoundPacks, SoundRule
from iris.language.operators import operators
from iris.language.types import ANY, Type
from iris.packs.documents import PackDoc
from iris.packs.source import problem_at
from iris.problems import Problem


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
        rules += [x for r in pack.rules if r.use is not None and (x := check_instance(pack, r, templates, problems))]
    return _gather(packs, rules, detectors, definitions, policy)


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
        named: list[tuple[str, str, Any]] = [("rule", r.name, r.at) for r in pack.rules]
        named += [("list", n, at) for n, _, at in pack.lists] + [("table", n, at) for n, _, at in pack.tables]
        named += [("definition", d.name, d.at) for d in pack.definitions]
        named += [("detector", f"{g}.{d.name}", d.at) for g, ds in pack.detectors for d in ds]
        for kind, name, at in named:
            key = (kind, full_name(pack, name))
            if key in seen:
                problems.append(problem_at("E207", f"{kind} `{name}` is already defined in {seen[key]}", at, "again", "rename one"))
            seen.setdefault(key, pack.folder)
            if kind == "definition" and name in operators():
                problems.append(problem_at("E011", f"`{name}` is the name of an operator", at, "taken", "choose another name"))


def _definitions(pack: PackDoc, world: World, types: dict[str, Type], problems: list[Problem]) -> dict[str, SoundDefinition]:
    """Check definitions in an order in which each comes after those it calls; a circle is a problem."""
    out: dict[str, SoundDefinition] = {}
    waiting = list(pack.definitions)
    names = {full_name(pack, d.name) for d in waiting}
    while waiting:
        ready = [d for d in waiting if not (_calls(d.body.text, world) & names - {full_name(pack, d.name)})]
        circular = [d for d in ready if full_name(pack, d.name) in _calls(d.body.text, world)]
        if not ready or circular:
            for d in circular or waiting[:1]:
                problems.append(problem_at("E018", f"definition `{d.name}` calls itself", d.at, "a circle", "definitions may not be recursive"))
            return out
        for d in ready:
            checker = ExpressionChecker(problems)
            parameters: dict[str, Type] = {p: ANY for p in d.parameters}
            parameters.update({f"={k}": v for k, v in types.items()})
            body = checker.check(d.body, Scope(world, "definition", parameters=parameters))
            full = full_name(pack, d.name)
            names.discard(full)
            if body is not None:
                types[full] = body.node.type
                out[full] = SoundDefinition(full, d.parameters, body)
        waiting = [d for d in waiting if d not in ready]
    return out


def _calls(text: str, world: World) -> set[str]:
    import re

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
