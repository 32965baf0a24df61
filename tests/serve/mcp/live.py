"""The real service over a home of its own, on stdio or HTTP: python -m tests.serve.mcp.live HOME [PORT]."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from iris.serve.mcp.descriptors import take_standard_streams

CONFIG: dict[str, Any] = {
    "dashboard": False, "dashboard_host": "127.0.0.1", "dashboard_port": 6920, "transport": "stdio", "retention_days": 30,
    "rate_api": 600, "rate_mcp": 0,
}  # fmt: skip


@contextlib.asynccontextmanager
async def living(home: Path, **changed: Any) -> AsyncIterator[tuple[Any, Any]]:
    """Give a service over the store in a home, and its configuration."""
    from iris.evaluate import Evaluator
    from iris.flow import load_plan
    from iris.service.service import Service
    from iris.store.sqlite import SqliteStore
    from tests.serve.mcp.fake import settings
    from tests.service.book import MemoryBook

    evaluator, store, config = Evaluator(load_plan()), SqliteStore(home / "iris.db"), settings(**CONFIG | changed)
    await store.open()
    try:
        yield Service(store, MemoryBook(evaluator), evaluator, config), config  # type: ignore[arg-type]
    finally:
        await store.close()


async def main(home: Path, port: int | None, descriptors: tuple[int, int] | None) -> None:
    """Serve until the client leaves, over HTTP until stdin closes."""
    from iris.serve.mcp.server import build_server

    async with living(home) as (service, config):
        server = build_server(service, config)
        if port is None:
            from iris.serve.mcp.stdio import serve_stdio

            await serve_stdio(server, config, descriptors=descriptors)
            return
        from aiohttp import web

        from iris.serve.mcp.mount import mount_mcp

        app = web.Application()
        mount_mcp(app, server, config)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()


if __name__ == "__main__":
    standard = take_standard_streams() if len(sys.argv) == 2 else None
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None, standard))
    print("store closed", file=sys.stderr)
