"""docs/mcp.md says what the tools say."""

from __future__ import annotations

import re
from pathlib import Path

from iris.docs import page
from iris.serve.mcp.guide import RESOURCES, TEMPLATES
from iris.serve.mcp.page import mcp_page
from iris.serve.mcp.tools import build_tools
from iris.service.errors import CATALOGUE

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page([mcp_page()])


def test_it_has_every_tool_argument_resource_and_error_and_no_other() -> None:
    text = mcp_page()
    assert re.findall(r"^### (\w+)$", text, re.MULTILINE) == list(build_tools())
    for tool in build_tools().values():
        assert all(f"| `{name}`" in text for name in tool.schema["properties"])
    assert set(re.findall(r"iris://[a-z/_{}]+[a-z}]", text)) == {*RESOURCES, *TEMPLATES}
    assert set(re.findall(r"IRIS_[A-Z_]+", text)) == set(CATALOGUE)
