"""Errors a caller can meet, the same over every transport: a code, what is wrong, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

CATALOGUE: dict[str, tuple[str, int]] = {
    "IRIS_INVALID_ARGUMENT": ("an argument is unknown, missing or has a wrong value", 400),
    "IRIS_UNKNOWN_TRACE": ("no trace with that id is stored", 404),
    "IRIS_DUPLICATE_RULE": ("a rule of that name is deployed already", 409),
    "IRIS_INVALID_RULE_CONFIG": ("the definition of a rule can not be used", 400),
    "IRIS_JUDGE_NOT_ENABLED": ("no model key reached this process", 501),
    "IRIS_JUDGE_UNKNOWN_MODEL": ("the model has no price", 400),
    "IRIS_BUDGET_EXCEEDED": ("the worst case costs more than the cap; nothing was spent", 402),
    "IRIS_PROVIDER_ERROR": ("the provider of the model failed", 502),
    "IRIS_JUDGE_FAILED": ("citations were fetched, the model judged none; nothing was stored", 502),
    "IRIS_STORAGE_ERROR": ("the store could not do it", 503),
    "IRIS_INTERNAL_ERROR": ("something nobody foresaw; the log of the server has it under the given id", 500),
}
"""Each code: when it is given, and its HTTP status."""


@dataclass(slots=True)
class ServiceError(Exception):
    """A refusal. `recovery` are steps in order; `field` and `valid` name the argument and what it may be.

    `details` are all problems of the arguments, each {field, message, valid?}; `existing` the ids of rules in the way.
    """

    code: str
    message: str
    recovery: Sequence[str] = ()
    retryable: bool = False
    field: str | None = None
    valid: Sequence[str] | None = None
    see: str | None = None
    kind: str | None = None
    retry_after_ms: int | None = None
    existing: Sequence[str] | None = None
    details: Sequence[dict[str, Any]] = ()

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def status(self) -> int:
        """The HTTP status of the code; 409 when the state of what is named stands against it."""
        return 409 if self.kind == "conflict" else CATALOGUE[self.code][1]

    def body(self) -> dict[str, Any]:
        """The error object of the wire; fields that say nothing are left out."""
        error: dict[str, Any] = {"code": self.code, "message": self.message, "recovery": list(self.recovery)}
        error["retryable"] = self.retryable
        extras = {
            "field": self.field,
            "valid": self.valid,
            "see": self.see,
            "kind": self.kind,
            "retryAfterMs": self.retry_after_ms,
        }
        return {"error": error | {key: value for key, value in extras.items() if value is not None}}
