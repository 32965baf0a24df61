"""Answers and errors of tools in the form of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_core import to_json

from iris.service.errors import ServiceError

Result = dict[str, Any]
CAPABILITIES = ("iris://capabilities",)


class Written(dict[str, Any]):
    """An object together with its JSON, so that it is written once and sent twice: as text and as structured content."""

    __slots__ = ("json",)

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__(content)
        self.json = to_json(content)


def answered(answer: dict[str, Any], links: Sequence[str]) -> Result:
    """Give an answer as text and as structured content, and where it can be read again."""
    written = Written(answer)
    return _result(written.json.decode(), links, written, False)


def refused(error: ServiceError, links: Sequence[str] = CAPABILITIES, *, plain: bool = False) -> Result:
    """Give an error as the object of the contract; `plain` puts its sentence into the text instead."""
    written = Written(error.body())
    return _result(str(error) if plain else written.json.decode(), links, written, True)


def _result(text: str, links: Sequence[str], content: Written, failed: bool) -> Result:
    parts = [{"type": "text", "text": text}, *map(_link, links)]
    return {"content": parts, "isError": failed, "structuredContent": content}


def _link(uri: str) -> dict[str, str]:
    name = uri.removeprefix("iris://")
    return {"type": "resource_link", "uri": uri, "name": name, "mimeType": "application/json"}


def response(number: int | str, result: dict[str, Any]) -> bytes:
    """Give a JSON-RPC response, one line, using JSON that has been written before."""
    content = result.get("structuredContent")
    if not isinstance(content, Written):
        return to_json({"jsonrpc": "2.0", "id": number, "result": result}) + b"\n"
    rest = {key: value for key, value in result.items() if key != "structuredContent"}
    begun = to_json({"jsonrpc": "2.0", "id": number, "result": rest})
    return b"%b,%b:%b}}\n" % (begun[:-2], b'"structuredContent"', content.json)
