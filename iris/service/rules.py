"""Deploying, switching and deleting custom rules: the audit log hears of it before it happens."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from iris.custom.shape import DuplicateRuleError
from iris.problems import ProblemsFound
from iris.service.core import Core
from iris.service.errors import ServiceError
from iris.service.inline import rule_refused
from iris.service.models.rules import DeleteRule, DeployRule, ListRules
from iris.service.parse import refused
from iris.service.roster import roster
from iris.store.interface import AuditEntry

Result = dict[str, Any]
_FENCE = re.compile(r"</?\s*untrusted_", re.IGNORECASE)


def list_rules(core: Core, args: ListRules) -> Result:
    """Give the deployed rules after the filters, and the built-in ones, which are never filtered."""
    chosen = [
        rule
        for rule in core.rules.rules()
        if args.eval_type in (None, rule["evalType"]) and (rule["enabled"] or not args.enabled_only)
    ]
    return {
        "rules": chosen,
        "total": len(chosen),
        "enabled_count": sum(bool(rule["enabled"]) for rule in chosen),
        "built_in": roster(core),
        "quarantined": core.rules.quarantined(),
    }


async def deploy(core: Core, args: DeployRule, tenant: str) -> Result:
    """Deploy a rule. Faults 2, 100, 118, 155-159: checked whole before it is logged, live with the next call."""
    definition = {"name": args.name, **args.definition.model_dump(exclude={"name"}, exclude_none=True)}
    _refuse_fences({"name": args.name, "description": args.description, "definition": definition})
    async with core.changing:
        return await _deploy(core, args, definition, tenant)


async def _deploy(core: Core, args: DeployRule, definition: Result, tenant: str) -> Result:
    same = [rule for rule in core.rules.rules() if rule["name"] == args.name]
    if same and not args.replace:
        raise duplicate(args.name, [rule["id"] for rule in same])
    core.inline.of([{**definition, "severity": args.severity}], "definition")
    return await _deployed(core, args, definition, same, tenant)


async def _deployed(core: Core, args: DeployRule, definition: Result, same: list[Result], tenant: str) -> Result:
    rule_id = "rule-" + secrets.token_hex(4)
    details: Result = {"severity": args.severity, "evalType": args.eval_type}
    if args.source_moment_id is not None:
        details["sourceMomentId"] = args.source_moment_id
    if same:
        details["replaces"] = [rule["id"] for rule in same]
    await _log(core, tenant, "rule.deploy", {"id": rule_id, "name": args.name}, details)
    for rule in same:
        await _log(core, tenant, "rule.update", rule, {"replacedBy": rule_id})
    with written():
        rule, replaced, warning = await asyncio.to_thread(
            core.rules.deploy,
            rule_id=rule_id,
            name=args.name,
            description=args.description,
            eval_type=args.eval_type,
            severity=args.severity,
            definition=definition,
            source_moment_id=args.source_moment_id,
            replace=args.replace,
        )
    _changed(core, "rule.deploy", rule)
    result: Result = {"rule": rule}
    if replaced:
        result["replaced"] = replaced
    return result | ({"warning": warning} if warning else {})


@contextmanager
def written() -> Iterator[None]:
    """Say what keeps a rule from being written, without the path."""
    try:
        yield
    except DuplicateRuleError as taken:
        # Another process deployed the name since it was looked up.
        raise duplicate(taken.name, taken.existing) from taken
    except ProblemsFound as found:
        raise rule_refused(found.problems, "") from found
    except OSError as error:
        why = error.strerror or type(error).__name__
        message = f"the rules could not be written: {why}; the audit log has the attempt, the rules are as before"
        recovery = ["Free disk space or make the Iris home writable, then send the call again."]
        raise ServiceError("IRIS_STORAGE_ERROR", message, recovery) from error


def _refuse_fences(rule: Mapping[str, Any]) -> None:
    """Refuse a rule that was copied with the marks around stored text: they are no part of the text."""
    for name, value in rule.items():
        if _FENCE.search(str(value)):
            message = f"`{name}` holds the mark that fences stored text; give the text between the marks alone"
            raise refused([{"field": name, "message": message}])


def duplicate(name: str, ids: list[str]) -> ServiceError:
    """Say that a name is taken, by which rules, and the three ways on."""
    recovery = [
        "Send the same call with replace: true to retire the deployed rule and put this one in its place.",
        f"Or delete it first: delete_rule with rule_id {ids[0]}.",
        "Or choose another name.",
    ]
    message = f"a rule named {name!r} is deployed already as {', '.join(ids)}; nothing was changed"
    return ServiceError("IRIS_DUPLICATE_RULE", message, recovery, field="name", existing=ids)


async def delete(core: Core, args: DeleteRule, tenant: str) -> Result:
    """Delete or switch a rule; both can be repeated, and only a change is logged."""
    if args.enabled is None:
        return {"deleted": await remove(core, args.rule_id, tenant), "rule_id": args.rule_id}
    rule = await toggle(core, args.rule_id, args.enabled, tenant)
    result: Result = {"deleted": False, "rule_id": args.rule_id, "toggled": rule is not None}
    return result | ({"enabled": rule["enabled"], "rule": rule} if rule else {})


def _find(core: Core, rule_id: str) -> Result | None:
    return next((rule for rule in core.rules.rules() if rule["id"] == rule_id), None)


async def remove(core: Core, rule_id: str, tenant: str) -> bool:
    """Delete a rule; False when there is none."""
    async with core.changing:
        rule = _find(core, rule_id)
        if rule is None:
            return False
        await _log(core, tenant, "rule.delete", rule, {"severity": rule["severity"]})
        with written():
            deleted: bool = await asyncio.to_thread(core.rules.delete, rule_id)
    _changed(core, "rule.delete", rule)
    return deleted


async def toggle(core: Core, rule_id: str, enabled: bool, tenant: str) -> Result | None:
    """Switch a rule and give it; None when there is none. Fault 158: switching on what is on changes nothing."""
    async with core.changing:
        rule = _find(core, rule_id)
        if rule is None or rule["enabled"] == enabled:
            return rule
        await _log(core, tenant, "rule.toggle", rule, {"enabled": enabled})
        switched: Result | None
        with written():
            switched, _ = await asyncio.to_thread(core.rules.toggle, rule_id, enabled)
    _changed(core, "rule.toggle", switched or rule)
    return switched


async def _log(core: Core, tenant: str, action: str, rule: Mapping[str, Any], details: Mapping[str, Any]) -> None:
    entry = AuditEntry(core.clock(), action, rule_id=rule["id"], rule_name=rule["name"], details=details)
    await core.store.add_audit(tenant, entry)


def _changed(core: Core, action: str, rule: Mapping[str, Any]) -> None:
    core.changes.forget()
    core.publish("rule.changed", {"action": action, **{key: rule.get(key) for key in ("id", "name", "enabled", "evalType")}})
