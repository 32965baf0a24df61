"""The whole of Iris over a home of its own, with MCP on HTTP: IRIS_HOME=… python -m tests.serve.mcp.live PORT."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from aiohttp import web

from iris.config.config import Config, load_config
from iris.custom.book import RuleBook
from iris.evaluate import Evaluator
from iris.flow import load_plan
from iris.serve.mcp.mount import mount_mcp
from iris.serve.mcp.server import build_server
from iris.service.service import Service
from iris.store.sqlite import SqliteStore


def config_of(home: str, **changed: Any) -> Config:
    """The configuration of a home, without a rate limit."""
    config = load_config({}, {"IRIS_HOME": home})
    config.home.prepare()
    return replace(config, **({"rate_mcp": 0} | changed))


@contextlib.asynccontextmanager
async def living(config: Config) -> AsyncIterator[Service]:
    """Give the service of a home, open."""
    evaluator, store = Evaluator(load_plan()), SqliteStore(config.db_path)
    await store.open()
    try:
        yield Service(store, RuleBook(config.home.rules, evaluator), evaluator, config)
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def listening(service: Service, config: Config, port: int = 0) -> AsyncIterator[str]:
    """Give the address of /mcp."""
    app = web.Application()
    mount_mcp(app, build_server(service, config), config)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    finally:
        await runner.cleanup()


async def main(port: int) -> None:
    """Serve until stdin closes."""
    config = config_of(os.environ["IRIS_HOME"])
    async with living(config) as service, listening(service, config, port):
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
