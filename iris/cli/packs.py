"""`iris packs compile|check|test|schema|list`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from iris.cli import PASSED, TRIPPED, colour
from iris.flow import Compiled, built_in_root, compile_packs
from iris.packs.reader import near
from iris.problems import Problem, ProblemsFound
from iris.report.problems import render_problems


def compile(args: argparse.Namespace) -> int:  # noqa: A001 - named after its verb
    """Compile, run the cases, and write pack.lock into each pack."""
    folders = [Path(f) for f in args.folders]
    compiled = compile_packs(folders)
    if compiled.plan is None:
        return _refused(compiled, args.format)
    from iris.plan.lock import write_locks

    written = write_locks(compiled.plan, compiled.packs, built_in=not folders)
    _summary(compiled, args.format)
    for path in written:
        print(f"wrote {path}", file=sys.stdout if args.format == "text" else sys.stderr)
    return PASSED


def check(args: argparse.Namespace) -> int:
    """Compile and run the cases, and compare with pack.lock; write nothing."""
    folders = [Path(f) for f in args.folders]
    compiled = compile_packs(folders)
    if compiled.plan is None:
        return _refused(compiled, args.format)
    from iris.plan.lock import lock_problems

    stale = lock_problems(compiled.plan, compiled.packs, built_in=not folders)
    if stale:
        return _refused(Compiled(None, stale, compiled.packs), args.format)
    _summary(compiled, args.format)
    return PASSED


def _refused(compiled: Compiled, form: str) -> int:
    print(render_problems(compiled.problems, form, colour=colour(sys.stdout)), end="")
    return TRIPPED


def _summary(compiled: Compiled, form: str) -> None:
    assert compiled.plan is not None
    if form != "text":
        print(render_problems(compiled.problems, form), end="")
        return
    plan = compiled.plan
    cases = sum(len(r.cases) for p in compiled.packs for r in p.rules)
    examples = sum(len(d["hits"]) + len(d["misses"]) for d in plan["detectors"])
    rules = sum(not r["template"] for r in plan["rules"])
    templates = len(plan["rules"]) - rules
    print(f"{len(plan['packs'])} packs, {rules} rules, {templates} templates, {len(plan['detectors'])} detectors")
    print(f"{cases} cases and {examples} detector examples agree")
    print(f"plan {plan['hash'][:16]}")


def test(args: argparse.Namespace) -> int:
    """Run the cases rule by rule; with --mutate also look for changes that no case notices."""
    folders = [Path(f) for f in args.folders]
    compiled = compile_packs(folders)
    if compiled.plan is None:
        return _refused(compiled, args.format)
    known = [r.name for p in compiled.packs for r in p.rules]
    if args.rule and args.rule not in known:
        raise ProblemsFound([Problem("E903", f"there is no rule `{args.rule}`", None, "", near(args.rule, known))])
    if args.mutate:
        return _mutate(compiled, args, bool(folders))
    from iris.cases import STATES, run_cases
    from iris.run.engine import Engine

    engine = Engine(compiled.plan)
    for pack in compiled.packs:
        for rule in pack.rules:
            if (args.rule and rule.name != args.rule) or (folders and pack.built_in):
                continue
            print(f"{pack.name}/{rule.name}")
            for case, finding in run_cases(pack, rule, engine):
                print(f"  {STATES[finding.state]:4} {case.name}: {finding.message}")
    return PASSED


def _mutate(compiled: Compiled, args: argparse.Namespace, own: bool) -> int:
    from iris.mutate import mutate

    survivors, total = mutate(compiled, rule=args.rule, built_in=not own)
    for survivor in survivors:
        print(f"survived  {survivor.rule}: {survivor.what}")
    print(f"{total} mutants, {total - len(survivors)} noticed, {len(survivors)} survived")
    return TRIPPED if any(s.stable for s in survivors) else PASSED


def schema(args: argparse.Namespace) -> int:
    """Print the JSON Schema of a kind of pack file."""
    from iris.packs.schema import pack_schema

    print(json.dumps(pack_schema(args.kind), indent=2, ensure_ascii=False))
    return PASSED


def listing(args: argparse.Namespace) -> int:
    """List packs and their rules."""
    from iris.flow import load_plan

    plan = load_plan([Path(f) for f in args.packs])
    rows: list[dict[str, Any]] = [
        {**p, "rules": [r["name"] for r in plan["rules"] if r["pack"] == p["name"]]} for p in plan["packs"]
    ]
    if args.format == "json":
        print(json.dumps(rows, indent=2))
        return PASSED
    for row in rows:
        origin = "built-in" if row["built_in"] else "yours"
        print(f"{row['name']} {row['version']} ({origin}, {len(row['rules'])} rules)")
        for name in row["rules"]:
            print(f"  {name}")
    return PASSED


__all__ = ["built_in_root", "check", "compile", "listing", "schema", "test"]
