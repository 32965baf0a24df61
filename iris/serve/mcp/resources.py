"""The resources: what is read by address instead of by a tool."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from iris.serve.mcp.fence import fenced
from iris.serve.mcp.guide import with_guide
from iris.service.models.lists import Hours, ListAudit

if TYPE_CHECKING:
    from iris.service.service import Service

Document = dict[str, Any]
TRACE = re.compile(r"iris://traces/([0-9a-f]{32})")
EVALUATION = re.compile(r"iris://evaluations/([0-9A-Za-z-]{1,64})")


async def read_resource(service: Service, uri: str) -> Document | None:
    """Give the document at an address, stored text fenced; None when there is none."""
    fixed = _FIXED.get(uri)
    if fixed is not None:
        return await fixed(service)
    if match := TRACE.fullmatch(uri):
        return _fenced_or_none(await service.trace_detail(match[1]), "trace")
    if match := EVALUATION.fullmatch(uri):
        return _fenced_or_none(await service.evaluation(match[1]), "evaluation")
    return None


def _fenced_or_none(document: Document | None, label: str) -> Document | None:
    return None if document is None else fenced(document, label)


async def _capabilities(service: Service) -> Document:
    return with_guide(await service.capabilities())


async def _proof(service: Service) -> Document:
    return await service.proof()


async def _summary(service: Service) -> Document:
    return fenced(await service.summary(Hours()), "summary")


async def _audit(service: Service) -> Document:
    return fenced(await service.audit(ListAudit(limit=100)), "audit")


_FIXED: Mapping[str, Callable[[Service], Awaitable[Document]]] = {
    "iris://capabilities": _capabilities,
    "iris://proof": _proof,
    "iris://dashboard/summary": _summary,
    "iris://audit": _audit,
}
