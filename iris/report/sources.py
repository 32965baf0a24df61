"""The texts that spans of evidence point into, found in a run in its wire form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

CALL_TEXT = re.compile(r"tool_outputs\[([0-9]{1,9})\]|tool_calls\[([0-9]{1,9})\]\.input")
WHOLE = ("output", "input", "expected")


class Texts:
    """The texts of one run by the names that evidence gives them, such as `tool_calls[2].input`."""

    def __init__(self, run: Mapping[str, Any]) -> None:
        self.run = run
        self._paths: Mapping[str, Any] | None = None

    def get(self, source: str) -> str | None:
        """Return the text a source names, or None when the run has none."""
        if source in WHOLE:
            return _text_of(self._read().get(source))
        found = CALL_TEXT.fullmatch(source)
        calls = self._read().get("calls") if found else None
        index = int(found[1] or found[2]) if found else 0
        if found is None or not isinstance(calls, list) or index >= len(calls):
            return None
        return _text_of(calls[index].result if found[1] else calls[index].args)

    def _read(self) -> Mapping[str, Any]:
        # Offsets count in the text as it was judged: read it by the same code.
        if self._paths is None:
            from iris.run.wire import from_wire

            self._paths = from_wire(self.run).paths
        return self._paths


def _text_of(value: Any) -> str | None:
    text = getattr(getattr(value, "view", None), "text", None)
    return text if isinstance(text, str) else None
