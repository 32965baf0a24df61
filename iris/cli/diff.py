"""`iris packs diff OLD NEW`: what changed, which bump is due, and with --replay which verdicts flip."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from iris.cli import PASSED, TRIPPED
from iris.cli.runs import read_runs
from iris.evaluate import Evaluator
from iris.flow import built_in_root, compile_packs
from iris.plan.diff import compare_plans
from iris.problems import Problem, ProblemsFound

PINNED = "1970-01-01T00:00:00.000Z"


def run(args: argparse.Namespace) -> int:
    """Compare two folders of packs; exit 1 when a replayed verdict flips."""
    old, new = _plan(args.old), _plan(args.new)
    difference = compare_plans(old, new)
    flips = _flips(old, new, args.replay) if args.replay else []
    if args.format == "json":
        changes = [{"rule": c.rule, "kind": c.kind, "bump": c.bump, "why": c.why} for c in difference.changes]
        print(json.dumps({"bump": difference.bump, "changes": changes, "flips": flips}, indent=2, ensure_ascii=False))
        return TRIPPED if flips else PASSED
    for change in difference.changes:
        print(f"{change.kind:8} {change.rule}: {change.why} ({change.bump})")
    print(f"bump due: {difference.bump}")
    for flip in flips:
        print(f"flips    {flip['id']}: {flip['old']} → {flip['new']} ({', '.join(flip['rules']) or 'score'})")
    if args.replay:
        print(f"{len(flips)} verdicts flip")
    return TRIPPED if flips else PASSED


def _plan(folder: str) -> dict[str, Any]:
    """Compile a folder: a copy of the built-in packs stands for itself, any other stands beside them."""
    path = Path(folder)
    if not path.is_dir():
        raise ProblemsFound([Problem("E109", f"{folder} is no folder", None, "", "name a folder of packs")])
    whole = (path / "verdict.yaml").is_file()
    compiled = compile_packs([] if whole else [path], cases=False, root=path if whole else built_in_root())
    if compiled.plan is None:
        raise ProblemsFound(compiled.problems)
    return compiled.plan


def _flips(old: dict[str, Any], new: dict[str, Any], file: str) -> list[dict[str, Any]]:
    before, after = Evaluator(old), Evaluator(new)
    out = []
    for record in read_runs(file, strict=False):
        if record.problem is not None:
            continue
        a = before.evaluate(record.run, "all", evaluation_id=record.id, judged_at=PINNED)
        b = after.evaluate(record.run, "all", evaluation_id=record.id, judged_at=PINNED)
        if a["verdict"]["state"] != b["verdict"]["state"] or a["passed"] != b["passed"]:
            out.append({"id": record.id, "old": _word(a), "new": _word(b), "rules": _differing(a, b)})
    return out


def _word(result: dict[str, Any]) -> str:
    return f"{result['verdict']['state']} ({result['verdict']['basis']})"


def _differing(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    def answers(result: dict[str, Any]) -> dict[str, tuple[bool, bool]]:
        return {r["ruleName"]: (r["passed"], r.get("skipped", False)) for r in result["rule_results"]}

    one, two = answers(a), answers(b)
    return sorted(name for name in {*one, *two} if one.get(name) != two.get(name))
