"""A server on stdio over the fake service, for the tests of the transport: python -m tests.serve.mcp.stdio_fake [slow] [limit]."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import sys
import warnings
from typing import Any

from iris.serve.mcp.descriptors import take_standard_streams
from iris.serve.mcp.server import build_server
from iris.serve.mcp.stdio import serve_stdio
from tests.serve.mcp.fake import FakeService, settings


class Noisy(FakeService):
    """Prints in every way there is while it answers."""

    async def list_rules(self, args: object) -> dict[str, object]:
        print("printed by a handler")
        os.write(1, b"written by a handler\n")
        os.system("echo echoed by a child")
        warnings.warn("a warning", stacklevel=1)
        logging.getLogger("noisy").warning("a log line")
        return await super().list_rules(args)


def main() -> None:
    """Serve until the client leaves."""
    descriptors = take_standard_streams()
    print("printed before serving")
    atexit.register(print, "printed at exit")
    slow = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1_048_576
    service: Any = Noisy(slow)
    asyncio.run(serve_stdio(build_server(service, settings()), settings(request_size_limit=limit), descriptors=descriptors))
    print("store closed", service.cancelled, file=sys.stderr)


if __name__ == "__main__":
    main()
