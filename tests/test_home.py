"""The Iris home: one for everything, private, and a sentence when it can not be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iris
from iris.home import home_of, private
from iris.problems import ProblemsFound


def test_a_home_that_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Fault 143."""
    home = home_of({"IRIS_HOME": str(tmp_path / "a" / "b")})
    home.prepare()
    assert home.path.stat().st_mode & 0o777 == 0o700
    home.config.write_text("{}")
    private(home.config)
    assert home.config.stat().st_mode & 0o777 == 0o600


def test_a_home_that_is_there_keeps_its_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    home_of({"IRIS_HOME": str(tmp_path)}).prepare()
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_home_is_one_sentence_that_names_the_variable(tmp_path: Path) -> None:
    """Fault 144."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ProblemsFound) as refused:
        home_of({"IRIS_HOME": str(tmp_path / "file")}).prepare()
    (problem,) = refused.value.problems
    assert problem.code == "E831"
    assert "IRIS_HOME" in problem.message
    assert "\n" not in problem.message


def test_without_the_variable_the_home_is_the_users() -> None:
    assert home_of({}).path == Path.home() / ".iris"
    assert home_of({"IRIS_HOME": "~/x"}).path == Path.home() / "x"


def test_paths_are_shown_from_the_home_onwards(tmp_path: Path) -> None:
    """Fault 126."""
    home = home_of({"IRIS_HOME": str(tmp_path)})
    assert home.shown(home.database) == "$IRIS_HOME/iris.db"
    assert str(tmp_path) not in home.shown(Path("/elsewhere/x.db"))


def test_no_other_module_reads_the_variable() -> None:
    """Fault 142."""
    readers = [
        path.name
        for path in Path(iris.__file__).parent.rglob("*.py")
        if re.search(r"environ[^\n]*IRIS_HOME", path.read_text(encoding="utf-8")) and path.name != "home.py"
    ]
    assert readers == []
