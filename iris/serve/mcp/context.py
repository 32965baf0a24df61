"""The W3C trace context of a call: from the request's `_meta`, and from the HTTP headers where there are any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FIELDS = ("traceparent", "tracestate", "baggage")
MAX_FIELD = 8192
"""Characters of one field; a longer one is left out, as the recommendation lets a receiver do."""


def trace_context(meta: Mapping[str, Any] | None, request: Any) -> dict[str, str] | None:
    """Give the fields the caller sent, `_meta` before headers, with the session of the transport; None without any.

    Whether a field is well formed is for the service to say: the same reading serves every door.
    """
    headers: Mapping[str, str] = getattr(request, "headers", None) or {}
    found: dict[str, str] = {}
    for name in FIELDS:
        value = (meta or {}).get(name, headers.get(name))
        if isinstance(value, str) and 0 < len(value) <= MAX_FIELD:
            found[name] = value
    if found and (session := headers.get("mcp-session-id")):
        found["mcp_session_id"] = session
    return found or None
