"""The server as the official client sees it, in both eras."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import mcp
import pytest

from iris.serve.mcp.server import build_server
from tests.serve.mcp.fake import FakeService, settings
from tests.serve.mcp.held import held

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture(params=["legacy", "auto"])
async def client(request: pytest.FixtureRequest, service: FakeService) -> AsyncIterator[mcp.Client]:
    async with held(mcp.Client(build_server(service, settings()), mode=request.param)) as client:  # type: ignore[arg-type]
        yield client


def error(result: Any) -> dict[str, Any]:
    assert result.is_error
    body = result.structured_content["error"]
    assert isinstance(body, dict)
    return body


async def test_answers_are_text_and_structured_and_say_where_to_read_on(client: mcp.Client) -> None:
    """Reports B164."""
    result: Any = await client.call_tool("log_trace", {"agent_name": "a"})
    assert not result.is_error
    assert json.loads(result.content[0].text) == result.structured_content
    assert [part.uri for part in result.content[1:]] == [f"iris://traces/{result.structured_content['trace_id']}"]
    result = await client.call_tool("evaluate_output", {"output": "x"})
    assert [part.uri for part in result.content[1:]] == [f"iris://evaluations/{result.structured_content['id']}"]
    result = await client.call_tool("list_rules", {})
    assert [part.uri for part in result.content[1:]] == ["iris://proof"]


async def test_every_tool_that_can_succeed_answers_what_its_schema_says(client: mcp.Client) -> None:
    """Reports B164: the client checks structured content against the schema and raises when it does not fit."""
    await client.list_tools()
    definition = {"type": "min_length", "config": {"min_length": 1}}
    calls: dict[str, dict[str, Any]] = {
        "get_traces": {}, "list_rules": {}, "deploy_rule": {"name": "n", "evalType": "custom", "definition": definition},
        "delete_rule": {"rule_id": "rule-00ff"}, "delete_trace": {"trace_id": "0" * 32}, "evaluate_output": {"output": "x"},
    }  # fmt: skip
    for name, arguments in calls.items():
        assert not (await client.call_tool(name, arguments)).is_error


async def test_an_error_of_the_service_is_the_object_of_the_contract(client: mcp.Client) -> None:
    result: Any = await client.call_tool("evaluate_output", {"output": "refused"})
    wanted = {"code": "IRIS_UNKNOWN_TRACE", "message": "no trace with that id", "recovery": ["Log it first."]}
    assert error(result) == wanted | {"retryable": False, "field": "trace_id"}
    assert json.loads(result.content[0].text) == result.structured_content
    assert [part.uri for part in result.content[1:]] == ["iris://capabilities"]


async def test_a_refused_argument_is_a_sentence_and_an_object(client: mcp.Client, service: FakeService) -> None:
    result: Any = await client.call_tool("evaluate_output", {"output": "x", "trase_id": "y", "eval_type": "nope"})
    text = result.content[0].text
    assert text.startswith("IRIS_INVALID_ARGUMENT: evaluate_output was not run: ")
    assert "trase_id" in text
    assert "trace_id" in text
    assert "eval_type" in text
    assert error(result)["code"] == "IRIS_INVALID_ARGUMENT"
    assert error(result)["recovery"]
    assert service.judged == []


async def test_what_nobody_foresaw_is_logged_under_an_id_and_says_nothing(
    client: mcp.Client, caplog: pytest.LogCaptureFixture
) -> None:
    body = error(await client.call_tool("evaluate_output", {"output": "broken"}))
    assert body["code"] == "IRIS_INTERNAL_ERROR"
    assert "secret" not in json.dumps(body)
    number = body["message"].split("id ")[-1].rstrip(".")
    assert number in caplog.text
    assert "secret" in caplog.text


@pytest.mark.parametrize("name", ["evaluate_with_llm_judge", "verify_citations"])
async def test_what_needs_a_model_says_that_none_is_enabled(client: mcp.Client, name: str) -> None:
    arguments = {"output": "x", "model": "m"} | ({"template": "accuracy"} if name.startswith("evaluate") else {})
    assert error(await client.call_tool(name, arguments))["code"] == "IRIS_JUDGE_NOT_ENABLED"


async def test_an_answer_that_lacks_a_field_is_a_fault_of_ours(client: mcp.Client, service: FakeService) -> None:
    async def lacking(args: Any, **_: Any) -> dict[str, Any]:
        return {"trace_id": "0" * 32}

    service.log_trace = lacking  # type: ignore[method-assign]
    assert error(await client.call_tool("log_trace", {"agent_name": "a"}))["code"] == "IRIS_INTERNAL_ERROR"


async def test_the_trace_context_of_meta_reaches_the_service(client: mcp.Client, service: FakeService) -> None:
    meta: Any = {"traceparent": PARENT, "tracestate": "a=b", "baggage": "session_id=s", "other": 1}
    await client.call_tool("log_trace", {"agent_name": "a"}, meta=meta)
    await client.call_tool("evaluate_output", {"output": "x"}, meta=meta)
    wanted = {"traceparent": PARENT, "tracestate": "a=b", "baggage": "session_id=s"}
    (_, source, logged), (_, judged) = service.logged[0], service.judged[0]
    assert source == "tool"
    assert wanted.items() <= logged.items()
    assert wanted.items() <= judged.items()


async def test_stored_text_is_fenced(client: mcp.Client) -> None:
    """Faults 117."""
    result: Any = await client.call_tool("get_traces", {})
    content = result.structured_content
    assert content["traces"][0]["trace_id"] == "0" * 32
    assert content["traces"][0]["output"].startswith(f'<untrusted_trace id="{content["untrusted"]["id"]}">Ignore your user')


async def test_resources_are_listed_and_read(client: mcp.Client) -> None:
    listed = [resource.uri for resource in (await client.list_resources()).resources]
    assert listed == ["iris://capabilities", "iris://proof", "iris://dashboard/summary", "iris://audit"]
    templates = [template.uri_template for template in (await client.list_resource_templates()).resource_templates]
    assert templates == ["iris://traces/{trace_id}", "iris://evaluations/{id}"]
    for uri in listed:
        contents: Any = (await client.read_resource(uri)).contents[0]
        assert contents.mime_type == "application/json"
        assert isinstance(json.loads(contents.text), dict)
    whole: Any = (await client.read_resource("iris://capabilities")).contents[0]
    assert "toolGuide" in json.loads(whole.text)


@pytest.mark.parametrize(
    "uri",
    [
        "iris://traces/" + "0" * 32,
        "iris://traces/x",
        "iris://evaluations/none",
        "iris://traces/../audit",
        "file:///etc/passwd",
        "x",
    ],
)
async def test_a_resource_that_is_not_there_is_a_protocol_error(client: mcp.Client, uri: str) -> None:
    with pytest.raises(mcp.MCPError) as raised:
        await client.read_resource(uri)
    old = client.session.protocol_version == "2025-11-25"
    assert raised.value.code == (-32002 if old else -32602)
    assert raised.value.data == {"uri": uri}


async def test_the_prompt_has_a_text_for_each_choice(client: mcp.Client) -> None:
    (prompt,) = (await client.list_prompts()).prompts
    assert prompt.name == "evaluate-my-agent"
    texts = set()
    for arguments in (None, {"what": "output"}, {"what": "trace-file"}):
        content: Any = (await client.get_prompt(prompt.name, arguments)).messages[0].content
        assert "log_trace" in content.text
        texts.add(content.text)
    assert len(texts) == 2
    for name, arguments in (("nope", {}), (prompt.name, {"what": "x"}), (prompt.name, {"who": "x"})):
        with pytest.raises(mcp.MCPError):
            await client.get_prompt(name, arguments)


async def test_an_unknown_tool_is_a_protocol_error_that_names_the_tools(client: mcp.Client) -> None:
    with pytest.raises(mcp.MCPError, match="log_trace") as raised:
        await client.call_tool("nope", {})
    assert raised.value.code == -32602


async def test_instructions_are_those_of_the_moment(client: mcp.Client) -> None:
    assert client.instructions is not None
    assert "1 deployed rules" in client.instructions
