"""`python -m tests.bench.store [--traces N]`: what the store costs at N traces, each with two spans and an evaluation.

Builds the database through the writing thread's own code, twenty thousand traces a transaction, without waiting for the disk;
then prints p50 and p95 of every kind of read, the memory of the process, and durable inserts a second by number of callers.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from iris.store.filters import All, AnyOf, Filter, Test
from iris.store.interface import LOCAL, EvaluationQuery, NewEvaluation, NewTrace, TraceQuery
from iris.store.sqlite import SqliteStore
from iris.store.sqlite.connect import connect
from iris.store.sqlite.history import Costs
from iris.store.sqlite.insert import add_traces
from iris.store.sqlite.migrations import migrate
from iris.store.sqlite.rollups import Deltas
from iris.store.sqlite.rows import EvaluationRow, TraceRow, trace_row
from iris.store.sqlite.text import iso
from tests.bench.texts import prose

AGENTS = [(f"agent-{i}", f"framework-{i % 4}") for i in range(8)]
RULES = ("expected_coverage", "keyword_overlap", "no_pii", "no_injection_patterns", "cost_under_threshold", "no_stub_output")
DAYS, PER_JOB, ROUNDS = 7, 20_000, 30
SECOND = 1_000_000


def template(i: int) -> TraceRow:
    """A trace as it is prepared for the writing thread; every twelfth fails a rule of safety, every fifth another."""
    failed = {"no_pii"} if i % 12 == 0 else {"keyword_overlap"} if i % 5 == 0 else set()
    rules: list[dict[str, Any]] = [
        {
            "ruleName": name,
            "passed": name not in failed,
            "score": float(name not in failed),
            "message": f"{name} looked at the answer",
            "category": "safety" if name.startswith("no_") else "relevance",
            "classes": ["pii_leak"] if name == "no_pii" else [],
        }
        for name in RULES
    ]
    score = round(1 - len(failed) / len(RULES) - (i % 7) / 100, 3)
    state = "fail" if failed else "pass"
    result: dict[str, Any] = {"id": "e", "eval_type": "all" if i % 3 else "safety", "score": score, "passed": not failed, "rule_results": rules}
    result |= {"verdict": {"state": state, "basis": "clean", "by": sorted(failed)}, "suggestions": []}
    spans = [{"span_id": str(n), "name": "call", "status_code": "OK", "start_time": "2026-01-01T00:00:00.000Z"} for n in range(2)]
    trace: dict[str, Any] = {"trace_id": "t", "agent_name": "a", "timestamp": iso(0), "created_at": iso(0), "source": "http"}
    trace |= {"input": prose(140, i, hits=False), "output": f"run number{i % 997} " + prose(200 + i % 1800, i, hits=False), "metadata": {"env": "prod"}}
    trace |= {"tool_calls": [{"tool_name": "search", "input": {"q": "x"}, "output": "y"}], "cost_usd": 0.0, "latency_ms": 0.0}
    new = NewEvaluation(result, iso(0), output=trace["output"], trace_id="t")
    return trace_row(LOCAL, NewTrace(trace, spans, new))


def varied(base: TraceRow, ts: int, rng: random.Random) -> TraceRow:
    """A template with its own id, time, agent and numbers."""
    agent, framework = rng.choice(AGENTS)
    trace_id = secrets.token_hex(16)
    own = {"trace_id": trace_id, "ts": ts, "agent": agent, "framework": framework, "session": f"s{rng.randrange(50_000)}"}
    own |= {"cost": round(rng.lognormvariate(-4, 0.6), 6), "latency": round(rng.lognormvariate(6.8, 0.7), 1)}
    assert base.evaluation is not None
    judged = {"trace_id": trace_id, "evaluation_id": secrets.token_hex(16), "ts": ts, "created_at": iso(ts)}
    rest = base.texts[2].replace('"trace_id":"t"', f'"trace_id":"{trace_id}"').replace(iso(0), iso(ts))
    rest = rest.replace('"agent_name":"a"', f'"agent_name":"{agent}"')
    evaluation = EvaluationRow(base.evaluation.columns | judged, base.evaluation.outcome)
    return replace(base, columns=base.columns | own, texts=(*base.texts[:2], rest), evaluation=evaluation)


def build(path: Path, n: int) -> float:
    """Fill a database; gives seconds."""
    rng, templates, costs = random.Random(7), [template(i) for i in range(240)], Costs()
    end, begun = time.time_ns() // 1_000, time.perf_counter()
    step = DAYS * 86_400 * SECOND // n
    with contextlib.closing(connect(path)) as db:
        migrate(db)
        for pragma in ("synchronous = OFF", "secure_delete = OFF", "cache_size = -3000000"):
            db.execute(f"PRAGMA {pragma}")
        for first in range(0, n, PER_JOB):
            rows = [varied(rng.choice(templates), end - (n - i) * step, rng) for i in range(first, min(n, first + PER_JOB))]
            deltas = Deltas()
            db.execute("BEGIN IMMEDIATE")
            add_traces(db, deltas, costs, end, rows)
            deltas.flush(db)
            db.execute("COMMIT")
    return time.perf_counter() - begun


def since(hours: float) -> Filter:
    return Test("time", ">=", iso(time.time_ns() // 1_000 - int(hours * 3600) * SECOND))


def queries() -> dict[str, TraceQuery]:
    """Lists of traces."""
    agent, failed = Test("agent", "=", "agent-3"), AnyOf((Test("state", "=", "fail"), Test("kind", "=", "cost-spike")))
    q = TraceQuery
    return {
        "newest": q(),
        "limit 1000": q(limit=1000),
        "offset 10000": q(offset=10_000),
        "oldest": q(descending=False),
        "by cost": q(sort="cost_usd"),
        "by cost, lowest": q(sort="cost_usd", descending=False),
        "by latency": q(sort="latency_ms"),
        "by score": q(sort="score", descending=False),
        "agent": q(agent),
        "agent, offset 10000": q(agent, offset=10_000),
        "framework": q(Test("framework", "=", "framework-1")),
        "session": q(Test("session", "=", "s77")),
        "state fail": q(Test("state", "=", "fail")),
        "agent and state": q(All((agent, Test("state", "=", "fail")))),
        "rule": q(Test("rule", "=", "no_pii")),
        "agent and rule": q(All((agent, Test("rule", "=", "keyword_overlap")))),
        "rule, offset 10000": q(Test("rule", "=", "no_pii"), offset=10_000),
        "score 0.4..0.6": q(All((Test("score", ">=", 0.4), Test("score", "<=", 0.6)))),
        "score >= 0.9": q(Test("score", ">=", 0.9)),
        "agent and score": q(All((agent, Test("score", "<", 0.8)))),
        "last hour": q(since(1)),
        "last day": q(since(24)),
        "last day by cost": q(since(24), sort="cost_usd"),
        "last hour by cost": q(since(1), sort="cost_usd"),
        "agent by cost": q(agent, sort="cost_usd"),
        "agent, last day": q(All((agent, since(24)))),
        "agent, last day, fail": q(All((agent, since(24), Test("state", "=", "fail")))),
        "cost > 0.1": q(Test("cost", ">", 0.1)),
        "cost > 0.01 and latency < 200": q(All((Test("cost", ">", 0.01), Test("latency", "<", 200)))),
        "nothing of it": q(All((Test("model", "=", "none"), Test("calls", ">", 3)))),
        "failed or spike": q(failed),
        "words": q(text=("number77",)),
        "frequent word": q(text=("run",)),
        "word by relevance": q(text=("number77",), sort="relevance"),
        "frequent word by relevance": q(text=("run",), sort="relevance"),
        "word and agent": q(agent, text=("run",)),
        "a question": q(keep=lambda row: row["agent_name"] == "agent-3"),
    }


def moments() -> dict[str, TraceQuery]:
    """Lists of moments."""
    agent = Test("agent", "=", "agent-3")
    q = TraceQuery
    return {
        "newest": q(),
        "ranked failures": q(sort="rank"),
        "ranked, offset 10000": q(sort="rank", offset=10_000),
        "ranked, agent": q(agent, sort="rank"),
        "ranked, last day": q(since(24), sort="rank"),
        "by significance": q(sort="significance"),
        "significance >= 0.5": q(Test("significance", ">=", 0.5)),
        "kind": q(Test("kind", "=", "safety-violation")),
        "rare kind": q(Test("kind", "=", "cost-spike")),
        "verdict": q(Test("verdict", "=", "fail")),
    }


async def timed(name: str, call: Callable[[], Awaitable[Any]], rounds: int = ROUNDS) -> float:
    """Print p50 and p95 of a call in ms; gives the p95."""
    spent = []
    for _ in range(rounds):
        begun = time.perf_counter()
        found = await call()
        spent.append((time.perf_counter() - begun) * 1e3)
    spent.sort()
    p95 = spent[int(len(spent) * 0.95)]
    told = f"{len(found.rows):5} rows, total {found.total}{'' if found.complete else '+'}" if hasattr(found, "rows") else ""
    print(f"{name:42} {spent[len(spent) // 2]:9.2f} {p95:9.2f}  {told}", flush=True)
    return p95


async def reads(store: SqliteStore) -> None:
    """Print each read."""
    print(f"{'read':42} {'p50 ms':>9} {'p95 ms':>9}")
    worst = [await timed(f"traces: {name}", partial(store.traces, LOCAL, q)) for name, q in queries().items()]
    worst += [await timed(f"moments: {name}", partial(store.moments, LOCAL, q)) for name, q in moments().items()]
    page = await store.traces(LOCAL, TraceQuery(offset=9_950))
    worst.append(await timed("traces: keyset, page 200", lambda: store.traces(LOCAL, TraceQuery(after=page.next))))
    some = page.rows[0]["trace_id"]
    for name, eq in {
        "newest": EvaluationQuery(),
        "failed": EvaluationQuery(passed=False),
        "safety, failed": EvaluationQuery("safety", passed=False),
        "offset 10000": EvaluationQuery(offset=10_000),
        "of a trace": EvaluationQuery(trace_id=some),
    }.items():
        worst.append(await timed(f"evaluations: {name}", partial(store.evaluations, LOCAL, eq)))
    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "trace": lambda: store.trace(LOCAL, some),
        "moment": lambda: store.moment(LOCAL, some),
        "evaluations of a trace": lambda: store.evaluations_of(LOCAL, some),
        "filters": lambda: store.filters(LOCAL),
        "summary 24": lambda: store.summary(LOCAL, 24),
        "summary 168": lambda: store.summary(LOCAL, 168),
        "statistics 24h": lambda: store.statistics(LOCAL, "24h"),
        "statistics all": lambda: store.statistics(LOCAL, "all"),
        "trend 7d": lambda: store.trend(LOCAL, "7d"),
        "trend 30d": lambda: store.trend(LOCAL, "30d"),
        "rules 7d": lambda: store.rule_statistics(LOCAL, "7d"),
        "rules all": lambda: store.rule_statistics(LOCAL, "all"),
        "recent failures": lambda: store.recent_failures(LOCAL, "all", 100),
        "drift 7d": lambda: store.drift(LOCAL, "7d"),
    }
    worst += [await timed(name, call) for name, call in calls.items()]
    print(f"worst p95 {max(worst):.1f} ms; memory {memory()} MB")


def memory() -> int:
    """Resident memory in MB."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) // 1024


