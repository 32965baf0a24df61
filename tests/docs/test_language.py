"""docs/language.md is true: every example gives the value that stands beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from iris.language.paths import CALL_FIELDS, PATHS, TOKEN_FIELDS
from iris.packs.fields import SETTING_TYPES
from iris.packs.read import read_yaml
from iris.packs.reader import json_value
from iris.packs.source import Source

from .expressions import problems_of, value_of

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```iris\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
CODE = re.compile(r"E\d\d\d")


def run() -> dict[str, Any]:
    """The run at the top of the page."""
    text = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
    node, problems = read_yaml(Source.of("docs/language.md", text))
    assert node is not None, problems
    return dict(json_value(node))


def examples() -> list[tuple[str, str]]:
    """Each expression with the value or code beside it."""
    out = []
    for block in BLOCKS:
        expression = ""
        for line in block.splitlines():
            written, arrow, value = line.partition("# → ")
            expression += written.rstrip() + "\n"
            if arrow:
                out.append((expression.strip(), value))
                expression = ""
        assert not expression.strip(), f"without a value: {expression}"
    return out


@pytest.mark.parametrize("expression, value", examples())
def test_an_example_gives_what_stands_beside_it(expression: str, value: str) -> None:
    if CODE.fullmatch(value):
        assert {p.code for p in problems_of(expression)} == {value}
    else:
        assert value_of(expression, run()) == value


def test_the_page_has_examples() -> None:
    assert len(examples()) > 80


@pytest.mark.parametrize("name", [*PATHS, *CALL_FIELDS, *(f"tokens.{f}" for f in TOKEN_FIELDS), *SETTING_TYPES])
def test_every_path_field_and_setting_type_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE or name == "tokens"
