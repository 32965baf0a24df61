"""`iris serve` as a process: ports, runtime.json, the end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
Start = Callable[..., "subprocess.Popen[bytes]"]
SOON = 5.0
"""Seconds; alone on a machine it takes 0.3, most of them Python taking itself down."""


def free_port() -> int:
    """A port nobody has."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `iris serve`; what still runs at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*flags: str) -> subprocess.Popen[bytes]:
        environ = {k: v for k, v in os.environ.items() if not k.startswith("IRIS_")}
        environ |= {"IRIS_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        process = subprocess.Popen([sys.executable, "-m", "iris", "serve", *flags], env=environ, stdin=pipe, stdout=pipe, stderr=pipe)
        started.append(process)
        return process

    yield run
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def dashboard(port: int) -> list[str]:
    """The flags of a dashboard."""
    return ["--dashboard", "--dashboard-port", str(port)]


def http_only(port: int | None = None) -> list[str]:
    """The flags of MCP over HTTP."""
    return ["--transport", "http", "--port", str(port or free_port())]


def answers(port: int, seconds: float = 30) -> bool:
    """Whether health answers on a port before the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        time.sleep(0.05)
    return False


def stream(port: int) -> socket.socket:
    """An open stream of events."""
    opened = socket.create_connection(("127.0.0.1", port), 10)
    opened.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200 OK" in opened.recv(4096)
    return opened


def test_a_taken_port_is_named_with_its_flag_and_the_first_process_stays(start: Start, tmp_path: Path) -> None:
    """Faults 170, 172: runtime.json stays that of the process that listens."""
    port = free_port()
    first = start(*http_only(), *dashboard(port))
    assert answers(port)
    runtime = (tmp_path / "runtime.json").read_bytes()
    assert json.loads(runtime).keys() == {"dashboardPort", "pid", "startedAt"}
    assert (json.loads(runtime)["dashboardPort"], json.loads(runtime)["pid"]) == (port, first.pid)
    assert (tmp_path / "runtime.json").stat().st_mode & 0o777 == 0o600
    second = start(*http_only(), *dashboard(port))
    out, err = second.communicate(timeout=30)
    assert (second.returncode, out) == (2, b"")
    assert str(port) in err.decode()
    assert "--dashboard-port" in err.decode()
    assert "Traceback" not in err.decode()
    assert (tmp_path / "runtime.json").read_bytes() == runtime
    assert answers(port, 5)


def test_a_process_whose_other_port_is_taken_leaves_runtime_json_alone(start: Start, tmp_path: Path) -> None:
    """Fault 170: it has bound one of its ports, and serves none."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start(*http_only(taken.getsockname()[1]), *dashboard(free_port()))
        _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "--port" in err.decode()
    assert not (tmp_path / "runtime.json").exists()


def test_the_dashboard_is_served_on_request_alone(start: Start, tmp_path: Path) -> None:
    """Fault 172: its port may be busy, and nobody asked for it."""
    port = free_port()
    start(*http_only(port))
    assert answers(port)
    assert not (tmp_path / "runtime.json").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_soon_with_streams_open(start: Start, number: signal.Signals) -> None:
    port = free_port()
    process = start(*http_only(), *dashboard(port))
    assert answers(port)
    idle = http.client.HTTPConnection("127.0.0.1", port)
    idle.request("GET", "/api/v1/filters")
    idle.getresponse().read()
    with stream(port) as events:
        began = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        spent = time.monotonic() - began
        while events.recv(4096):
            pass
    assert (process.returncode, out, b"Traceback" in err) == (0, b"", False)
    assert spent < SOON


def test_the_end_of_stdin_ends_it_soon_with_streams_open(start: Start) -> None:
    port = free_port()
    process = start(*dashboard(port))
    assert answers(port)
    with stream(port):
        began = time.monotonic()
        out, err = process.communicate(timeout=10)  # it closes stdin
        spent = time.monotonic() - began
    assert (process.returncode, out, b"Traceback" in err) == (0, b"", False)
    assert spent < SOON


@pytest.mark.parametrize("flags", [["--dashboard", "--dashboard-host", "0.0.0.0"], ["--transport", "http", "--host", "::"]])
def test_another_address_needs_a_key(start: Start, flags: list[str]) -> None:
    """Faults 102, 108."""
    process = start(*flags)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, b"")
    assert "IRIS_API_KEY" in err.decode()
