"""MCP over stdin and stdout: one client, a line a message, until the client closes its end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server

from iris.serve.mcp.descriptors import take_standard_streams
from iris.serve.mcp.streams import Inbox, Outbox, Pipe

if TYPE_CHECKING:
    from iris.config.config import Config

GRACE = 1.0
"""Seconds that calls in progress get to finish after the client has closed its end."""
LAST_WORDS = 0.3
"""Seconds in which the last answers may still be taken."""


async def serve_stdio(server: Server[Any], config: Config, *, descriptors: tuple[int, int] | None = None) -> None:
    """Serve the client at the other end of stdin and stdout until it leaves, or SIGTERM or SIGINT comes.

    Returns within about 1.5 s of that, also when calls are in progress. `descriptors` are what `take_standard_streams` gave
    to a command that took them before it did anything else; otherwise they are taken now.
    """
    reading, writing = descriptors or take_standard_streams()
    pipe = Pipe(writing)
    inbox = Inbox(reading, config.request_size_limit, pipe)
    watch = asyncio.create_task(_watch(inbox))
    with _stopping(inbox):
        inbox.start()
        try:
            await server.run(inbox, Outbox(pipe, inbox), server.create_initialization_options())
        finally:
            watch.cancel()
            inbox.end()
            await pipe.drain(LAST_WORDS)


async def _watch(inbox: Inbox) -> None:
    """End the conversation some time after the client has closed its end."""
    await inbox.closed.wait()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(inbox.idle.wait(), GRACE)
    inbox.end()


@contextlib.contextmanager
def _stopping(inbox: Inbox) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the conversation, where this thread may have signals."""
    loop, taken = asyncio.get_running_loop(), []
    with contextlib.suppress(ValueError, RuntimeError):
        # A client that goes while it is written to must not kill the process before the store is closed.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, inbox.end)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)
