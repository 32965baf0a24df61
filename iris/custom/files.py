"""One deployed rule as a file of a pack, and back: the file is a rule that `iris packs check` and `--packs` can read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iris.custom.shape import CRITICAL, Row
from iris.custom.yamltext import yaml_of
from iris.packs.read import read_yaml
from iris.packs.reader import json_value, near
from iris.packs.source import Source

PACK = """pack: deployed
version: 1.0.0
engine: ">=1"
title: Rules that were deployed on this installation
licence: none
deployed: true
"""
HEAD = "# A deployed rule. Change it with deploy_rule and delete_rule, or by hand: what stands here is what runs.\n"
NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")
RESERVED = ("pack", "con", "prn", "aux", "nul")
"""Names that a file of a rule can not have: the pack's own, and those some systems keep for devices."""
EXTRAS = ("title", "remedy", "cases")
"""Keys that change no verdict: whoever wrote them into a file finds them there after a switch."""
KEYS = ("rule", "bundle", "critical", "weight", "version", "status", "about", "use", "with", "fail_when", "kind", "deployment")


class UnreadableRuleError(Exception):
    """A file that holds no rule; the text says why. `known` is what could be read of it: id, name, severity."""

    def __init__(self, reason: str, known: Mapping[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.known = dict(known or {})


@dataclass(frozen=True, slots=True)
class Stored:
    """A rule as its file has it; `replaces` are ids that it took the place of when it was written."""

    row: Row
    replaces: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)


def stem_of(rule: Mapping[str, Any], taken: set[str]) -> str:
    """The name of a rule's file: its own where that can be one and is free, else its id."""
    name = str(rule["name"])
    free = NAME.fullmatch(name) and name not in RESERVED and name not in taken and not name.startswith("rule_")
    return name if free else str(rule["id"]).replace("-", "_")


def text_of(stem: str, stored: Stored) -> str:
    """The text of a rule's file."""
    rule = stored.row
    definition = rule["definition"]
    own: Row = {"rule": stem, **{k: v for k, v in stored.extras.items() if k == "title"}, "bundle": rule["evalType"]}
    if rule["severity"] in CRITICAL:
        own["critical"] = True
    if definition.get("weight") is not None:
        own["weight"] = definition["weight"]
    own["version"] = rule["version"]
    if not rule["enabled"]:
        own["status"] = "retired"
    if rule["description"]:
        own["about"] = rule["description"]
    if definition["type"] == "expression":
        own["fail_when"] = definition["config"]["fail_when"]
    else:
        own |= {"use": definition["type"], "with": dict(definition["config"])}
    own |= {k: v for k, v in stored.extras.items() if k != "title"}
    return HEAD + yaml_of({**own, "deployment": _deployment(stem, stored)})


def _deployment(stem: str, stored: Stored) -> Row:
    rule = stored.row
    out: Row = {"id": rule["id"]}
    if rule["name"] != stem:
        out["name"] = rule["name"]
    out |= {"severity": rule["severity"], "created_at": rule["createdAt"], "updated_at": rule["updatedAt"]}
    if rule.get("sourceMomentId"):
        out["source_moment_id"] = rule["sourceMomentId"]
    if stored.replaces:
        out["replaces"] = list(stored.replaces)
    return out


def rule_of(text: str, file: str, written: str) -> Stored:
    """The rule of a file. `written` is the file's own date, for one that a person wrote without `deployment`.

    Raises UnreadableRuleError.
    """
    node, problems = read_yaml(Source.of(file, text))
    if node is None or problems:
        raise UnreadableRuleError(_first(problems), _guess(text))
    own = json_value(node)
    if not isinstance(own, dict):
        raise UnreadableRuleError("the file is no mapping of a rule's keys", _guess(text))
    deployment = own.get("deployment", {})
    if not isinstance(deployment, dict):
        raise UnreadableRuleError("`deployment` is no mapping", _guess(text))
    row = _row(own, deployment, written, file)
    for key in own:
        if key not in KEYS and key not in EXTRAS:
            hint = near(key, KEYS)
            raise UnreadableRuleError(f"a deployed rule has no key `{key}`" + (f"; {hint}" if hint else ""), row)
    if ("use" in own) is ("fail_when" in own):
        raise UnreadableRuleError("the file needs either `use` with `with`, or `fail_when`", row)
    replaces = deployment.get("replaces", [])
    if not isinstance(replaces, list):
        raise UnreadableRuleError("`replaces` is no list of ids", row)
    return Stored(row, tuple(map(str, replaces)), {k: own[k] for k in EXTRAS if k in own})


def _row(own: Row, deployment: Row, written: str, file: str) -> Row:
    stem = file.rpartition(".")[0]
    name = deployment.get("name", own.get("rule", stem))
    definition: Row = {"name": name, "type": own.get("use", "expression"), "config": own.get("with", {})}
    if "use" not in own:
        definition["config"] = {"fail_when": own.get("fail_when")}
    if "weight" in own:
        definition["weight"] = own["weight"]
    about = own.get("about", "")
    row: Row = {
        "id": deployment.get("id", "rule-" + hashlib.sha256(stem.encode()).hexdigest()[:8]),
        "name": name,
        "description": about.strip() if isinstance(about, str) else about,
        "evalType": own.get("bundle", "custom"),
        "severity": _severity(own, deployment),
        "definition": definition,
        "enabled": own.get("status") != "retired",
        "createdAt": deployment.get("created_at", written),
        "updatedAt": deployment.get("updated_at", written),
        "version": own.get("version", deployment.get("version", 1)),
    }
    if "source_moment_id" in deployment:
        row["sourceMomentId"] = deployment["source_moment_id"]
    return row


def _severity(own: Row, deployment: Row) -> Any:
    """Whoever edits the file by hand edits `critical`, so that wins over the severity of the deployment."""
    severity, critical = deployment.get("severity"), own.get("critical", False)
    if severity is None or (isinstance(critical, bool) and critical is not (severity in CRITICAL)):
        return "high" if critical else "medium"
    return severity


def _first(problems: list[Any]) -> str:
    if not problems:
        return "the file is empty"
    place = problems[0].place
    return f"{problems[0].message} (line {place.line})" if place else str(problems[0].message)


def _guess(text: str) -> Row:
    """What a file that can not be read says about itself: critical unless it plainly says otherwise."""
    out: Row = {}
    for key, pattern in (
        ("id", r"^ +id: '?(rule-[0-9a-f]+)'?\s*$"),
        ("name", r"^ +name: '?(.+?)'?\s*$"),
        ("name", r"^rule: '?(\w+)'?\s*$"),
    ):
        found = re.search(pattern, text, re.MULTILINE)
        if found and key not in out:
            out[key] = found[1][:80]
    severity = re.search(r"^ +severity: '?(low|medium|high|critical)'?\s*$", text, re.MULTILINE)
    out["severity"] = severity[1] if severity else "high"
    return out
