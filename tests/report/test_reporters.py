"""The table of reporters, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from iris.report import Options, reporters
from iris.report.sources import Texts

from .samples import report, samples

HEAVY = (
    "jsonschema",
    "jsonschema_rs",
    "jinja2",
    "rich",
    "xml",
    "json",
    "difflib",
    "rapidfuzz",
    "yaml",
    "lark",
    "re2",
)


def test_the_table_names_every_reporter() -> None:
    assert list(reporters()) == ["pretty", "jsonl", "json", "junit", "sarif", "github"]


def test_each_call_gives_a_table_of_its_own() -> None:
    reporters().clear()
    assert reporters()


@pytest.mark.parametrize("name", list(reporters()))
def test_each_reporter_streams_what_it_writes_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    factory = reporters()[name]
    text = report(factory(Options()), samples())
    assert text.endswith("\n")
    assert "run-leak" in text
    assert text == report(factory(Options()), samples())


def test_importing_the_table_imports_nothing_heavy() -> None:
    code = (
        f"import sys, iris.report; iris.report.reporters(); print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "source, text",
    [
        ("output", "out"),
        ("input", "in"),
        ("expected", None),
        ("tool_outputs[0]", "plain"),
        ("tool_outputs[1]", '{"é": [1, true]}'),
        ("tool_outputs[2]", None),
        ("tool_calls[0].input", '{"n": 1, "path": "a\\nb"}'),
        ("tool_calls[1].input", None),
        ("tool_calls[2].input", '{"a": 1, "b": 2}'),
        ("tool_calls[3].input", "plain words"),
        ("tool_outputs[9]", None),
        ("tool_outputs[-1]", None),
        ("tool_calls", None),
        ("calls", None),
        ("metadata", None),
    ],
)
def test_a_source_names_a_text_of_the_run_as_it_was_judged(source: str, text: str | None) -> None:
    calls = [
        {"tool_name": "read", "input": {"path": "a\nb", "n": 1}, "output": "plain"},
        {"tool_name": "list", "output": {"é": [1, True]}, "error": "denied"},
        {"tool_name": "pay", "input": '{"b":2,"a":1}', "output": None},
        {"tool_name": "say", "input": "plain words"},
    ]
    run = {"input": "in", "output": "out", "tool_calls": calls, "metadata": "m"}
    assert Texts(run).get(source) == text


@pytest.mark.parametrize("calls", [None, "text", [], [None], [{"output": None}]])
def test_a_run_of_another_shape_has_no_such_text(calls: object) -> None:
    assert Texts({"tool_calls": calls}).get("tool_outputs[0]") is None
    assert Texts({"tool_calls": calls}).get("tool_calls[0].input") is None
