"""Iris on a port of its own: the real service over the real store, and the least a client needs of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from iris.config.config import Config, load_config
from iris.config.keys import ApiKey, digest_of
from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.serve.http.events import Events
from iris.serve.http.server import Door, pages_app
from iris.service.service import Service
from iris.store.sqlite import SqliteStore

CLEAN = "The nightly report runs at two and reads the orders of the last ninety days. The totals appear at six."
LEAK = "The customer you asked about has the social security number 219-09-9999, as our records say."
HOSTS = {"type": "regex_no_match", "config": {"pattern": r"\bdb-[a-z]+\.internal\.example\b"}}
RULE = {"name": "no-hosts", "evalType": "safety", "severity": "high", "definition": HOSTS}
KEY = "a-key-made-up-for-tests"
KEYS = (ApiKey("default", digest_of(KEY)),)
BEARER = {"Authorization": f"Bearer {KEY}"}


@dataclass(slots=True)
class Said:
    """An answer."""

    status: int
    headers: Any
    raw: bytes

    @property
    def body(self) -> Any:
        """The JSON of the body."""
        return json.loads(self.raw)


class Site:
    """A running server."""

    def __init__(self, door: Door, service: Service, store: SqliteStore, config: Config, events: Events) -> None:
        self.door, self.service, self.store, self.config, self.events = door, service, store, config, events
        self.port = door.port
        self.http: aiohttp.ClientSession

    async def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Said:
        """Send a request below /api/v1, or elsewhere when the path begins with //; a body that is no bytes goes as JSON."""
        url = f"http://127.0.0.1:{self.port}" + (path[1:] if path.startswith("//") else f"/api/v1{path}")
        headers = dict(options.pop("headers", {}))
        if body is not None and not isinstance(body, bytes) and not hasattr(body, "__anext__"):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        async with self.http.request(method, url, data=body, headers=headers, allow_redirects=False, **options) as answer:
            return Said(answer.status, answer.headers, await answer.read())

    async def get(self, path: str, **options: Any) -> Said:
        """Send a GET."""
        return await self.ask("GET", path, **options)

    async def log(self, **run: Any) -> dict[str, Any]:
        """Store a run, judged; give the answer."""
        said = await self.ask("POST", "/traces", {"agent_name": "clerk", "output": CLEAN, "evaluate": True, **run})
        assert said.status == 201, said.raw
        found: dict[str, Any] = said.body
        return found

    async def count(self) -> int:
        """How many runs are stored."""
        total: int = (await self.get("/traces?limit=1")).body["total"]
        return total

    async def raw(self, sent: bytes, wait: float = 5.0) -> Said:
        """Write bytes to a new connection and read one answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(sent)
            return await asyncio.wait_for(answer_of(reader), wait)
        finally:
            writer.close()


async def answer_of(reader: asyncio.StreamReader) -> Said:
    """Read an answer that has a length."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Said(int(head[0].split()[1]), headers, body)


@contextlib.asynccontextmanager
async def serving(evaluator: Evaluator, home: Path, **changed: Any) -> AsyncIterator[Site]:
    """A server over a home, without a rate limit unless one is given."""
    config = replace(load_config({}, {"IRIS_HOME": str(home)}), **({"rate_api": 0} | changed))
    config.home.prepare()
    store = SqliteStore(config.db_path)
    await store.open()
    told: list[Callable[[str, dict[str, Any]], None]] = []

    def publish(event: str, data: dict[str, Any]) -> None:
        for tell in told:
            tell(event, data)

    service = Service(store, RuleBook(config.home.rules, evaluator), evaluator, config, publish=publish)
    app, events = pages_app(service, config)
    told.append(events.publish)
    door = Door(app, "127.0.0.1", 0, "--dashboard-port")
    await door.open()
    site = Site(door, service, store, config, events)
    async with aiohttp.ClientSession() as site.http:
        try:
            yield site
        finally:
            await door.close()
            service.close()
            await store.close()
