"""The operators of the rule language, one function each: `(context, *arguments) -> value`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from iris.run.operators import data, facts, lists, numbers, parts, texts, views

Implementation = Callable[..., Any]


@lru_cache(maxsize=1)
def implementations() -> dict[str, Implementation]:
    """Every operator by name, except those the runner itself evaluates (given, gather, found, hits, size, any)."""
    out: dict[str, Implementation] = {}
    for module in (views, parts, texts, numbers, lists, facts, data):
        out.update(module.operators())
    return out
