"""Change one thing of a rule at a time and see whether its cases notice."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from iris.cases import disagreement, example_problems, judge_case
from iris.flow import Compiled
from iris.packs.documents import PackDoc, RuleDoc
from iris.run.engine import Engine


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no case noticed."""

    rule: str
    what: str
    stable: bool


Mutant = tuple[str, dict[str, Any]]
Node = list[Any]
TRUE: Node = ["bool", 0, 0, True]
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def mutate(compiled: Compiled, *, rule: str | None, built_in: bool) -> tuple[list[Survivor], int]:
    """Try every mutant of the rules and of the detectors they use; gives the survivors and the number tried."""
    assert compiled.plan is not None
    plan = compiled.plan
    docs = {_full(p, r): (p, r) for p in compiled.packs for r in p.rules}
    survivors: list[Survivor] = []
    total = 0
    for i, planned in enumerate(plan["rules"]):
        pack, doc = docs[planned["name"]]
        if (rule and doc.name != rule) or planned["use"] or pack.built_in is not built_in or not doc.cases:
            continue
        for what, mutant in rule_mutants(planned):
            total += 1
            if not _noticed(_with_rule(plan, i, mutant), doc, planned["name"]):
                survivors.append(Survivor(planned["name"], what, planned["status"] == "stable"))
    detectors, tried = _detectors(compiled, plan, rule, built_in)
    return survivors + detectors, total + tried


def _full(pack: PackDoc, rule: RuleDoc) -> str:
    return rule.name if pack.built_in or pack.deployed else f"{pack.name}/{rule.name}"


def _with_rule(plan: dict[str, Any], index: int, rule: dict[str, Any]) -> dict[str, Any]:
    """A plan with only the mutated rule, so that building it is cheap."""
    return {**plan, "rules": [rule]}


def _noticed(plan: dict[str, Any], doc: RuleDoc, name: str) -> bool:
    try:
        engine = Engine(plan)
        engine.builder  # noqa: B018 - the engine compiles what the mutant left
    except (LookupError, TypeError, AttributeError):
        return True
    for case in doc.cases:
        chosen = engine.instance(name, name, case.config, {}) if doc.parameters is not None else engine.rules[0]
        if disagreement(doc, case, judge_case(engine, chosen, case)):
            return True
    return False


def rule_mutants(rule: dict[str, Any]) -> Iterator[Mutant]:
    """Each rule that differs in one thing: a signal, a skip, a conjunct, an alternative, a bound, a `where`."""
    for i, signal in enumerate(rule["signals"]):
        if len(rule["signals"]) > 1:
            yield f"signal {signal['name']} dropped", {**rule, "signals": rule["signals"][:i] + rule["signals"][i + 1 :]}
    for i, signal in enumerate(rule["advise"]):
        yield f"advice {signal['name']} dropped", {**rule, "advise": rule["advise"][:i] + rule["advise"][i + 1 :]}
    for i, skip in enumerate(rule["skips"]):
        yield f"skip_when `{skip['when']['t']}` dropped", {**rule, "skips": rule["skips"][:i] + rule["skips"][i + 1 :]}
    for path, expression in _expressions(rule):
        for what, node in node_mutants(expression["x"], expression["t"]):
            changed = copy.deepcopy(rule)
            _at(changed, path)["x"] = node
            yield f"{'.'.join(map(str, path))}: {what}", changed


def _expressions(rule: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for i, let in enumerate(rule["lets"]):
        yield ("lets", i, "body"), let["body"]
    for kind in ("signals", "advise"):
        for i, signal in enumerate(rule[kind]):
            yield (kind, i, "when"), signal["when"]
    if rule["fail_when"]:
        yield ("fail_when",), rule["fail_when"]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def node_mutants(node: Node, text: str) -> Iterator[tuple[str, Node]]:
    """Each tree that differs from a node in one place."""
    yield from _own_mutants(node, text)
    for i, child in enumerate(node):
        if _is_node(child):
            for what, changed in node_mutants(child, text):
                yield what, [*node[:i], changed, *node[i + 1 :]]
        elif isinstance(child, list) and child and all(c is None or _is_node(c) for c in child):
            for j, item in enumerate(child):
                if item is None:
                    continue
                for what, changed in node_mutants(item, text):
                    yield what, [*node[:i], [*child[:j], changed, *child[j + 1 :]], *node[i + 1 :]]


def _is_node(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 3 and isinstance(value[0], str) and isinstance(value[1], int)


def _own_mutants(node: Node, text: str) -> Iterator[tuple[str, Node]]:
    kind = node[0]
    if kind in ("and", "or"):
        for i, item in enumerate(node[3]):
            rest = node[3][:i] + node[3][i + 1 :]
            word = "conjunct" if kind == "and" else "alternative"
            yield f"{word} `{_said(item, text)}` dropped", [*node[:3], rest] if len(rest) > 1 else rest[0]
    elif kind == "compare" and node[3] in BOUNDS and not _continuous(node):
        yield f"`{_said(node, text)}` with {BOUNDS[node[3]]}", [*node[:3], BOUNDS[node[3]], *node[4:]]
    elif kind == "each" and node[7] is not None and node[7][0] != "and":
        yield f"`where {_said(node[7], text)}` dropped", [*node[:7], TRUE, *node[8:]]
    elif kind == "setop" and node[3] in ("-", "|", "+"):
        yield f"`{node[3]} {_said(node[5], text)}` dropped", node[4]
    elif kind == "not":
        yield f"`{_said(node, text)}` without not", node[3]


CONTINUOUS = ("entropy", "similar", "nearest")


def _continuous(node: Node) -> bool:
    """Whether an order compares a measure that no text meets exactly: `>` and `>=` are then the same rule."""
    measured = any(side[0] == "op" and side[3] in CONTINUOUS for side in node[4:6])
    return measured and node[3] not in ("==", "!=")


def _said(node: Node, text: str) -> str:
    return " ".join(text[node[1] : node[2]].split())[:80]


def _detectors(compiled: Compiled, plan: dict[str, Any], rule: str | None, built_in: bool) -> tuple[list[Survivor], int]:
    """Mutate the detectors' own conditions; their examples must notice."""
    if rule:
        return [], 0
    docs = {}
    for pack in compiled.packs:
        if pack.built_in is built_in:
            for group, detectors in pack.detectors:
                prefix = "" if pack.built_in or pack.deployed else f"{pack.name}/"
                docs.update({f"{prefix}{group}.{d.name}": d for d in detectors})
    survivors, total = [], 0
    for i, detector in enumerate(plan["detectors"]):
        doc = docs.get(detector["name"])
        if doc is None:
            continue
        for what, mutant in _detector_mutants(detector):
            total += 1
            engine = Engine({**plan, "rules": [], "detectors": [*plan["detectors"][:i], mutant, *plan["detectors"][i + 1 :]]})
            if not example_problems(doc, i, engine):
                survivors.append(Survivor(f"detector {detector['name']}", what, True))
    return survivors, total


def _detector_mutants(detector: dict[str, Any]) -> Iterator[Mutant]:
    for i, expression in enumerate(detector["excepts"]):
        rest = detector["excepts"][:i] + detector["excepts"][i + 1 :]
        yield f"exception `{expression['t'].strip()[:80]}` dropped", {**detector, "excepts": rest}
    if detector["where"]:
        where = detector["where"]
        if where["x"][0] != "and":
            yield f"where `{where['t'].strip()[:80]}` dropped", {**detector, "where": None}
        for what, node in node_mutants(where["x"], where["t"]):
            yield f"where: {what}", {**detector, "where": {**where, "x": node}}
