"""Custom rules are deployed, switched and deleted live, and the audit log hears of it first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from iris.custom.book import RuleBook
from iris.service.errors import ServiceError
from iris.service.models.rules import ListRules, PreviewRule
from iris.service.parse import parse
from iris.service.service import Service
from iris.store.interface import LOCAL, AuditQuery, StoreError

from .calls import CLEAN, HOSTS, LEAK, Refusal, delete, deploy, evaluate, log
from .conftest import World, meets

NAMED = "Look at db-main.internal.example, it holds the orders of the last ninety days. Nothing else has to be done."


async def actions(world: World) -> list[str]:
    """What the audit log has, oldest first."""
    page = await world.store.audit(LOCAL, AuditQuery())
    return [row["action"] for row in reversed(page.rows)]


async def test_a_rule_fires_on_the_next_call_and_not_after_it_is_gone(world: World) -> None:
    """Faults 2, 157."""
    rule = meets("deploy_rule", await deploy(world.service))["rule"]
    for kind in ("safety", "all", "custom"):
        assert (await evaluate(world.service, output=NAMED, eval_type=kind))["critical_failures"] == ["no-hosts"]
    assert (await evaluate(world.service, output=NAMED, eval_type="completeness"))["critical_failures"] == []
    meets("delete_rule", await delete(world.service, rule_id=rule["id"]))
    assert (await evaluate(world.service, output=NAMED, eval_type="safety"))["critical_failures"] == []


async def test_a_rule_that_is_off_judges_nothing_and_on_again_it_judges_once(world: World) -> None:
    """Faults 158."""
    rule_id = (await deploy(world.service))["rule"]["id"]
    off = meets("delete_rule", await delete(world.service, rule_id=rule_id, enabled=False))
    assert (off["deleted"], off["toggled"], off["enabled"]) == (False, True, False)
    assert (await evaluate(world.service, output=NAMED, eval_type="safety"))["passed"] is True
    for _ in range(2):
        assert (await delete(world.service, rule_id=rule_id, enabled=True))["toggled"] is True
    result = await evaluate(world.service, output=NAMED, eval_type="safety")
    assert [r["ruleName"] for r in result["rule_results"]].count("no-hosts") == 1
    assert await actions(world) == ["rule.deploy", "rule.toggle", "rule.toggle"]


async def test_a_second_rule_of_a_name_is_refused_with_three_ways_on(world: World) -> None:
    """Faults 155."""
    first = (await deploy(world.service))["rule"]
    with Refusal("IRIS_DUPLICATE_RULE") as refusal:
        await deploy(world.service)
    error = refusal.error
    assert (error.field, error.existing, len(error.recovery), error.status) == ("name", [first["id"]], 3, 409)
    assert first["id"] in error.message
    assert await actions(world) == ["rule.deploy"]


async def test_of_two_deploys_of_a_name_at_once_one_is_refused(world: World) -> None:
    results = await asyncio.gather(*(deploy(world.service) for _ in range(5)), return_exceptions=True)
    assert [isinstance(r, ServiceError) and r.code for r in results].count("IRIS_DUPLICATE_RULE") == 4
    assert await actions(world) == ["rule.deploy"]


async def test_a_name_that_another_process_took_meanwhile_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = (await deploy(world.service))["rule"]
    monkeypatch.setattr(world.book, "rules", list)
    with Refusal("IRIS_DUPLICATE_RULE") as refusal:
        await deploy(world.service)
    assert refusal.error.existing == [first["id"]]


async def test_rules_of_another_process_judge_at_once(world: World) -> None:
    """Faults 157."""
    core = world.service.core
    book = RuleBook(core.config.home.rules, core.evaluator)
    other = Service(core.store, book, core.evaluator, core.config, clock=world.clock)
    rule_id = (await deploy(other))["rule"]["id"]
    assert (await evaluate(world.service, output=NAMED, eval_type="safety"))["critical_failures"] == ["no-hosts"]
    await delete(world.service, rule_id=rule_id, enabled=False)
    told = await evaluate(other, output=NAMED, eval_type="safety")
    assert (told["passed"], told["rules_changed"]["count"]) == (True, 1)


async def test_a_rule_file_that_can_not_be_used_is_listed_and_its_gate_is_dormant(world: World) -> None:
    """Faults 46, 130."""
    await deploy(world.service)
    folder = world.service.core.config.home.rules
    (file,) = [f for f in folder.glob("*.yaml") if f.name != "pack.yaml"]
    broken = folder / "broken.yaml"
    broken.write_text(file.read_text(encoding="utf-8").replace("regex_no_match", "regex_no_such"), encoding="utf-8")
    listed = meets("list_rules", await world.service.list_rules(ListRules()))
    assert ([r["name"] for r in listed["rules"]], len(listed["quarantined"])) == (["no-hosts"], 1)
    result = await evaluate(world.service, output=CLEAN)
    assert len(result["coverage"]["dormant"]) == 1
    await deploy(world.service, name="another")
    assert broken.exists()


async def test_replacing_retires_the_earlier_rule_and_shows_as_a_change(world: World) -> None:
    first = (await deploy(world.service))["rule"]
    second = meets("deploy_rule", await deploy(world.service, replace=True, severity="low"))
    assert [r["id"] for r in second["replaced"]] == [first["id"]]
    assert second["warning"]
    listed = await world.service.list_rules(ListRules())
    assert [r["id"] for r in listed["rules"]] == [second["rule"]["id"]]
    page = await world.store.audit(LOCAL, AuditQuery(action="rule.deploy"))
    assert page.rows[0]["details"]["replaces"] == [first["id"]]
    assert (await evaluate(world.service, output=CLEAN))["rules_changed"]["count"] == 1


@pytest.mark.parametrize(
    "definition, field",
    [
        ({"type": "regex_match", "config": {"pattern": "("}}, "definition.config.pattern"),
        ({"type": "regex_match", "config": {}}, "definition.config.pattern"),
        ({"type": "regex_match", "config": {"pattern": None}}, "definition.config.pattern"),
        ({"type": "contains_keywords", "config": {"keywords": [1, 2]}}, "definition.config.keywords"),
        ({"type": "min_length", "config": {"mni_length": 3}}, "definition.config.mni_length"),
        ({"type": "json_schema", "config": {"schema": {"$ref": "https://example.com/s.json"}}}, "definition.config.schema"),
        ({"type": "expression", "config": {"fail_when": "size(output"}}, "definition.config"),
    ],
)
async def test_a_definition_that_can_not_be_used_is_refused_and_leaves_no_trace(
    world: World, definition: dict[str, Any], field: str
) -> None:
    """Faults 89, 96, 98, 160."""
    with Refusal("IRIS_INVALID_RULE_CONFIG") as refusal:
        await deploy(world.service, definition=definition)
    assert (refusal.error.field or "").startswith(field)
    assert await actions(world) == []
    assert (await world.service.list_rules(ListRules()))["rules"] == []


async def test_the_usual_other_names_of_settings_are_taken(world: World) -> None:
    """Faults 160."""
    await deploy(world.service, name="long", definition={"type": "min_length", "config": {"min": 4}})
    assert (await evaluate(world.service, output="abc", eval_type="custom"))["critical_failures"] == ["long"]


@pytest.mark.parametrize("part", ["description", "definition"])
async def test_a_rule_copied_with_the_marks_of_stored_text_is_refused(world: World, part: str) -> None:
    """Faults 118."""
    mark = '<untrusted_trace id="abcdefabcdef">x</untrusted_trace>'
    given = (
        {"description": mark} if part == "description" else {"definition": {"type": "regex_match", "config": {"pattern": mark}}}
    )
    with Refusal("IRIS_INVALID_ARGUMENT") as refusal:
        await deploy(world.service, **given)
    assert refusal.error.field == part


async def test_deleting_twice_is_no_error_and_is_logged_once(world: World) -> None:
    rule_id = (await deploy(world.service))["rule"]["id"]
    assert [(await delete(world.service, rule_id=rule_id))["deleted"] for _ in range(2)] == [True, False]
    unknown = await delete(world.service, rule_id="rule-00000000", enabled=True)
    assert (unknown["toggled"], "rule" in unknown) == (False, False)
    assert await actions(world) == ["rule.deploy", "rule.delete"]


async def test_without_an_audit_entry_nothing_changes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    rule_id = (await deploy(world.service))["rule"]["id"]

    async def full(*_: Any) -> None:
        raise StoreError("the disk is full", reason="disk_full")

    monkeypatch.setattr(world.store, "add_audit", full)
    for call in (deploy(world.service, name="other"), delete(world.service, rule_id=rule_id)):
        with Refusal("IRIS_STORAGE_ERROR"):
            await call
    assert [r["id"] for r in (await world.service.list_rules(ListRules()))["rules"]] == [rule_id]


async def test_a_home_that_can_not_be_written_is_a_storage_error_without_its_path(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: Any) -> None:
        raise OSError(28, "No space left on device", "/home/somebody/.iris/rules/x.yaml")

    monkeypatch.setattr(world.book, "deploy", full)
    with Refusal("IRIS_STORAGE_ERROR") as refusal:
        await deploy(world.service)
    assert "/home" not in refusal.error.message
    assert "No space left" in refusal.error.message


async def test_the_list_filters_custom_rules_and_never_the_built_in_ones(world: World) -> None:
    await deploy(world.service, name="one", eval_type="safety")
    two = (await deploy(world.service, name="two", eval_type="cost"))["rule"]
    await delete(world.service, rule_id=two["id"], enabled=False)
    every = meets("list_rules", await world.service.list_rules(ListRules()))
    assert (every["total"], every["enabled_count"], len(every["built_in"])) == (2, 1, 15)
    some = await world.service.list_rules(parse(ListRules, {"eval_type": "cost"}))
    assert ([r["name"] for r in some["rules"]], len(some["built_in"])) == (["two"], 15)
    assert [r["name"] for r in (await world.service.list_rules(ListRules(enabled_only=True)))["rules"]] == ["one"]
    fields = {"name", "category", "description", "weight", "kind", "mechanism", "needs", "question", "classes", "version"}
    for rule in every["built_in"]:
        assert fields | {"critical", "criticalSource", "proof"} <= set(rule)
        assert rule["description"]
    assert {r["name"] for r in every["built_in"] if r["critical"]} == {"no_pii", "no_injection_patterns", "no_blocklist_words"}


async def test_safety_is_a_matter_of_the_bundle_not_of_the_name(world: World) -> None:
    """Faults 215."""
    await deploy(world.service, name="pii-sounding", eval_type="cost")
    result = await evaluate(world.service, output=NAMED, eval_type="cost")
    assert [r["category"] for r in result["rule_results"] if r["ruleName"] == "pii-sounding"] == ["cost"]


async def preview(world: World, **args: Any) -> dict[str, Any]:
    """Try a rule."""
    return await world.service.preview(parse(PreviewRule, {"definition": HOSTS, **args}))


async def test_a_preview_replays_stored_traces_and_judges_the_sample(world: World) -> None:
    """Faults 167."""
    for i in range(7):
        await log(world.service, output=f"{i}: {NAMED} " + "x" * 300)
    await log(world.service, output=CLEAN)
    await log(world.service, input="no answer")
    await log(world.service, output=NAMED, timestamp="2026-01-01T00:00:00Z")
    result = await preview(world, sampleOutput="in db-main.internal.example")
    counts = [result[k] for k in ("tracesEvaluated", "wouldPass", "wouldFail", "wouldSkip")]
    assert counts == [9, 1, 7, 1]
    assert len(result["examples"]) == 5
    assert all(len(e["outputPreview"]) == 200 for e in result["examples"])
    assert result["windowSinceIso"] == "2026-02-22T12:00:00.000Z"
    assert result["sample"]["passed"] is False
    assert (await preview(world, maxTraces=3))["tracesEvaluated"] == 3
    assert "sample" not in await preview(world)


async def test_a_preview_of_what_can_not_be_used_is_refused_and_none_is_stored(world: World) -> None:
    with Refusal("IRIS_INVALID_RULE_CONFIG") as refusal:
        await preview(world, definition={"type": "regex_match", "config": {"pattern": "("}})
    assert refusal.error.field == "definition.config.pattern"
    await preview(world, sampleOutput=LEAK)
    assert (await world.service.list_rules(ListRules()))["rules"] == []
    assert world.events == []
