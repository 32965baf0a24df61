"""Answers in JSON, and errors in the shapes of the interface."""

from __future__ import annotations

import json
import logging
import secrets
from dataclasses import dataclass, field
from typing import Any

from iris.service.errors import ServiceError

log = logging.getLogger("iris.http")
JSON = "application/json"
GENERIC = "Internal server error"


@dataclass(slots=True)
class Answer:
    """A status and what is said; `body` None says nothing."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON

    def data(self) -> bytes:
        """The bytes of the body."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else dumped(self.body)


def dumped(value: Any) -> bytes:
    """JSON in UTF-8; half a surrogate pair goes out as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def said(status: int, message: str, **more: Any) -> Answer:
    """An error of the door itself."""
    return Answer(status, {"error": message, **more})


def refusal(error: ServiceError, title: str | None = None) -> Answer:
    """An error of the service: 4xx say what it was, 5xx say what to do and no more than that."""
    whole = error.body()["error"]
    told: dict[str, Any] = {"error": title or whole.pop("message"), **whole}
    if error.details:
        told["details"] = list(error.details)
    if error.existing:
        told["existing"] = list(error.existing)
    headers = {"Retry-After": str(max(1, (error.retry_after_ms or 1000) // 1000))} if error.retryable else {}
    return Answer(error.status, told, headers)


def broken(error: Exception) -> Answer:
    """Something nobody foresaw: the log has it under an id, the caller gets the id."""
    number = secrets.token_hex(6)
    log.error("request failed, id %s", number, exc_info=error)
    return said(500, GENERIC, id=number)
