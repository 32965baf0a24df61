"""JSON that any reader takes: ASCII only, no NaN, no text that a build runner would obey."""

from __future__ import annotations

import json
import math
from typing import Any


def finite(value: Any) -> Any:
    """Return a JSON value with NaN and infinities, which JSON does not have, as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def to_json(value: Any, indent: int | None = None) -> str:
    """Write a value as JSON; lone surrogates and control characters come out as escapes."""
    try:
        text = json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(finite(value), indent=indent, allow_nan=False)
    # `##` stands only inside strings, where `[` may be written as an escape.
    return text.replace("##[", "##\\u005b").replace("##vso[", "##vso\\u005b")
