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
from iris.config.table import KINDS, TABLE, THRESHOLDS
from iris.flow import load_plan
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
    "path": ("/some/where", 5), "text": ("words", 5), "flag": (True, "maybe"), "port": (7000, 70_000), "count": (7, 0), "days": (0, -1),
    "ratio": (0.5, 1.5), "amount": (2.5, -1), "texts": (["a"], "a"), "size": ("2mb", "lots"), "keys": ([], "k"), "thresholds": ({}, 5),
    "rules": ({}, []), "priors": ({"stub": 0.2}, {"stub": 1}), "transport": ("http", "pigeon"), "key_by": ("apiKey", "name"), "on_skipped": ("fail", "maybe"),
    "level": ("debug", "loud"), "storage": ("sqlite", "paper"), "origins": (["https://a.example"], ["*"]), "evidence": (["cost"], ["answer"]),
    "chance": (0.2, 1),
}  # fmt: skip


def nested(name: str, value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for part in reversed(name.split(".")):
        out = {part: out or value}
    return out


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
        ({"eval": {"ruleThresholds": {"Max_Toll_Repeat": 3}}}, "eval.ruleThresholds.Max_Toll_Repeat", "did you mean `eval.ruleThresholds.max_tool_repeats`?"),
        ({"apikey": "x"}, "apikey", "did you mean `security.apiKey`?"),
        ({"eval": {"x": 1}}, "eval.x", "known in `eval`: criticalRules, defaultThreshold"),
        ({"security": {"apiKeys": [{"id": "a", "keyhash": "0" * 64}]}}, "security.apiKeys[0].keyhash", "did you mean `keyHash`?"),
        ({"colour": "red"}, "colour", "known here: dashboard, eval, logging, packs, retention, security, server, storage, transport"),
        ({"eval": {"ruleThresholds": {"min_words": 3}}}, "eval.ruleThresholds.min_words", "known here: min_output_length"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(document: Any, name: str, help_line: str, tmp_path: Path) -> None:
    """Fault 178."""
    problem = problems(tmp_path, document)[0]
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
    assert [p.message.split()[0] for p in found[2:]] == ["IRIS_DASHBOARD", "--dashboard-port"]
    assert [(p.place.file, p.place.column) for p in found if p.place] == [("config.json", 24), ("config.json", 28)]


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
        assert "IRIS_API_KEY" in problem.message
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
    """Fault 122."""
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

    def compare(a: str, b: str) -> bool:
        seen.append(b)
        return a == b

    monkeypatch.setattr("iris.config.keys.hmac.compare_digest", compare)
    keys = [ApiKey(str(i), digest_of(str(i))) for i in range(4)]
    assert key_matches("0", keys) == "0"
    assert len(seen) == 4


@pytest.mark.parametrize("text, size", [("1mb", 1 << 20), ("1.5 MB", 3 << 19), ("200kb", 200 << 10), ("17", 17), (64, 64), ("lots", None), ("0", None), ("1gb", 1 << 30), ("2gb", None), ("1e9", None), ("NaN", None), (-1, None)])
def test_sizes(text: Any, size: int | None) -> None:
    """Fault 95."""
    assert size_of(text) == size


@pytest.mark.parametrize(
    "ends, moment, valid",
    [
        ("2026-06-01", "2026-05-31T23:59:59+00:00", True),
        ("2026-06-01", "2026-06-01T00:00:00+00:00", False),
        ("2026-06-01T00:00:00+02:00", "2026-05-31T22:30:00+00:00", False),
        ("2026-06-01T00:00:00-02:00", "2026-06-01T01:59:00+00:00", True),
        ("2026-06-01T00:00:00.5Z", "2026-06-01T00:00:00+00:00", True),
    ],
)
def test_a_key_ends_at_an_instant_whatever_its_offset(ends: str, moment: str, valid: bool, tmp_path: Path) -> None:
    """Fault 122."""
    digest = hashlib.sha256(b"k").hexdigest().upper()
    config = load(tmp_path, {"security": {"apiKeys": [{"id": "ci", "keyHash": digest, "expiresAt": ends}]}})
    assert config.key_matches("k", datetime.fromisoformat(moment)) == ("ci" if valid else None)


@pytest.mark.parametrize("expires", ["soon", 5, None, "2026-13-01"])
def test_an_end_that_is_no_instant_is_refused(expires: Any, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, {"security": {"apiKeys": [{"id": "ci", "keyHash": "0" * 64, "expiresAt": expires}]}})
    assert "security.apiKeys[0].expiresAt" in problem.message


def test_two_keys_may_not_share_an_id(tmp_path: Path) -> None:
    keys = [{"id": "ci", "keyHash": "0" * 64}, {"id": "ci", "keyHash": "1" * 64}]
    (problem,) = problems(tmp_path, {"security": {"apiKeys": keys}})
    assert "`ci`" in problem.message


def test_one_layer_gives_the_key_in_one_way_and_a_higher_layer_wins(tmp_path: Path) -> None:
    (tmp_path / "k").write_text("from the file")
    (problem,) = problems(tmp_path, env={"IRIS_API_KEY": "a", "IRIS_API_KEY_FILE": str(tmp_path / "k")})
    assert problem.code == "E824"
    assert "IRIS_API_KEY_FILE" in problem.message
    document = {"security": {"apiKeyFile": str(tmp_path / "k")}}
    assert load(tmp_path, document).key_matches("from the file") == "default"
    higher = load(tmp_path, document, env={"IRIS_API_KEY": "from the environment"})
    assert [higher.key_matches(k) for k in ("from the file", "from the environment")] == [None, "default"]
    assert load(tmp_path, document, {"IRIS_API_KEY": "b"}, {"security.apiKey": "c"}).key_matches("c") == "default"


def test_a_key_is_shown_by_no_message(tmp_path: Path) -> None:
    text = '{"security": {"apiKey": "open sesame", "apiKeyy": "open sesame"}, "transport": {"port": "x"}}'
    found = problems(tmp_path, text)
    assert len(found) == 2
    assert not any("sesame" in repr(p) for p in found)
    assert not any("sesame" in repr(p) for p in problems(tmp_path, {"security": {"apiKey": ["open sesame"]}}))


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_key_protects_nothing(blank: str, tmp_path: Path) -> None:
    """Fault 108."""
    (tmp_path / "k").write_text(blank)
    assert problems(tmp_path, {"security": {"apiKeyFile": str(tmp_path / "k")}})[0].code == "E823"
    assert problems(tmp_path, {"security": {"apiKey": blank}})[0].code == "E823"
    env = {"IRIS_API_KEY": blank, "IRIS_TRANSPORT": "http", "IRIS_HOST": "0.0.0.0"}
    assert [p.code for p in problems(tmp_path, {}, env)] == ["E825"]


@pytest.mark.parametrize(
    "text, line, column",
    [('{\n "a": 1,\n}', 3, 1), ('{"a" 1}', 1, 6), ('{"packs": [1 2]}', 1, 14), ('{"eval": {"prior": Infinity}}', 1, 20), ('{"a": 1e999}', 1, 7), ("{} {}", 1, 4)],
)
def test_broken_json_is_shown_at_its_line_and_column(text: str, line: int, column: int, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, text)
    assert problem.place is not None
    assert (problem.code, problem.place.line, problem.place.column) == ("E821", line, column)
    assert f"line {line}, column {column}" in problem.message


def test_a_deep_document_is_refused_and_nothing_crashes(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, '{"packs": ' + "[" * 100_000)
    assert "nested deeper" in problem.message


def test_a_key_that_stands_twice_is_refused_at_every_level(tmp_path: Path) -> None:
    text = '{"security": {"rateLimit": {"api": 1, "api": 2}},\n "eval": {"rules": {"no_pii": {"x": 1, "x": 2}}}}'
    assert [p.message for p in problems(tmp_path, text)] == ["`security.rateLimit.api` stands twice", "`eval.rules.no_pii.x` stands twice"]


def test_one_prior_is_every_class_except_those_with_their_own(tmp_path: Path) -> None:
    priors = load(tmp_path, {"eval": {"prior": 0.3, "priors": {"stub": 0.1}}}).settings.priors
    assert priors["stub"].value == 0.1
    assert priors["pii_leak"].value == 0.3


def test_each_published_threshold_is_a_setting_of_a_built_in_rule() -> None:
    settings = {(rule["name"], key) for rule in load_plan()["rules"] for key in rule["settings"]}
    assert set(THRESHOLDS.values()) <= settings


def test_the_layer_that_set_a_value_is_known(tmp_path: Path) -> None:
    """Fault 24."""
    config = load(tmp_path, {"retention": {"days": 30}}, {"IRIS_PORT": "3000"}, {"dashboard.enabled": True})
    assert config.sources == {"retention.days": "file", "transport.port": "IRIS_PORT", "dashboard.enabled": "--dashboard"}


@pytest.mark.parametrize("entry", ["*", "localhost:3000", "https://a.example/", "https://a.example/x", "null", ""])
def test_what_is_no_origin_is_refused(entry: str, tmp_path: Path) -> None:
    """Fault 105."""
    (problem,) = problems(tmp_path, {"security": {"allowedOrigins": [entry]}})
    assert problem.code == "E823"
