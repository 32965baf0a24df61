"""Every operator means what its table entry says, and the table, the runner and these examples know the same operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import Refused, Unknown, expression, value

from iris.language.operators import Operator, operators
from iris.parse import tree as t
from iris.parse.expression import parse
from iris.run.compile import SPECIAL
from iris.run.operators import implementations

from .facts import EXAMPLES as FACT_EXAMPLES
from .texts import EXAMPLES as TEXT_EXAMPLES

EXAMPLES = [*TEXT_EXAMPLES, *FACT_EXAMPLES]
TABLE = [operators()[name] for name in sorted(operators())]


@pytest.mark.parametrize("text, run, wanted", EXAMPLES, ids=[f"{i}-{e[0][:60]}" for i, e in enumerate(EXAMPLES)])
def test_an_operator_gives_what_its_meaning_says(text: str, run: dict[str, Any], wanted: Any) -> None:
    assert value(text, run) == wanted
