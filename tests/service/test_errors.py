"""Every failure is one of the catalogue, and none tells of the machine."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from iris.service.errors import CATALOGUE, ServiceError
from iris.service.models.evaluate import EvaluateOutput, Judge, VerifyCitations
from iris.service.models.lists import Hours
from iris.service.parse import parse
from iris.store.interface import StoreError

from .calls import CLEAN, HOSTS, deploy, evaluate, log
from .conftest import World

SECRET = "/home/somebody/.iris/iris.db"
LATER = {"IRIS_JUDGE_UNKNOWN_MODEL", "IRIS_BUDGET_EXCEEDED", "IRIS_PROVIDER_ERROR", "IRIS_JUDGE_FAILED"}
"""Codes of the model judge, which no key enables yet."""


async def provoke(world: World, code: str, monkeypatch: pytest.MonkeyPatch) -> ServiceError:
    """Make a call that is refused with a code."""

    def breaks(error: Exception) -> Any:
        async def call(*_: Any) -> None:
            raise error

        return call

    async def duplicate() -> None:
        await deploy(world.service)
        await deploy(world.service)

    if code == "IRIS_STORAGE_ERROR":
        monkeypatch.setattr(world.store, "summary", breaks(StoreError("the database is busy", retryable=True)))
    if code == "IRIS_INTERNAL_ERROR":
        monkeypatch.setattr(world.store, "summary", breaks(RuntimeError(f"lost {SECRET}")))
    calls: dict[str, Any] = {
        "IRIS_INVALID_ARGUMENT": lambda: evaluate(world.service, output=""),
        "IRIS_UNKNOWN_TRACE": lambda: evaluate(world.service, trace_id="0" * 32),
        "IRIS_DUPLICATE_RULE": duplicate,
        "IRIS_INVALID_RULE_CONFIG": lambda: deploy(world.service, definition={**HOSTS, "config": {"pattern": "("}}),
        "IRIS_JUDGE_NOT_ENABLED": lambda: world.service.judge(Judge(output="x", template="accuracy", model="m")),
        "IRIS_STORAGE_ERROR": lambda: world.service.summary(Hours()),
        "IRIS_INTERNAL_ERROR": lambda: world.service.summary(Hours()),
    }
    with pytest.raises(ServiceError) as found:
        await calls[code]()
    return found.value


@pytest.mark.parametrize("code", sorted(set(CATALOGUE) - LATER))
async def test_each_code_is_provoked_and_says_what_to_do(world: World, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error = await provoke(world, code, monkeypatch)
    assert error.code == code
    body = error.body()["error"]
    assert body["message"]
    assert body["recovery"]
    assert body["retryable"] is (code == "IRIS_STORAGE_ERROR")
    assert error.status == CATALOGUE[code][1]
    assert "/home" not in str(body)


async def test_what_nobody_foresaw_is_logged_under_the_id_that_the_caller_is_given(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Faults 107."""
    with caplog.at_level(logging.ERROR, "iris.service"):
        error = await provoke(world, "IRIS_INTERNAL_ERROR", monkeypatch)
    (record,) = caplog.records
    number = record.getMessage().split("id ")[1]
    assert number in error.message
    assert record.exc_info is not None
    assert "RuntimeError" not in error.message
    assert error.see == "iris://capabilities"


async def test_the_next_call_works_after_a_failed_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await provoke(world, "IRIS_STORAGE_ERROR", monkeypatch)
    assert (await log(world.service, output=CLEAN, evaluate=True))["evaluation"]["passed"] is True


async def test_the_tools_of_a_model_say_how_to_enable_them(world: World) -> None:
    for call in (
        world.service.judge(Judge(output="x", template="accuracy", model="m")),
        world.service.verify_citations(VerifyCitations(output="x", model="m")),
    ):
        with pytest.raises(ServiceError) as found:
            await call
        assert found.value.code == "IRIS_JUDGE_NOT_ENABLED"
        assert "IRIS_ANTHROPIC_API_KEY" in " ".join(found.value.recovery)
        assert "nothing was judged, spent or stored" in found.value.message


async def test_a_trace_deleted_while_it_was_judged_is_an_unknown_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    trace_id = (await log(world.service, output=CLEAN))["trace_id"]

    async def gone(*_: Any) -> None:
        raise StoreError("no such trace", reason="unknown_trace")

    monkeypatch.setattr(world.store, "add_evaluation", gone)
    with pytest.raises(ServiceError) as found:
        await world.service.evaluate_output(parse(EvaluateOutput, {"trace_id": trace_id}))
    assert found.value.code == "IRIS_UNKNOWN_TRACE"
