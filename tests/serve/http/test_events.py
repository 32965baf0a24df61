"""Live events."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiohttp
import pytest

from iris.serve.http import events as ev
from iris.serve.http.events import Events
from tests.serve.http.conftest import Open
from tests.serve.http.site import RULE, Site


async def some(response: aiohttp.ClientResponse, count: int) -> list[dict[str, str]]:
    """The next events of a stream."""
    found: list[dict[str, str]] = []
    event: dict[str, str] = {}
    async with asyncio.timeout(5):
        async for line in response.content:
            name, sign, value = line.decode().rstrip("\n").partition(": ")
            if sign and name:
                event[name] = value
            elif not line.strip() and event:
                if "event" in event:
                    found.append(event)
                event = {}
            if len(found) == count:
                break
    return found


def stream(site: Site, **headers: str) -> Any:
    """Open the stream."""
    return site.http.get(f"http://127.0.0.1:{site.port}/api/v1/events", headers={k.replace("_", "-"): v for k, v in headers.items()})


async def test_what_is_written_is_told(site: Site) -> None:
    async with stream(site) as events:
        assert events.headers["Content-Type"] == "text/event-stream"
        assert events.headers["X-Content-Type-Options"] == "nosniff"
        number = (await site.log())["trace_id"]
        await site.ask("POST", "/rules/custom", RULE)
        await site.ask("DELETE", f"/traces/{number}")
        found = await some(events, 4)
    assert [e["event"] for e in found] == ["trace.stored", "evaluation.stored", "rule.changed", "trace.deleted"]
    assert [int(e["id"]) for e in found] == [1, 2, 3, 4]
    assert number in found[0]["data"]


async def test_who_comes_back_gets_what_it_missed_once(site: Site) -> None:
    for _ in range(3):
        await site.ask("POST", "/traces", {"agent_name": "clerk"})
    async with stream(site, Last_Event_ID="1") as events:
        await site.ask("POST", "/traces", {"agent_name": "clerk"})
        assert [e["id"] for e in await some(events, 3)] == ["2", "3", "4"]


@pytest.mark.parametrize("last", ["²", "-1", "x", "9" * 5000, ""])
async def test_a_last_id_that_is_none_replays_nothing(site: Site, last: str) -> None:
    await site.ask("POST", "/traces", {"agent_name": "clerk"})
    assert site.events.missed(last) == []
    if last.isascii():
        async with stream(site, Last_Event_ID=last) as events:
            assert events.status == 200


def test_a_thousand_are_kept_and_who_missed_more_is_told() -> None:
    events = Events()
    for n in range(1500):
        events.publish("trace.stored", {"n": n})
    assert len(events.missed("500")) == 1000
    assert events.missed("500")[0].startswith(b"id: 501\n")
    assert events.missed("499")[0].startswith(b"event: missed")
    assert events.missed("1500") == []


def test_a_server_that_started_anew_says_that_events_are_missing() -> None:
    events = Events()
    events.publish("trace.stored", {})
    assert events.missed("700")[0].startswith(b"event: missed")


async def test_a_reader_that_does_not_read_is_cut_off(site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port, limit=1024)
    writer.write(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    async with stream(site) as good:
        for _ in range(200):
            for _ in range(50):
                site.events.publish("trace.stored", {"text": "x" * 2000})
            assert await some(good, 50)
            if len(site.events._streams) == 1:
                break
        assert len(site.events._streams) == 1
        async with asyncio.timeout(5):
            while len(site.door.connections) > 1:
                await asyncio.sleep(0.01)
    writer.close()


async def test_an_address_has_eight_streams(site: Site) -> None:
    opened = [await stream(site) for _ in range(8)]
    said = await site.get("/events")
    assert said.status == 429
    opened[0].close()
    async with asyncio.timeout(5):
        while True:
            async with stream(site) as again:
                if again.status == 200:
                    break
            await asyncio.sleep(0.02)
    for one in opened:
        one.close()


async def test_a_quiet_stream_is_kept_alive(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ev, "HEARTBEAT_S", 0.05)
    async with stream(site) as events, asyncio.timeout(5):
        lines = [await events.content.readline() for _ in range(4)]
    assert lines[2].startswith(b":")


async def test_the_server_stops_within_a_second_with_streams_open(opened: Open) -> None:
    async with opened() as site:
        streams = [await stream(site) for _ in range(3)]
        start = time.monotonic()
        await site.door.close()
        assert time.monotonic() - start < 1.0
        async with asyncio.timeout(2):
            for one in streams:
                assert await one.content.read() == b"retry: 2000\n\n"


async def test_a_reader_that_stalls_does_not_hold_the_server(opened: Open) -> None:
    async with opened() as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port, limit=1024)
        writer.write(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(200):
            site.events.publish("trace.stored", {"text": "x" * 60_000})
            await asyncio.sleep(0)
        start = time.monotonic()
        await site.door.close()
        assert time.monotonic() - start < 1.5
        writer.close()
