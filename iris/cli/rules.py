"""`iris rules list|show`: the rules with what decides for them, and where each setting comes from."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from iris.cli import PASSED
from iris.cli.explain import rule_page, unknown
from iris.cli.settings import load_settings, value_problems
from iris.cli.shelf import Rule, Shelf, load_shelf, words_of
from iris.problems import ProblemsFound
from iris.run.finding import RuleInfo
from iris.verdict.settings import Settings

COLUMNS = ("name", "bundle", "kind", "critical", "weight", "status", "title")
LAYERS = {"default": "pack", "config": "config file"}


def listing(args: argparse.Namespace) -> int:
    """Print every rule in a line."""
    shelf, settings = _load(args)
    rules = [r for r in shelf.rules.values() if not r.template]
    rows = [{**{k: getattr(r, k) for k in COLUMNS}, "critical": _critical(r, settings)[0]} for r in rules]
    print(json.dumps(rows, indent=2, ensure_ascii=False) if args.format == "json" else _table(rows))
    return PASSED


def show(args: argparse.Namespace) -> int:
    """Print one rule, its settings with their layers; raises ProblemsFound (E903) for an unknown name."""
    from iris.packs.reader import near

    shelf, settings = _load(args)
    rule = shelf.rule(args.name)
    if rule is None:
        raise unknown(f"there is no rule `{args.name}`", near(args.name, shelf.rules))
    layers = _layers(rule, settings)
    if args.format == "json":
        print(json.dumps({**asdict(rule), "in_force": layers}, indent=2, ensure_ascii=False))
        return PASSED
    width = max(len(x["name"]) for x in layers)
    lines = [f"  {x['name']:{width}}  {words_of(x['value'])}  (from the {x['layer']})" for x in layers]
    print("\n".join([rule_page(rule), "", "In force", *lines]))
    return PASSED


def _load(args: argparse.Namespace) -> tuple[Shelf, Settings]:
    shelf = load_shelf([Path(f) for f in args.packs])
    settings = load_settings(args.config)
    types = {name: {s["name"]: s["type"] for s in rule.settings} for name, rule in shelf.rules.items()}
    problems = [*settings.problems([_info(r) for r in shelf.rules.values()]), *value_problems(settings, types)]
    if problems:
        raise ProblemsFound(problems)
    return shelf, settings


def _info(rule: Rule) -> RuleInfo:
    return RuleInfo(
        rule.name, rule.title, rule.bundle, rule.kind, rule.question or None, rule.classes, rule.critical, rule.weight,
        rule.version, rule.status, rule.remedy, rule.needs, rule.reads, tuple(s["name"] for s in rule.settings), rule.origin,
        None, rule.hash,
    )  # fmt: skip


def _critical(rule: Rule, settings: Settings) -> tuple[bool, str]:
    critical, source = settings.critical(_info(rule))
    return critical, LAYERS.get(source, source)


def _layers(rule: Rule, settings: Settings) -> list[dict[str, Any]]:
    """Each value a deployment may set, and the layer that set it."""
    critical, layer = _critical(rule, settings)
    rows: list[dict[str, Any]] = [{"name": "critical", "value": critical, "layer": layer}]
    own = settings.rules.get(rule.name, {})
    for spec in rule.settings:
        name = spec["name"]
        value, source = (own[name].value, own[name].source) if name in own else (spec["default"], "default")
        rows.append({"name": name, "value": value, "layer": LAYERS.get(source, source)})
    return rows


def _table(rows: list[dict[str, Any]]) -> str:
    cells = [[c.upper() for c in COLUMNS], *([_cell(row[c]) for c in COLUMNS] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(f"{text:{w}}" for text, w in zip(line, widths, strict=True)).rstrip() for line in cells)


def _cell(value: Any) -> str:
    return "yes" if value is True else "no" if value is False else f"{value:g}" if isinstance(value, float) else str(value)
