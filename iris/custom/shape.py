"""What a deployed rule (DeployedRule, in wire form) must look like besides its definition; every problem names its field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from iris.check.custom import SEVERITIES
from iris.packs.fields import BUNDLES
from iris.packs.reader import near
from iris.problems import Problem

Row = dict[str, Any]
RULE_ID = re.compile(r"rule-[0-9a-f]{1,64}")
FENCE = re.compile(r"</?\s*untrusted_", re.IGNORECASE)
HALF = re.compile("[\ud800-\udfff]")
LONGEST_NAME, LONGEST_DESCRIPTION = 80, 500
CRITICAL = ("high", "critical")


class DuplicateRuleError(Exception):
    """A rule of the name is deployed already, as `existing` (ids); nothing was changed."""

    def __init__(self, name: str, existing: list[str]) -> None:
        super().__init__(f"a rule named {name!r} is deployed already as {', '.join(existing)}")
        self.name, self.existing = name, existing


def row_problems(row: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with a rule, its definition aside. A rule that passes can be written and read back."""
    return [Problem("E501", f"{field}: {message}", None, "", hint) for field, message, hint in _mistakes(row)]


def _mistakes(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if not (isinstance(row["id"], str) and RULE_ID.fullmatch(row["id"])):
        yield "id", "must be rule- and hexadecimal digits", "such as rule-0a1b2c3d"
    if not (isinstance(row["name"], str) and row["name"].strip() and len(row["name"]) <= LONGEST_NAME):
        yield "name", f"must be a text of 1 to {LONGEST_NAME} characters", "reports show it"
    if not (isinstance(row["description"], str) and len(row["description"]) <= LONGEST_DESCRIPTION):
        yield "description", f"must be a text of at most {LONGEST_DESCRIPTION} characters", "say what the rule is for"
    for field, known in (("evalType", BUNDLES), ("severity", SEVERITIES)):
        if row[field] not in known:
            yield field, "must be " + ", ".join(known[:-1]) + " or " + known[-1], near(str(row[field]), known)
    for field in ("createdAt", "updatedAt"):
        if not _is_instant(row[field]):
            yield field, "must be an ISO 8601 instant", "such as 2026-01-31T12:00:00.000Z"
    if not (isinstance(row["version"], int) and not isinstance(row["version"], bool) and row["version"] >= 1):
        yield "version", "must be a whole number of at least 1", "1 when left out"
    if not isinstance(row["enabled"], bool):
        yield "enabled", "must be true or false", ""
    if not isinstance(row.get("sourceMomentId", ""), str):
        yield "sourceMomentId", "must be a text", "the id of a trace"
    yield from _texts_that_can_not_stay(row)


def _texts_that_can_not_stay(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    definition = {key: value for key, value in row["definition"].items() if key != "name"}
    for field, value in (("name", row["name"]), ("description", row["description"]), ("definition", definition)):
        for text in texts_of(value):
            if FENCE.search(text):
                yield field, "holds the mark that fences stored text", "give the text between the marks alone"
                break
            if HALF.search(text):
                yield field, "holds half of a character (a lone surrogate)", "send whole characters"
                break


def texts_of(value: Any) -> Iterator[str]:
    """Every text of a JSON value, its keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)


def _is_instant(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (ValueError, TypeError):
        return False
    return True
