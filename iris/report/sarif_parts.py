"""The parts of SARIF 2.1.0 that reports on runs and on problems share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"


def uri_of(path: str) -> str:
    """Return a path as a URI reference (RFC 3986); an absolute path as a file URI (RFC 8089)."""
    slashed = path.replace("\\", "/")
    quoted = quote(slashed, safe="/", errors="replace")
    if len(slashed) > 2 and slashed[1:3] == ":/" and slashed[0].isalpha():
        return f"file:///{slashed[0]}:{quote(slashed[2:], safe='/', errors='replace')}"
    return f"file://{quoted}" if quoted.startswith("/") else quoted


def location(file: str, line: int, column: int = 0, length: int = 0) -> dict[str, Any]:
    """Return a physical location; line and column count from 1, 0 means unknown."""
    region: dict[str, int] = {"startLine": line} if line > 0 else {}
    if region and column > 0:
        region |= {"startColumn": column, "endColumn": column + max(length, 1)}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri_of(file)},
            **({"region": region} if region else {}),
        }
    }


def tool(rules: Sequence[Mapping[str, Any]], version: str = "") -> dict[str, Any]:
    """Return the tool object with its rules."""
    return {"driver": {"name": "Iris", **({"version": version} if version else {}), "rules": list(rules)}}
