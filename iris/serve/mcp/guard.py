"""Who may talk to /mcp: the Host and Origin of a request, looked at before its body is read.

A page that has its own name resolve to 127.0.0.1 would reach a server on this machine with the browser of its user. The
names a browser then sends give it away.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

from aiohttp import web

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
NETLOC = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?", re.ASCII)
"""The names a browser sends have no user, path or other spelling; whoever sends those is no browser of ours."""
ORIGIN = re.compile(rf"(?P<scheme>https?)://{NETLOC.pattern}", re.ASCII)


class Guard:
    """Refuses a Host or Origin nobody allowed. `origins` are exact; one with a `*` allows nothing here."""

    def __init__(self, origins: Iterable[str]) -> None:
        self.origins = frozenset(origin.rstrip("/").lower() for origin in origins if "*" not in origin)
        self.hosts = LOOPBACK | {host for origin in self.origins if (host := _host_of(origin.partition("://")[2]))}

    def complaint(self, request: web.Request) -> str | None:
        """Give what is wrong with the names of a request, or None."""
        host = request.headers.get("Host", "")
        if not host:
            return "the request has no Host header"
        if self._local(request) and _host_of(host) not in self.hosts:
            return "the Host header names another machine"
        if "Origin" in request.headers:
            origins = request.headers.getall("Origin")
            if len(origins) > 1 or not self._origin_is_allowed(origins[0].lower(), request):
                return "the Origin header is not allowed; add it to the allowed origins if it is yours"
        return None

    def _origin_is_allowed(self, origin: str, request: web.Request) -> bool:
        if origin in self.origins:
            return True
        own = ORIGIN.fullmatch(origin)
        if own is None or own["name"].strip("[]") not in LOOPBACK:
            return False
        return int(own["port"] or (443 if own["scheme"] == "https" else 80)) == _bound_port(request)

    def _local(self, request: web.Request) -> bool:
        """Say whether the request came to an address of this machine alone; elsewhere a key is what protects."""
        address = request.transport.get_extra_info("sockname") if request.transport else None
        return not isinstance(address, tuple) or is_loopback(address[0])


@lru_cache(maxsize=64)
def is_loopback(address: str) -> bool:
    """Say whether an address reaches this machine alone; one that can not be read counts as such, and is guarded."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


@lru_cache(maxsize=256)
def _host_of(netloc: str) -> str | None:
    """Give the name in a Host header without its port; None for one that is malformed."""
    found = NETLOC.fullmatch(netloc.lower())
    return None if found is None or int(found["port"] or 0) > 65_535 else found["name"].strip("[]")


def _bound_port(request: web.Request) -> int | None:
    address = request.transport.get_extra_info("sockname") if request.transport else None
    return address[1] if isinstance(address, tuple) else None
