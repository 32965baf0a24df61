"""The parts of a text as spans, in order: one place to import them from."""

from __future__ import annotations

from iris.run.views.cells import table_cells
from iris.run.views.lines import block_spans, fenced_spans, line_spans, removed_spans
from iris.run.views.quotes import quoted_spans
from iris.run.views.sentences import sentence_spans

__all__ = [
    "block_spans",
    "fenced_spans",
    "line_spans",
    "quoted_spans",
    "removed_spans",
    "sentence_spans",
    "table_cells",
]
