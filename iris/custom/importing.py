"""The custom-rules.json of the TypeScript Iris: each rule in our form, and its text as it was written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from iris.custom.shape import Row
from iris.jsontext import Node, line_and_column, read_json
from iris.packs.reader import near
from iris.problems import Problem, ProblemsFound

KEYS = (
    "id", "name", "description", "evalType", "severity", "definition", "enabled", "createdAt", "updatedAt", "version",
    "sourceMomentId",
)  # fmt: skip


def rules_in(path: Path) -> list[tuple[Any, str]]:
    """The rules of a file, each with its text. Raises ProblemsFound (E833) when the file holds no rules."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        root = read_json(text)
    except OSError as error:
        raise _refused(path, f"can not be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _refused(path, "is not UTF-8") from None
    except json.JSONDecodeError as error:
        line, column = line_and_column(error.doc, error.pos)
        raise _refused(path, f"is not JSON: {error.msg} (line {line}, column {column})") from None
    found = _list(root)
    if found is None:
        raise _refused(path, "holds no rules of version 1")
    return [(node.value, text[node.start : node.end]) for node in found.elements]


def _list(root: Node) -> Node | None:
    if isinstance(root.value, list):
        return root
    if not isinstance(root.value, dict) or root.value.get("version", 1) != 1:
        return None
    nodes = [node for key, _, node in root.items if key == "rules" and isinstance(node.value, list)]
    return nodes[0] if len(nodes) == 1 else None


def _refused(path: Path, what: str) -> ProblemsFound:
    hint = 'such as {"version": 1, "rules": […]}; nothing was imported'
    return ProblemsFound([Problem("E833", f"{path} {what}", None, "", hint)])


def kept_name(text: str) -> str:
    """The file in which a rule that can not be used is kept as it was written."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"quarantined-{digest[:12]}.json"


def row_of(rule: Any, now: str) -> Row:
    """A rule of the TypeScript Iris in our form, not yet checked. Raises ProblemsFound (E501) when it has another shape."""
    if not isinstance(rule, dict):
        raise ProblemsFound([Problem("E501", "rule: must be an object", None, "", "with name and definition")])
    problems = [Problem("E501", f"{k}: is no key of a rule", None, "", near(k, KEYS)) for k in rule if k not in KEYS]
    if not isinstance(rule.get("definition"), dict):
        problems.append(Problem("E501", "definition: must be an object", None, "", "such as {name, type, config}"))
    if problems:
        raise ProblemsFound(problems)
    about = rule.get("description") or ""
    row: Row = {
        "id": rule.get("id"),
        "name": rule.get("name"),
        "description": about.strip() if isinstance(about, str) else about,
        "evalType": rule.get("evalType"),
        "severity": rule.get("severity", "medium"),
        "definition": {**rule["definition"], "name": rule.get("name")},
        "enabled": rule.get("enabled", True),
        "createdAt": rule.get("createdAt", now),
        "updatedAt": rule.get("updatedAt", rule.get("createdAt", now)),
        "version": rule.get("version", 1),
    }
    if rule.get("sourceMomentId"):
        row["sourceMomentId"] = rule["sourceMomentId"]
    return row
