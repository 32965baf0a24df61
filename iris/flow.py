"""The stages in order: packs, parse, check, plan. The only file that knows them all."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iris import __version__
from iris.problems import Problem, ProblemsFound

if TYPE_CHECKING:
    from iris.packs.documents import PackDoc

PLAN_FORMAT = 1


@dataclass(slots=True)
class Compiled:
    """What compiling gives: a plan when nothing is wrong, and the problems."""

    plan: dict[str, Any] | None
    problems: list[Problem]
    packs: list[PackDoc]


def built_in_root() -> Path:
    """Where the built-in packs are; needs no YAML."""
    packaged = Path(__file__).parent / "rulepacks"
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / "rulepacks"


def compile_packs(folders: Sequence[Path] = (), *, cases: bool = True, root: Path | None = None) -> Compiled:
    """Compile the built-in packs and a user's own; every problem of every file in one pass."""
    collecting = gc.isenabled()
    gc.disable()  # compiling makes many long-lived objects and no garbage to speak of: a fifth of its time
    try:
        return _compile(folders, cases, root or built_in_root())
    finally:
        if collecting:
            gc.enable()


def _compile(folders: Sequence[Path], cases: bool, root: Path) -> Compiled:
    from iris.check.packs import check_packs
    from iris.packs.load import load_packs, load_policy, told_apart
    from iris.plan.build import build_plan
    from iris.verdict.policy import policy_from

    problems: list[Problem] = []
    packs = load_packs(root, built_in=True, problems=problems)
    for folder in folders:
        packs += load_packs(folder, built_in=False, problems=problems)
    packs = told_apart(packs)
    policy = load_policy(root / "verdict.yaml", root.parent, problems)
    try:
        policy_from(policy)
    except ProblemsFound as error:
        problems += error.problems
    sound = check_packs(packs, policy, problems)
    if any(p.severity == "error" for p in problems):
        return Compiled(None, _sorted(problems), packs)
    plan = build_plan(sound)
    if cases:
        from iris.cases import case_problems
        from iris.run.engine import Engine

        problems += case_problems(packs, Engine(plan))
    ok = not any(p.severity == "error" for p in problems)
    return Compiled(plan if ok else None, _sorted(problems), packs)


def _sorted(problems: list[Problem]) -> list[Problem]:
    def place(p: Problem) -> tuple[str, int, int, str]:
        return (p.place.file, p.place.line, p.place.column, p.code) if p.place else ("", 0, 0, p.code)

    return sorted(dict.fromkeys(problems), key=place)


def cache_folder() -> Path:
    """Where compiled plans are kept: IRIS_CACHE_DIR, or the user's cache directory."""
    return Path(os.environ.get("IRIS_CACHE_DIR") or Path.home() / ".cache" / "iris")


def content_key(folders: Sequence[Path]) -> str:
    """Hash (hex) of everything a plan is made from: format, version, and every pack file's name and bytes."""
    sha = hashlib.sha256(f"{PLAN_FORMAT} {__version__}".encode())
    code = Path(__file__).parent
    for folder in (built_in_root(), *folders):
        if not folder.is_dir():
            raise NotADirectoryError(str(folder))
        for path in sorted(folder.rglob("*.y*ml")):
            sha.update(f"\0{path.relative_to(folder)}\0".encode())
            sha.update(path.read_bytes())
    for stage in ("plan", "check", "parse", "language"):
        for path in sorted((code / stage).glob("*.py")):
            sha.update(str(path.stat().st_mtime_ns).encode())
    return sha.hexdigest()


def load_plan(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """The plan of the packs: from the cache when nothing changed, else compiled and kept.

    Raises ProblemsFound when the packs do not compile.
    """
    try:
        key = content_key(folders)
    except OSError as error:
        raise ProblemsFound(
            [Problem("E109", f"the packs can not be read: {error}", None, "", "name a folder of packs")]
        ) from None
    path = cache_folder() / f"plan-{key[:32]}.json"
    try:
        plan = json.loads(path.read_bytes())
        if isinstance(plan, dict) and plan.get("format") == PLAN_FORMAT and {"rules", "definition_needs"} <= plan.keys():
            return plan
    except (OSError, ValueError, RecursionError):
        pass
    compiled = compile_packs(folders, cases=False)
    if compiled.plan is None:
        raise ProblemsFound(compiled.problems)
    _keep(path, compiled.plan)
    return compiled.plan


def _keep(path: Path, plan: dict[str, Any]) -> None:
    """Write a plan to the cache atomically; a cache that can not be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(plan, file, separators=(",", ":"))
            os.replace(name, path)
        except OSError:
            os.unlink(name)
    except OSError:
        return
