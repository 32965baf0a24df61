"""`make bench`: what judging costs, against a calibration loop in the same run.

Prints microseconds per evaluation (best of several batches), the same in calibration units, a breakdown by rule, hostile
texts against prose of the same size, start-up and memory. Figures of two machines compare by the calibration units.
"""

from __future__ import annotations

import gc
import hashlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from iris.evaluate import Evaluator
from iris.flow import compile_packs, load_plan
from iris.run.rule import CompiledRule
from iris.run.wire import from_wire
from tests.bench.texts import hostile, prose

SIZES = {"200 B": 200, "2 kB": 2048, "20 kB": 20_480, "200 kB": 204_800}
CALIBRATION = {f"k{i}": {"t": "lorem ipsum dolor sit amet " * 4, "n": i, "l": list(range(20))} for i in range(40)}


def calibration_unit() -> float:
    """Seconds for one fixed piece of pure Python, JSON and hashing."""
    best = 9.0
    for _ in range(7):
        start = time.perf_counter()
        total = 0
        for i in range(60_000):
            total += i * i & 7
        for _ in range(6):
            json.loads(json.dumps(CALIBRATION))
        digest = hashlib.sha256()
        for _ in range(8):
            digest.update(b"x" * 65_536)
        best = min(best, time.perf_counter() - start)
    return best


def best_of(work: Callable[[int], Any], seconds: float = 0.6, least: int = 5) -> float:
    """The fastest of repeated calls, in seconds, after a warm-up."""
    for i in range(3):
        work(i)
    best, end, count = 9e9, time.perf_counter() + seconds, 0
    while time.perf_counter() < end or count < least:
        start = time.perf_counter()
        work(count)
        best = min(best, time.perf_counter() - start)
        count += 1
    return best


def runs(text: str) -> list[dict[str, Any]]:
    """Eight runs that differ in one character, with every text input."""
    ask = prose(200, 7, hits=False)
    usage = {"prompt_tokens": 500, "completion_tokens": 400}
    return [
        {"output": chr(97 + i) + text[1:], "input": ask, "expected": ask, "cost_usd": 0.05, "token_usage": usage} for i in range(8)
    ]


def main() -> None:
    """Measure and print."""
    evaluator = Evaluator(load_plan())
    gc.collect()
    gc.freeze()
    unit = calibration_unit()
    print(f"calibration unit {unit * 1e3:.2f} ms\n")
    print(f"{'text':22}{'all':>12}{'units':>10}{'safety':>12}{'units':>10}")
    for name, size in SIZES.items():
        for hits in (False, True):
            texts = runs(prose(size, size, hits=hits))
            row = [best_of(judging(evaluator, texts, bundle)) for bundle in ("all", "safety")]
            label = f"{name}{', with hits' if hits else ''}"
            print(f"{label:22}{row[0] * 1e6:10.0f}us{row[0] / unit:10.5f}{row[1] * 1e6:10.0f}us{row[1] / unit:10.5f}")
    by_rule(evaluator)
    fresh_texts(evaluator)
    hostile_texts(evaluator)
    start_up()
    print(f"\nmemory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def judging(evaluator: Evaluator, texts: list[dict[str, Any]], bundle: str) -> Callable[[int], Any]:
    """Judge one of eight runs by its turn."""
    return lambda i: evaluator.evaluate(texts[i & 7], bundle, evaluation_id="x")


def by_rule(evaluator: Evaluator) -> None:
    """Each rule alone on 2 kB; what rules share is paid by each."""
    print("\nrule alone, 2 kB of clean prose")
    run = runs(prose(2048, 2048, hits=False))[0]
    for rule in evaluator.engine.choose("all"):
        spent = best_of(partial(_alone, evaluator, rule, run), 0.2)
        print(f"  {rule.info.name:28}{spent * 1e6:8.0f}us")


def _alone(evaluator: Evaluator, rule: CompiledRule, run: dict[str, Any], _turn: int) -> None:
    evaluator.engine.judge(from_wire(run), [rule])


def fresh_texts(evaluator: Evaluator) -> None:
    """Texts that were never seen: automata grow while they read them."""
    texts = [runs(prose(2048, 10_000 + i, hits=i % 5 == 0))[0] for i in range(300)]
    start = time.perf_counter()
    for run in texts:
        evaluator.evaluate(run, "all", evaluation_id="x")
    print(f"\n300 different texts of 2 kB, each once: {(time.perf_counter() - start) / 300 * 1e6:.0f}us each")


def hostile_texts(evaluator: Evaluator) -> None:
    """Texts of 1 MB that make careless matching slow, against prose of the same size."""
    size = 1_000_000
    ordinary = best_of(judging(evaluator, [{"output": prose(size, 1, hits=False)}] * 8, "all"), 0.1, 2)
    print(f"\nprose of 1 MB: {ordinary * 1e3:.0f} ms")
    for name, text in hostile(size).items():
        spent = best_of(judging(evaluator, [{"output": text}] * 8, "all"), 0.1, 2)
        print(f"  {name:16}{spent * 1e3:8.0f} ms   {spent / ordinary:5.2f} x prose")


def start_up() -> None:
    """CPU time of a cold compile, of a warm plan, and of `iris --version`."""
    start = time.process_time()
    compile_packs()
    print(f"\ncompile all packs with their cases: {(time.process_time() - start) * 1e3:.0f} ms CPU (this process)")
    plan = best_of(lambda i: load_plan(), 0.5)
    from iris.run.engine import Engine

    engine = best_of(lambda i: Engine(load_plan()), 0.5)
    print(f"load the plan from the cache: {plan * 1e3:.1f} ms; with all rules compiled: {engine * 1e3:.1f} ms")
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "iris", "--version"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"iris --version: {min(spent) * 1e3:.0f} ms CPU")


if __name__ == "__main__":
    main()
