"""Keys of the API: kept as digests, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key's name and SHA-256 digest (hex), and when it ends (UTC ISO 8601)."""

    id: str
    digest: str
    expires_at: str | None = None


def digest_of(key: str) -> str:
    """SHA-256 of a key, hex."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def key_matches(presented: str, keys: Sequence[ApiKey], now: datetime | None = None) -> str | None:
    """The name of the key that was presented; every key is compared whatever the first ones say."""
    digest = digest_of(presented)
    found = None
    moment = (now or datetime.now(UTC)).isoformat()
    for key in keys:
        same = hmac.compare_digest(digest, key.digest)
        if same and (key.expires_at is None or moment < key.expires_at.replace("Z", "+00:00")):
            found = key.id
    return found
