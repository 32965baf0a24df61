"""The evaluator with the built-in packs, and an empty book."""

from __future__ import annotations

from pathlib import Path

import pytest

from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.flow import load_plan


@pytest.fixture(scope="session")
def evaluator() -> Evaluator:
    """An evaluator with the built-in packs."""
    return Evaluator(load_plan())


@pytest.fixture
def book(tmp_path: Path, evaluator: Evaluator) -> RuleBook:
    """A book whose folder is not there yet."""
    return RuleBook(tmp_path / "home" / "rules", evaluator)
