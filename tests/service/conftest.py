"""A service over its own store and rules, with a clock the test sets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.service.service import Service

from .book import MemoryBook
from .memory import MemoryStore

CONFIG = {
    "dashboard": False, "dashboard_host": "127.0.0.1", "dashboard_port": 6920, "transport": "stdio", "retention_days": 30,
    "request_size_limit": 1_000_000, "rate_mcp": 20, "rate_api": 600,
}  # fmt: skip
CONTRACT = Path(__file__).parents[1] / "contract"


@dataclass
class World:
    """A service with what lies under it, and what it published."""

    service: Service
    store: Any
    book: Any
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    now: datetime = field(default_factory=lambda: datetime.fromisoformat("2026-03-01T12:00:00+00:00"))

    def clock(self) -> str:
        """The time the test set."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03}Z"

    def later(self, **span: float) -> None:
        """Let time pass."""
        self.now += timedelta(**span)


@pytest.fixture(scope="session")
def evaluator() -> Evaluator:
    """An evaluator with the built-in packs."""
    return Evaluator(load_plan())


@pytest.fixture
async def world(evaluator: Evaluator) -> AsyncIterator[World]:
    """A service with nothing stored or deployed."""
    made = World(None, None, MemoryBook(evaluator))  # type: ignore[arg-type]
    made.store = store = MemoryStore(made.clock)
    config: Any = SimpleNamespace(**CONFIG)
    publish = made.events.append
    made.service = Service(store, made.book, evaluator, config, clock=made.clock, publish=lambda e, d: publish((e, d)))
    await store.open()
    yield made
    await store.close()


def meets(tool: str, result: Any) -> Any:
    """Check a result, as it is sent, against the contract of its tool, and give it."""
    sent = json.loads(json.dumps(result, allow_nan=False))
    schema = json.loads((CONTRACT / f"{tool}.output.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(sent, schema)
    return sent
