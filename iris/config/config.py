"""The configuration in force: defaults, then config.json, then the environment, then flags."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iris.config.keys import ApiKey, digest_of
from iris.config.read import Values, from_environment, from_file, from_flags
from iris.config.table import TABLE, THRESHOLDS
from iris.home import Home, home_of
from iris.problems import Problem, ProblemsFound
from iris.verdict.settings import Setting, Settings

HASH = re.compile(r"^[0-9a-f]{64}$")
INSTANT = re.compile(r"^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything an operator may set, checked."""

    home: Home
    db_path: Path
    api_keys: tuple[ApiKey, ...] = ()
    settings: Settings = Settings()
    packs: tuple[Path, ...] = ()
    transport: str = "stdio"
    host: str = "127.0.0.1"
    port: int = 3000
    dashboard: bool = False
    dashboard_host: str = "127.0.0.1"
    dashboard_port: int = 6920
    allow_unauthenticated: bool = False
    allowed_origins: tuple[str, ...] = ("http://localhost:*",)
    rate_api: int = 600
    rate_mcp: int = 20
    mcp_key_by: str = "ip"
    request_size_limit: int = 1 << 20
    retention_days: int = 30
    sweep_interval_hours: int = 24
    log_level: str = "info"
    server_name: str = "iris-eval"


def load_config(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None) -> Config:
    """The configuration in force. Raises ProblemsFound with every mistake of every layer."""
    home = home_of(environ)
    problems: list[Problem] = []
    if file is not None and not file.is_file():
        problems.append(Problem("E821", f"there is no file {file}", None, "", "name a config.json"))
    layers = [from_file(file or home.config, problems), from_environment(environ, problems), from_flags(flags, problems)]
    values: Values = {name: value for layer in layers for name, value in layer.items()}
    keys = _keys(values, problems)
    settings = _settings(values, problems)
    plain = {entry.field: values[entry.name][0] for entry in TABLE if entry.field and entry.name in values}
    plain["db_path"] = Path(plain.get("db_path", home.database)).expanduser()
    plain["packs"] = tuple(Path(p).expanduser() for p in plain.get("packs", ()))
    plain["allowed_origins"] = tuple(plain.get("allowed_origins", Config.__dataclass_fields__["allowed_origins"].default))
    config = Config(home=home, api_keys=keys, settings=settings, **plain)
    problems += _refusals(config)
    if problems:
        raise ProblemsFound(problems)
    return config


def loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    if host in ("localhost", "::1", "[::1]"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _refusals(config: Config) -> list[Problem]:
    """What must not be started."""
    found: list[Problem] = []
    if config.transport == "http" and config.dashboard and config.port == config.dashboard_port:
        message = f"transport.port and dashboard.port are both {config.port}"
        found.append(Problem("E824", message, None, "", "give one of them another port: --port or --dashboard-port"))
    open_hosts = [config.host] if config.transport == "http" else []
    open_hosts += [config.dashboard_host] if config.dashboard else []
    for host in open_hosts:
        if not loopback(host) and not config.api_keys and not config.allow_unauthenticated:
            message = f"{host} can be reached by others and no key protects it"
            found.append(Problem("E825", message, None, "", "set IRIS_API_KEY, or listen on 127.0.0.1"))
    return found


def _keys(values: Values, problems: list[Problem]) -> tuple[ApiKey, ...]:
    keys: list[ApiKey] = []
    if "security.apiKey" in values and "security.apiKeyFile" in values:
        problems.append(Problem("E823", "a key is given twice: apiKey and apiKeyFile", None, "", "keep one of them"))
    if "security.apiKey" in values:
        keys.append(ApiKey("default", digest_of(values["security.apiKey"][0])))
    elif "security.apiKeyFile" in values:
        keys += _from_key_file("default", values["security.apiKeyFile"][0], None, problems)
    for i, given in enumerate(values.get("security.apiKeys", ((), ""))[0]):
        keys += _one_key(i, given, problems)
    return tuple(keys)


def _one_key(i: int, given: Mapping[str, Any], problems: list[Problem]) -> list[ApiKey]:
    name = f"security.apiKeys[{i}]"
    unknown = [k for k in given if k not in ("id", "keyFile", "keyHash", "expiresAt")]
    problems += [Problem("E822", f"`{name}` has no setting `{k}`", None, "", "id, keyFile, keyHash, expiresAt") for k in unknown]
    key_id, ends = given.get("id"), given.get("expiresAt")
    if not isinstance(key_id, str) or not key_id:
        problems.append(Problem("E823", f"`{name}.id` must be a text", None, "", "name the key"))
        return []
    if ends is not None and (not isinstance(ends, str) or not INSTANT.match(ends)):
        problems.append(
            Problem("E823", f"`{name}.expiresAt` must be an ISO 8601 instant", None, "", "such as 2026-12-31T00:00:00Z")
        )
    if ("keyFile" in given) == ("keyHash" in given):
        problems.append(Problem("E823", f"`{name}` needs either keyFile or keyHash", None, "", "give one of them"))
        return []
    if "keyFile" in given:
        return _from_key_file(key_id, str(given["keyFile"]), ends, problems)
    if not isinstance(given["keyHash"], str) or not HASH.match(given["keyHash"]):
        problems.append(Problem("E823", f"`{name}.keyHash` must be a SHA-256 in hex", None, "", "64 characters 0-9 a-f"))
        return []
    return [ApiKey(key_id, given["keyHash"], ends)]


def _from_key_file(key_id: str, file: str, ends: str | None, problems: list[Problem]) -> list[ApiKey]:
    try:
        key = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        problems.append(Problem("E823", f"the key file of `{key_id}` can not be read: {reason}", None, "", "check the path"))
        return []
    if not key:
        problems.append(Problem("E823", f"the key file of `{key_id}` is empty", None, "", "put the key into it"))
        return []
    return [ApiKey(key_id, digest_of(key), ends)]


def _settings(values: Values, problems: list[Problem]) -> Settings:
    """What is set over the verdict policy and the rules; equal to a default still counts as set."""

    def given(name: str) -> Setting[Any] | None:
        found = values.get(f"eval.{name}")
        return None if found is None else Setting(found[0], "config")

    evidence = given("requiredEvidence")
    rules: dict[str, dict[str, Setting[Any]]] = {
        rule: {k: Setting(v, "config") for k, v in keys.items()} for rule, keys in values.get("eval.rules", ({}, ""))[0].items()
    }
    for name, value in values.get("eval.ruleThresholds", ({}, ""))[0].items():
        if name not in THRESHOLDS:
            known = ", ".join(THRESHOLDS)
            problems.append(Problem("E822", f"`eval.ruleThresholds` has no setting `{name}`", None, "", f"known here: {known}"))
            continue
        rule, key = THRESHOLDS[name]
        rules.setdefault(rule, {})[key] = Setting(value, "config")
    return Settings(
        threshold=given("defaultThreshold"),
        defaults_gate=given("defaultsGate"),
        on_critical_skipped=given("onCriticalSkipped"),
        required_evidence=None if evidence is None else Setting(tuple(evidence.value), "config"),
        false_pass_cost=given("falsePassCost"),
        priors={k: Setting(v, "config") for k, v in values.get("eval.priors", ({}, ""))[0].items()},
        rules=rules,
        critical_rules=tuple(values.get("eval.criticalRules", ((), ""))[0]),
        non_critical_rules=tuple(values.get("eval.nonCriticalRules", ((), ""))[0]),
    )
