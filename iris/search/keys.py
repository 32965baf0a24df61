"""The keys of short terms: the stored field each stands for, or the question that is asked of each run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from iris.search.parts import Part, Row, asked, both, either, one_test, opposite
from iris.search.terms import Term

STATES = ("pass", "fail", "unknown", "unjudged")
IS = {
    "failed": ("state", "=", "fail"),
    "passed": ("state", "=", "pass"),
    "unknown": ("state", "=", "unknown"),
    "unjudged": ("state", "=", "unjudged"),
    "error": ("errors", ">", 0),
    "costly": ("kind", "=", "cost-spike"),
}
"""Values of `is:` and the test each is short for."""
TEXTS = {
    "agent": "agent", "framework": "framework", "session": "session", "run": "run", "case": "case", "source": "source",
    "model": "model", "trace": "trace", "basis": "basis", "kind": "kind", "rule": "rule",
}  # fmt: skip
NUMBERS = {
    "cost": ("cost", "usd"), "duration": ("latency", "ms"), "latency": ("latency", "ms"), "tokens": ("tokens", ""),
    "score": ("score", ""), "calls": ("calls", ""), "errors": ("errors", ""), "significance": ("significance", ""),
}  # fmt: skip
SORTS = {
    "newest": ("timestamp", True), "oldest": ("timestamp", False), "cost": ("cost_usd", True), "duration": ("latency_ms", True),
    "score": ("score", False), "rank": ("rank", True), "relevance": ("relevance", True),
}  # fmt: skip
OTHER = ("is", "state", "verdict", "tool", "error", "env", "pack", "severity", "text", "since", "until", "last", "sort")
KEYS = tuple(sorted({*TEXTS, *NUMBERS, *OTHER, "tag.NAME"}))
AMOUNT = re.compile(r"^\$?(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|usd|%)?$")
SCALE = {"ms": 1.0, "s": 1e3, "min": 6e4, "m": 6e4, "h": 3.6e6, "usd": 1.0, "%": 0.01}
SPAN = re.compile(r"^(\d+)(m|min|h|d|w)$")
SECONDS = {"m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
DATE = re.compile(r"^\d{4}-\d\d-\d\d$")


class TermError(Exception):
    """A term whose key or value can not be used: the code, what is wrong, what is right."""

    def __init__(self, code: str, message: str, help_line: str) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help_line


def part_of(term: Term, rules: Mapping[str, Mapping[str, Any]], now: datetime) -> Part:
    """The condition a term stands for; `rules` are the plan's by name. Raises TermError."""
    key = term.key.lower()
    if key in TEXTS:
        part = _any_of(term, lambda v: _text(TEXTS[key], v))
    elif key in NUMBERS:
        part = _number(term, *NUMBERS[key])
    elif key in ("state", "verdict", "is"):
        part = _any_of(term, _state if key != "is" else _is)
    elif key in ("since", "until", "last"):
        part = _time(term, key, now)
    elif key in ("pack", "severity"):
        part = _any_of(term, lambda v: _rules_of(key, v, rules))
    elif key.startswith("tag.") or key == "env":
        part = _any_of(term, lambda v: _tag(term.key[4:] if key != "env" else "env", v))
    elif key in ASKED:
        part = _any_of(term, ASKED[key])
    else:
        from iris.packs.reader import near

        hint = near(key, KEYS) or "keys are " + ", ".join(KEYS)
        raise TermError("E721", f"a search has no key `{term.key}`", hint)
    return opposite(part) if term.negated != (term.op == "!=") else part


def _any_of(term: Term, part: Callable[[str], Part]) -> Part:
    """`a,b` is a or b; quoted values are one."""
    if term.op not in (":", "=", "!="):
        raise TermError("E722", f"`{term.key}` can not be compared with `{term.op}`", f"write {term.key}:VALUE")
    values = [term.value] if term.quoted else [v for v in term.value.split(",") if v]
    if not values:
        raise TermError("E722", f"`{term.key}:` has no value", f"write {term.key}:VALUE")
    return either([part(v) for v in values]) if len(values) > 1 else part(values[0])


def _text(field: str, value: str) -> Part:
    if value == "*":
        return one_test(field, "given", True)
    return one_test(field, "prefix", value[:-1]) if value.endswith("*") else one_test(field, "=", value)


