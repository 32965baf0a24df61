"""What `iris eval` reads: every form of a file of runs, and what it says to what is no run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from iris.cli.runs import RUN_KEYS

from .command import CLEAN, Judge, errors, iris

RUNS = [{"id": "one", "output": CLEAN}, {"id": "two", "output": "ok"}, {"id": "three", "output": CLEAN}]
NDJSON = "".join(f"{json.dumps(r)}\n" for r in RUNS).encode()
IDS = ["one", "two", "three"]


@pytest.mark.parametrize(
    "data",
    [
        NDJSON,
        NDJSON.rstrip(b"\n"),
        NDJSON.replace(b"\n", b"\r\n"),
        NDJSON.replace(b"\n", b"\n\n  \n"),
        b"\xef\xbb\xbf" + NDJSON,
        json.dumps(RUNS).encode(),
        json.dumps(RUNS, indent=2).encode(),
        json.dumps({"runs": RUNS}).encode(),
        json.dumps({"runs": RUNS}, indent=1).encode(),
        json.dumps({"traces": RUNS}).encode(),
        gzip.compress(NDJSON),
        gzip.compress(json.dumps(RUNS, indent=2).encode()),
    ],
    ids=[
        "ndjson",
        "no end",
        "crlf",
        "blank lines",
        "mark",
        "array",
        "tall array",
        "runs",
        "tall runs",
        "traces",
        "gz",
        "gz array",
    ],
)
def test_every_form_of_a_file_holds_the_same_runs(judge: Judge, data: bytes, tmp_path: Path) -> None:
    result = judge(data)
    assert result.code == 0
    assert [r["id"] for r in result.lines()] == IDS
    assert not errors(result)
    piped = iris("eval", "-", "--format", "jsonl", "--fail-on", "never", stdin=data)
    assert [r["id"] for r in piped.lines()] == IDS
    assert piped.code == 0


def test_one_object_over_several_lines_is_one_run(judge: Judge) -> None:
    result = judge(json.dumps(RUNS[0], indent=2).encode())
    assert [r["id"] for r in result.lines()] == ["one"]


def test_several_files_are_judged_in_the_order_given(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text(json.dumps({"id": name, "output": CLEAN}))
    result = iris("eval", tmp_path / "b", tmp_path / "a", "--format", "jsonl")
    assert [r["id"] for r in result.lines()] == ["b", "a"]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"[]", b'{"runs": []}', gzip.compress(b"")], ids=range(5))
def test_a_file_without_runs_is_no_pass(judge: Judge, data: bytes) -> None:
    result = judge(data)
    assert (result.code, result.out) == (2, "")
    assert "no runs were read" in result.err


@pytest.mark.parametrize(
    "bad, code",
    [
        (b"{bad", "E702"),
        (b"\xff\xfe{}", "E702"),
        (b'{"output": "x"} {}', "E702"),
        (b'{"output": ' + b"9" * 5000 + b"}", "E702"),
        (b'{"output": "x", "cost_usd": ' + b"9" * 400 + b"}", "E702"),
        (b'{"output": "x", "metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "E702"),
        (b"[" * 100_000 + b"]" * 100_000, "E702"),
        (b'[{"output": "x"}]', "E703"),
        (b'"x"', "E703"),
        (b"null", "E703"),
        (b"7", "E703"),
        (b'{"output": ["x"]}', "E704"),
        (b'{"output": {"unexpected": [1]}}', "E704"),
        (b'{"output": "x", "cost_usd": NaN}', "E704"),
        (b'{"output": "x", "latency_ms": -Infinity}', "E704"),
        (b'{"output": "x", "cost_usd": 1e400}', "E704"),
    ],
    ids=lambda x: x[:30].decode("latin-1") if isinstance(x, bytes) else x,
)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_one_bad_record_spoils_only_itself(judge: Judge, bad: bytes, code: str, at: int) -> None:  # B121
    lines = NDJSON.splitlines()
    lines.insert(at, bad)
    result = judge(b"\n".join(lines))
    assert result.code == 2
    assert errors(result) == {at: code}
    assert [r["id"] for r in result.lines() if "error" not in r] == IDS
    assert result.lines()[at]["error"]["line"] == at + 1


@pytest.mark.parametrize(
    "field, value",
    [
        ("output", 7),
        ("input", ["x"]),
        ("expected", {}),
        ("agent_name", 1),
        ("cost_usd", "0.1"),
        ("cost_usd", True),
        ("latency_ms", []),
        ("token_usage", [1]),
        ("token_usage", {"prompt_tokens": "10"}),
        ("tool_calls", {}),
        ("tool_calls", ["x"]),
        ("tool_calls", [{"input": {}}]),
        ("tool_calls", [{"tool_name": ""}]),
        ("tool_calls", [{"tool_name": "a", "error": {"x": 1}}]),
        ("tools", "x"),
        ("tools", [1]),
        ("spans", {}),
    ],
)
def test_a_field_of_the_wrong_type_is_named(judge: Judge, field: str, value: object) -> None:
    result = judge(json.dumps({"id": "x", "output": CLEAN, field: value}).encode())
    assert errors(result) == {0: "E704"}
    assert f"`{field}" in result.lines()[0]["error"]["message"]
    assert result.code == 2


def test_every_mistake_of_a_run_is_counted(judge: Judge) -> None:
    result = judge(b'{"output": 7, "input": 8, "cost_usd": "x"}')
    assert "(and 2 more)" in result.lines()[0]["error"]["message"]


@pytest.mark.parametrize("field", ["output", "input", "cost_usd", "token_usage", "tool_calls", "tools", "spans", "latency_ms"])
def test_null_is_the_same_as_left_out(judge: Judge, field: str) -> None:
    run = {"id": "x", "input": "Did it run?", **({} if field == "output" else {"output": CLEAN})}
    with_null = judge(json.dumps({**run, field: None}).encode(), "--judged-at", "2026-01-31").out
    assert with_null == judge(json.dumps({k: v for k, v in run.items() if k != field}).encode(), "--judged-at", "2026-01-31").out


def test_unknown_keys_are_carried_and_not_judged(judge: Judge) -> None:
    plain = judge(json.dumps({"id": "x", "output": CLEAN}).encode(), "--judged-at", "2026-01-31")
    more = judge(json.dumps({"id": "x", "output": CLEAN, "ouput": 7, "x": [1]}).encode(), "--judged-at", "2026-01-31")
    assert more == plain


@pytest.mark.parametrize(
    "run, near",
    [
        ({"ouput": "x"}, "output"),
        ({"output": "x", "tool_call": []}, "tool_calls"),
        ({"output": "x", "cost": 1}, "cost_usd"),
        ({"output": "x", "tool_calls": [{"tool_name": "a", "tol_name": "b"}]}, "tool_name"),
    ],
)
def test_strict_refuses_a_misspelt_key_with_the_key_that_was_meant(judge: Judge, run: dict[str, Any], near: str) -> None:
    result = judge(json.dumps(run).encode(), "--strict")
    assert errors(result) == {0: "E705"}
    assert result.lines()[0]["error"]["recovery"] == [f"did you mean `{near}`?"]
    assert result.code == 2
    assert judge(json.dumps(run).encode()).code == 0


def test_strict_knows_every_key_that_a_run_has(judge: Judge) -> None:
    assert judge(json.dumps({**dict.fromkeys(RUN_KEYS), "output": CLEAN}).encode(), "--strict").code == 0


@pytest.mark.parametrize("text", ["a \ud800 b", "\udfff", "nul \0 and \x01", "\u2028\u202e\x1b[2J", "x" * 20_000])
@pytest.mark.parametrize("form", ["pretty", "json", "jsonl", "junit", "sarif", "github"])
def test_any_text_is_judged_and_reported(tmp_path: Path, text: str, form: str) -> None:
    path = tmp_path / "runs"
    path.write_text(
        json.dumps({"id": text[:9] + "1", "input": text, "output": text, "tool_calls": [{"tool_name": text, "output": text}]})
    )
    assert iris("eval", path, "--format", form, "--fail-on", "never").code == 0


@pytest.mark.parametrize(
    "run, name",
    [
        ({"id": "a"}, "a"),
        ({"id": 7}, "7"),
        ({"run_id": "b"}, "b"),
        ({"trace_id": "c", "id": " "}, "c"),
        ({"id": True}, "run-1"),
        ({"id": None}, "run-1"),
        ({}, "run-1"),
    ],
)
def test_a_run_is_known_by_its_own_id_or_its_place(judge: Judge, run: dict[str, Any], name: str) -> None:
    assert [r["id"] for r in judge(json.dumps({"output": CLEAN, **run}).encode()).lines()] == [name]


@pytest.mark.parametrize(
    "data",
    [b"\x1f\x8b\x00garbage", b"\x1f\x8b", gzip.compress(NDJSON)[:25], gzip.compress(NDJSON)[:-9] + b"\0" * 9],
    ids=["method", "head", "cut", "sum"],
)
def test_a_broken_gzip_file_can_not_be_read(judge: Judge, data: bytes) -> None:
    result = judge(data)
    assert result.code == 2
    assert "E701" in result.err


MANY = gzip.compress("".join(f'{{"id": "run {i * i}", "output": "ok {i**5}"}}\n' for i in range(900)).encode())


@pytest.mark.parametrize("form", ["json", "junit", "sarif"])
def test_of_a_file_that_breaks_off_no_part_of_a_document_is_written(tmp_path: Path, form: str) -> None:
    path, report = tmp_path / "runs.gz", tmp_path / "report"
    path.write_bytes(MANY[:-900])
    result = iris("eval", path, "--format", form)
    assert (result.code, result.out) == (2, "")
    assert "E701" in result.err
    assert iris("eval", path, "--format", form, "--output", report).code == 2
    assert report.read_bytes() == b""


@pytest.mark.parametrize("form", ["jsonl", "pretty"])
def test_of_a_file_that_breaks_off_the_runs_before_are_reported(tmp_path: Path, form: str) -> None:
    path = tmp_path / "runs.gz"
    path.write_bytes(MANY[:-900])
    result = iris("eval", path, "--format", form)
    assert result.code == 2
    assert "run 1" in result.out
    assert "E701" in result.err


def test_a_document_holds_what_no_encoding_can(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_bytes(b'{"id": "half \\ud83d", "output": "ok"}\n')
    result = iris("eval", path, "--format", "json", "--fail-on", "never")
    assert result.code == 0
    assert len(json.loads(result.out)["results"]) == 1


@pytest.mark.parametrize("name", ["nothing-here", "."])
def test_nothing_is_judged_when_a_file_can_not_be_read(tmp_path: Path, name: str) -> None:
    good = tmp_path / "good"
    good.write_bytes(NDJSON)
    result = iris("eval", good, tmp_path / name)
    assert (result.code, result.out) == (2, "")
    assert "E701" in result.err
