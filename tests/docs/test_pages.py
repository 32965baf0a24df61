"""The generated pages are fresh, and every rule, operator, code, flag and setting is documented."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris import docs
from iris.cli import build_parser
from iris.cli.explain import catalogue
from iris.cli.settings import FIELDS
from iris.language.operators import operators
from iris.parse.expression import parse
from iris.verdict.policy import INPUTS

from .expressions import engine

FOLDER = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Every generated page as it should be."""
    return docs.pages()


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_no_generated_page_is_out_of_date(pages: dict[str, str]) -> None:
    stale = [name for name, _ in docs.out_of_date(FOLDER, pages)]
    assert stale == [], "python -m iris.docs"


def test_check_names_what_is_missing_wrong_or_left_over(
    pages: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs, "pages", lambda: pages)
    assert docs.main(["--out", str(tmp_path)]) == 0
    assert docs.main(["--check", "--out", str(tmp_path)]) == 0
    (tmp_path / "rules" / "no_pii.md").write_text("other")
    (tmp_path / "problems" / "E014.md").unlink()
    (tmp_path / "rules" / "gone.md").write_text("left over")
    capsys.readouterr()
    assert docs.main(["--check", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "out of date: rules/gone.md",
        "out of date: rules/no_pii.md",
        "out of date: problems/E014.md",
    ]
    assert docs.main(["--out", str(tmp_path)]) == 0
    assert not (tmp_path / "rules" / "gone.md").exists()
    assert docs.out_of_date(tmp_path, pages) == []


def test_every_rule_and_template_has_a_page(pages: dict[str, str]) -> None:
    for rule in engine().plan["rules"]:
        page, index = pages[f"rules/{rule['name']}.md"], pages["rules/index.md"]
        assert rule["hash"] in page
        assert f"({rule['name']}.md)" in index
        for key in rule["config"]:
            assert f"`{key}`" in page
        for signal in (*rule["signals"], *rule["advise"]):
            assert f"**{signal['name']}**" in page
        assert "## A run that fails" in page
        assert "## A run that passes" in page


def test_every_problem_code_has_a_page(pages: dict[str, str]) -> None:
    for code, entry in catalogue().items():
        assert pages[f"problems/{code}.md"].splitlines()[2] == f"# {code}: {entry['title']}"
        assert f"({code}.md)" in pages["problems/index.md"]


def test_every_operator_is_on_its_page(pages: dict[str, str]) -> None:
    for name, operator in operators().items():
        rows = [line for line in pages["operators.md"].splitlines() if line.startswith(f"| `{name}(")]
        assert len(rows) == 1
        assert operator.about.replace("|", "\\|") in rows[0]


@pytest.mark.parametrize("name", operators())
def test_the_example_of_an_operator_uses_it_and_can_be_read(name: str) -> None:
    example = operators()[name].example
    parse(example)
    assert re.search(rf"\b{name}\b", example)


def test_a_cell_of_a_table_breaks_no_row(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        width = 0
        for line in page.splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("| ") else 0
            assert not width or not cells or cells == width, f"{name}: {line}"
            width = cells


def test_a_page_shows_every_character_of_an_example(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        blocks = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        for block in blocks:
            assert all(c.isprintable() or c == "\n" for c in block), name


def flags(parser: argparse.ArgumentParser, words: str = "iris") -> Iterator[tuple[str, argparse.Action]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from flags(inner, f"{words} {name}")
        else:
            yield words, action


def section(command: str) -> str:
    """The part of docs/cli.md about a command, with what its group shares."""
    page = read("cli.md")
    if command == "iris":
        return page
    parts = re.split(r"^##+ ", page, flags=re.MULTILINE)
    own = [part for part in parts if part.startswith((f"{command} ", f"{command}\n"))]
    shared = (
        [part for part in parts if part.startswith("iris packs test")]
        if command in ("iris packs compile", "iris packs check")
        else []
    )
    return "".join(own + shared)


@pytest.mark.parametrize("command", sorted({command for command, _ in flags(build_parser())}))
def test_every_command_and_flag_is_documented(command: str) -> None:
    text = section(command)
    assert text, f"docs/cli.md has no section {command}"
    for words, action in flags(build_parser()):
        if words == command and action.dest != "help":
            for option in action.option_strings:
                assert f"`{option}" in text, f"{command} {option}"
            for choice in action.choices or ():
                assert f"`{choice}`" in text, f"{command} {action.dest} {choice}"


def test_every_flag_that_is_documented_exists() -> None:
    known = {option for _, action in flags(build_parser()) for option in action.option_strings}
    assert set(re.findall(r"`(--?[a-zA-Z-]+)", read("cli.md"))) <= known


def test_every_exit_code_is_documented() -> None:
    assert re.findall(r"^\| (\d) \|", read("cli.md"), re.MULTILINE) == ["0", "1", "2"]


def test_every_condition_of_fail_on_is_documented() -> None:
    from iris.report.gate import BASES, OUTCOMES

    assert all(f"`{word}`" in section("iris eval") for word in (*BASES, *OUTCOMES))


@pytest.mark.parametrize("name", [f.name for f in FIELDS])
def test_every_setting_is_documented(name: str) -> None:
    assert f"| `{name}` |" in read("settings.md")


def test_no_setting_is_documented_that_does_not_exist() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", read("settings.md"), re.MULTILINE)) == {f.name for f in FIELDS}
    assert all(f"`{name}`" in read("settings.md") for name in INPUTS)


def test_the_settings_of_the_page_are_accepted(tmp_path: Path) -> None:
    from iris.cli.settings import load_settings
    from iris.evaluate import Evaluator

    file = tmp_path / "iris.yaml"
    file.write_text(re.findall(r"^```yaml\n(.*?)^```", read("settings.md"), re.MULTILINE | re.DOTALL)[0])
    Evaluator(engine().plan, load_settings(str(file)))


@pytest.mark.parametrize("name", ["language.md", "operators.md", "settings.md", "cli.md", "rules/index.md", "problems/index.md"])
def test_every_link_leads_to_a_page(name: str) -> None:
    page = FOLDER / name
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).is_file(), target


@pytest.mark.parametrize("name", ["language.md", "settings.md", "cli.md"])
def test_a_code_that_is_named_has_a_page(name: str) -> None:
    assert set(re.findall(r"\bE\d\d\d\b", read(name))) <= set(catalogue())


def test_every_page_installs_iris_under_the_name_of_its_distribution() -> None:
    root = FOLDER.parent
    name = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    written = [p.read_text(encoding="utf-8") for p in (root / "README.md", root / "CONTRIBUTING.md", *FOLDER.rglob("*.md"))]
    installed = [m.group(1) for text in written for m in re.finditer(r"(?:pip|pipx|uvx?) (?:tool |pip )?install (\S+)", text)]
    assert {"."} < set(installed) <= {".", name, "-e"}
