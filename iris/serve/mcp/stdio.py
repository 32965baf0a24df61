"""MCP over stdin and stdout: one client, a line a message, until the client closes its end."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server

from iris.serve.mcp.streams import Inbox, Outbox, Pipe

if TYPE_CHECKING:
    from iris.config.config import Config

GRACE = 1.0
"""Seconds that calls in progress get to finish after the client has closed its end."""
LAST_WORDS = 0.3
"""Seconds in which the last answers may still be taken."""


async def serve_stdio(server: Server[Any], config: Config, *, descriptors: tuple[int, int] | None = None) -> None:
    """Serve the client at the other end of stdin and stdout until it leaves, or SIGTERM or SIGINT comes.

    Returns within about 1.5 s of that, also when calls are in progress. Without `descriptors` the process's own are taken:
    from then on stdout carries the protocol only, and whatever prints there is found on stderr.
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
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, inbox.end)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)


def take_standard_streams() -> tuple[int, int]:
    """Give stdin and stdout to the protocol alone: whoever else reads finds the end of a file, whoever prints, stderr."""
    reading = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    writing = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    # Python's own buffer is written at exit, to whatever descriptor 1 is then; text that goes to stderr keeps its order.
    sys.stdout = sys.stderr
    return reading, writing
