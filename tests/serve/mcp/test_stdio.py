"""MCP over stdin and stdout against everything a client may send."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.mcp.client import PING, ROOT, Stdio


@pytest.fixture(scope="module")
def shared() -> Iterator[Stdio]:
    """One server for all the messages that do not end it: the next request must work after each of them."""
    with Stdio() as server:
        server.initialize()
        yield server


def call(name: str, arguments: Any, number: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "line, code",
    [
        (b'{"jsonrpc":"2.0","id":1,"method":\n', -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600),
        (b"null\n", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\xff"}}\n', -32700),
        (b"[" * 2_000_000 + b"\n", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}\n", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', -32601),
        (json.dumps(call("no_such_tool", {}, 1)).encode() + b"\n", -32602),
        (json.dumps(call("log_trace", [], 1)).encode() + b"\n", -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":5}\n', -32602),
    ],
)
def test_what_can_not_be_served_gets_an_error_and_the_next_request_works(shared: Stdio, line: bytes, code: int) -> None:
    """Faults 94; the reference leaves most of these unanswered."""
    assert shared.answer(line)["error"]["code"] == code
    assert shared.answer(PING) == {"jsonrpc": "2.0", "id": "ping", "result": {}}


@pytest.mark.parametrize("line", [b"\n", b"\r\n", b"  \n", b'{"jsonrpc":"2.0","id":1,"result":{}}\n'])
def test_what_needs_no_answer_gets_none(shared: Stdio, line: bytes) -> None:
    shared.send(line)
    assert shared.answer(PING)["id"] == "ping"


@pytest.mark.parametrize("line", [b"\xef\xbb\xbf%s\n", b"%s\r\n"])
def test_byte_order_mark_and_crlf_are_let_pass_and_answers_end_in_lf(shared: Stdio, line: bytes) -> None:
    """Reports B154."""
    shared.send(line.replace(b"%s", json.dumps(PING).encode()))
    answer = shared.line()
    assert answer is not None
    assert not answer.endswith(b"\r")
    assert json.loads(answer)["result"] == {}


def test_nul_and_half_surrogates_reach_the_service_as_text(shared: Stdio) -> None:
    assert shared.call("log_trace", {"agent_name": "a\0b", "output": "x\ud800y"})["isError"] is False


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"agent_name": "x", "cost_usd": float("1e400")}, "NaN"),
        ({"agent_name": "x", "nope": 1}, "nope"),
        ({"agent_name": 5}, "agent_name"),
        ({}, "agent_name"),
        ({"agent_name": "x", "metadata": {"a": json.loads("[" * 150 + "]" * 150)}}, "metadata.a"),
    ],
)
def test_a_wrong_argument_is_named(shared: Stdio, arguments: Any, named: str) -> None:
    if named == "NaN":
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log_trace","arguments":{"agent_name":"x","cost_usd":1e999}}}\n'
        result, named = shared.answer(line)["result"], "cost_usd"
    else:
        result = shared.call("log_trace", arguments)
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert text.startswith("IRIS_INVALID_ARGUMENT: log_trace was not run: ")
    assert named in text
    assert "agent_name, framework, input" in text
    assert result["structuredContent"]["error"]["code"] == "IRIS_INVALID_ARGUMENT"


def test_arrays_and_objects_sent_as_json_text_are_read(shared: Stdio) -> None:
    """Reports B170."""
    result = shared.call("log_trace", {"agent_name": "x", "tool_calls": '[{"tool_name":"t"}]', "metadata": '{"a":1}'})
    assert result["isError"] is False
    assert shared.call("log_trace", {"agent_name": "x", "tool_calls": "[1"})["isError"] is True


def test_without_id_nothing_happens_and_nothing_is_answered() -> None:
    """Reports B150."""
    with Stdio() as server:
        server.initialize()
        slow = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "evaluate_output", "arguments": {"output": "slow"}}}
        server.send(slow)
        server.send(slow | {"method": "initialize"})
        assert server.answer(PING)["id"] == "ping"
        assert server.close()[0] == 0
        assert server.process.stderr is not None
        assert "store closed 0" in server.process.stderr.read().decode()


def test_a_call_before_the_handshake_is_refused() -> None:
    with Stdio() as server:
        assert server.answer(call("log_trace", {"agent_name": "x"}, 1), 20)["error"]["code"] == -32602
        server.initialize()
        assert server.call("log_trace", {"agent_name": "x"})["isError"] is False


def test_a_ping_before_the_handshake_is_answered() -> None:
    """Reports B152."""
    with Stdio() as server:
        assert server.answer(PING, 20) == {"jsonrpc": "2.0", "id": "ping", "result": {}}
        assert server.initialize()["serverInfo"]["name"] == "iris-eval"


def test_a_message_over_the_limit_is_refused_by_size_and_setting_without_being_kept() -> None:
    """Faults 94."""
    with Stdio("30", "100000") as server:
        server.initialize()
        before = peak(server)
        begin = b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"a":"'
        server.send(begin)
        for _ in range(100):
            server.send(b"x" * 500_000)
        error = server.answer(b'"}}\n')
        assert error["id"] == 77
        assert error["error"]["code"] == -32600
        assert f"{len(begin) + 50_000_003} bytes" in error["error"]["message"]
        assert "security.requestSizeLimit" in error["error"]["message"]
        assert peak(server) - before < 8_000
        assert server.answer(PING)["id"] == "ping"
        assert server.answer({**PING, "params": {"a": "x" * 99_900}})["id"] == "ping"
        assert server.answer({**PING, "params": {"a": "x" * 100_000}})["error"]["code"] == -32600


def peak(server: Stdio) -> int:
    """Peak of resident memory so far, kB."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def test_a_ping_is_answered_during_a_slow_call_which_can_be_cancelled() -> None:
    """Reports B158."""
    with Stdio() as server:
        server.initialize()
        server.send(call("evaluate_output", {"output": "slow"}, 5))
        assert server.answer(PING)["id"] == "ping"
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
        assert server.call("log_trace", {"agent_name": "x"})["isError"] is False
        assert server.line(0.3) is None