def _state(value: str) -> Part:
    if value not in STATES:
        raise TermError("E722", f"there is no verdict `{value}`", "one of " + ", ".join(STATES))
    return one_test("state", "=", value)


def _is(value: str) -> Part:
    if value not in IS:
        raise TermError("E722", f"`is:{value}` says nothing", "one of " + ", ".join(IS))
    return one_test(*IS[value])


def _number(term: Term, field: str, unit: str) -> Part:
    found = AMOUNT.match(term.value)
    if found is None or (found[2] and unit == "usd" and found[2] != "usd") or (found[2] == "usd" and unit != "usd"):
        example = {"usd": "0.05usd", "ms": "2s"}.get(unit, "3")
        raise TermError("E722", f"`{term.value}` is no value of `{term.key}`", f"such as {term.key}>{example}")
    return one_test(field, "=" if term.op == ":" else term.op, float(found[1]) * SCALE.get(found[2] or "", 1.0))


def _time(term: Term, key: str, now: datetime) -> Part:
    if key == "last":
        found = SPAN.match(term.value)
        if found is None or int(found[1]) > 10**6:
            raise TermError("E722", f"`{term.value}` is no span of time", "such as last:24h, last:7d")
        since = now - timedelta(seconds=int(found[1]) * SECONDS[found[2]])
        return one_test("time", ">=", instant(since))
    at = _moment(term.value, end=key == "until")
    return one_test("time", ">=" if key == "since" else "<=", at)


def _moment(value: str, *, end: bool) -> str:
    """An instant, or a day (its first or last moment), in UTC."""
    try:
        when = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise TermError("E722", f"`{value}` is no date", "such as 2026-03-01 or 2026-03-01T12:00:00Z") from None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return instant(when + timedelta(days=1, milliseconds=-1) if end and DATE.match(value) else when)


def instant(when: datetime) -> str:
    """UTC ISO 8601 in milliseconds with `Z`."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _rules_of(key: str, value: str, rules: Mapping[str, Mapping[str, Any]]) -> Part:
    """Runs in which some rule of a pack, or some critical rule, failed."""
    if key == "severity":
        if value not in ("critical", "other"):
            raise TermError("E722", f"there is no severity `{value}`", "critical or other")
        names = tuple(sorted(n for n, r in rules.items() if bool(r["critical"]) == (value == "critical")))
    else:
        names = tuple(sorted(n for n, r in rules.items() if r["pack"] == value))
        if not names:
            raise TermError(
                "E722", f"there is no pack `{value}`", "one of " + ", ".join(sorted({r["pack"] for r in rules.values()}))
            )
    return one_test("rule", "in", names)


def _tag(name: str, value: str) -> Part:
    """A value under the run's metadata; `*` is any."""

    def test(row: Row) -> bool | None:
        found = (row.get("metadata") or {}).get(name)
        if found is None:
            return value == "*" and None
        return value == "*" or (found if isinstance(found, str) else json.dumps(found)) == value

    return asked(test)


def _calls(question: Callable[[Mapping[str, Any]], bool]) -> Part:
    def test(row: Row) -> bool | None:
        calls = row.get("tool_calls")
        return None if calls is None else any(question(c) for c in calls)

    return asked(test)


def _tool(value: str) -> Part:
    """Runs that called a tool."""
    if value.endswith("*"):
        return both([one_test("calls", ">", 0), _calls(lambda c: str(c.get("tool_name")).startswith(value[:-1]))])
    return both([one_test("calls", ">", 0), _calls(lambda c: c.get("tool_name") == value)])


def _error(value: str) -> Part:
    """Runs in which a call failed, with a text in its error."""
    failed = one_test("errors", ">", 0)
    if value == "*":
        return failed
    return both([failed, _calls(lambda c: value.casefold() in str(c.get("error") or "").casefold())])


def _says(value: str) -> Part:
    """Runs whose input or output has a text."""
    wanted = value.casefold()
    return asked(lambda row: any(wanted in (row.get(k) or "").casefold() for k in ("input", "output")))


ASKED: dict[str, Callable[[str], Part]] = {"tool": _tool, "error": _error, "text": _says}
