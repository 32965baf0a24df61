"""Golden pairs: an input with a mistake, and the text a person reads. One pair a problem code.

`E014.yaml` is a rule; `E801.json` holds a `policy`, `settings`, `custom_rules`, `searches`, `config` or `runs`; a folder is a whole
pack, or with a file `command` the place where that command of `iris` runs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from iris import flow
from iris.cli import run as iris
from iris.evaluate import Evaluator
from iris.problems import Problem, ProblemsFound
from iris.report.problems import render_problems

HERE = Path(__file__).parent
STUB = HERE / "stub"
"""Stands for the built-in packs, so that a golden text changes only when a message does."""
CODE = re.compile(r"E\d\d\d")
HEAD = """\
pack: house
version: 1.0.0
engine: ">=1"
title: A pack with a mistake
licence: MIT
"""
RUNS = '{"id": "one", "output": "Done."}\n'


def inputs() -> dict[str, Path]:
    """The input of each pair by its code."""
    found = [p for p in sorted(HERE.iterdir()) if CODE.fullmatch(p.stem) and p.suffix != ".txt"]
    return {p.stem: p for p in found}


def text_of(path: Path) -> str:
    """What a person reads for an input."""
    return "".join(line.rstrip() + "\n" for line in rendered(path).splitlines())


def rendered(path: Path) -> str:
    """Run one input through the real flow."""
    with scratch():
        if path.is_dir():
            shutil.copytree(path, ".", dirs_exist_ok=True)
            command = path / "command"
            return cli(shlex.split(command.read_text())) if command.is_file() else shown(compiled(Path()))
        if path.suffix == ".yaml":
            return shown(rule_problems(path.read_text(encoding="utf-8")))
        ((kind, value),) = json.loads(path.read_text(encoding="utf-8")).items()
        return WAYS[kind](value)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder to stand in, the stub as the built-in packs, and a cache of its own."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name), contextlib.ExitStack() as stack:
        stub = Path(name) / ".stub"
        shutil.copytree(STUB, stub)
        stack.enter_context(mock.patch.object(flow, "built_in_root", return_value=stub))
        stack.enter_context(mock.patch.dict(os.environ, {"IRIS_CACHE_DIR": f"{name}/.cache", "NO_COLOR": "1"}))
        Path("runs.jsonl").write_text(RUNS)
        yield Path(name)


def shown(problems: list[Problem]) -> str:
    """Problems as text."""
    return render_problems(problems, "text")


def compiled(folder: Path) -> list[Problem]:
    """The problems of the packs in a folder."""
    return flow.compile_packs([folder]).problems


def rule_problems(text: str) -> list[Problem]:
    """The problems of a pack with one rule."""
    name = re.search(r"^rule: ([a-z_]+)", text, re.MULTILINE)
    Path("house").mkdir()
    Path("house/pack.yaml").write_text(HEAD)
    Path(f"house/{name[1] if name else 'rule'}.yaml").write_text(text, encoding="utf-8")
    return compiled(Path("house"))


def cli(args: list[str]) -> str:
    """What a command prints, and how it ends."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = iris(args)
    return out.getvalue().rstrip("\n") + f"\n\nexit code {code}\n"


def policy(change: dict[str, Any]) -> str:
    """The problems of a verdict policy that differs from the stub's in some keys; null takes a key away."""
    from iris.packs.load import load_policy

    file = flow.built_in_root() / "verdict.yaml"
    whole = {**load_policy(file, file.parent, []), **change}
    file.write_text(json.dumps({k: v for k, v in whole.items() if v is not None}))
    return shown(flow.compile_packs().problems)


def settings(value: dict[str, Any]) -> str:
    """What `iris eval` says to a settings file."""
    Path("settings.yaml").write_text(json.dumps(value))
    return cli(["eval", "runs.jsonl", "--config", "settings.yaml"])


def custom_rules(definitions: list[Any]) -> str:
    """The problems of rules that are given as JSON."""
    plan = flow.compile_packs().plan
    assert plan is not None
    try:
        Evaluator(plan).custom(definitions)
    except ProblemsFound as error:
        return shown(error.problems)
    return shown([])


def runs(lines: list[Any]) -> str:
    """What `iris eval` says to runs; a text is a line as it stands."""
    Path("runs.jsonl").write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))
    return cli(["eval", "runs.jsonl", "--strict"])


def config(files: list[Any]) -> str:
    """What Iris says to settings of an installation; a text is a file as it stands."""
    from iris.config.config import load_config

    out = ""
    for content in files:
        Path("home").mkdir(exist_ok=True)
        Path("home/config.json").write_text(content if isinstance(content, str) else json.dumps(content))
        try:
            load_config({}, {"IRIS_HOME": "home"})
        except ProblemsFound as error:
            out += shown(error.problems)
    return out


def homes(paths: list[str]) -> str:
    """What Iris says to a home it can not use; the folder of the test is left out."""
    from iris.home import home_of

    out = ""
    for path in paths:
        try:
            home_of({"IRIS_HOME": path}).prepare()
        except ProblemsFound as error:
            out += shown(error.problems)
    return out.replace(f"{Path.cwd()}/", "")


def imports(texts: list[str]) -> str:
    """What is said of a custom-rules.json that holds no rules."""
    from iris.custom.importing import rules_in

    out = ""
    for text in texts:
        Path("custom-rules.json").write_text(text, encoding="utf-8")
        try:
            rules_in(Path("custom-rules.json"))
        except ProblemsFound as error:
            out += shown(error.problems)
    return out


def databases(paths: list[str]) -> str:
    """What Iris says to a database it can not open."""
    import asyncio

    from iris.config.config import load_config
    from iris.serve.running import opened
    from iris.store.sqlite import SqliteStore

    async def one(path: str) -> None:
        store = SqliteStore(load_config({"storage.path": path}, {"IRIS_HOME": "home"}).db_path)
        await opened(store)
        await store.close()

    out = ""
    for path in paths:
        try:
            asyncio.run(one(path))
        except ProblemsFound as error:
            out += shown(error.problems)
    return out


def ports(states: list[str]) -> str:
    """What Iris says when it wants a port that is taken; the number is left out."""
    import asyncio
    import socket

    from aiohttp import web

    from iris.serve.http.server import Door

    async def one(port: int) -> None:
        door = Door(web.Application(), "127.0.0.1", port, "--port")
        await door.open()
        await door.close()

    out = ""
    for state in states:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            try:
                asyncio.run(one(port if state == "taken" else 0))
            except ProblemsFound as error:
                out += shown(error.problems).replace(str(port), "6920")
    return out


def searches(texts: list[str]) -> str:
    """The problems of searches."""
    from iris.search import parse

    plan = flow.compile_packs().plan
    assert plan is not None
    evaluator, out = Evaluator(plan), ""
    for text in texts:
        try:
            parse(text, evaluator)
        except ProblemsFound as error:
            out += shown(error.problems)
    return out


WAYS: dict[str, Callable[[Any], str]] = {"policy": policy, "settings": settings, "custom_rules": custom_rules, "runs": runs, "searches": searches, "config": config, "homes": homes, "databases": databases, "ports": ports, "imports": imports}
