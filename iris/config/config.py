"""The configuration in force: defaults, then config.json, then the environment, then flags."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from iris.config.keys import ApiKey, key_matches, keys_of
from iris.config.read import Values, from_environment, from_file, from_flags, near_key
from iris.config.table import TABLE, THRESHOLDS
from iris.home import Home, home_of
from iris.packs.fields import CLASSES
from iris.problems import Problem, ProblemsFound
from iris.verdict.settings import Setting, Settings


@dataclass(frozen=True, slots=True)
class Config:
    """Everything an operator may set, checked. `sources` names what set each key: file, a variable or a flag."""

    home: Home
    db_path: Path
    api_keys: tuple[ApiKey, ...] = field(default=(), repr=False)
    settings: Settings = field(default_factory=Settings)
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
    sources: Mapping[str, str] = field(default_factory=dict)

    def key_matches(self, presented: str, now: datetime | None = None) -> str | None:
        """The id of the API key that was presented, or None."""
        return key_matches(presented, self.api_keys, now)


def load_config(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None) -> Config:
    """The configuration in force. `flags` are by dotted name, None for one that was not given.

    Raises ProblemsFound with every mistake of every layer.
    """
    home = home_of(environ)
    problems: list[Problem] = []
    if file is not None and not file.is_file():
        problems.append(Problem("E821", f"there is no file {file}", None, "", "name a config.json"))
    layers = [from_file(file or home.config, problems), from_environment(environ, problems), from_flags(flags, problems)]
    values: Values = {name: value for layer in layers for name, value in layer.items()}
    keys = keys_of(_above(layers, values), problems)
    settings = _settings(values, problems)
    plain = {entry.field: values[entry.name][0] for entry in TABLE if entry.field and entry.name in values}
    plain["db_path"] = Path(plain.get("db_path", home.database)).expanduser().absolute()
    plain["packs"] = tuple(Path(p).expanduser() for p in plain.get("packs", ()))
    if "allowed_origins" in plain:
        plain["allowed_origins"] = tuple(plain["allowed_origins"])
    sources = {name: source for name, (_, source) in values.items()}
    config = Config(home=home, api_keys=keys, settings=settings, sources=sources, **plain)
    problems = problems or refusals(config)  # a key that could not be read is one mistake, not two
    if problems:
        raise ProblemsFound(problems)
    return config


def _above(layers: list[Values], values: Values) -> Values:
    """The values, with the key of a lower layer left out where a higher one gives the key in the other way."""
    single = ("security.apiKey", "security.apiKeyFile")
    top = next((layer for layer in reversed(layers) if any(name in layer for name in single)), {})
    return {n: v for n, v in values.items() if n not in single} | {n: top[n] for n in single if n in top}


def loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def refusals(config: Config) -> list[Problem]:
    """What must not be started: two servers on one port, and a port that others reach without a key."""
    found: list[Problem] = []
    served = [("transport.host", config.host)] if config.transport == "http" else []
    served += [("dashboard.host", config.dashboard_host)] if config.dashboard else []
    if len(served) > 1 and config.port == config.dashboard_port:
        message = f"transport.port and dashboard.port are both {config.port}"
        found.append(Problem("E824", message, None, "", "give one of them another port: --port or --dashboard-port"))
    for name, host in served:
        if not loopback(host) and not config.api_keys and not config.allow_unauthenticated:
            message = f"`{name}` is {host}, which others can reach, so set IRIS_API_KEY or listen on 127.0.0.1"
            hint = "IRIS_ALLOW_UNAUTHENTICATED=1 lets everybody in who reaches the port"
            found.append(Problem("E825", message, None, "", hint))
    return found


def _settings(values: Values, problems: list[Problem]) -> Settings:
    """What is set over the verdict policy and the rules; equal to a default still counts as set."""

    def given(name: str) -> Setting[Any] | None:
        found = values.get(f"eval.{name}")
        return None if found is None else Setting(found[0], "config")

    def plain(name: str, otherwise: Any) -> Any:
        return values.get(f"eval.{name}", (otherwise, ""))[0]

    evidence, prior = given("requiredEvidence"), given("prior")
    priors: dict[str, Setting[float]] = dict.fromkeys(CLASSES, prior) if prior else {}
    return Settings(
        threshold=given("defaultThreshold"),
        defaults_gate=given("defaultsGate"),
        on_critical_skipped=given("onCriticalSkipped"),
        required_evidence=None if evidence is None else Setting(tuple(evidence.value), "config"),
        false_pass_cost=given("falsePassCost"),
        priors=priors | {name: Setting(value, "config") for name, value in plain("priors", {}).items()},
        rules=_rules(plain("rules", {}), plain("ruleThresholds", {}), problems),
        critical_rules=tuple(plain("criticalRules", ())),
        non_critical_rules=tuple(plain("nonCriticalRules", ())),
    )


def _rules(
    rules: Mapping[str, Mapping[str, Any]], thresholds: Mapping[str, Any], problems: list[Problem]
) -> dict[str, dict[str, Setting[Any]]]:
    """Settings of rules by rule and key, also those given under their published names."""
    out = {rule: {key: Setting(value, "config") for key, value in keys.items()} for rule, keys in rules.items()}
    for name, value in thresholds.items():
        if name not in THRESHOLDS:
            meant = near_key(name, THRESHOLDS)
            hint = f"did you mean `eval.ruleThresholds.{meant}`?" if meant else "known here: " + ", ".join(THRESHOLDS)
            problems.append(Problem("E822", f"there is no setting `eval.ruleThresholds.{name}`", None, "", hint))
            continue
        rule, key = THRESHOLDS[name]
        if key in out.get(rule, {}):
            message = f"`eval.ruleThresholds.{name}` and `eval.rules.{rule}.{key}` are both set"
            problems.append(Problem("E824", message, None, "", "they are the same; keep one"))
        out.setdefault(rule, {})[key] = Setting(value, "config")
    return out
