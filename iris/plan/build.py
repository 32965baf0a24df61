"""Sound packs to a plan: one JSON document with a format number and a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from iris.check.needs import needs_of
from iris.check.sound import SoundDefinition, SoundDetector, SoundPacks, SoundRule, SoundSignal, SoundText
from iris.plan.lower import Unit
from iris.plan.reach import spread, whole_text_detectors

FORMAT = 1

Plan = dict[str, Any]
"""format, hash, packs, detectors, definitions, definition_needs, lists, tables, rules, policy."""


def build_plan(sound: SoundPacks) -> Plan:
    """Lower everything and hash it."""
    ids = {d.name: i for i, d in enumerate(sound.detectors)}
    detectors = [_detector(d, ids) for d in sound.detectors]
    definitions = {d.name: _definition(d, ids) for d in sound.definitions}
    rules = [_rule(r, ids) for r in sound.rules]
    plan: Plan = {
        "format": FORMAT,
        "packs": list(sound.packs),
        "detectors": detectors,
        "definitions": definitions,
        "definition_needs": _definition_needs(sound.definitions),
        "lists": {k: list(v) for k, v in sound.lists.items()},
        "tables": {k: {key: list(row) for key, row in rows.items()} for k, rows in sound.tables.items()},
        "rules": rules,
        "policy": sound.policy,
    }
    plan["sets"] = spread(detectors, whole_text_detectors([rules, list(definitions.values()), detectors]))
    for rule in rules:
        rule["hash"] = rule_hash(rule, plan)
    plan["hash"] = digest(plan)
    return plan


def digest(value: Any) -> str:
    """sha256 (hex) over the canonical JSON of a value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()).hexdigest()


def _detector(d: SoundDetector, ids: dict[str, int]) -> dict[str, Any]:
    unit = Unit(ids)
    out: dict[str, Any] = {
        "name": d.name,
        "group": d.group,
        "class": d.cls,
        "pattern": d.pattern,
        "parameter": d.parameter,
        "where": unit.text(d.where),
        "excepts": [unit.text(e) for e in d.excepts],
        "key": unit.text(d.key),
        "value": unit.text(d.value),
        "hits": list(d.hits),
        "misses": list(d.misses),
    }
    out["size"] = unit.size
    return out


def _definition(d: SoundDefinition, ids: dict[str, int]) -> dict[str, Any]:
    unit = Unit(ids, d.parameters)
    body = unit.text(d.body)
    return {"parameters": len(d.parameters), "body": body, "size": unit.size}


def _definition_needs(definitions: Iterable[SoundDefinition]) -> dict[str, dict[str, list[str]]]:
    """Which inputs each definition reads and needs: a condition that is checked against the plan has no other way to tell."""
    bodies = {d.name: d.body.node for d in definitions}
    needs = {name: needs_of(body, {}, bodies) for name, body in bodies.items()}
    return {name: {"reads": sorted(n.reads), "required": sorted(n.required)} for name, n in needs.items()}


def _rule(r: SoundRule, ids: dict[str, int]) -> dict[str, Any]:
    unit = Unit(ids)
    lets = []
    for name, expression in r.lets:
        lowered = unit.text(expression)
        unit.lets[name] = unit.slot()
        unit.bodies[name] = expression.node
        lets.append({"name": name, "slot": unit.lets[name], "body": lowered})
    out = {
        "name": r.name,
        "pack": r.pack,
        **r.facts,
        "config": r.config,
        "template": r.template,
        "use": r.use,
        "lets": lets,
        "skips": [{"when": unit.text(when), "because": because} for when, because in r.skips],
        "signals": [_signal(s, unit) for s in r.signals],
        "fail_when": unit.text(r.fail_when),
        "advise": [_signal(s, unit) for s in r.advise],
        "unchecked_pass": r.unchecked_pass,
        "score": unit.text(r.score),
        "say": _say(r.say, unit),
        "needs": list(r.needs),
        "reads": list(r.reads),
        "settings": list(r.settings),
    }
    out["size"] = unit.size
    return out


def _signal(s: SoundSignal, unit: Unit) -> dict[str, Any]:
    return {"name": s.name, "when": unit.text(s.when), "class": s.cls, "say": _say(s.say, unit)}


def _say(parts: tuple[str | SoundText, ...] | None, unit: Unit) -> list[Any] | None:
    return None if parts is None else [p if isinstance(p, str) else unit.text(p) for p in parts]


USUAL_DROP = "stop_words"
"""The list that `terms` leaves out when it is told no other."""

UNHASHED = ("hash", "status", "about", "remedy", "title")
"""Words for people: changing them changes no verdict."""


def rule_hash(rule: dict[str, Any], plan: Plan) -> str:
    """Hash (16 hex) a rule with every detector, definition and list it rests on."""
    seen: dict[str, Any] = {}
    body = {k: v for k, v in rule.items() if k not in UNHASHED}
    _follow(_nodes(body), plan, seen)
    return digest(_named([body, seen], [d["name"] for d in plan["detectors"]]))[:16]


def _named(value: Any, names: list[str]) -> Any:
    """Detectors by name instead of number, so that a rule's hash does not move when another rule gains a detector."""
    if isinstance(value, dict):
        return {k: _named(v, names) for k, v in value.items() if k not in ("hits", "misses")}
    if isinstance(value, list):
        if len(value) == 4 and value[0] == "detector" and isinstance(value[3], list):
            return [*value[:3], [names[i] for i in value[3]]]
        return [_named(v, names) for v in value]
    return value


def _nodes(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [n for v in value.values() for n in _nodes(v)]
    if isinstance(value, list):
        own = [value] if value and isinstance(value[0], str) and len(value) > 3 and isinstance(value[1], int) else []
        return own + [n for v in value for n in _nodes(v)]
    return []


def _follow(nodes: list[Any], plan: Plan, seen: dict[str, Any]) -> None:
    for node in nodes:
        kind = node[0]
        found: list[tuple[str, Any]] = []
        if kind == "detector":
            found = [(f"detector {i}", plan["detectors"][i]) for i in node[3]]
        elif kind == "def" or (kind == "by" and node[3] == "def"):
            name = node[3] if kind == "def" else node[4]
            found = [(f"def {name}", plan["definitions"].get(name))]
        elif (kind == "op" and node[3] == "terms" and node[4][1:2] == [None]) or node[3:] == ["op", "terms"]:
            found = [(f"list {USUAL_DROP}", plan["lists"].get(USUAL_DROP))]
        elif kind == "listref":
            found = [(f"list {node[3]}", plan["lists"].get(node[3]))]
        elif kind == "tableref":
            found = [(f"table {node[3]}", plan["tables"].get(node[3]))]
        for name, value in found:
            key = value["name"] if kind == "detector" else name
            if key not in seen:
                seen[key] = value
                _follow(_nodes(value), plan, seen)
