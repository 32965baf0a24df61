"""Every setting: its name in config.json, its environment variable, its flag, what it holds, what it does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from iris.packs.fields import CLASSES
from iris.verdict.policy import INPUTS

BOOLEAN_WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
LARGEST = 1 << 30
"""Bytes of the largest request that may be allowed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting. `name` is dotted; `field` its place in Config; `default` what holds when nobody sets it."""

    name: str
    kind: str
    default: Any
    about: str
    field: str = ""
    env: str | None = None
    flag: str | None = None


TABLE: tuple[Entry, ...] = (
    Entry("storage.type", "storage", "sqlite", "Where runs are kept; there is one kind."),
    Entry(
        "storage.path",
        "path",
        None,
        "The database; iris.db in the Iris home when not set.",
        "db_path",
        "IRIS_DB_PATH",
        "--db-path",
    ),
    Entry(
        "transport.type", "transport", "stdio", "How MCP is served: stdio or http.", "transport", "IRIS_TRANSPORT", "--transport"
    ),
    Entry("transport.host", "text", "127.0.0.1", "Where MCP over HTTP listens.", "host", "IRIS_HOST", "--host"),
    Entry("transport.port", "port", 3000, "The port of MCP over HTTP.", "port", "IRIS_PORT", "--port"),
    Entry(
        "dashboard.enabled",
        "flag",
        False,
        "Whether the HTTP interface and the pages are served.",
        "dashboard",
        "IRIS_DASHBOARD",
        "--dashboard",
    ),
    Entry(
        "dashboard.host", "text", "127.0.0.1", "Where they listen.", "dashboard_host", "IRIS_DASHBOARD_HOST", "--dashboard-host"
    ),
    Entry("dashboard.port", "port", 6920, "Their port.", "dashboard_port", "IRIS_DASHBOARD_PORT", "--dashboard-port"),
    Entry("security.apiKey", "text", None, "A key that callers must present.", "", "IRIS_API_KEY", "--api-key"),
    Entry("security.apiKeyFile", "path", None, "A file that holds the key.", "", "IRIS_API_KEY_FILE"),
    Entry("security.apiKeys", "keys", (), "Several keys: [{id, keyFile or keyHash (SHA-256, hex), expiresAt}]."),
    Entry(
        "security.allowUnauthenticated",
        "flag",
        False,
        "Whether a port that others reach may be open without a key.",
        "allow_unauthenticated",
        "IRIS_ALLOW_UNAUTHENTICATED",
    ),
    Entry(
        "security.allowedOrigins",
        "origins",
        ("http://localhost:*",),
        "Origins of pages that may read answers; * is one label.",
        "allowed_origins",
        "IRIS_ALLOWED_ORIGINS",
    ),
    Entry("security.rateLimit.api", "count", 600, "Requests a minute and address to the HTTP interface.", "rate_api"),
    Entry("security.rateLimit.mcp", "count", 20, "Requests a minute to MCP over HTTP.", "rate_mcp"),
    Entry("security.rateLimit.mcpKeyBy", "key_by", "ip", "What those are counted by: ip or apiKey.", "mcp_key_by"),
    Entry("security.requestSizeLimit", "size", 1 << 20, 'The largest request, such as "1mb".', "request_size_limit"),
    Entry("eval.defaultThreshold", "ratio", None, "The score that must be reached."),
    Entry("eval.ruleThresholds", "thresholds", {}, "The settings of rules under the names of the published interface."),
    Entry("eval.rules", "rules", {}, "Settings of rules: {rule: {key: value}}."),
    Entry("eval.criticalRules", "texts", (), "Built-in rules that are critical here."),
    Entry("eval.nonCriticalRules", "texts", (), "Built-in rules that are not critical here."),
    Entry("eval.falsePassCost", "amount", None, "How many wrong fails one wrong pass is worth."),
    Entry("eval.onCriticalSkipped", "on_skipped", None, "What a critical rule that could not judge does: unknown, fail or pass."),
    Entry("eval.requiredEvidence", "evidence", None, "Inputs without which no verdict is given."),
    Entry("eval.defaultsGate", "flag", None, "Whether a policy that rests on our own number may fail a run."),
    Entry("eval.prior", "chance", None, "How often a run has a failure, the same for every class."),
    Entry("eval.priors", "priors", {}, "How often a run has each failure class: {class: number}; before eval.prior."),
    Entry("packs", "texts", (), "Folders of your own packs, beside the built-in ones.", "packs", "IRIS_PACKS", "--packs"),
    Entry("retention.days", "days", 30, "How long traces are kept; 0 is for ever.", "retention_days"),
    Entry("retention.sweepIntervalHours", "count", 24, "How often older ones are swept.", "sweep_interval_hours"),
    Entry("logging.level", "level", "info", "debug, info, warn or error.", "log_level", "IRIS_LOG_LEVEL"),
    Entry("server.name", "text", "iris-eval", "The name MCP clients are told.", "server_name"),
)

CHOICES: dict[str, tuple[str, ...]] = {
    "storage": ("sqlite",),
    "transport": ("stdio", "http"),
    "key_by": ("ip", "apiKey"),
    "on_skipped": ("unknown", "fail", "pass"),
    "level": ("debug", "info", "warn", "error"),
}
THRESHOLDS: dict[str, tuple[str, str]] = {
    "min_output_length": ("min_output_length", "min_output_length"),
    "min_sentences": ("sentence_count", "min_sentences"),
    "keyword_overlap": ("keyword_overlap", "keyword_overlap"),
    "topic_consistency": ("topic_consistency", "topic_consistency"),
    "topic_consistency_min_words": ("topic_consistency", "topic_consistency_min_words"),
    "cost_threshold": ("cost_under_threshold", "cost_threshold"),
    "max_token_ratio": ("token_efficiency", "max_token_ratio"),
    "max_tool_repeats": ("no_tool_loop", "max_tool_repeats"),
    "max_target_rereads": ("no_tool_loop", "max_target_rereads"),
}
"""The published name of a threshold: the rule and the setting it is here."""


def number(low: float, high: float, *, whole: bool = False) -> Callable[[Any], bool]:
    """A test for numbers between two bounds."""

    def test(value: Any) -> bool:
        kinds = int if whole else int | float
        return isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high

    return test


ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s?#@]+", re.IGNORECASE)


def origins(value: Any) -> bool:
    """Whether a value is a list of origins: a scheme, a host and maybe a port, nothing behind."""
    return texts(value) and all(ORIGIN.fullmatch(v) for v in value)


def chance(value: Any) -> bool:
    """Whether a value is a probability that is neither sure nor impossible."""
    return number(0, 1)(value) and 0 < value < 1


def texts(value: Any) -> bool:
    """Whether a value is a list of texts."""
    return isinstance(value, list | tuple) and all(isinstance(v, str) and v for v in value)


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "path": (lambda v: isinstance(v, str) and bool(v), "a path"),
    "text": (lambda v: isinstance(v, str) and bool(v), "a text"),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
    "port": (number(1, 65_535, whole=True), "a port, 1 to 65535"),
    "count": (number(1, 10**9, whole=True), "a whole number of at least 1"),
    "days": (number(0, 36_500, whole=True), "a whole number of days, 0 for ever"),
    "ratio": (number(0, 1), "a number from 0 to 1"),
    "amount": (number(0, 1e12), "a number of at least 0"),
    "texts": (texts, "a list of texts"),
    "size": (lambda v: isinstance(v, str | int) and not isinstance(v, bool), 'a size such as "1mb"'),
    "keys": (
        lambda v: isinstance(v, list) and all(isinstance(k, dict) for k in v),
        "a list of {id, keyFile or keyHash, expiresAt}",
    ),
    "origins": (origins, "a list of origins such as https://app.example.org or http://localhost:*"),
    "evidence": (lambda v: texts(v) and set(v) <= set(INPUTS), "a list of " + ", ".join(INPUTS)),
    "thresholds": (
        lambda v: isinstance(v, dict) and all(number(0, 1e12)(n) for n in v.values()),
        "an object of numbers of at least 0",
    ),
    "rules": (lambda v: isinstance(v, dict) and all(isinstance(k, dict) for k in v.values()), "an object of rules"),
    "chance": (chance, "a number between 0 and 1"),
    "priors": (
        lambda v: isinstance(v, dict) and set(v) <= set(CLASSES) and all(map(chance, v.values())),
        "an object of numbers between 0 and 1 by failure class, of " + ", ".join(CLASSES),
    ),
}
KINDS |= {kind: (choices.__contains__, " or ".join(choices)) for kind, choices in CHOICES.items()}
