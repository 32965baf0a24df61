"""Compare two plans: what changed, and which version bump is due."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

LEVELS = ("none", "patch", "minor", "major")


@dataclass(slots=True)
class Change:
    """One rule that differs, what differs, and the bump it asks for."""

    rule: str
    kind: str
    """`added`, `removed` or `changed`."""
    bump: str
    why: str


@dataclass(slots=True)
class Difference:
    """Everything that differs between two plans."""

    changes: list[Change] = field(default_factory=list)

    @property
    def bump(self) -> str:
        """The largest bump of all changes."""
        return max((c.bump for c in self.changes), key=LEVELS.index, default="none")


def compare_plans(old: dict[str, Any], new: dict[str, Any]) -> Difference:
    """Compare rule by rule. A gate that can fail more, or is gone, is a major change."""
    before = {r["name"]: r for r in old["rules"]}
    after = {r["name"]: r for r in new["rules"]}
    out = Difference()
    for name in sorted({*before, *after}):
        if name not in before:
            out.changes.append(_added(after[name]))
        elif name not in after:
            gate = "it no longer gates" if gates(before[name]) else "it is gone"
            out.changes.append(Change(name, "removed", "major", gate))
        else:
            out.changes += _changed(before[name], after[name])
    return out


def gates(rule: dict[str, Any]) -> bool:
    """Whether a rule's failure can fail a verdict by itself."""
    return bool(rule["critical"] or rule["kind"] in ("policy", "judgment"))


def _added(rule: dict[str, Any]) -> Change:
    if gates(rule):
        return Change(rule["name"], "added", "major", "a new gate can fail runs that passed")
    return Change(rule["name"], "added", "minor", "a new rule moves the score")


WORDS = ("title", "about", "remedy")
FACTS = ("bundle", "kind", "question", "critical", "weight", "status")


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    name = new["name"]
    out: list[Change] = []
    if not old["critical"] and new["critical"]:
        out.append(Change(name, "changed", "major", "it became critical"))
    elif old["critical"] and not new["critical"]:
        out.append(Change(name, "changed", "major", "it is no longer critical"))
    moved = [key for key in FACTS if key != "critical" and old[key] != new[key]]
    out += [Change(name, "changed", "minor", f"{key}: {old[key]} → {new[key]}") for key in moved]
    for key in sorted({*old["config"], *new["config"]}):
        out += _setting(old, new, key)
    if old["hash"] != new["hash"] and not out:
        level = "major" if gates(new) else "minor"
        out.append(Change(name, "changed", level, "its condition, or a detector or list behind it, changed"))
    if not out and any(old[w] != new[w] for w in WORDS):
        out.append(Change(name, "changed", "patch", "its words changed"))
    return out


def _setting(old: dict[str, Any], new: dict[str, Any], key: str) -> list[Change]:
    name, before, after = new["name"], old["config"].get(key), new["config"].get(key)
    if before is None:
        return [Change(name, "changed", "minor", f"setting {key} is new")]
    if after is None:
        return [Change(name, "changed", "major", f"setting {key} is gone")]
    if before["default"] != after["default"]:
        level = "major" if gates(new) else "minor"
        return [Change(name, "changed", level, f"default of {key}: {before['default']} → {after['default']}")]
    return []
