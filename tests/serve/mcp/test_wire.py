"""One line to one message, or to the answer that says why it is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from iris.serve.mcp.lines import Lines, TooLong
from iris.serve.mcp.wire import Refusal, found_id, mended, read_message

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def request(line: bytes) -> JSONRPCRequest:
    message = read_message(line)
    assert isinstance(message, JSONRPCRequest)
    return message


@pytest.mark.parametrize("line", [PING, b"\xef\xbb\xbf" + PING, PING + b"\r", b"  " + PING + b"\t", PING + b"\r\n"])
def test_byte_order_mark_carriage_return_and_blanks_are_let_pass(line: bytes) -> None:
    """Reports B154."""
    assert request(line).method == "ping"


@pytest.mark.parametrize("line", [b"", b"\r", b"   ", b"\xef\xbb\xbf"])
def test_an_empty_line_is_nothing(line: bytes) -> None:
    assert read_message(line) is None


@pytest.mark.parametrize(
    "line, code, number",
    [
        (b'{"jsonrpc":"2.0","id":1,"method":', -32700, 1),
        (b"nonsense", -32700, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":NaN}}', -32700, 7),
        (b'{"method":"ping","params":{"a":"\xff"},"jsonrpc":"2.0","id":"x"}', -32700, "x"),
        (b'{"jsonrpc":"2.0","id":1,"method":"a\x00b"}', -32700, 1),
        (b"[" + PING + b"]", -32600, None),
        (b"[1,2,3]", -32600, None),
        (b"null", -32600, None),
        (b"5", -32600, None),
        (b'{"id":3,"method":"ping"}', -32600, 3),
        (b'{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":4}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', -32602, 4),
        (b'{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}", -32600, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":' + b"[" * 300 + b"]" * 300 + b"}}", -32600, 5),
        (b"[" * 2_000_000, -32600, None),
    ],
)
def test_what_is_no_message_is_answered_with_the_id_where_it_can_be_read(line: bytes, code: int, number: Any) -> None:
    """Reports B150: an id of null is no request."""
    refusal = read_message(line)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.id) == (code, number)
    answer = json.loads(refusal.wire())
    assert answer["error"]["message"]
    assert len(refusal.wire()) < 500


def test_without_id_it_is_a_notification() -> None:
    """Reports B150."""
    assert isinstance(read_message(b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}'), JSONRPCNotification)


def test_an_answer_of_the_client_is_a_message() -> None:
    assert isinstance(read_message(b'{"jsonrpc":"2.0","id":1,"result":{}}'), JSONRPCResponse)


def test_half_a_surrogate_pair_becomes_a_replacement_character_and_offsets_stay() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a\\ud800":"x\\ud800y \\ud83d\\ude00 \\\\ud800"}}'
    assert request(line).params == {"a\ufffd": "x\ufffdy 😀 \\ud800"}
    body = mended(line)
    assert isinstance(body, bytes)
    assert json.loads(body)["params"] == {"a\ufffd": "x\ufffdy 😀 \\ud800"}


def test_of_a_repeated_key_the_last_counts() -> None:
    assert request(b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}').method == "tools/list"


@pytest.mark.parametrize(
    "head, number",
    [
        (b'{"jsonrpc": "2.0", "id": 12, "method"', 12),
        (b'{"id":"a-b","jsonrpc"', "a-b"),
        (b'{"method":"tools/call","params":{"id":3},"jsonrpc":"2.0","id":4}', 4),
        (b'{"method":"tools/call","jsonrpc":"2.0","params":{"id":3}}', None),
        (b'{"params":{"id":3}', None),
    ],
)
def test_the_id_is_found_where_clients_write_it_and_nowhere_else(head: bytes, number: Any) -> None:
    assert found_id(head, head) == number


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.text() | st.integers(-(2**53), 2**53), st.lists, max_leaves=5)))
def test_every_json_object_of_parameters_is_read_as_it_was_sent(params: dict[str, Any]) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}).encode()
    read = request(line).params or {}
    assert read == json.loads(json.dumps(params, ensure_ascii=True)) or "\\ud" in json.dumps(params)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_nothing_or_an_answer(line: bytes) -> None:
    message = read_message(line)
    assert message is None or not isinstance(message, Refusal) or json.loads(message.wire())["error"]["code"] < 0


@given(st.lists(st.binary(max_size=40)), st.integers(1, 7), st.integers(5, 30))
def test_lines_are_the_same_however_the_bytes_arrive(parts: list[bytes], step: int, limit: int) -> None:
    data = b"\n".join(part.replace(b"\n", b"") for part in parts) + b"\n"
    lines, found = Lines(limit), []
    for start in range(0, len(data), step):
        found += list(lines.feed(data[start : start + step]))
    assert lines.rest() is None
    expected = data.split(b"\n")[:-1]
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        if len(want) <= limit:
            assert got == want
        else:
            assert isinstance(got, TooLong)
            assert (got.size, got.head, got.tail) == (len(want), want[: len(got.head)], want[-512:])
            assert len(got.head) >= min(limit, 1)


def test_a_line_far_over_the_limit_is_not_kept() -> None:
    lines = Lines(1000)
    for _ in range(1000):
        assert not list(lines.feed(b"x" * 65_536))
        assert sum(map(len, lines._parts)) <= 1000
    (found,) = lines.feed(b"\n")
    assert isinstance(found, TooLong)
    assert found.size == 65_536_000


def test_the_end_of_the_input_ends_the_last_line() -> None:
    lines = Lines(1000)
    assert list(lines.feed(PING)) == []
    assert lines.rest() == PING
