"""The rules that were deployed: read from their folder, compiled, changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from iris.check.custom import check_definition
from iris.custom.files import Row, UnreadableRuleError, pack_name, rule_of, text_of
from iris.custom.folder import Folder
from iris.evaluate import Evaluator, utc_now
from iris.problems import ProblemsFound
from iris.run.rule import CompiledRule

BUNDLES = ("completeness", "relevance", "safety", "cost", "custom")


class RuleBook:
    """Deployed rules of one folder. What another process changes is seen with the next use."""

    def __init__(self, path: Path, evaluator: Evaluator) -> None:
        self.folder = Folder(path)
        self.evaluator = evaluator
        self._state: Any = "unread"
        self._rules: dict[str, tuple[Row, Path]] = {}
        self._compiled: dict[str, CompiledRule] = {}
        self._enabled: list[CompiledRule] = []
        self._quarantined: list[Row] = []
        self._hash = ""
        self._made: dict[str, CompiledRule] = {}

    def rules(self) -> list[Row]:
        """The deployed rules, oldest first."""
        self._fresh()
        return [json.loads(json.dumps(rule)) for rule, _ in self._rules.values()]

    def quarantined(self) -> list[Row]:
        """Files that hold no rule this version can use: kept as they are, they never fire."""
        self._fresh()
        return list(self._quarantined)

    def compiled(self) -> list[CompiledRule]:
        """The enabled rules, ready to run."""
        self._fresh()
        return self._enabled

    def hash(self) -> str:
        """A hash of the enabled rules; empty when there is none."""
        self._fresh()
        return self._hash

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
        """Write a rule in the place of those of its name. Raises ProblemsFound for one that can not be used, OSError."""
        now = utc_now()
        rule: Row = {
            "id": rule_id,
            "name": name,
            "description": description,
            "evalType": eval_type,
            "severity": severity,
            "definition": self._plain({**definition, "name": name}),
            "enabled": True,
            "createdAt": now,
            "updatedAt": now,
            "version": 1,
        }
        if source_moment_id is not None:
            rule["sourceMomentId"] = source_moment_id
        self._compile(rule)
        with self.folder.changing():
            self._fresh()
            old = [(r, p) for r, p in self._rules.values() if r["name"] == name] if replace else []
            if old:
                rule["version"] = max(int(r["version"]) for r, _ in old) + 1
            for _, path in old:
                self.folder.remove(path)
            self.folder.write(self._file(rule), text_of(rule))
        warning = f"retired {', '.join(str(r['id']) for r, _ in old)}, which had the same name" if old else None
        return rule, [r for r, _ in old], warning

    def _plain(self, definition: Row) -> Row:
        """A definition with the names of its settings that a file has: aliases and flags are read here, once."""
        checked, problems = check_definition(definition, self.evaluator.templates())
        if checked is None or problems:
            raise ProblemsFound(problems)
        return {**definition, "config": checked.arguments} if checked.condition is None else definition

    def _file(self, rule: Row) -> str:
        """A file name that no other rule has."""
        taken = {p.name for _, p in self._rules.values() if p.exists()} | {p.name for p in self.folder.files()}
        name = f"{pack_name(rule)}.yaml"
        return name if name not in taken else f"{str(rule['id']).replace('-', '_')}.yaml"

    def delete(self, rule_id: str) -> bool:
        """Remove a rule; False when there is none."""
        with self.folder.changing():
            self._fresh()
            found = self._rules.get(rule_id)
            if found is None:
                return False
            self.folder.remove(found[1])
        return True

    def toggle(self, rule_id: str, enabled: bool) -> tuple[Row | None, bool]:
        """Switch a rule; gives it and whether that changed anything."""
        with self.folder.changing():
            self._fresh()
            found = self._rules.get(rule_id)
            if found is None:
                return None, False
            rule, path = found
            if rule["enabled"] == enabled:
                return dict(rule), False
            switched = {**rule, "enabled": enabled, "updatedAt": utc_now()}
            self.folder.write(path.name, text_of(switched))
        return switched, True

    def import_json(self, path: Path) -> Row:
        """Take over a custom-rules.json of the TypeScript Iris: ids, dates and versions stay; what is known is left alone."""
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        given = document.get("rules", []) if isinstance(document, dict) else document
        report: Row = {"imported": [], "known": [], "refused": []}
        with self.folder.changing():
            self._fresh()
            for rule in given:
                self._import(rule, report)
        return report

    def _import(self, rule: Any, report: Row) -> None:
        try:
            wire = _imported(rule)
            wire["definition"] = self._plain(wire["definition"])
            if wire["id"] in self._rules:
                report["known"].append(wire["id"])
                return
            self._compile(wire)
            self.folder.write(self._file(wire), text_of(wire))
            report["imported"].append(wire["id"])
            self._fresh()
        except (ProblemsFound, UnreadableRuleError) as error:
            report["refused"].append({"rule": rule, "reason": str(error)})
            digest = hashlib.sha256(json.dumps(rule, sort_keys=True).encode()).hexdigest()[:8]
            self.folder.write(f"imported_{digest}.yaml", json.dumps(rule, ensure_ascii=True, indent=1) + "\n")

    def _fresh(self) -> None:
        """Read the folder again when it has changed."""
        state = self.folder.state()
        if state == self._state:
            return
        rules: dict[str, tuple[Row, Path]] = {}
        quarantined: list[Row] = []
        for path in self.folder.files():
            self._read(path, rules, quarantined)
        order = sorted(rules.values(), key=lambda item: (str(item[0]["createdAt"]), str(item[0]["id"])))
        self._rules = {str(rule["id"]): (rule, path) for rule, path in order}
        self._quarantined = quarantined
        self._enabled = [self._made[self._key(rule)] for rule, _ in order if rule["enabled"]]
        kept = {self._key(rule) for rule, _ in order}
        self._made = {key: made for key, made in self._made.items() if key in kept}
        digest = hashlib.sha256("\n".join(sorted(self._key(r) for r, _ in order if r["enabled"])).encode()).hexdigest()
        self._hash = digest[:16] if self._enabled else ""
        self._state = state

    def _read(self, path: Path, rules: dict[str, tuple[Row, Path]], quarantined: list[Row]) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return  # another process removed it just now
        except (OSError, UnicodeDecodeError) as error:
            quarantined.append({"file": path.name, "reason": f"the file can not be read: {error}"})
            return
        try:
            rule = rule_of(text, path.name)
            self._compile(rule)
        except UnreadableRuleError as error:
            quarantined.append({"file": path.name, "name": path.stem, "reason": str(error), "severity": _severity(text)})
        except ProblemsFound as found:
            about = {"id": rule["id"], "name": rule["name"], "severity": rule["severity"]}
            quarantined.append({"file": path.name, **about, "reason": "; ".join(p.message for p in found.problems)})
        else:
            rules[str(rule["id"])] = (rule, path)

    @staticmethod
    def _key(rule: Row) -> str:
        return json.dumps([rule[k] for k in ("id", "evalType", "severity", "definition", "version")], sort_keys=True)

    def _compile(self, rule: Row) -> None:
        """Make a rule ready, once. Raises ProblemsFound."""
        key = self._key(rule)
        if key in self._made:
            return
        (made,) = self.evaluator.custom([{**rule["definition"], "severity": rule["severity"]}])
        made.info = changed(made.info, bundle=rule["evalType"], rule_id=str(rule["id"]), version=int(rule["version"]))
        self._made[key] = made


def _severity(text: str) -> str:
    """What a file that can not be read would have been: critical unless it plainly says otherwise."""
    return "low" if "severity: low" in text else "medium" if "severity: medium" in text else "high"


def _imported(rule: Any) -> Row:
    """A rule of the TypeScript Iris in our form. Raises UnreadableRuleError."""
    if not isinstance(rule, dict) or not isinstance(rule.get("definition"), dict):
        raise UnreadableRuleError("a rule must be an object with a definition")
    missing = [k for k in ("id", "name", "evalType") if not isinstance(rule.get(k), str)]
    if missing or rule["evalType"] not in BUNDLES:
        raise UnreadableRuleError(f"the rule has no {missing[0] if missing else 'known evalType'}")
    now = utc_now()
    wire: Row = {
        "id": rule["id"],
        "name": rule["name"],
        "description": str(rule.get("description") or ""),
        "evalType": rule["evalType"],
        "severity": rule.get("severity") or "medium",
        "definition": {**rule["definition"], "name": rule["name"]},
        "enabled": rule.get("enabled") is not False,
        "createdAt": rule.get("createdAt") or now,
        "updatedAt": rule.get("updatedAt") or now,
        "version": rule.get("version") if isinstance(rule.get("version"), int) else 1,
    }
    if rule.get("sourceMomentId"):
        wire["sourceMomentId"] = rule["sourceMomentId"]
    return wire
