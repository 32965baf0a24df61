"""Bodies of requests: read to a limit that is counted while reading, whatever the headers say."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from aiohttp import HttpVersion11, web

KEEP = 64 << 10
LINE_END = re.compile(rb"\n[ \t\r\n]*")
"""The end of a line with the blank ones after it: 64 MB of them are passed over in one step."""
ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[")


class TooLargeError(Exception):
    """The body, or a record of it, is larger than it may be."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the request is larger than {limit} bytes, the limit (security.requestSizeLimit)")
        self.limit = limit


async def whole(request: web.BaseRequest, limit: int, most: int = 0) -> bytes:
    """The whole body, of at most `limit` bytes, or `most` when it is a JSON array. Raises TooLargeError. Reports B201."""
    array = None
    if request.content_length is not None and request.content_length > max(limit, most):
        raise TooLargeError(limit)
    await go_on(request)
    parts, size = [], 0
    async for part in request.content.iter_any():
        size += len(part)
        parts.append(part)
        if size > limit:
            array = most > 0 and is_array(b"".join(parts)) if array is None else array
            if not array or size > most:
                raise TooLargeError(most if array else limit)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def go_on(request: web.BaseRequest) -> None:
    """Ask for a body that the client holds back until it is asked for; `whole` does so itself, `lines` does not."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer has not begun


def is_array(raw: bytes) -> bool:
    """Whether a JSON text begins an array."""
    return ARRAY.match(raw) is not None


async def lines(request: web.BaseRequest, each: int, most: int) -> AsyncIterator[bytes]:
    """The lines of a body that are not blank; one that is too long is cut to `each` + 1 bytes. Raises TooLargeError."""
    rest, size, skipping = bytearray(), 0, False
    async for part in request.content.iter_any():
        size += len(part)
        if size > most:
            raise TooLargeError(most)
        *ended, last = LINE_END.split(part)
        for i, line in enumerate(ended):
            whole_line = bytes(rest) + line if not i else line
            if i == 0:
                rest.clear()
            if whole_line.strip() and not skipping:
                yield whole_line[: each + 1]
            skipping = False
        rest += last
        if len(rest) > each + KEEP:
            if not skipping:
                yield bytes(rest[: each + 1])
            rest.clear()
            skipping = True
    if rest.strip() and not skipping:
        yield bytes(rest[: each + 1])
