"""The SDK's server on a pair of file descriptors, without threads and without reading JSON twice.

The SDK's own stdio goes through two worker threads and leaves a line that is no JSON unanswered. Here the event loop reads
the descriptor itself, each line becomes one message object, and an answer is written by the task that made it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections import deque
from types import TracebackType
from typing import Self

from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import INVALID_REQUEST, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from iris.serve.mcp.lines import Lines, TooLong
from iris.serve.mcp.results import response
from iris.serve.mcp.wire import Refusal, found_id, read_message

CHUNK = 1 << 16
MOST_RUNNING = 64
"""Requests answered at the same time; more are left unread in the pipe."""
MOST_UNSENT = 1 << 20
"""Bytes of answers the client has not taken; above it nothing more is read and no more is answered."""
log = logging.getLogger("iris.serve.mcp")


class Stream:
    """What the SDK asks of a stream besides its messages."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Nothing is held that the end of the process does not free."""


class Pipe:
    """Bytes to the client. What the descriptor does not take at once is kept, in order, until it does."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.gone = False
        self.room = asyncio.Event()
        self.room.set()
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        mode = os.fstat(fd).st_mode
        self._shared = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
        if self._shared:
            os.set_blocking(fd, False)

    def put(self, line: bytes) -> None:
        """Write a line now, or keep it behind what waits."""
        if self.gone:
            return
        if not self._unsent:
            written = self._write(line)
            if written == len(line) or self.gone:
                return
            line = line[written:]
            self._loop.add_writer(self.fd, self._ready)
        self._unsent += line
        if len(self._unsent) > MOST_UNSENT:
            self.room.clear()

    async def drain(self, seconds: float) -> None:
        """Give the client some time to take what was sent, and leave the descriptor as it was."""
        deadline = self._loop.time() + seconds
        while self._unsent and not self.gone and self._loop.time() < deadline:
            await asyncio.sleep(0.01)
        self._loop.remove_writer(self.fd)
        if self._shared:
            os.set_blocking(self.fd, True)

    def _write(self, data: bytes | bytearray) -> int:
        written = 0
        with memoryview(data) as view:
            while written < len(view):
                try:
                    written += os.write(self.fd, view[written:])
                except BlockingIOError:
                    break
                except OSError as error:
                    log.info("the client has gone: %s", error.strerror)
                    self.gone = True
                    self.room.set()
                    break
        return written

    def _ready(self) -> None:
        done = self._write(self._unsent)
        del self._unsent[:done]
        if len(self._unsent) <= MOST_UNSENT:
            self.room.set()
        if not self._unsent or self.gone:
            self._loop.remove_writer(self.fd)


class Outbox(Stream):
    """Messages to the client, a line each; counts the requests it answers on the inbox."""

    def __init__(self, pipe: Pipe, inbox: Inbox) -> None:
        self.pipe, self.inbox = pipe, inbox

    async def send(self, item: SessionMessage) -> None:
        """Send a message, once the client has taken most of what was sent before."""
        message = item.message
        if isinstance(message, JSONRPCResponse):
            self.pipe.put(response(message.id, message.result))
        else:
            self.pipe.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        if not isinstance(message, JSONRPCNotification | JSONRPCRequest):
            await self.inbox.settled()
        if not self.pipe.room.is_set():
            await self.pipe.room.wait()
            self.inbox.resume()


class Inbox(Stream):
    """Messages from the client. A line that is none is answered here and goes no further. `limit` in bytes a message."""

    def __init__(self, fd: int, limit: int, pipe: Pipe) -> None:
        self.fd, self.limit, self.pipe = fd, limit, pipe
        self.closed = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()
        self._lines = Lines(limit)
        self._waiting: deque[SessionMessage] = deque()
        self._running = 0
        self._ended = False
        self._wake: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._watched = False
        self._file: asyncio.Task[None] | None = None
        # The SDK calls this for a request the client has cancelled: it gets no answer, and must still be counted as done.
        self._metadata = ServerMessageMetadata(on_request_unanswered=self.settled)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._wake = self._loop.create_future()
            await self._wake
        return self._waiting.popleft()

    async def receive(self) -> SessionMessage:
        """Give the next message."""
        return await self.__anext__()

    async def settled(self) -> None:
        """Count a request as done."""
        self._running -= 1
        if self._running == 0:
            self.idle.set()
        self.resume()

    def start(self) -> None:
        """Begin to read: by the event loop, or by a thread where it can not watch the descriptor (a regular file)."""
        try:
            self._loop.add_reader(self.fd, self._ready)
            self._watched = True
        except PermissionError:
            self._file = self._loop.create_task(self._read_file())

    def resume(self) -> None:
        """Read on after a pause, when there is room again."""
        if not self._watched and self._file is None and not self.closed.is_set() and self._has_room():
            self.start()

    def end(self) -> None:
        """Give no more messages."""
        self._ended = True
        self.closed.set()
        self._pause()
        if self._file is not None:
            self._file.cancel()
        self._notify()

    def _has_room(self) -> bool:
        return self._running < MOST_RUNNING and self.pipe.room.is_set()

    def _pause(self) -> None:
        if self._watched:
            self._loop.remove_reader(self.fd)
            self._watched = False

    def _ready(self) -> None:
        try:
            data = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            log.info("nothing more can be read: %s", error.strerror)
            data = b""
        self._take(data)

    async def _read_file(self) -> None:
        while data := await asyncio.to_thread(os.read, self.fd, CHUNK):
            self._take(data)
            while not self._has_room():
                await asyncio.sleep(0.005)
        self._take(b"")

    def _take(self, data: bytes) -> None:
        """Take what was read; nothing means that the client has closed its end."""
        if data:
            for line in self._lines.feed(data):
                self._line(line)
            if not self._has_room():
                self._pause()
        else:
            last = self._lines.rest()
            if last is not None:
                self._line(last)
            self._pause()
            self.closed.set()
        self._notify()

    def _line(self, line: bytes | TooLong) -> None:
        read = self._too_long(line) if isinstance(line, TooLong) else read_message(line)
        if isinstance(read, Refusal):
            self.pipe.put(read.wire())
        elif isinstance(read, JSONRPCRequest):
            self._running += 1
            self.idle.clear()
            self._waiting.append(SessionMessage(read, self._metadata))
        elif read is not None:
            self._waiting.append(SessionMessage(read))

    def _too_long(self, line: TooLong) -> Refusal:
        about = f"Invalid Request: the message has {line.size} bytes; security.requestSizeLimit allows {self.limit}"
        return Refusal(INVALID_REQUEST, about, found_id(line.head, line.tail))

    def _notify(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
