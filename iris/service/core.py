"""What every operation works on: the store, the deployed rules, the judge, the configuration and the clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from iris.evaluate import Evaluator, utc_now
from iris.service.changes import RuleChanges
from iris.service.inline import InlineRules
from iris.store.interface import Store

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.custom.book import RuleBook

T = TypeVar("T")
Clock = Callable[[], str]
Publish = Callable[[str, dict[str, Any]], None]


def nobody(event: str, data: Mapping[str, Any]) -> None:
    """Publish to nobody."""


@dataclass(frozen=True, slots=True)
class Core:
    """The parts of a running Iris. `clock` gives UTC ISO 8601 in ms; `publish` is told of every durable write."""

    store: Store
    rules: RuleBook
    evaluator: Evaluator
    config: Config
    clock: Clock = utc_now
    publish: Publish = nobody
    started: float = field(default_factory=time.monotonic)
    offers: dict[str, Any] = field(default_factory=dict)
    """What the doors of this process add to the capabilities: the guide of the tools, their names …"""
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "iris-judge"))
    """Judges what is too long for the loop. One thread: each more would keep the loop waiting for its turn longer."""
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a rule is deployed, switched or deleted: what was checked still holds when it is done."""
    changes: RuleChanges = field(init=False)
    inline: InlineRules = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", RuleChanges(self.store))
        object.__setattr__(self, "inline", InlineRules(self.evaluator))

    async def aside(self, work: Callable[..., T], *args: Any) -> T:
        """Do work that takes long in the thread for it."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, work, *args)
