"""Keys of the API: kept as digests, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iris.config.read import Values, near_key
from iris.problems import Problem

HASH = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
FIELDS = ("id", "keyFile", "keyHash", "expiresAt")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key's name and SHA-256 digest (hex), and when it ends."""

    id: str
    digest: str
    expires_at: datetime | None = None


def digest_of(key: str) -> str:
    """SHA-256 of a key, hex."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def key_matches(presented: str, keys: Sequence[ApiKey], now: datetime | None = None) -> str | None:
    """The name of the key that was presented; every key is compared whatever the first ones say."""
    digest = digest_of(presented)
    found = None
    moment = now or datetime.now(UTC)
    for key in keys:
        same = hmac.compare_digest(digest, key.digest)
        valid = key.expires_at is None or moment < key.expires_at
        if same & valid:
            found = key.id
    return found


def keys_of(values: Values, problems: list[Problem]) -> tuple[ApiKey, ...]:
    """The keys that were set; each mistake is a problem."""
    keys = list(_single(values, problems))
    for i, given in enumerate(values.get("security.apiKeys", ((), ""))[0]):
        key = _one_of_many(f"security.apiKeys[{i}]", given, problems)
        if key is not None and any(key.id == other.id for other in keys):
            problems.append(Problem("E823", f"two keys have the id `{key.id}`", None, "", "give each its own"))
        elif key is not None:
            keys.append(key)
    return tuple(keys)


def _single(values: Values, problems: list[Problem]) -> Iterator[ApiKey]:
    """The key of apiKey or apiKeyFile, of which one layer may give only one."""
    text, file = values.get("security.apiKey"), values.get("security.apiKeyFile")
    if text and file:
        message = "IRIS_API_KEY and IRIS_API_KEY_FILE (security.apiKey and security.apiKeyFile) are both set"
        problems.append(Problem("E824", message, None, "", "keep one of them"))
    elif text and not text[0].strip():
        problems.append(Problem("E823", "`security.apiKey` is blank", None, "", "put a key there, or leave it out"))
    elif text:
        yield ApiKey("default", digest_of(text[0].strip()))
    elif file:
        digest = _digest_of_file(file[0], "security.apiKeyFile", problems)
        if digest:
            yield ApiKey("default", digest)


def _one_of_many(name: str, given: Mapping[str, Any], problems: list[Problem]) -> ApiKey | None:
    before = len(problems)
    for key in given:
        if key not in FIELDS:
            meant = near_key(key, FIELDS)
            hint = f"did you mean `{meant}`?" if meant else "known here: " + ", ".join(FIELDS)
            problems.append(Problem("E822", f"there is no setting `{name}.{key}`", None, "", hint))
    key_id, ends = given.get("id"), _instant(given.get("expiresAt"))
    if not isinstance(key_id, str) or not key_id.strip():
        problems.append(Problem("E823", f"`{name}.id` must be a text", None, "", "it names the key in logs"))
    if "expiresAt" in given and ends is None:
        hint = "such as 2026-12-31T00:00:00Z"
        problems.append(Problem("E823", f"`{name}.expiresAt` must be an ISO 8601 instant", None, "", hint))
    if ("keyFile" in given) is ("keyHash" in given):
        problems.append(Problem("E823", f"`{name}` needs either keyFile or keyHash", None, "", "give one of them"))
        return None
    digest = _digest(name, given, problems)
    return ApiKey(str(key_id), digest, ends) if digest and len(problems) == before else None


def _digest(name: str, given: Mapping[str, Any], problems: list[Problem]) -> str | None:
    if "keyFile" in given:
        return _digest_of_file(given["keyFile"], f"{name}.keyFile", problems)
    if isinstance(given["keyHash"], str) and HASH.fullmatch(given["keyHash"]):
        return given["keyHash"].lower()
    problems.append(Problem("E823", f"`{name}.keyHash` must be a SHA-256 in hex", None, "", "64 characters 0-9 a-f"))
    return None


def _digest_of_file(file: Any, name: str, problems: list[Problem]) -> str | None:
    try:
        key = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or "it holds no text"
        problems.append(Problem("E823", f"`{name}`: the file can not be read: {reason}", None, "", "check the path"))
        return None
    if not key:
        problems.append(Problem("E823", f"`{name}`: the file is empty", None, "", "put the key into it"))
        return None
    return digest_of(key)


def _instant(text: Any) -> datetime | None:
    """An ISO 8601 instant; without an offset it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
