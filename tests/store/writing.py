"""A process that writes to a store and says what was acknowledged: `writing.py DATABASE SEED [COUNT]`."""

from __future__ import annotations

import asyncio
import random
import sys
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from iris.store.interface import LOCAL, AuditEntry, NewTrace
from iris.store.sqlite import SqliteStore
from tests.store.making import at, evaluation, failing, judged, result


async def caller(store: SqliteStore, draw: random.Random, most: int) -> None:
    """Add, judge again and delete, one after the other."""
    for _ in count() if most < 0 else range(most):
        new = judged(failing("r") if draw.random() < 0.5 else result(), output="x" * draw.randrange(3000))
        trace_id = new.trace["trace_id"]
        spans = [{"span_id": str(n), "name": "n", "start_time": at()} for n in range(2)]
        await store.add_traces(LOCAL, [NewTrace(new.trace, spans, new.evaluation)])
        print("added", trace_id, flush=True)
        kind = draw.random()
        if kind < 0.4:
            found = failing("q")
            await store.add_evaluation(LOCAL, evaluation(found, trace_id))
            print("judged", found["id"], flush=True)
        elif kind < 0.6:
            print("deleting", trace_id, flush=True)
            await store.delete_trace(LOCAL, trace_id, AuditEntry(at(), "trace.delete", trace_id=trace_id))
            print("deleted", trace_id, flush=True)


async def main() -> None:
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    print("ready", flush=True)
    most = int(sys.argv[3]) if len(sys.argv) > 3 else -1
    await asyncio.gather(*(caller(store, random.Random(f"{sys.argv[2]} {n}"), most) for n in range(4)))
    await store.close()


asyncio.run(main())