async def inserts(store: SqliteStore, seconds: float = 3.0) -> None:
    """Durable inserts a second, each a call of its own."""
    base = {"agent_name": "writer", "output": prose(2_000, 1, hits=False), "source": "http", "latency_ms": 5.0, "cost_usd": 0.01}
    for callers in (1, 16, 32):
        spent: list[float] = []
        end = time.perf_counter() + seconds

        async def caller(end: float = end, spent: list[float] = spent) -> None:
            while time.perf_counter() < end:
                now = iso(time.time_ns() // 1_000)
                begun = time.perf_counter()
                await store.add_traces(LOCAL, [NewTrace(base | {"trace_id": secrets.token_hex(16), "timestamp": now, "created_at": now})])
                spent.append((time.perf_counter() - begun) * 1e3)

        await asyncio.gather(*(caller() for _ in range(callers)))
        spent.sort()
        p50, p99 = spent[len(spent) // 2], spent[int(len(spent) * 0.99)]
        print(f"{callers:3} callers: {len(spent) / seconds:8.0f} durable inserts/s, p50 {p50:.2f} p99 {p99:.2f} ms", flush=True)


async def main() -> None:
    """Build if there is nothing, then measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--traces", type=int, default=100_000)
    options.add_argument("--db", type=Path, default=None, help="kept and used again")
    args = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="iris-bench-"))
    path = args.db or folder / "bench.db"
    if not path.exists():
        print(f"built {args.traces} in {build(path, args.traces):.0f} s", flush=True)
    store = SqliteStore(path)
    await store.open()
    try:
        await measure(store)
    finally:
        await store.close()


async def measure(store: SqliteStore) -> None:
    """Let the index catch up, then measure."""
    begun = time.perf_counter()
    while await store._index_behind():
        pass
    print(f"index caught up in {time.perf_counter() - begun:.0f} s, {store.path.stat().st_size >> 20} MB", flush=True)
    await reads(store)
    await inserts(store)


if __name__ == "__main__":
    asyncio.run(main())
