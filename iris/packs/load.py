"""A folder of YAML files to pack documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from iris.packs import fields as f
from iris.packs.build import detector_docs, rule_doc, shared_doc
from iris.packs.documents import DefinitionDoc, DetectorDoc, PackDoc, RuleDoc
from iris.packs.read import read_text, read_yaml
from iris.packs.reader import NAME, Reader, json_value, near
from iris.packs.source import Mapping, Scalar, Source, YamlNode, problem_at
from iris.problems import Problem

SHARED_FOLDERS = ("detectors", "lists", "definitions")
ENGINE = 1
"""The format of the plans that this version makes and runs."""
RANGE = re.compile(r">=\s*(\d{1,6})(?:\s*,\s*<\s*(\d{1,6}))?\Z")


def built_in_folder() -> Path:
    """Where the packs that ship with Iris are."""
    packaged = Path(str(resources.files("iris") / "rulepacks"))
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "rulepacks"


def pack_folders(root: Path) -> list[Path]:
    """Every folder with a pack.yaml: the root itself, or the folders in it."""
    if (root / "pack.yaml").is_file():
        return [root]
    return sorted(p.parent for p in root.glob("*/pack.yaml"))


def load_node(path: Path, shown: str, problems: list[Problem]) -> tuple[YamlNode | None, str]:
    """Read one file to nodes; problems are added, the text is returned for hashing."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.append(
            Problem("E109", f"{shown} can not be read: {error.strerror}", None, "", "check the path and its permissions")
        )
        return None, ""
    source, found = read_text(shown, data)
    problems += found
    if source is None or found:
        return None, ""
    node, found = read_yaml(source)
    problems += found
    return node, source.text


def load_packs(root: Path, *, built_in: bool, problems: list[Problem]) -> list[PackDoc]:
    """Load every pack under a folder."""
    folders = pack_folders(root)
    if not folders:
        problems.append(
            Problem("E109", f"no pack.yaml in {root} or in a folder of it", None, "", "`iris packs new NAME` writes a pack")
        )
    base = root.parent if built_in else Path()
    return [p for folder in folders if (p := load_pack(folder, base, built_in, problems)) is not None]


def told_apart(packs: list[PackDoc]) -> list[PackDoc]:
    """Put the pack before the name of a deployed rule that is called as a built-in one: both run, each under its name."""
    built_in = {rule.name for pack in packs if pack.built_in for rule in pack.rules}

    def apart(pack: PackDoc) -> PackDoc:
        rules = tuple(replace(r, name=f"{pack.name}/{r.name}") if r.name in built_in else r for r in pack.rules)
        return replace(pack, rules=rules)

    return [apart(pack) if pack.deployed else pack for pack in packs]


def _shown(path: Path, base: Path) -> str:
    try:
        return path.relative_to(base).as_posix() if base != Path() else path.as_posix()
    except ValueError:
        return path.as_posix()


def load_pack(folder: Path, base: Path, built_in: bool, problems: list[Problem]) -> PackDoc | None:
    """Load one pack: its head, its rules, and what they share."""
    node, text = load_node(folder / "pack.yaml", _shown(folder / "pack.yaml", base), problems)
    if node is None:
        return None
    head = Reader(node, f.PACK, "pack.yaml", problems)
    deployed = head.flag("deployed")
    rules: list[RuleDoc] = []
    for path in sorted(folder.glob("*.y*ml")):
        if path.name == "pack.yaml":
            continue
        shown = _shown(path, base)
        rule_node, content = load_node(path, shown, problems)
        rule = rule_doc(shown, rule_node, content, problems, deployed=deployed) if rule_node is not None else None
        if rule is not None:
            rules.append(rule)
    _engine(head, problems)
    shared = _shared(folder, base, problems)
    _unread(folder, base, problems)
    name = head.name("pack")
    return PackDoc(
        name.text if name else folder.name,
        head.text("version") or "0",
        head.text("engine") or ">=1",
        head.text("title") or "",
        head.text("licence") or "",
        folder.as_posix(),
        built_in,
        deployed,
        tuple(rules),
        tuple(shared["detectors"]),
        tuple(shared["lists"]),
        tuple(shared["tables"]),
        tuple(shared["definitions"]),
        (("pack.yaml", text), *shared["contents"]),
        name.at if name else node,
    )


def _engine(head: Reader, problems: list[Problem]) -> None:
    """Check that the pack was written for this engine."""
    wanted = head.scalar("engine")
    found = RANGE.match(wanted.text) if wanted else None
    if wanted and found is None:
        message = f"`{wanted.text}` is no range of engines"
        problems.append(problem_at("E113", message, wanted.at, "here", 'write ">=1", or ">=1,<3"'))
    elif wanted and found and not int(found[1]) <= ENGINE < int(found[2] or ENGINE + 1):
        message = f"the pack is for engine {wanted.text}, this is engine {ENGINE}"
        problems.append(
            problem_at("E116", message, wanted.at, "another engine", "take the version of Iris that the pack was written for")
        )


def _unread(folder: Path, base: Path, problems: list[Problem]) -> None:
    """Report each folder of YAML files that Iris would pass over, such as `detector`."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in SHARED_FOLDERS and not path.name.startswith(".") and any(path.glob("*.y*ml")):
            message = f"nothing reads the folder {_shown(path, base)}"
            problems.append(Problem("E115", message, None, "", near(path.name, SHARED_FOLDERS)))


def _shared(folder: Path, base: Path, problems: list[Problem]) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {"detectors": [], "lists": [], "tables": [], "definitions": [], "contents": []}
    for kind in SHARED_FOLDERS:
        for path in sorted((folder / kind).glob("*.y*ml")):
            shown = _shown(path, base)
            node, text = load_node(path, shown, problems)
            out["contents"].append((f"{kind}/{path.name}", text))
            if node is None:
                continue
            if kind == "detectors":
                _add_detectors(path.stem, node, out, problems)
                continue
            lists, tables, detectors, definitions = shared_doc(path.stem, node, problems)
            out["lists"] += lists
            out["tables"] += tables
            out["definitions"] += definitions
            if detectors:
                out["detectors"].append((path.stem, detectors))
    return out


def _add_detectors(group: str, node: YamlNode, out: dict[str, list[Any]], problems: list[Problem]) -> None:
    if not isinstance(node, Mapping):
        problems.append(
            problem_at("E112", "a detector file is a mapping of detectors", node, "not a mapping", "write `name: {regex: …}`")
        )
        return
    named: list[tuple[str, YamlNode]] = [(group, node), *((key.text, key) for key, _ in node.items)]
    for name, at in named:
        if not NAME.match(name):
            what = "the group (the file's name)" if at is node else "the detector"
            problems.append(problem_at("E113", f"{what} `{name}` is no name", at, "here", "lower-case letters, digits and `_`"))
    out["detectors"].append((group, detector_docs(node.items, problems)))


def load_policy(path: Path, base: Path, problems: list[Problem]) -> dict[str, Any]:
    """Read the verdict policy as plain data; its meaning is checked by the verdict stage."""
    node, _ = load_node(path, _shown(path, base), problems)
    value = json_value(node) if node is not None else {}
    return value if isinstance(value, dict) else {}


def load_rule_text(file: str, text: str, problems: list[Problem]) -> RuleDoc | None:
    """Build one rule from a text in memory."""
    source = Source.of(file, text)
    node, found = read_yaml(source)
    problems += found
    return rule_doc(file, node, text, problems) if node is not None else None


__all__ = ["DefinitionDoc", "DetectorDoc", "Scalar", "Sequence", "built_in_folder", "load_packs", "load_policy", "load_rule_text"]
