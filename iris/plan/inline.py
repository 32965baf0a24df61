"""A rule made of one condition, lowered for a plan that is already loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris.check.needs import Needs
from iris.check.sound import SoundText
from iris.plan.build import rule_hash
from iris.plan.lower import Unit


def condition_rule(
    plan: Mapping[str, Any], name: str, condition: SoundText, needs: Needs, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Lower a condition to a rule of the custom bundle."""
    unit = Unit({d["name"]: i for i, d in enumerate(plan["detectors"])})
    lowered = unit.text(condition)
    rule: dict[str, Any] = {
        "name": name,
        "pack": "inline",
        "title": name,
        "bundle": "custom",
        "kind": "policy",
        "question": None,
        "classes": [],
        "critical": False,
        "weight": 1.0,
        "version": 1,
        "status": "draft",
        "about": "",
        "remedy": "",
        "origin": "custom",
        "config": {},
        "template": False,
        "use": None,
        "lets": [],
        "skips": [],
        "signals": [],
        "fail_when": lowered,
        "advise": [],
        "unchecked_pass": False,
        "score": None,
        "say": None,
        "needs": sorted(needs.required),
        "reads": sorted(needs.reads),
        "settings": [],
        "size": unit.size,
        "hash": "",
        **facts,
    }
    rule["hash"] = rule_hash(rule, dict(plan))
    return rule
