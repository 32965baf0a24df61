"""What the installation says of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from iris.service.models.lists import ListAudit
from iris.store.interface import StoreError

from .calls import Refusal, delete, deploy
from .conftest import World


async def test_the_capabilities_are_complete_and_hold_no_key_and_no_path(world: World) -> None:
    await deploy(world.service)
    world.service.announce(toolGuide={"log_trace": "long form"})
    found = await world.service.capabilities()
    names = {
        "version", "transport", "questions", "rules", "customRules", "judge", "citations", "dashboard", "limits", "retention",
        "toolGuide", "tools", "resources", "prompts",
    }  # fmt: skip
    assert names <= set(found)
    assert found["customRules"] == {"count": 1, "enabled": 1, "quarantined": 0}
    assert (len(found["tools"]), len(found["rules"]), found["limits"]["customRulesPerCall"]) == (9, 15, 10)
    assert found["judge"]["enabled"] is False
    assert found["judge"]["howToEnable"]
    text = json.dumps(found)
    assert "/root" not in text
    assert "/home" not in text


async def test_health_is_degraded_when_a_check_fails_and_tells_no_count(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults 125, 226."""
    good = await world.service.health()
    assert good["status"] == "ok"
    assert set(good["checks"]) == {"storage", "rules_store", "migrations"}
    assert "trace_count" not in good

    async def broken() -> Any:
        raise StoreError("not open")

    monkeypatch.setattr(world.store, "check", broken)
    bad = await world.service.health()
    assert (bad["status"], bad["checks"]["storage"], bad["checks"]["rules_store"]) == ("degraded", "failed", "ok")


async def test_nothing_is_measured_until_it_is_published(world: World) -> None:
    """Faults 204."""
    proof = await world.service.proof()
    assert (proof["measured"], len(proof["rules"])) == (0, 15)
    assert {(r["status"], r["proof"]) for r in proof["rules"]} == {("unmeasured", None)}


async def test_preferences_are_patched_strictly(world: World) -> None:
    """Faults 126."""
    await world.service.set_preferences({"theme": "dark", "momentFilters": {"verdict": "fail"}})
    found = await world.service.set_preferences({"density": "compact"})
    assert found["preferences"] == {"theme": "dark", "momentFilters": {"verdict": "fail"}, "density": "compact"}
    assert found == await world.service.preferences()
    assert found["displayPath"].startswith(("$IRIS_HOME/", "~/.iris/"))
    forgotten = await world.service.set_preferences({"theme": None, "momentFilters": {"verdict": None}})
    assert forgotten["preferences"] == {"momentFilters": {"verdict": None}, "density": "compact"}
    for patch, field in (
        ({"theme": "pink"}, "theme"),
        ({"them": "dark"}, "them"),
        ({"momentFilters": {"kind": "x"}}, "momentFilters.kind"),
    ):
        with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
            await world.service.set_preferences(patch)
        assert refusal.error.field == field


async def test_the_audit_log_is_read_newest_first_and_filtered(world: World) -> None:
    rule_id = (await deploy(world.service))["rule"]["id"]
    world.later(minutes=1)
    await delete(world.service, rule_id=rule_id)
    page = await world.service.audit(ListAudit())
    assert [e["action"] for e in page["entries"]] == ["rule.delete", "rule.deploy"]
    assert (page["total"], page["limit"], page["offset"]) == (2, 100, 0)
    assert page["entries"][0]["ruleId"] == rule_id
    assert (await world.service.audit(ListAudit(action="rule.deploy")))["total"] == 1
    with Refusal("IRIS_INVALID_ARGUMENT"):
        await world.service.audit(ListAudit(since="soon"))
