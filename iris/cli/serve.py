"""`iris` alone and `iris serve`: MCP on stdio or HTTP, and the HTTP interface beside it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iris.cli import PASSED, WRONG
from iris.config.config import Config, load_config

if TYPE_CHECKING:
    from iris.serve.running import Running

FLAGS = {
    "transport": "transport.type",
    "host": "transport.host",
    "port": "transport.port",
    "db_path": "storage.path",
    "api_key": "security.apiKey",
    "dashboard": "dashboard.enabled",
    "dashboard_host": "dashboard.host",
    "dashboard_port": "dashboard.port",
}
"""What each flag sets."""


def flags_of(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that flags give; a flag that was not given sets nothing."""
    flags = {setting: getattr(args, name) for name, setting in FLAGS.items()}
    return {**flags, "packs": list(args.packs) or None}


def run(args: argparse.Namespace) -> int:
    """Serve until the client leaves or a signal comes."""
    config = load_config(flags_of(args), os.environ, Path(args.config) if args.config else None)
    config.home.prepare()
    os.umask(0o077)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a client that vanishes must not take the server with it
    import asyncio
    import logging

    logging.basicConfig(
        stream=sys.stderr, level=config.log_level.upper().replace("WARN", "WARNING"), format="%(levelname)s %(message)s"
    )
    descriptors = None
    if config.transport == "stdio":
        from iris.serve.mcp.descriptors import take_standard_streams

        descriptors = take_standard_streams()
    return asyncio.run(_serve(config, descriptors))


async def _serve(config: Config, descriptors: tuple[int, int] | None) -> int:
    from iris.serve.running import Running

    running: Running = Running(config)
    await running.start()
    try:
        if descriptors is not None:
            await running.serve_stdio(descriptors)
        else:
            await running.wait()
    finally:
        await running.stop()
    return PASSED


__all__ = ["PASSED", "WRONG", "run"]
