"""One process of Iris: store, rules, service, and the doors that are open to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
from typing import Any

from iris.config.config import Config
from iris.config.values import check_values
from iris.custom.book import RuleBook
from iris.evaluate import Evaluator, utc_now
from iris.flow import load_plan
from iris.home import private
from iris.problems import Problem, ProblemsFound
from iris.serve.mcp.server import build_server
from iris.serve.mcp.stdio import serve_stdio
from iris.service.service import Service
from iris.store.interface import StoreError
from iris.store.sqlite import SqliteStore

log = logging.getLogger("iris")


async def opened(store: SqliteStore) -> None:
    """Open a store. Raises ProblemsFound (E832) that says what is wrong with it."""
    try:
        await store.open()
    except StoreError as error:
        what, _, advice = str(error).partition(": ")
        raise ProblemsFound([Problem("E832", f"the store can not be opened: {what}", None, "", advice)]) from None


class Running:
    """What `start` opened and `stop` closes."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store = SqliteStore(config.db_path)
        self.service: Service | None = None
        self.server: Any = None
        self._doors: list[Any] = []
        self._publish: list[Any] = []

    async def start(self) -> None:
        """Open the store, load the rules, open the doors. Raises ProblemsFound."""
        evaluator = Evaluator(load_plan(list(self.config.packs)), self.config.settings)
        check_values(self.config.settings, evaluator.engine.plan)
        book = RuleBook(self.config.home.rules, evaluator)
        await opened(self.store)
        private(self.config.db_path)
        self.service = Service(self.store, book, evaluator, self.config, publish=self._announce)
        self.server = build_server(self.service, self.config)
        if self.config.dashboard or self.config.transport == "http":
            await self._open_doors()

    def _announce(self, event: str, data: dict[str, Any]) -> None:
        for publish in self._publish:
            publish(event, data)

    async def _open_doors(self) -> None:
        from iris.serve.http.server import Door, mcp_app, pages_app

        assert self.service is not None
        if self.config.dashboard:
            app, events = pages_app(self.service, self.config)
            self._publish.append(events.publish)
            door = Door(app, self.config.dashboard_host, self.config.dashboard_port, "--dashboard-port")
            await door.open()
            self._doors.append(door)
            log.info("the HTTP interface listens on http://%s:%d", self.config.dashboard_host, door.port)
        if self.config.transport == "http":
            door = Door(mcp_app(self.service, self.server, self.config), self.config.host, self.config.port, "--port")
            await door.open()
            self._doors.append(door)
            log.info("MCP listens on http://%s:%d/mcp", self.config.host, door.port)
        if self.config.dashboard:  # last: a process that could not open its other port serves nobody
            self._write_runtime(self._doors[0].port)

    def _write_runtime(self, port: int) -> None:
        path = self.config.home.runtime
        with contextlib.suppress(OSError):
            path.write_text(json.dumps({"dashboardPort": port, "pid": os.getpid(), "startedAt": utc_now()}), encoding="utf-8")
            private(path)

    async def serve_stdio(self, descriptors: tuple[int, int]) -> None:
        """Serve the client at stdin and stdout until it leaves."""
        await serve_stdio(self.server, self.config, descriptors=descriptors)

    async def wait(self) -> None:
        """Wait for SIGTERM or SIGINT."""
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        await stopped.wait()

    async def stop(self) -> None:
        """Close the doors, then the store."""
        for door in self._doors:
            await door.close()
        if self.service is not None:
            self.service.close()
        await self.store.close()
