"""What the packs hold, by name: rules with their conditions, definitions, detectors. For pages, lists and docs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iris.packs.documents import CaseDoc, DefinitionDoc, DetectorDoc, PackDoc, RuleDoc
from iris.problems import Problem, ProblemsFound

KINDS = {"detector": "detectors", "def": "definitions", "by": "definitions", "listref": "lists", "tableref": "tables"}
SAME = (
    "name", "pack", "title", "bundle", "kind", "critical", "weight", "version", "status", "template", "origin", "unchecked_pass",
    "hash",
)  # fmt: skip
"""Facts that a rule has as the plan has them."""
CONDITIONS = ("lets", "skips", "signals", "fail_when", "advise", "score", "say")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule or template as people read it: facts of the plan, words and cases of its file."""

    name: str
    pack: str
    title: str
    bundle: str
    kind: str
    question: str
    classes: tuple[str, ...]
    critical: bool
    weight: float
    version: int
    status: str
    about: str
    remedy: str
    template: bool
    use: str
    needs: tuple[str, ...]
    reads: tuple[str, ...]
    settings: tuple[dict[str, Any], ...]
    """name, type, default, shown (the default in words), about."""
    lets: tuple[tuple[str, str], ...]
    skips: tuple[tuple[str, str], ...]
    signals: tuple[dict[str, Any], ...]
    """name, class, when, say."""
    fail_when: str
    advise: tuple[dict[str, Any], ...]
    unchecked_pass: bool
    score: str
    say: str
    used: dict[str, list[str]]
    """detectors, definitions, lists and tables it rests on, also through others."""
    cases: dict[str, int]
    hash: str
    origin: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """Everything that has a page, by the name a person writes."""

    rules: dict[str, Rule]
    cases: dict[str, tuple[CaseDoc, ...]]
    definitions: dict[str, DefinitionDoc]
    detectors: dict[str, DetectorDoc]

    def rule(self, name: str) -> Rule | None:
        """A rule by its full name, or by its own name when one pack has it."""
        own = [full for full in self.rules if full.rpartition("/")[2] == name]
        return self.rules.get(name) or (self.rules[own[0]] if len(own) == 1 else None)


def load_shelf(folders: Sequence[Path]) -> Shelf:
    """Compile the packs (or take the kept plan) and read their files. Raises ProblemsFound."""
    from iris.flow import built_in_root, load_plan
    from iris.packs.load import load_packs, told_apart

    problems: list[Problem] = []
    packs = load_packs(built_in_root(), built_in=True, problems=problems)
    for folder in folders:
        packs += load_packs(folder, built_in=False, problems=problems)
    if problems:
        raise ProblemsFound(problems)
    return shelf_of(load_plan(folders), told_apart(packs))


def shelf_of(plan: dict[str, Any], packs: Sequence[PackDoc]) -> Shelf:
    """Join a plan with the files it was made of."""
    docs = {_full(p, r.name): r for p in packs for r in p.rules}
    detectors = {_full(p, f"{group}.{d.name}"): d for p in packs for group, ds in p.detectors for d in ds}
    return Shelf(
        {r["name"]: _rule(plan, r, docs[r["name"]]) for r in plan["rules"]},
        {name: doc.cases for name, doc in docs.items()},
        {_full(p, d.name): d for p in packs for d in p.definitions},
        detectors,
    )


def _full(pack: PackDoc, name: str) -> str:
    return name if pack.built_in or pack.deployed else f"{pack.name}/{name}"


def _rule(plan: dict[str, Any], r: dict[str, Any], doc: RuleDoc) -> Rule:
    counts = Counter(case.expect for case in doc.cases)
    values: dict[str, Any] = {k: r[k] for k in SAME}
    values |= {k: tuple(r[k]) for k in ("classes", "needs", "reads")}
    return Rule(
        **values,
        about=r["about"].strip(),
        remedy=r["remedy"].strip(),
        question=r["question"] or "",
        use=r["use"] or "",
        settings=tuple(_setting(k, v) for k, v in r["config"].items()),
        lets=tuple((x["name"], _text(x["body"])) for x in r["lets"]),
        skips=tuple((_text(s["when"]), s["because"]) for s in r["skips"]),
        signals=tuple(_signal(s) for s in r["signals"]),
        fail_when=_text(r["fail_when"]),
        advise=tuple(_signal(s) for s in r["advise"]),
        score=_text(r["score"]),
        say=_message(r["say"]),
        used=used_by(plan, r),
        cases={kind: counts[kind] for kind in ("fail", "pass", "skip")},
    )


def _text(expression: dict[str, Any] | None) -> str:
    return expression["t"].strip() if expression else ""


def _message(parts: list[Any] | None) -> str:
    return "".join(p if isinstance(p, str) else "{" + p["t"] + "}" for p in parts or ()).strip()


def _signal(s: dict[str, Any]) -> dict[str, Any]:
    return {"name": s["name"], "class": s["class"], "when": _text(s["when"]), "say": _message(s["say"])}


def _setting(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    shown = "must be given" if spec["required"] else f"default {words_of(spec['default'])}"
    return {
        "name": name,
        "type": spec["type"],
        "default": spec["default"],
        "shown": shown,
        "about": " ".join(spec["about"].split()),
    }


def words_of(value: Any) -> str:
    """A setting's value in a line."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def used_by(plan: dict[str, Any], rule: dict[str, Any]) -> dict[str, list[str]]:
    """The detectors, definitions, lists and tables behind a rule, each in alphabetical order."""
    found: dict[str, set[str]] = {kind: set() for kind in ("detectors", "definitions", "lists", "tables")}
    waiting: list[Any] = [rule[key] for key in CONDITIONS]
    while waiting:
        for kind, name, behind in _references(waiting.pop(), plan):
            if name not in found[kind]:
                found[kind].add(name)
                waiting.append(behind)
    return {kind: sorted(names) for kind, names in found.items()}


def _references(value: Any, plan: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """What a part of the plan names directly: kind, name, and what stands behind the name."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _references(inner, plan)
    elif isinstance(value, list):
        if len(value) > 3 and isinstance(value[1], int) and value[0] in KINDS:
            yield from _named(value, plan)
        for inner in value:
            yield from _references(inner, plan)


def _named(node: list[Any], plan: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    kind = KINDS[node[0]]
    if node[0] == "detector":
        for number in node[3]:
            detector = plan["detectors"][number]
            yield kind, detector["name"], [detector[key] for key in ("where", "excepts", "key", "value")]
    elif node[0] == "by":
        if node[3] == "def":
            yield kind, node[4], plan["definitions"][node[4]]
    elif node[0] == "def":
        yield kind, node[3], plan["definitions"][node[3]]
    else:
        yield kind, node[3], None
