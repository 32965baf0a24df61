"""A server on HTTP over the fake service: python -m tests.serve.mcp.http_fake PORT. Says `ready` on stdout."""

from __future__ import annotations

import asyncio
import sys

from aiohttp import web

from iris.serve.mcp.mount import mount_mcp
from iris.serve.mcp.server import build_server
from tests.serve.mcp.fake import FakeService, settings


async def main(port: int) -> None:
    """Serve until stdin closes."""
    app = web.Application()
    mount_mcp(app, build_server(FakeService(), settings()), settings())  # type: ignore[arg-type]
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