def test_nothing_but_protocol_reaches_stdout() -> None:
    """Reports B148."""
    with Stdio() as server:
        server.initialize()
        for tool in server.answer({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["result"]["tools"]:
            server.call(tool["name"], {})
        server.call("evaluate_output", {"output": "broken"})
        assert server.close()[0] == 0
        assert server.line() is None
        assert server.buffer == b""
        for line in server.received:
            assert json.loads(line)["jsonrpc"] == "2.0"
        assert server.process.stderr is not None
        said = server.process.stderr.read().decode()
    for kind in (
        "printed by",
        "written by",
        "echoed by",
        "a warning",
        "a log line",
        "printed before",
        "printed at exit",
        "went wrong",
    ):
        assert kind in said


@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_stdin_ends_the_process_within_two_seconds(busy: bool) -> None:
    """Reports B156."""
    with Stdio() as server:
        server.initialize()
        if busy:
            server.send(call("evaluate_output", {"output": "slow"}, 5))
            assert server.answer(PING)["id"] == "ping"
        code, seconds = server.close()
        assert code == 0
        assert seconds < 2
        assert server.process.stderr is not None
        assert f"store closed {int(busy)}" in server.process.stderr.read().decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_cleanly(number: signal.Signals) -> None:
    with Stdio() as server:
        server.initialize()
        server.send(call("evaluate_output", {"output": "slow"}, 5))
        assert server.answer(PING)["id"] == "ping"
        server.process.send_signal(number)
        assert server.process.wait(2) == 0


def test_calls_in_progress_at_the_end_of_stdin_are_answered_when_they_are_quick() -> None:
    with Stdio("0.3") as server:
        server.initialize()
        server.send(call("evaluate_output", {"output": "slow"}, 5))
        assert server.close()[0] == 0
        line = server.line()
        assert line is not None
        assert json.loads(line)["result"]["isError"] is False


def test_a_client_that_does_not_read_is_waited_for_and_gets_every_answer() -> None:
    with Stdio() as server:
        server.initialize()
        count = 2_000
        listing = b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/list"}).encode() + b"\n" for i in range(count))
        sent, view = 0, memoryview(listing)
        assert server.process.stdin is not None
        os.set_blocking(server.process.stdin.fileno(), False)
        deadline = time.monotonic() + 20
        while sent < len(listing) and time.monotonic() < deadline:
            try:
                sent += os.write(server.process.stdin.fileno(), view[sent:])
            except BlockingIOError:
                before = len(server.received)
                server.line(0.05)
                assert len(server.received) > before or time.monotonic() < deadline
        while len(server.received) < count + 1:
            assert server.line() is not None
        assert [json.loads(line)["id"] for line in server.received[1:]] == list(range(count))
        assert peak(server) < 400_000


def test_a_client_that_vanishes_ends_the_process() -> None:
    with Stdio() as server:
        server.initialize()
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(PING)
        assert server.close()[0] == 0


def test_a_file_as_stdin_is_read_to_its_end() -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client},
        call("log_trace", {"agent_name": "x"}, 1),
        PING,
    ]
    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as output:
        file.write("\n".join(map(json.dumps, messages)).encode())
        file.seek(0)
        run = subprocess.run(
            [sys.executable, "-m", "tests.serve.mcp.stdio_fake"], cwd=ROOT, stdin=file, stdout=output, timeout=20
        )
        assert run.returncode == 0
        output.seek(0)
        assert {json.loads(line)["id"] for line in output} == {0, 1, "ping"}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_protocols_from_before_resource_links_get_none(version: str) -> None:
    with Stdio() as server:
        assert server.initialize(version)["protocolVersion"] == version
        kinds = [part["type"] for part in server.call("log_trace", {"agent_name": "x"})["content"]]
        assert kinds == (["text"] if version < "2025-06-18" else ["text", "resource_link"])


def test_results_leave_out_what_is_absent(shared: Stdio) -> None:
    """Reports B172."""
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        assert ": null" not in json.dumps(shared.answer({"jsonrpc": "2.0", "id": 1, "method": method})["result"])
    assert ": null" not in json.dumps(shared.call("log_trace", {"agent_name": "x"}))
