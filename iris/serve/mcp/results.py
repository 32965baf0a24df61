"""Answers and errors of tools in the form of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_core import to_json

from iris.service.errors import ServiceError

Result = dict[str, Any]
CAPABILITIES = ("iris://capabilities",)


def answered(answer: dict[str, Any], links: Sequence[str]) -> Result:
    """Give an answer as text and as structured content, and where it can be read again."""
    return {
        "content": [{"type": "text", "text": to_json(answer).decode()}, *map(_link, links)],
        "structuredContent": answer,
        "isError": False,
    }


def refused(error: ServiceError, links: Sequence[str] = CAPABILITIES, *, plain: bool = False) -> Result:
    """Give an error as the object of the contract; `plain` puts its sentence into the text instead."""
    body = error.body()
    text = str(error) if plain else to_json(body).decode()
    return {"content": [{"type": "text", "text": text}, *map(_link, links)], "structuredContent": body, "isError": True}


def _link(uri: str) -> dict[str, str]:
    name = uri.removeprefix("iris://")
    return {"type": "resource_link", "uri": uri, "name": name, "mimeType": "application/json"}
