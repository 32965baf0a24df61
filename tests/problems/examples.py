"""Run the wrong and the right example of a catalogue entry, each in a pack, run, policy or command around it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

from iris import flow
from iris.packs.read import read_yaml
from iris.packs.reader import json_value
from iris.packs.source import Source

from . import golden

SKELETON = {
    "rule": "rule: example",
    "classes": "classes: [format]",
    "fail_when": "fail_when: blank(output)",
    "cases": "cases:\n  - {name: bad, run: {output: Sorry.}, expect: fail}\n  - {name: good, run: {output: Done.}, expect: pass}",
}
REPLACES = {"use": {"fail_when", "classes"}, "signals": {"fail_when"}}
"""Keys beside which the skeleton leaves others out."""
KEY = re.compile(r"^([a-z_]+):", re.MULTILINE)
CODES = re.compile(r"\[(E\d\d\d)\]")


def codes_of(kind: str, text: str, code: str) -> set[str]:
    """The problem codes that an example brings."""
    with golden.scratch():
        return set(CODES.findall(KINDS[kind](text, code)))


def _rule(text: str, code: str) -> str:
    return _compile(house(text), code)


def house(text: str) -> dict[str, str]:
    """A pack with one rule of which an example gives some keys."""
    given = set(KEY.findall(text))
    for other in given & set(REPLACES):
        given |= REPLACES[other]
    left = [part for key, part in SKELETON.items() if key not in given]
    return {"house/example.yaml": "\n".join([*left, text])}


def _compile(files: dict[str, str], code: str) -> str:
    """Write a pack and compile it; cases run when the code is about them."""
    for name, text in {"house/pack.yaml": golden.HEAD, **files}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    return golden.shown(flow.compile_packs([Path("house")], cases=code in ("E305", "E401", "E402", "E403")).problems)


def _files(text: str, code: str) -> str:
    parts = re.split(r"^# (house/\S+)\n", text, flags=re.MULTILINE)[1:]
    return _compile(dict(zip(parts[::2], parts[1::2], strict=True)), code)


def _definitions(text: str, code: str) -> str:
    return _compile({"house/definitions/own.yaml": text}, code)


def _run(text: str, _code: str) -> str:
    Path("runs.jsonl").write_text(text)
    return golden.cli(["eval", "runs.jsonl", "--strict"])


def _settings(text: str, _code: str) -> str:
    Path("settings.yaml").write_text(text)
    return golden.cli(["eval", "runs.jsonl", "--config", "settings.yaml"])


def _policy(text: str, _code: str) -> str:
    node, problems = read_yaml(Source.of("verdict.yaml", text))
    assert node is not None, problems
    return golden.policy(json_value(node))


def _custom(text: str, _code: str) -> str:
    return golden.custom_rules([json.loads(text)])


def _config(text: str, _code: str) -> str:
    return golden.config([text])


def _home(text: str, _code: str) -> str:
    return golden.homes([text.strip()])


def _import(text: str, _code: str) -> str:
    return golden.imports([text])


def _database(text: str, _code: str) -> str:
    return golden.databases([text.strip()])


def _port(text: str, _code: str) -> str:
    return golden.ports([text.strip()])


def _search(text: str, _code: str) -> str:
    return golden.searches([text.strip()])


def _command(text: str, _code: str) -> str:
    out = ""
    for command in text.split("&&"):
        program, *args = shlex.split(command)
        assert program == "iris"
        out += golden.cli(args)
    return out


KINDS: dict[str, Callable[[str, str], str]] = {
    "rule": _rule,
    "files": _files,
    "definitions": _definitions,
    "run": _run,
    "settings": _settings,
    "policy": _policy,
    "custom": _custom,
    "search": _search,
    "config": _config,
    "home": _home,
    "port": _port,
    "database": _database,
    "import": _import,
    "command": _command,
}
