"""docs/http-api.md says what the routes do."""

from __future__ import annotations

import re
from pathlib import Path

from iris.docs import page
from iris.serve.http.page import http_page
from iris.serve.http.routes import TABLE

PAGE = Path(__file__).parents[3] / "docs" / "http-api.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page([http_page()])


def test_it_has_every_route_status_and_parameter_and_no_other() -> None:
    text = http_page()
    assert re.findall(r"^### (\w+ \S+)$", text, re.MULTILINE) == [f"{r.method} {r.path}" for r in TABLE]
    parts = re.split(r"^### .*$", text, flags=re.MULTILINE)[1:]
    for route, part in zip(TABLE, parts, strict=True):
        assert {int(s) for s in re.findall(r"^- (\d{3}):", part, re.MULTILINE)} == set(route.answers)
        model = route.query or route.body
        if model is not None:
            assert all(f"| `{name}` |" in part for name in model.model_json_schema()["properties"])
