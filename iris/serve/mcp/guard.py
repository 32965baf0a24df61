"""Who may talk to /mcp: the Host and Origin of a request, looked at before its body is read.

A page that has its own name resolve to 127.0.0.1 would reach a server on this machine with the browser of its user. The
names a browser then sends give it away.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from aiohttp import web

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Guard:
    """Refuses a Host or Origin nobody allowed. `origins` are exact; one with a `*` allows nothing here."""

    def __init__(self, origins: Iterable[str]) -> None:
        self.origins = frozenset(origin.rstrip("/").lower() for origin in origins if "*" not in origin)
        self.hosts = frozenset(host for origin in self.origins if (host := _host_of(urlsplit(origin).netloc)))

    def complaint(self, request: web.Request) -> str | None:
        """Give what is wrong with the names of a request, or None."""
        host = request.headers.get("Host", "")
        if not host:
            return "the request has no Host header"
        if self._local(request) and _host_of(host) not in LOOPBACK | self.hosts:
            return "the Host header names another machine"
        origin = request.headers.get("Origin")
        if origin is not None and not self._origin_is_allowed(origin, request):
            return "the Origin header is not allowed; add it to the allowed origins if it is yours"
        return None

    def _origin_is_allowed(self, origin: str, request: web.Request) -> bool:
        if origin.rstrip("/").lower() in self.origins:
            return True
        try:
            parts = urlsplit(origin)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK and port == _bound_port(request)

    def _local(self, request: web.Request) -> bool:
        """Say whether the request came to an address of this machine alone; elsewhere a key is what protects."""
        address = request.transport.get_extra_info("sockname") if request.transport else None
        return not isinstance(address, tuple) or is_loopback(address[0])


def is_loopback(address: str) -> bool:
    """Say whether an address reaches this machine alone; one that can not be read counts as such, and is guarded."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def _host_of(netloc: str) -> str | None:
    """Give the name in a Host header without its port; None for one that is malformed."""
    try:
        parts = urlsplit(f"//{netloc}")
        return parts.hostname if parts.port is None or parts.port >= 0 else None
    except ValueError:
        return None


def _bound_port(request: web.Request) -> int | None:
    address = request.transport.get_extra_info("sockname") if request.transport else None
    return address[1] if isinstance(address, tuple) else None
