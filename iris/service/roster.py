"""The built-in rules as they are listed: what each asks and needs, and whether it is critical here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.run.rule import CompiledRule
from iris.service.core import Core

Result = dict[str, Any]


def roster(core: Core) -> list[Result]:
    """Give every rule of the packs, never filtered."""
    described = {r["name"]: r for r in core.evaluator.engine.plan["rules"]}
    settings = core.evaluator.settings
    return [
        _line(rule, described[rule.info.name], *settings.critical(rule.info))
        for rule in core.evaluator.engine.rules
        if rule.info.status != "retired"
    ]


def _line(rule: CompiledRule, described: Mapping[str, Any], critical: bool, source: str) -> Result:
    info = rule.info
    return {
        "name": info.name,
        "category": info.bundle,
        "title": info.title,
        "description": " ".join(described["about"].split()),
        "weight": info.weight,
        "kind": info.kind,
        "mechanism": "patterns" if rule.detectors else "formula",
        "needs": list(info.needs),
        "reads": list(info.reads),
        "question": info.question,
        "classes": list(info.classes),
        "version": info.version,
        "status": info.status,
        "origin": info.origin,
        "pack": described["pack"],
        "critical": critical,
        "criticalSource": source,
        "settings": {name: setting["default"] for name, setting in described["config"].items()},
        "proof": None,
    }
