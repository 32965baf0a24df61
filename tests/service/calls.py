"""Calls of the service with arguments as a client sends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from iris.service.errors import ServiceError
from iris.service.models.evaluate import EvaluateOutput
from iris.service.models.lists import GetTraces
from iris.service.models.rules import DeleteRule, DeployRule
from iris.service.models.trace import LogTrace
from iris.service.parse import parse
from iris.service.service import Service

CLEAN = (
    "The nightly report runs at two and reads the orders of the last ninety days. Nothing has to be done on your side; "
    "the totals appear at six. A copy goes to the archive, where it is kept for a year."
)
LEAK = "The customer you asked about has the social security number 219-09-9999, as our records say. That is all we hold."
HOSTS = {"type": "regex_no_match", "config": {"pattern": r"\bdb-[a-z]+\.internal\.example\b"}}


async def log(service: Service, *, source: str = "tool", context: Mapping[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    """Log a trace."""
    model = parse(LogTrace, {"agent_name": "clerk", **args})
    return await service.log_trace(model, source=source, trace_context=context)


async def evaluate(service: Service, **args: Any) -> dict[str, Any]:
    """Judge an output."""
    return await service.evaluate_output(parse(EvaluateOutput, args))


async def deploy(service: Service, **args: Any) -> dict[str, Any]:
    """Deploy a rule; one against internal host names unless told otherwise."""
    given = {"name": "no-hosts", "eval_type": "safety", "severity": "high", "definition": HOSTS, **args}
    return await service.deploy_rule(parse(DeployRule, given))


async def delete(service: Service, **args: Any) -> dict[str, Any]:
    """Delete or switch a rule."""
    return await service.delete_rule(parse(DeleteRule, args))


async def traces(service: Service, **args: Any) -> dict[str, Any]:
    """Read traces."""
    return await service.get_traces(parse(GetTraces, args))


class Refusal:
    """Expect a call to be refused with a code; the error is at hand afterwards."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._raises = pytest.raises(ServiceError)

    def __enter__(self) -> Refusal:
        self._found = self._raises.__enter__()
        return self

    def __exit__(self, *exc: Any) -> bool | None:
        done = self._raises.__exit__(*exc)
        assert self.error.code == self.code, str(self.error)
        return done

    @property
    def error(self) -> ServiceError:
        """The error that was raised."""
        return self._found.value
