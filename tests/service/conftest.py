"""A service over its own store and rules, with a clock the test sets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iris.config.config import load_config
from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.service.service import Service
from iris.store.sqlite import SqliteStore

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
async def world(evaluator: Evaluator, tmp_path: Path) -> AsyncIterator[World]:
    """A service over an empty home."""
    config = load_config({}, {"IRIS_HOME": str(tmp_path)})
    store, book = SqliteStore(config.db_path), RuleBook(config.home.rules, evaluator)
    made = World(None, store, book)  # type: ignore[arg-type]
    publish = made.events.append
    made.service = Service(store, book, evaluator, config, clock=made.clock, publish=lambda e, d: publish((e, d)))
    await store.open()
    yield made
    made.service.close()
    await store.close()


def meets(tool: str, result: Any) -> Any:
    """Check a result, as it is sent, against the contract of its tool, and give it."""
    sent = json.loads(json.dumps(result, allow_nan=False))
    schema = json.loads((CONTRACT / f"{tool}.output.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(sent, schema)
    return sent
