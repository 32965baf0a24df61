"""Colour on a terminal, or none of it."""

from __future__ import annotations

from dataclasses import dataclass

# ECMA-48 SGR parameters.
STYLES = {
    "pass": "1;32",
    "fail": "1;31",
    "error": "1;31",
    "unknown": "1;35",
    "warning": "1;33",
    "advice": "1;33",
    "note": "1;36",
    "bold": "1",
    "dim": "2",
    "mark": "7",
}


@dataclass(frozen=True, slots=True)
class Paint:
    """Writes text in a named style when colour is wanted, and unchanged when it is not."""

    colour: bool

    def __call__(self, style: str, text: str) -> str:
        """Return the text in a style."""
        if not self.colour or not text:
            return text
        return f"\x1b[{STYLES.get(style, '1')}m{text}\x1b[0m"
