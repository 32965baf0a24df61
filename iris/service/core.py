"""What every operation works on: the store, the deployed rules, the judge, the configuration and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iris.evaluate import Evaluator, utc_now
from iris.store.interface import Store

if TYPE_CHECKING:
    from iris.config.config import Config
    from iris.custom.book import RuleBook

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
