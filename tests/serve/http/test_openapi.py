"""The OpenAPI document: every route, and what a client generated from it would send is answered as it says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from iris.evaluate import Evaluator
from iris.serve.http.openapi import document
from iris.serve.http.routes import TABLE
from iris.serve.mcp.tools import build_tools
from tests.serve.http.site import HOSTS, LEAK, RULE, Site, serving

EXAMPLES = 12
"""Requests of each kind an operation gets."""
CHECKS = [negative_data_rejection, not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_the_document_has_every_route_and_no_other() -> None:
    there = {(method.upper(), path) for path, operations in document()["paths"].items() for method in operations}
    assert there == {(route.method, route.path) for route in TABLE}


def test_no_two_operations_share_a_name() -> None:
    names = [o["operationId"] for operations in document()["paths"].values() for o in operations.values()]
    assert len(set(names)) == len(names)


def test_every_reference_leads_somewhere() -> None:
    whole = document()

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                yield from references(part)

    assert {r.removeprefix("#/components/schemas/") for r in references(whole)} <= set(whole["components"]["schemas"])


def test_rules_of_the_same_types_are_deployed_here_and_by_tools() -> None:
    """Fault 161."""
    here = document()["components"]["schemas"]["Definition"]["properties"]["type"]
    tool = build_tools()["deploy_rule"].schema
    assert sorted(here["enum"]) == sorted(find(tool, "type")["enum"])


def find(schema: Any, field: str) -> Any:
    """The schema of a field somewhere below `definition`."""
    inner = schema["properties"]["definition"]
    if "$ref" in inner:
        inner = schema["$defs"][inner["$ref"].rsplit("/", 1)[1]]
    return inner["properties"][field]


async def test_every_answer_has_the_shape_it_says(site: Site) -> None:
    first = (await site.log(cost_usd=0.1))["evaluation"]["id"]
    leak = await site.log(output=LEAK)
    await site.log(evaluate=False)
    number = (await site.ask("POST", "/rules/custom", RULE)).body["rule"]["id"]
    ids = {"traces": leak["trace_id"], "evaluations": first, "moments": leak["trace_id"], "custom": number}
    bodies = {
        "/api/v1/traces": {"agent_name": "a", "output": LEAK, "evaluate": True},
        "/api/v1/rules/custom": {**RULE, "replace": True},
        "/api/v1/rules/custom/preview": {"definition": HOSTS},
        "/api/v1/rules/custom/{id}": {"enabled": False},
        "/api/v1/preferences": {"theme": "light"},
    }
    for route in sorted(TABLE, key=lambda r: (r.method == "DELETE", r.path == "/api/v1/rules/custom" and r.method == "POST")):
        if route.path.endswith("/events"):
            continue
        folder = route.path.removesuffix("/reevaluate").split("/")[-2]
        path = "/" + route.path.replace("{id}", ids.get(folder, ""))
        said = await site.ask(route.method, path, bodies.get(route.path) if route.body else None)
        if route.method == "DELETE" and folder == "custom":
            assert said.status == 404  # replaced by the deployment before
            continue
        assert said.status in (200, 201, 204), (route, said.raw)
        assert (route.gives is None) is (said.status == 204)
        if route.gives is not None:
            Draft202012Validator(route.gives).validate(said.body)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, evaluator: Evaluator) -> Iterator[str]:
    """A server in a thread of its own, with something stored."""
    home: Path = tmp_path_factory.mktemp("home")
    ready: list[Any] = []
    opened = threading.Event()

    async def run() -> None:
        stop = asyncio.Event()
        async with serving(evaluator, home) as site:
            await site.log()
            await site.log(output=LEAK)
            await site.ask("POST", "/rules/custom", RULE)
            ready.extend([asyncio.get_running_loop(), stop, f"http://127.0.0.1:{site.port}"])
            opened.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert opened.wait(30)
    yield ready[2]
    ready[0].call_soon_threadsafe(ready[1].set)
    thread.join(10)


schema = schemathesis.openapi.from_dict(document())


OPERATIONS = [
    pytest.param(route.path, route.method, id=f"{route.method} {route.path}") for route in TABLE if not route.path.endswith("/events")
]


@pytest.mark.parametrize("path, method", OPERATIONS)
def test_whatever_is_sent_has_an_answer_the_document_knows(address: str, path: str, method: str) -> None:
    """Faults 107, 149, 151, 156, 159: requests drawn from the document, right and wrong ones; never a 5xx."""
    operation = schema[path][method]
    for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):

        @seed(20260301)
        @settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def send(case: Any) -> None:
            response = case.call(base_url=address, timeout=10)
            case.validate_response(response, checks=CHECKS)

        try:
            send()
        except Exception as error:
            if "Unsatisfiable" not in type(error).__name__:
                raise
