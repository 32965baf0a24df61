"""The folder of deployed rules as it stands: which rules there are, which files hold none, and why."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iris.custom.files import Stored, UnreadableRuleError, rule_of
from iris.custom.shape import Row, row_problems
from iris.packs.read import MAX_BYTES
from iris.problems import ProblemsFound
from iris.run.rule import CompiledRule

Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that holds a rule."""

    file: str
    stored: Stored
    made: CompiledRule


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the folder held at one moment. Nothing in it is changed later."""

    rules: tuple[Kept, ...] = ()
    quarantined: tuple[Row, ...] = ()
    leftover: tuple[str, ...] = ()
    """Files of rules that others took the place of, which were not removed in time."""
    rows: tuple[Row, ...] = ()
    enabled: tuple[CompiledRule, ...] = ()
    hash: str = ""

    def find(self, rule_id: str) -> Kept | None:
        """The rule with an id."""
        return next((kept for kept in self.rules if kept.stored.row["id"] == rule_id), None)


@dataclass(slots=True)
class FileReader:
    """Reads the files that have changed since they were read last. `compile` and `judge` raise ProblemsFound."""

    compile: Callable[[Row], CompiledRule]
    judge: Callable[[Any], None]
    """Says what is wrong with a rule that was kept from an import."""
    cache: dict[str, tuple[Signature, Kept | Row]] = field(default_factory=dict)

    def snapshot(self, files: list[os.DirEntry[str]]) -> Snapshot:
        """Read the folder."""
        found: dict[str, tuple[Signature, Kept | Row]] = {}
        for entry in files:
            try:
                stat = entry.stat()
            except OSError:
                continue  # another process removed it just now
            signature = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            known = self.cache.get(entry.name)
            fresh = known if known and known[0] == signature else (signature, self._read(entry, stat.st_mtime))
            found[entry.name] = fresh
        self.cache = found
        return _snapshot([kept for _, kept in found.values()])

    def _read(self, entry: os.DirEntry[str], changed: float) -> Kept | Row:
        try:
            if entry.stat().st_size > MAX_BYTES:
                return _quarantined(entry.name, f"the file has more than {MAX_BYTES} bytes", {})
            text = Path(entry.path).read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            return _quarantined(entry.name, "the file is not UTF-8", {})
        except OSError as error:
            return _quarantined(entry.name, f"the file can not be read: {error.strerror}", {})
        if entry.name.endswith(".json"):
            return self._imported(entry.name, text)
        return self._rule(entry.name, text, datetime.fromtimestamp(changed, UTC).isoformat(timespec="milliseconds"))

    def _rule(self, file: str, text: str, written: str) -> Kept | Row:
        row: Row = {}
        try:
            stored = rule_of(text, file, written.replace("+00:00", "Z"))
            row = stored.row
            problems = row_problems(row)
            if problems:
                raise ProblemsFound(problems)
            return Kept(file, stored, self.compile(row))
        except UnreadableRuleError as error:
            return _quarantined(file, str(error), error.known)
        except ProblemsFound as error:
            return _quarantined(file, "; ".join(p.message for p in error.problems), row)

    def _imported(self, file: str, text: str) -> Row:
        rule: Any = None
        try:
            rule = json.loads(text)
            self.judge(rule)
        except ProblemsFound as error:
            reason = "; ".join(p.message for p in error.problems)
        except (ValueError, RecursionError):
            reason = "the file is not JSON"
        else:
            reason = "kept from an import; it can be used now: import it again"
        return _quarantined(file, reason, rule if isinstance(rule, dict) else {})


def _quarantined(file: str, reason: str, known: Row) -> Row:
    """A file that holds no rule that runs; severity high unless it plainly says another one."""
    out: Row = {"file": file}
    out |= {k: known[k] for k in ("id", "name") if isinstance(known.get(k), str)}
    severity = known.get("severity")
    out["severity"] = severity if severity in ("low", "medium", "high", "critical") else "high"
    return {"name": file.rpartition(".")[0], **out, "reason": reason}


def _snapshot(files: list[Kept | Row]) -> Snapshot:
    """Sort out what took the place of what, and which id or name two files claim: the older one has it."""
    kept = sorted(
        (f for f in files if isinstance(f, Kept)), key=lambda k: (k.stored.row["createdAt"], k.stored.row["id"], k.file)
    )
    replaced = {rule_id for k in kept for rule_id in k.stored.replaces}
    quarantined = [f for f in files if not isinstance(f, Kept)]
    leftover = [k.file for k in kept if k.stored.row["id"] in replaced]
    seen: dict[tuple[str, str], str] = {}
    rules: list[Kept] = []
    for k in kept:
        row = k.stored.row
        if row["id"] in replaced:
            continue
        twice = next((what for what in ("id", "name") if (what, row[what]) in seen), None)
        if twice:
            quarantined.append(_quarantined(k.file, f"{seen[twice, row[twice]]} has the same {twice}; rename one", row))
            continue
        seen |= {("id", row["id"]): k.file, ("name", row["name"]): k.file}
        rules.append(k)
    enabled = tuple(k.made for k in rules if k.stored.row["enabled"])
    return Snapshot(
        tuple(rules),
        tuple(sorted(quarantined, key=lambda q: str(q["file"]))),
        tuple(leftover),
        tuple(k.stored.row for k in rules),
        enabled,
        ruleset_hash([k.stored.row for k in rules if k.stored.row["enabled"]]),
    )


def rule_key(row: Row) -> str:
    """What makes two rules the same to an evaluation, as text."""
    return json.dumps([row[k] for k in ("id", "evalType", "severity", "definition", "version")], sort_keys=True)


def ruleset_hash(rows: list[Row]) -> str:
    """A hash (16 hex) of rules; empty for none."""
    return hashlib.sha256("\n".join(sorted(map(rule_key, rows))).encode()).hexdigest()[:16] if rows else ""
