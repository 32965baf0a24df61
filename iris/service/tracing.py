"""The W3C trace context a call came with: kept when it is well formed, ignored otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

_PARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
MAX_STATE = 512
MAX_BAGGAGE = 8192
MAX_SESSION = 500


def trace_context(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Give what is kept of `traceparent`, `tracestate` and `session` (of MCP); None without a usable `traceparent`.

    Unusable are another shape, ids of nothing but zeros, version ff, and version 00 with more than four parts
    (W3C Trace Context, section 3.2).
    """
    header = given.get("traceparent") if given else None
    match = _PARENT.fullmatch(header.strip()) if isinstance(header, str) else None
    if not given or match is None:
        return None
    version, trace_id, parent, flags, rest = match.groups()
    if version == "ff" or (version == "00" and rest) or not trace_id.strip("0") or not parent.strip("0"):
        return None
    kept: dict[str, Any] = {
        "traceparent": match.string,
        "trace_id": trace_id,
        "parent_span_id": parent,
        "sampled": bool(int(flags, 16) & 1),
    }
    for key, name, most in (("tracestate", "tracestate", MAX_STATE), ("session", "mcp_session_id", MAX_SESSION)):
        value = given.get(key)
        if isinstance(value, str) and 0 < len(value) <= most:
            kept[name] = value
    return kept


def baggage_session(given: Mapping[str, Any] | None) -> str | None:
    """Give the `session_id` that the baggage of a call carries."""
    header = given.get("baggage") if given else None
    if not isinstance(header, str) or len(header) > MAX_BAGGAGE:
        return None
    for member in header.split(","):
        key, sign, value = member.partition(";")[0].partition("=")
        if sign and key.strip() == "session_id":
            return unquote(value.strip(), errors="replace")[:MAX_SESSION] or None
    return None
