"""pack.lock: the hash of every rule and of the plan, so that CI and a server can tell what they run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from iris.packs.documents import PackDoc
from iris.problems import Problem

LOCK = "pack.lock"


def lock_of(plan: dict[str, Any], pack: PackDoc) -> dict[str, Any]:
    """The lock of one pack: format, pack, version, and each rule with version and hash."""
    rules = {r["name"]: {"version": r["version"], "hash": r["hash"]} for r in plan["rules"] if r["pack"] == pack.name}
    return {"format": plan["format"], "pack": pack.name, "version": pack.version, "rules": dict(sorted(rules.items()))}


def _locked(packs: list[PackDoc], built_in: bool) -> list[PackDoc]:
    """Packs that have a lock: a deployed rule changes with each deploy, and results carry its version and hash."""
    return [p for p in packs if p.built_in is built_in and p.rules and not p.deployed]


def write_locks(plan: dict[str, Any], packs: list[PackDoc], *, built_in: bool) -> list[str]:
    """Write the lock of each pack that changed; gives the paths."""
    written = []
    for pack in _locked(packs, built_in):
        path = Path(pack.folder) / LOCK
        text = json.dumps(lock_of(plan, pack), indent=2) + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            written.append(path.as_posix())
    return written


def _read(path: Path) -> dict[str, Any] | None:
    """A lock as it stands, or None when there is none that can be read."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return known if isinstance(known, dict) and isinstance(known.get("rules"), dict) else None


def lock_problems(plan: dict[str, Any], packs: list[PackDoc], *, built_in: bool) -> list[Problem]:
    """Packs whose lock is missing or does not agree with what they compile to."""
    found = []
    for pack in _locked(packs, built_in):
        path = Path(pack.folder) / LOCK
        known = _read(path)
        if known is None:
            found.append(Problem("E601", f"pack `{pack.name}` has no readable {LOCK}", None, "", "run `iris packs compile`"))
            continue
        fresh = lock_of(plan, pack)
        before, after = known["rules"], fresh["rules"]
        changed = sorted(n for n in {*before, *after} if before.get(n) != after.get(n))
        if known != fresh:
            what = ", ".join(changed[:6]) or "the pack's head"
            found.append(
                Problem("E602", f"{LOCK} of pack `{pack.name}` is out of date: {what}", None, "", "run `iris packs compile`")
            )
    return found
