"""Hashes that say which rules and which configuration a verdict came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

from iris.verdict.items import Template
from iris.verdict.policy import Policy
from iris.verdict.settings import Settings


def ruleset_hash(judged: Iterable[Template]) -> str:
    """Hash name, version, kind, criticality, weight and content of the rules that judged. 16 hex digits."""
    rules = [[t.rule.name, t.rule.version, t.rule.kind, t.critical, t.weight, t.rule.hash] for t in judged]
    return _short_hash(sorted(rules, key=json.dumps))


def config_hash(policy: Policy, settings: Settings) -> str:
    """Hash the policy in force and the settings over it. 16 hex digits."""
    return _short_hash([policy, settings])


def per_rule(settings: Settings) -> dict[str, Any]:
    """Give the settings of single rules, each with the layer that set it; pack defaults are left out."""
    return {
        rule: {key: {"value": setting.value, "source": setting.source} for key, setting in keys.items()}
        for rule, keys in settings.rules.items()
    }


def _short_hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)
    return sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return dict(value) if isinstance(value, Mapping) else str(value)
