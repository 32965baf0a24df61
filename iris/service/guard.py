"""Every failure becomes an error of the catalogue, and none carries a path or a stack to the caller."""

from __future__ import annotations

import functools
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from iris.service.errors import ServiceError
from iris.service.parse import refused
from iris.store.interface import StoreError

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger("iris.service")


def guarded(operation: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Let only ServiceError out of an operation; what nobody foresaw is logged under an id the caller is given."""

    @functools.wraps(operation)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await operation(*args, **kwargs)
        except ServiceError:
            raise
        except StoreError as error:
            raise _of_arguments(error) or storage_error(error) from error
        except Exception as error:
            raise internal_error(error, getattr(operation, "__name__", "operation")) from error

    return run


def _of_arguments(error: StoreError) -> ServiceError | None:
    """Give the refusal of an argument that only the store could read."""
    field = {"bad_cursor": "after", "bad_filter": "q"}.get(error.reason)
    return refused([{"field": field, "message": str(error)}]) if field else None


def storage_error(error: StoreError) -> ServiceError:
    """Say that the store could not do it, and whether to try again."""
    log.warning("store: %s (%s)", error, error.reason)
    if error.retryable:
        recovery = ["Send the same call again in a few seconds: the store is busy or being upgraded."]
    else:
        recovery = ["Look at the health of the server: free disk space and a writable Iris home are what it needs most often."]
    return ServiceError("IRIS_STORAGE_ERROR", str(error), recovery, retryable=error.retryable)


def internal_error(error: BaseException, operation: str) -> ServiceError:
    """Log what nobody foresaw and give the caller its id."""
    number = secrets.token_hex(4)
    log.error("%s failed, id %s", operation, number, exc_info=error)
    message = f"Iris met a fault of its own in {operation}. The log of the server has it under the id {number}."
    recovery = [f"Send the call again; when it fails again, report it with the id {number} and the lines of the log."]
    return ServiceError("IRIS_INTERNAL_ERROR", message, recovery, see="iris://capabilities")
