"""One deployed rule as a file of a pack, and back: the file is a rule that `iris packs check` and `--packs` can read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from iris.packs.read import read_yaml
from iris.packs.reader import json_value
from iris.packs.source import Source

PACK = """pack: deployed
version: 1.0.0
engine: ">=1"
title: Rules that were deployed on this installation
licence: none
deployed: true
"""
HEAD = "# A deployed rule. Change it with deploy_rule and delete_rule, or by hand: what stands here is what runs.\n"
NAME = re.compile(r"^[a-z][a-z0-9_]{0,79}$")
CRITICAL = ("high", "critical")
Row = dict[str, Any]


class UnreadableRuleError(Exception):
    """A file that holds no rule; the text says why."""


def pack_name(rule: Mapping[str, Any]) -> str:
    """The name of a rule in its file: its own where that can be one, else its id."""
    name = str(rule["name"])
    return name if NAME.match(name) else str(rule["id"]).replace("-", "_")


def text_of(rule: Mapping[str, Any]) -> str:
    """The file of a rule (DeployedRule in wire form)."""
    definition = rule["definition"]
    own: Row = {"rule": pack_name(rule), "title": rule["name"], "bundle": rule["evalType"]}
    if rule["severity"] in CRITICAL:
        own["critical"] = True
    if definition.get("weight") is not None:
        own["weight"] = definition["weight"]
    if not rule["enabled"]:
        own["status"] = "retired"
    if rule.get("description"):
        own["about"] = rule["description"]
    if definition["type"] == "expression":
        own |= {"kind": "policy", "fail_when": definition["config"]["fail_when"]}
    else:
        own |= {"use": definition["type"], "with": dict(definition["config"])}
    deployment: Row = {
        "id": rule["id"],
        "severity": rule["severity"],
        "created_at": rule["createdAt"],
        "updated_at": rule["updatedAt"],
    }
    deployment["version"] = rule["version"]
    if rule.get("sourceMomentId"):
        deployment["source_moment_id"] = rule["sourceMomentId"]
    body: str = yaml.safe_dump({**own, "deployment": deployment}, sort_keys=False, allow_unicode=True, width=120)
    return HEAD + body


def rule_of(text: str, file: str) -> Row:
    """The rule of a file, in wire form. Raises UnreadableRuleError."""
    node, problems = read_yaml(Source.of(file, text))
    if node is None or problems:
        raise UnreadableRuleError(problems[0].message if problems else "the file is empty")
    own = json_value(node)
    if not isinstance(own, dict) or not isinstance(own.get("deployment"), dict):
        raise UnreadableRuleError("the file has no `deployment`")
    deployment = own["deployment"]
    try:
        return _wire(own, deployment)
    except KeyError as missing:
        raise UnreadableRuleError(f"the file has no `{missing.args[0]}`") from None


def _wire(own: Row, deployment: Row) -> Row:
    kind = own["use"] if "use" in own else "expression"
    name = own.get("title") or own["rule"]
    config = own.get("with", {}) if "use" in own else {"fail_when": own["fail_when"]}
    definition: Row = {"name": name, "type": kind, "config": config}
    if own.get("weight") is not None:
        definition["weight"] = own["weight"]
    severity = deployment.get("severity", "medium")
    if bool(own.get("critical")) != (severity in CRITICAL):
        severity = "high" if own.get("critical") else "medium"  # whoever edits the file by hand edits `critical`
    rule: Row = {
        "id": deployment["id"],
        "name": name,
        "description": own.get("about", ""),
        "evalType": own.get("bundle", "custom"),
        "severity": severity,
        "definition": definition,
        "enabled": own.get("status") != "retired",
        "createdAt": deployment["created_at"],
        "updatedAt": deployment["updated_at"],
        "version": deployment.get("version", 1),
    }
    if deployment.get("source_moment_id"):
        rule["sourceMomentId"] = deployment["source_moment_id"]
    return rule
