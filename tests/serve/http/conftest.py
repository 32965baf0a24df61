"""A server to send requests to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from iris.evaluate import Evaluator
from iris.flow import load_plan
from tests.serve.http.site import Site, serving

Open = Callable[..., AbstractAsyncContextManager[Site]]


@pytest.fixture(scope="session")
def evaluator() -> Evaluator:
    """An evaluator with the built-in packs."""
    return Evaluator(load_plan())


@pytest.fixture
async def site(evaluator: Evaluator, tmp_path: Path) -> AsyncIterator[Site]:
    """A server that asks for no key."""
    async with serving(evaluator, tmp_path) as made:
        yield made


@pytest.fixture
def opened(evaluator: Evaluator, tmp_path: Path) -> Open:
    """Open a server with settings of its own."""

    def of(**changed: Any) -> AbstractAsyncContextManager[Site]:
        return serving(evaluator, tmp_path, **changed)

    return of
