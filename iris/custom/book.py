"""The rules that were deployed: read from their folder, compiled, changed."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from iris.check.custom import check_definition
from iris.custom.files import Stored, UnreadableRuleError, rule_of, stem_of, text_of
from iris.custom.folder import Folder
from iris.custom.importing import kept_name, row_of, rules_in
from iris.custom.reading import FileReader, Snapshot, rule_key
from iris.custom.shape import DuplicateRuleError, Row, row_problems
from iris.evaluate import Evaluator, utc_now
from iris.problems import Problem, ProblemsFound
from iris.run.rule import CompiledRule

LOOK_AGAIN = 1.0
"""Seconds after which each file is looked at, for one that was edited in place: that does not show in the folder."""


class RuleBook:
    """Deployed rules of one folder. What another process changes is seen with the next use.

    The rows that are given are the book's own: whoever wants to change one takes a copy.
    """

    def __init__(self, path: Path, evaluator: Evaluator) -> None:
        self.folder = Folder(path)
        self.evaluator = evaluator
        self._reader = FileReader(self._compile, lambda rule: self._check(self._settled(row_of(rule, utc_now()))))
        self._made: dict[str, CompiledRule] = {}
        self._state: Any = "unread"
        self._looked = 0.0
        self._now = Snapshot()
        self._lock = threading.RLock()
        self._built_in = {rule.info.name for rule in evaluator.engine.rules if rule.info.origin == "built-in"}

    def rules(self) -> list[Row]:
        """The deployed rules, oldest first."""
        return list(self._fresh().rows)

    def quarantined(self) -> list[Row]:
        """Files that hold no rule this version can use: kept as they are, they never fire. file, name, id, severity, reason."""
        return list(self._fresh().quarantined)

    def compiled(self) -> list[CompiledRule]:
        """The enabled rules, ready to run."""
        return list(self._fresh().enabled)

    def hash(self) -> str:
        """A hash (16 hex) of the enabled rules; empty when there is none."""
        return self._fresh().hash

    def deploy(
        self,
        *,
        rule_id: str,
        name: str,
        description: str,
        eval_type: str,
        severity: str,
        definition: Mapping[str, Any],
        source_moment_id: str | None = None,
        replace: bool = False,
    ) -> tuple[Row, list[Row], str | None]:
        """Write a rule; gives it, those of its name that it took the place of, and a warning.

        Raises ProblemsFound (E501) for one that can not be used, DuplicateRuleError, and OSError.
        """
        now = utc_now()
        rule: Row = {
            "id": rule_id,
            "name": name,
            "description": description.strip(),
            "evalType": eval_type,
            "severity": severity,
            "definition": {**definition, "name": name},
            "enabled": True,
            "createdAt": now,
            "updatedAt": now,
        }
        rule |= {"sourceMomentId": source_moment_id} if source_moment_id else {}
        rule = self._settled({**rule, "version": 1})
        self._check(rule)
        with self._changing() as here:
            old = [kept for kept in here.rules if kept.stored.row["name"] == name or kept.stored.row["id"] == rule_id]
            if old and not replace:
                raise DuplicateRuleError(name, [kept.stored.row["id"] for kept in old])
            rule["version"] = 1 + max((kept.stored.row["version"] for kept in old), default=0)
            # The new file names those it replaces, so that one rename does it all, and a crash before they are removed
            # leaves no rule twice.
            self._write(Stored(rule, tuple(kept.stored.row["id"] for kept in old)))
            with suppress(OSError):
                for kept in old:
                    self.folder.remove(kept.file)
        return rule, [kept.stored.row for kept in old], self._warning(rule, [kept.stored.row["id"] for kept in old])

    def _warning(self, rule: Row, retired: list[str]) -> str | None:
        said = [f"retired {', '.join(retired)}, which had the same name"] if retired else []
        if rule["name"] in self._built_in:
            said.append("a built-in rule has this name too; results tell them apart by ruleId")
        return "; ".join(said) or None

    def delete(self, rule_id: str) -> bool:
        """Remove a rule; False when there is none. Raises OSError."""
        with self._changing() as here:
            found = here.find(rule_id)
            if found is not None:
                self.folder.remove(found.file)
        return found is not None

    def toggle(self, rule_id: str, enabled: bool) -> tuple[Row | None, bool]:
        """Switch a rule; gives it and whether that changed anything. Raises OSError."""
        with self._changing() as here:
            found = here.find(rule_id)
            if found is None or found.stored.row["enabled"] is enabled:
                return (found.stored.row if found else None), False
            row = {**found.stored.row, "enabled": enabled, "updatedAt": utc_now()}
            self.folder.write(found.file, text_of(found.file.rpartition(".")[0], changed(found.stored, row=row)))
        return row, True

    def import_json(self, path: Path) -> Row:
        """Take over a custom-rules.json of the TypeScript Iris: ids, dates and versions stay; what is known is left alone.

        Gives `imported` and `known` (ids), and `refused` (rule, reason, file), which are kept as they were written.
        Raises ProblemsFound (E833), OSError.
        """
        given = rules_in(path)
        report: Row = {"imported": [], "known": [], "refused": []}
        with self._changing():
            for rule, text in given:
                self._import(rule, text, report)
        return report

    def _import(self, rule: Any, text: str, report: Row) -> None:
        here = self._fresh()
        try:
            row = self._settled(row_of(rule, utc_now()))
            self._check(row)
            if any(row["id"] in (kept.stored.row["id"], *kept.stored.replaces) for kept in here.rules):
                report["known"].append(row["id"])
                return
            same = [kept.stored.row["id"] for kept in here.rules if kept.stored.row["name"] == row["name"]]
            if same:
                raise ProblemsFound([Problem("E501", f"name: {same[0]} has it already", None, "", "rename or delete one")])
        except ProblemsFound as error:
            file = kept_name(text)
            if not (self.folder.path / file).exists():
                self.folder.write(file, text)
            report["refused"].append({"rule": rule, "reason": "; ".join(p.message for p in error.problems), "file": file})
            return
        self._write(Stored(row))
        self.folder.remove(kept_name(text))  # of an earlier import, when the rule could not be used yet
        report["imported"].append(row["id"])

    def _write(self, stored: Stored) -> None:
        taken = {entry.name.rpartition(".")[0] for entry in self.folder.files()}
        stem = stem_of(stored.row, taken)
        self.folder.write(f"{stem}.yaml", text_of(stem, stored))

    @contextmanager
    def _changing(self) -> Iterator[Snapshot]:
        """Hold the folder's lock, with what the folder holds; files of rules that were replaced are removed first."""
        with self._lock, self.folder.changing():
            here = self._fresh()
            for file in here.leftover:
                self.folder.remove(file)
            yield here

    def _fresh(self) -> Snapshot:
        """What the folder holds, read again when it has changed."""
        if self._state == self.folder.state() and time.monotonic() - self._looked < LOOK_AGAIN:
            return self._now
        with self._lock:
            state = self.folder.state()
            self._now = self._reader.snapshot(self.folder.files())
            used = {rule_key(row) for row in self._now.rows}
            self._made = {key: made for key, made in self._made.items() if key in used}
            self._state, self._looked = state, time.monotonic()
            return self._now

    def _settled(self, row: Row) -> Row:
        """A rule whose definition has the names of its settings that a file has: aliases and flags are read here, once."""
        checked, problems = check_definition(row["definition"], self.evaluator.templates())
        if checked is None or problems:
            raise ProblemsFound(problems)
        definition = {k: v for k, v in row["definition"].items() if k != "severity"}
        return {**row, "definition": definition if checked.condition else {**definition, "config": checked.arguments}}

    def _check(self, row: Row) -> None:
        """Raise ProblemsFound when a rule can not be used, or would not be the same once it was written and read."""
        problems = row_problems(row)
        if not problems:
            stored = Stored(row)
            try:
                same = _canonical(rule_of(text_of("x", stored), "x.yaml", "").row) == _canonical(row)
            except (UnreadableRuleError, ValueError) as error:
                problems.append(Problem("E501", f"definition: can not be kept: {error}", None, "", "make it flatter or shorter"))
            else:
                if not same:
                    problems.append(Problem("E501", "definition: holds a value that JSON has no word for", None, "", "send JSON"))
        if problems:
            raise ProblemsFound(problems)
        self._compile(row)

    def _compile(self, row: Row) -> CompiledRule:
        """Make a rule ready, once. Raises ProblemsFound."""
        key = rule_key(row)
        if key not in self._made:
            (made,) = self.evaluator.custom([{**row["definition"], "severity": row["severity"]}])
            digest = hashlib.sha256(f"{made.info.hash} {_canonical(row['definition'])}".encode()).hexdigest()[:16]
            facts = {"bundle": row["evalType"], "rule_id": row["id"], "version": row["version"], "hash": digest}
            made.info = changed(made.info, **facts)
            self._made[key] = made
        return self._made[key]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
