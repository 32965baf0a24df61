"""What starting costs, and what a warm start does not load."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from iris.flow import load_plan

HEAVY = ("lark", "yaml", "re2", "aiohttp", "mcp", "pydantic", "jsonschema_rs", "rapidfuzz")


def modules_after(code: str, tmp_path: Path) -> set[str]:
    """The top-level modules a fresh process has loaded after running some code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_version_is_printed_without_loading_anything_heavy(tmp_path: Path) -> None:
    loaded = modules_after("from iris.__main__ import main; main(['--version'])", tmp_path)
    assert not loaded & set(HEAVY)


def test_the_version_takes_at_most_forty_milliseconds_of_processor_time() -> None:
    spent = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "iris", "--version"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) <= 0.040


def test_a_warm_start_judges_without_lark_and_yaml(tmp_path: Path) -> None:
    load_plan()
    code = (
        "from iris.flow import load_plan\nfrom iris.evaluate import Evaluator\n"
        "Evaluator(load_plan()).evaluate({'output': 'Hello there, all is well.'}, evaluation_id='x')"
    )
    assert not modules_after(code, tmp_path) & {"lark", "yaml"}


def test_a_broken_cache_is_made_again(cache: Path) -> None:
    plan = load_plan()
    for path in cache.glob("plan-*.json"):
        path.write_text("{", encoding="utf-8")
    assert load_plan() == plan


def test_a_cache_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "iris", "rules", "list"], capture_output=True, text=True, env={**os.environ, "IRIS_CACHE_DIR": str(blocked)}
    )
    assert done.returncode == 0, done.stderr
    assert "no_pii" in done.stdout
