"""Plans are kept, made again when anything they rest on changes, and never trusted blindly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iris.flow import cache_folder, compile_packs, content_key, load_plan
from iris.problems import ProblemsFound
from tests.problems import golden

COMPILER = {"lark", "yaml", "iris.parse", "iris.plan", "iris.check.rules", "iris.packs.load"}


@pytest.fixture
def house() -> Iterator[Path]:
    """A pack of one rule beside the stub of the built-in packs, in an empty folder with a cache of its own."""
    with golden.scratch() as place:
        pack = place / "house"
        pack.mkdir()
        (pack / "pack.yaml").write_text(golden.HEAD)
        (pack / "long.yaml").write_text(rule(5))
        yield pack


def rule(most: int) -> str:
    return (
        f"rule: long\nfail_when: size(output) > {most}\ncases:\n"
        "  - {name: a, run: {output: abcdefghi}, expect: fail}\n  - {name: b, run: {output: a}, expect: pass}\n"
    )


def kept() -> list[Path]:
    """Every file of the cache but the tables of the grammar."""
    return sorted(p for p in cache_folder().iterdir() if p.suffix != ".cache")


def conditions(plan: dict[str, Any]) -> list[str]:
    return [r["fail_when"]["t"] for r in plan["rules"] if r["name"] == "house/long"]


def test_a_plan_is_compiled_once_and_then_read_as_it_was(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = load_plan([house])
    assert len(kept()) == 1
    monkeypatch.setattr("iris.flow.compile_packs", lambda *_, **__: pytest.fail("compiled again"))
    assert load_plan([house]) == compiled


def test_a_plan_from_the_cache_is_the_plan_that_was_compiled(house: Path) -> None:
    load_plan([house])
    fresh = compile_packs([house], cases=False).plan
    assert load_plan([house]) == json.loads(json.dumps(fresh))


@pytest.mark.parametrize("file", ["house/long.yaml", "house/pack.yaml", ".stub/verdict.yaml", ".stub/safety/no_apology.yaml"])
def test_any_changed_file_gives_another_plan(house: Path, file: str) -> None:
    before = content_key([house])
    path = house.parent / file
    path.write_text(path.read_text() + "\n# changed\n")
    assert content_key([house]) != before


def test_a_changed_rule_is_in_force_at_once(house: Path) -> None:
    assert conditions(load_plan([house])) == ["size(output) > 5"]
    (house / "long.yaml").write_text(rule(7))
    assert conditions(load_plan([house])) == ["size(output) > 7"]


def test_a_file_that_is_added_renamed_or_gone_gives_another_plan(house: Path) -> None:
    keys = [content_key([house])]
    (house / "lists").mkdir()
    (house / "lists/a.yaml").write_text("lists: {a: [b]}\n")
    keys.append(content_key([house]))
    (house / "lists/a.yaml").rename(house / "lists/b.yaml")
    keys.append(content_key([house]))
    (house / "long.yaml").unlink()
    keys.append(content_key([house]))
    assert len(set(keys)) == 4


def test_what_is_no_pack_file_changes_no_plan(house: Path) -> None:
    before = content_key([house])
    (house / "README.md").write_text("About the house.")
    (house / "pack.lock").write_text("{}")
    assert content_key([house]) == before


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"7", b"null", b"{}", b'{"format": 0}', b'{"format": 1}', b"\xff\xfe", b"[" * 100_000]
)
def test_a_kept_plan_that_is_none_is_made_again(house: Path, content: bytes) -> None:
    plan = load_plan([house])
    (path,) = kept()
    path.write_bytes(content)
    assert load_plan([house]) == plan
    assert json.loads(path.read_bytes()) == plan


def test_a_cache_that_can_not_be_written_leaves_nothing_behind(house: Path) -> None:
    plan = load_plan([house])
    (path,) = kept()
    path.unlink()
    path.mkdir()
    assert load_plan([house]) == plan
    assert kept() == [path]


def test_a_cache_that_is_no_folder_is_no_error(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = load_plan([house])
    monkeypatch.setenv("IRIS_CACHE_DIR", str(house / "long.yaml"))
    assert load_plan([house]) == plan


def test_packs_that_do_not_compile_are_not_kept(house: Path) -> None:
    (house / "long.yaml").write_text("rule: long\nfail_when: size(outptu) > 1\n")
    with pytest.raises(ProblemsFound):
        load_plan([house])
    assert not cache_folder().exists()


@pytest.mark.parametrize("name", ["nothing", "runs.jsonl"])
def test_a_folder_that_is_none_is_a_problem(house: Path, name: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        load_plan([Path(name)])
    assert [p.code for p in caught.value.problems] == ["E109"]


def test_a_warm_command_judges_without_a_compiler(tmp_path: Path) -> None:
    load_plan()
    (tmp_path / "runs").write_text('{"output": "The copy ran to its end. All tables were copied, and nothing was left out."}\n')
    script = (
        "import sys\nfrom iris.cli import run\ncode = run(['eval', 'runs', '--format', 'jsonl', '--eval-type', 'safety'])\n"
        "print(sorted(sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = {name.strip("[]', \n") for name in done.stderr.split(",")}
    assert "iris.run.engine" in loaded
    assert not loaded & COMPILER


def test_printing_the_version_imports_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "iris", "--version"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "iris" in loaded
    assert not loaded & {"lark", "yaml", "re2", "aiohttp", "mcp", "pydantic", "jsonschema_rs", "rapidfuzz", "argparse"}
