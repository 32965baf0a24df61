"""Bodies of requests: read to a limit that is counted while reading, whatever the headers say."""

from __future__ import annotations

from collections.abc import AsyncIterator

from aiohttp import web

KEEP = 64 << 10


class TooLargeError(Exception):
    """The body, or a record of it, is larger than it may be."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the request is larger than {limit} bytes, the limit (security.requestSizeLimit)")
        self.limit = limit


async def whole(request: web.BaseRequest, limit: int) -> bytes:
    """The whole body. Raises TooLargeError."""
    length = request.content_length
    if length is not None and length > limit:
        raise TooLargeError(limit)
    parts, size = [], 0
    async for part in request.content.iter_any():
        size += len(part)
        if size > limit:
            raise TooLargeError(limit)
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def lines(request: web.BaseRequest, each: int, most: int) -> AsyncIterator[bytes]:
    """The lines of a body that are not blank; one that is too long is cut to `each` + 1 bytes. Raises TooLargeError."""
    rest, size, skipping = b"", 0, False
    async for part in request.content.iter_any():
        size += len(part)
        if size > most:
            raise TooLargeError(most)
        *ended, rest = (rest + part).split(b"\n")
        for line in ended:
            if line.strip() and not skipping:
                yield line[: each + 1]
            skipping = False
        if len(rest) > each + KEEP:
            if not skipping:
                yield rest[: each + 1]
            rest, skipping = b"", True
    if rest.strip() and not skipping:
        yield rest[: each + 1]
