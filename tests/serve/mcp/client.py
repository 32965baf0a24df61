"""The least a stdio client can be: lines of bytes out, lines of bytes in."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[3]
PING = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}


class Stdio:
    """A server process and its two pipes."""

    def __init__(self, *arguments: str, command: Sequence[str] | None = None, environ: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "tests.serve.mcp.stdio_fake", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environ or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.received: list[bytes] = []
        self.buffer = b""
        self.number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def send(self, message: Any) -> None:
        """Send an object, or bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def line(self, seconds: float = 10.0) -> bytes | None:
        """Give the next line, or None when none comes in time or the server has gone."""
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            part = os.read(self.process.stdout.fileno(), 1 << 20)
            if not part:
                return None
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        self.received.append(line)
        return line

    def answer(self, message: Any, seconds: float = 10.0) -> Any:
        """Send a message and give the next answer."""
        self.send(message)
        line = self.line(seconds)
        return None if line is None else json.loads(line)

    def initialize(self, version: str = "2025-06-18") -> Any:
        """Do the handshake."""
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer = self.answer({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}, 20)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, name: str, arguments: Any, seconds: float = 10.0) -> Any:
        """Call a tool and give its result."""
        self.number += 1
        params = {"name": name, "arguments": arguments}
        return self.answer({"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": params}, seconds)["result"]

    def close(self, seconds: float = 2.0) -> tuple[int, float]:
        """Close stdin; give the exit code and after how many seconds it came."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        start = time.monotonic()
        return self.process.wait(seconds), time.monotonic() - start
