"""Ingest with evaluation over HTTP: requests a second at so many connections, and runs a second in bulk.

`python -m tests.bench.http` starts a server of its own on a free port, with a database in a temporary folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.run import calibration_unit

ROOT = Path(__file__).parents[2]
WORDS = (
    "the report was sent to the team and the figures of the last quarter were checked against the ledger before the meeting in which the plan for the "
    "next release was agreed and the open questions about the migration were answered by those who run the service every day"
).split()


def prose(size: int, seed: int) -> str:
    """Prose of about so many bytes."""
    draw, out, length = random.Random(seed), [], 0
    while length < size:
        sentence = " ".join(draw.choice(WORDS) for _ in range(draw.randint(8, 16))).capitalize() + "."
        out.append(sentence)
        length += len(sentence) + 1
    return " ".join(out)[:size]


def run(n: int) -> dict[str, object]:
    """A run with an answer of 2 kB."""
    return {
        "agent_name": f"agent-{n % 5}",
        "input": "Summarise the report of the last quarter.",
        "output": prose(2000, n),
        "evaluate": True,
        "cost_usd": 0.01,
    }


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


class Connection:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> None:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def post(self, body: bytes, kind: bytes = b"application/json") -> tuple[int, bytes]:
        """Send a body, read the answer."""
        head = b"POST /api/v1/traces HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (
            self.port,
            kind,
            len(body),
        )
        self.writer.write(head + body)
        status, length = 0, 0
        while line := (await self.reader.readline()).rstrip():
            if line.startswith(b"HTTP/"):
                status = int(line.split()[1])
            elif line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return status, await self.reader.readexactly(length)


async def hammer(port: int, connections: int, seconds: float) -> tuple[float, list[float]]:
    """Requests a second and every latency (s)."""
    bodies = [json.dumps(run(i)).encode() for i in range(200)]
    latencies: list[float] = []

    async def one(k: int) -> None:
        c = Connection(port)
        await c.open()
        i = k
        while time.perf_counter() < end:
            start = time.perf_counter()
            status, _ = await c.post(bodies[i % len(bodies)])
            assert status == 201, status
            latencies.append(time.perf_counter() - start)
            i += connections

    end = time.perf_counter() + seconds
    start = time.perf_counter()
    await asyncio.gather(*(one(k) for k in range(connections)))
    return len(latencies) / (time.perf_counter() - start), sorted(latencies)


async def bulk(port: int, runs: int) -> float:
    """Runs a second of one NDJSON request."""
    c = Connection(port)
    await c.open()
    body = b"\n".join(json.dumps(run(i)).encode() for i in range(runs))
    start = time.perf_counter()
    status, _ = await c.post(body, b"application/x-ndjson")
    assert status == 201, status
    return runs / (time.perf_counter() - start)


def spent(pid: int) -> float:
    """CPU seconds of a process: what stays the same when others use the machine too."""
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--runs", type=int, default=4000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        port = free_port()
        config = {"security": {"rateLimit": {"api": 10**9}}}
        Path(home, "config.json").write_text(json.dumps(config))
        command = [
            sys.executable,
            "-m",
            "iris",
            "serve",
            "--transport",
            "http",
            "--port",
            str(free_port()),
            "--dashboard",
            "--dashboard-port",
            str(port),
        ]
        server = subprocess.Popen(
            command, env={**os.environ, "IRIS_HOME": home, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
        )
        try:
            wait(port)
            asyncio.run(hammer(port, 4, 1.0))
            unit = calibration_unit()
            before = spent(server.pid)
            rate, latencies = asyncio.run(hammer(port, args.connections, args.seconds))
            each = (spent(server.pid) - before) / len(latencies) * 1e3
            p50, p99 = (latencies[int(len(latencies) * share)] * 1e3 for share in (0.5, 0.99))
            print(
                f"ingest and evaluate, {args.connections} connections: {rate:.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms,"
                f" server CPU {each:.2f} ms each; unit {unit * 1e3:.1f} ms"
            )
            before = spent(server.pid)
            rate = asyncio.run(bulk(port, args.runs))
            each = (spent(server.pid) - before) / args.runs * 1e3
            print(f"NDJSON, {args.runs} runs evaluated: {rate:.0f} runs/s, server CPU {each:.2f} ms each; unit {calibration_unit() * 1e3:.1f} ms")
            print(open(f"/proc/{server.pid}/status").read().split("VmRSS:")[1].split("\n")[0].strip(), "resident")  # noqa: SIM115
        finally:
            server.terminate()
            server.wait()


def wait(port: int) -> None:
    """Wait until the port answers."""
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError


if __name__ == "__main__":
    main()
