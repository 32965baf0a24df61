"""Bytes to lines, holding at most one line of the allowed size, however long the line that arrives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from iris.serve.mcp.wire import HEAD, TAIL


@dataclass(slots=True)
class TooLong:
    """A line over the limit, of which only the ends were kept. `size` in bytes, without its newline."""

    head: bytes
    tail: bytes = b""
    size: int = 0

    def grow(self, part: bytes) -> None:
        """Count some more of the line."""
        self.size += len(part)
        self.tail = (self.tail + part[-TAIL:])[-TAIL:]


@dataclass(slots=True)
class Lines:
    """Splits what arrives into lines. `limit` in bytes, without the newline."""

    limit: int
    _parts: list[bytes] = field(default_factory=list)
    _held: int = 0
    _skipped: TooLong | None = None

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """Give the lines that end in the data."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            yield self._end(data[start:end])
            start = end + 1
        if start < len(data):
            self._keep(data[start:])

    def rest(self) -> bytes | TooLong | None:
        """Give the line that the end of the input ended; None when there is none."""
        return self._end(b"") if self._parts or self._skipped else None

    def _keep(self, part: bytes) -> None:
        if self._skipped is not None:
            self._skipped.grow(part)
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > self.limit:
            self._skipped = self._too_long()

    def _too_long(self) -> TooLong:
        whole = b"".join(self._parts)
        found = TooLong(whole[:HEAD])
        found.grow(whole)
        self._parts, self._held = [], 0
        return found

    def _end(self, part: bytes) -> bytes | TooLong:
        if not self._parts and self._skipped is None and len(part) <= self.limit:
            return part
        self._keep(part)
        if self._skipped is not None:
            found, self._skipped = self._skipped, None
            return found
        line = b"".join(self._parts)
        self._parts, self._held = [], 0
        return line
