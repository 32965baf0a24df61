"""Settings: four layers, strict at every level, and what must not be started."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from iris.config.config import Config, load_config, loopback
from iris.config.keys import ApiKey, digest_of, key_matches
from iris.config.origins import origin_allowed, origin_named
from iris.config.read import size_of
from iris.config.table import KINDS, TABLE
from iris.problems import Problem, ProblemsFound


def load(home: Path, document: Any = None, env: dict[str, str] | None = None, flags: dict[str, Any] | None = None) -> Config:
    if document is not None:
        (home / "config.json").write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return load_config(flags or {}, {"IRIS_HOME": str(home), **(env or {})})


def problems(home: Path, *args: Any, **more: Any) -> list[Problem]:
    with pytest.raises(ProblemsFound) as refused:
        load(home, *args, **more)
    return refused.value.problems


def test_without_settings_everything_has_its_default(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert (config.transport, config.port, config.dashboard, config.dashboard_port) == ("stdio", 3000, False, 6920)
    assert config.db_path == tmp_path / "iris.db"
    assert config.api_keys == ()
    assert config == Config(home=config.home, db_path=config.db_path)
    for entry in TABLE:
        if entry.field and entry.default not in (None, (), {}):
            assert getattr(config, entry.field) == entry.default, entry.name


def test_each_layer_outranks_the_one_before(tmp_path: Path) -> None:
    """Fault 173."""
    document = {"transport": {"port": 4001}, "dashboard": {"enabled": True, "port": 4002}}
    assert load(tmp_path, document).port == 4001
    assert load(tmp_path, env={"IRIS_PORT": "4003"}).port == 4003
    config = load(tmp_path, env={"IRIS_PORT": "4003"}, flags={"transport.port": "4004", "dashboard.enabled": None})
    assert (config.port, config.dashboard, config.dashboard_port) == (4004, True, 4002)


VALUES: dict[str, tuple[Any, Any]] = {
    "path": ("some/where", 5), "text": ("words", 5), "flag": (True, "maybe"), "port": (7000, 70_000), "count": (7, 0), "days": (0, -1),
    "ratio": (0.5, 1.5), "amount": (2.5, -1), "texts": (["a"], "a"), "size": ("2mb", "lots"), "keys": ([], "k"), "thresholds": ({}, 5),
    "rules": ({}, []), "priors": ({}, 5), "transport": ("http", "pigeon"), "key_by": ("apiKey", "name"), "on_skipped": ("fail", "maybe"),
    "level": ("debug", "loud"),
}  # fmt: skip


def nested(name: str, value: Any) -> dict[str, Any]:
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


@pytest.mark.parametrize("entry", TABLE, ids=lambda e: e.name)
def test_every_setting_is_read_from_the_file_and_a_wrong_value_is_named(entry: Any, tmp_path: Path) -> None:
    """Faults 95, 142, 174, 175."""
    good, bad = VALUES[entry.kind]
    if entry.name == "security.apiKeyFile":
        good = str(tmp_path / "key")
        Path(good).write_text("sesame\n")
    config = load(tmp_path, nested(entry.name, good))
    if entry.field and entry.kind not in ("path", "size"):
        found = getattr(config, entry.field)
        assert (list(map(str, found)) if isinstance(found, tuple) else found) == good
    (problem,) = problems(tmp_path, nested(entry.name, bad))
    assert problem.code == "E823"
    assert entry.name in problem.message
    assert KINDS[entry.kind][1] in problem.message


@pytest.mark.parametrize("entry", [e for e in TABLE if e.env], ids=lambda e: e.env)
def test_every_variable_is_read(entry: Any, tmp_path: Path) -> None:
    good, _ = VALUES[entry.kind]
    if entry.name == "security.apiKeyFile":
        good = str(tmp_path / "key")
        Path(good).write_text("sesame")
    text = "yes" if good is True else ",".join(good) if isinstance(good, list) else str(good)
    config = load(tmp_path, env={entry.env: text})
    if entry.name.startswith("security.apiKey"):
        assert len(config.api_keys) == 1
    else:
        found = getattr(config, entry.field)
        assert (list(map(str, found)) if isinstance(found, tuple) else str(found) if entry.kind == "path" else found) == good


@pytest.mark.parametrize("word, value", [("true", True), ("1", True), ("YES", True), ("on", True), ("false", False), ("0", False), ("no", False), ("Off", False)])
def test_boolean_words(word: str, value: bool, tmp_path: Path) -> None:
    """Fault 174."""
    assert load(tmp_path, env={"IRIS_DASHBOARD": word}).dashboard is value


@pytest.mark.parametrize(
    "document, name, help_line",
    [
        ({"eval": {"critcalRules": []}}, "eval.critcalRules", "did you mean `eval.criticalRules`?"),
        ({"dashbord": {}}, "dashbord", "did you mean `dashboard`?"),
        ({"security": {"RATELIMIT": {}}}, "security.RATELIMIT", "did you mean `security.rateLimit`?"),
        ({"security": {"rateLimit": {"apis": 5}}}, "security.rateLimit.apis", "did you mean `security.rateLimit.api`?"),
        ({"colour": "red"}, "colour", "known here: dashboard, eval, logging, packs, retention, security, server, storage, transport"),
        ({"eval": {"ruleThresholds": {"min_words": 3}}}, "min_words", "known here: min_output_length"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(document: Any, name: str, help_line: str, tmp_path: Path) -> None:
    """Fault 178."""
    (problem,) = problems(tmp_path, document)
    assert problem.code == "E822"
    assert f"`{name}`" in problem.message
    assert problem.help.startswith(help_line)


@pytest.mark.parametrize("text", ["{", '{"packs": [], "packs": []}', "[]", "\xff", "nul"])
def test_a_broken_file_keeps_iris_from_starting(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ProblemsFound, match="E821"):
        load(tmp_path)


def test_every_mistake_of_every_layer_is_named_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, {"transport": {"port": 0}, "x": 1}, env={"IRIS_DASHBOARD": "perhaps"}, flags={"dashboard.port": "many"})
    assert [p.code for p in found] == ["E823", "E822", "E823", "E823"]
    assert [p.message.partition(":")[0] for p in found] == ["config.json", "config.json", "IRIS_DASHBOARD", "--dashboard-port"]


def test_thresholds_that_equal_the_default_still_count_as_set(tmp_path: Path) -> None:
    """Faults 24, 25."""
    config = load(tmp_path, {"eval": {"defaultThreshold": 0.7, "ruleThresholds": {"cost_threshold": 0.1}, "rules": {"no_pii": {}}}})
    assert config.settings.threshold is not None
    assert config.settings.threshold.source == "config"
    assert config.settings.rules["cost_under_threshold"]["cost_threshold"].value == 0.1


@pytest.mark.parametrize("host, safe", [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("localhost", True), ("0.0.0.0", False), ("::", False), ("192.168.1.4", False), ("iris.example", False)])
def test_only_this_machine_reaches_a_loopback_host(host: str, safe: bool, tmp_path: Path) -> None:
    """Faults 102, 108."""
    assert loopback(host) is safe
    document = {"dashboard": {"enabled": True, "host": host}}
    if safe:
        assert load(tmp_path, document).dashboard_host == host
    else:
        (problem,) = problems(tmp_path, document)
        assert problem.code == "E825"
        assert "IRIS_API_KEY" in problem.help
        assert load(tmp_path, document, env={"IRIS_API_KEY": "k"}).dashboard_host == host
        assert load(tmp_path, document, env={"IRIS_ALLOW_UNAUTHENTICATED": "1"}).allow_unauthenticated


def test_one_port_can_not_serve_both(tmp_path: Path) -> None:
    """Fault 171."""
    (problem,) = problems(tmp_path, {"transport": {"type": "http", "port": 7}, "dashboard": {"enabled": True, "port": 7}})
    assert problem.code == "E824"


def test_a_stdio_server_opens_no_port_unless_asked(tmp_path: Path) -> None:
    """Fault 172."""
    assert load(tmp_path, {"transport": {"host": "0.0.0.0"}}).dashboard is False


@pytest.mark.parametrize(
    "origin, allowed",
    [
        ("http://localhost:3000", True),
        ("http://LOCALHOST:3000", True),
        ("http://localhost:8080.evil.com", False),
        ("http://localhost:", False),
        ("http://localhost:1/x", False),
        ("https://localhost:3000", False),
        ("https://app.corp.example", True),
        ("https://a.b.corp.example", False),
        ("https://corp.example", False),
        ("null", False),
    ],
)
def test_a_star_in_an_origin_is_one_label(origin: str, allowed: bool) -> None:
    """Fault 105."""
    assert origin_allowed(origin, ("http://localhost:*", "https://*.corp.example")) is allowed


def test_an_entry_with_a_star_names_no_origin() -> None:
    """Fault 106."""
    assert not origin_named("http://localhost:3000", ("http://localhost:*",))
    assert origin_named("https://app.corp.example", ("https://app.corp.example",))


def test_keys_are_kept_as_digests_and_end(tmp_path: Path) -> None:
    """Faults 122."""
    (tmp_path / "k").write_text("open sesame\n")
    keys = [
        {"id": "ci", "keyHash": hashlib.sha256(b"from ci").hexdigest()},
        {"id": "old", "keyFile": str(tmp_path / "k"), "expiresAt": "2026-01-01T00:00:00Z"},
    ]
    config = load(tmp_path, {"security": {"apiKey": "mine", "apiKeys": keys}})
    assert "mine" not in repr(config)
    now = datetime(2025, 12, 31, tzinfo=UTC)
    assert [key_matches(k, config.api_keys, now) for k in ("mine", "from ci", "open sesame", "other", "")] == ["default", "ci", "old", None, None]
    assert key_matches("open sesame", config.api_keys, datetime(2026, 1, 2, tzinfo=UTC)) is None


def test_every_key_is_compared_whichever_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault 122."""
    seen: list[str] = []
    import iris.config.keys as module

    monkeypatch.setattr(module.hmac, "compare_digest", lambda a, b: seen.append(b) or a == b)
    keys = [ApiKey(str(i), digest_of(str(i))) for i in range(4)]
    assert key_matches("0", keys) == "0"
    assert len(seen) == 4


@pytest.mark.parametrize("text, size", [("1mb", 1 << 20), ("1.5 MB", 3 << 19), ("200kb", 200 << 10), ("17", 17), (64, 64), ("lots", None), ("0", None), ("1gb", None), (-1, None)])
def test_sizes(text: Any, size: int | None) -> None:
    """Fault 95."""
    assert size_of(text) == size
