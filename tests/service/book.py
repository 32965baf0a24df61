"""Deployed rules in memory, for tests of what stands on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as changed
from typing import Any

from iris.evaluate import Evaluator
from iris.run.rule import CompiledRule

Row = dict[str, Any]


class MemoryBook:
    """Rules by id, compiled when they change."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._rules: dict[str, Row] = {}
        self._compiled: dict[str, CompiledRule] = {}

    def rules(self) -> list[Row]:
        """The deployed rules."""
        return [dict(rule) for rule in self._rules.values()]

    def quarantined(self) -> list[Row]:
        """None can be broken here."""
        return []

    def hash(self) -> str:
        """Tell these rules from others."""
        return str([(rule["id"], rule["enabled"]) for rule in self._rules.values()])

    def compiled(self) -> list[CompiledRule]:
        """The enabled rules."""
        return [self._compiled[key] for key, rule in self._rules.items() if rule["enabled"]]

    def deploy(
        self,
        *,
        rule_id: str,
        name: str,
        description: str,
        eval_type: str,
        severity: str,
        definition: Mapping[str, Any],
        source_moment_id: str | None,
        replace: bool,
    ) -> tuple[Row, list[Row], str | None]:
        """Keep a rule in the place of those of its name."""
        (rule,) = self._evaluator.custom([{**definition, "severity": severity}])
        rule.info = changed(rule.info, bundle=eval_type, rule_id=rule_id)
        replaced = [self._rules.pop(r["id"]) for r in self.rules() if r["name"] == name]
        self._compiled[rule_id] = rule
        row: Row = {"id": rule_id, "name": name, "description": description, "evalType": eval_type, "severity": severity}
        row |= {"definition": dict(definition), "enabled": True, "version": 1, "sourceMomentId": source_moment_id}
        self._rules[rule_id] = row
        return row, replaced, f"retired {len(replaced)} of that name" if replaced else None

    def delete(self, rule_id: str) -> bool:
        """Forget a rule."""
        return self._rules.pop(rule_id, None) is not None

    def toggle(self, rule_id: str, enabled: bool) -> tuple[Row | None, bool]:
        """Switch a rule."""
        rule = self._rules.get(rule_id)
        if rule is None:
            return None, False
        before = rule["enabled"]
        rule["enabled"] = enabled
        return dict(rule), before != enabled
