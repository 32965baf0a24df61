"""Whatever a file holds, `iris eval` ends in verdicts and problems, never in a crash."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iris.cli.runs import RUN_KEYS, read_runs
from iris.problems import ProblemsFound

from .command import Judge, errors


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(
        st.binary(max_size=80), st.binary(max_size=60).map(b"\x1f\x8b".__add__), st.binary(max_size=60).map(gzip.compress)
    )
)
def test_any_bytes_end_in_a_verdict_or_a_problem(judge: Judge, data: bytes) -> None:
    assert judge(data).code in (0, 1, 2)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(st.binary(max_size=200), st.text(alphabet='{}[]",:\n 1e9x\\u"', max_size=60).map(str.encode)),
    strict=st.booleans(),
)
def test_reading_any_bytes_gives_records_or_problems(tmp_path: Path, data: bytes, strict: bool) -> None:
    path = tmp_path / "runs"
    path.write_bytes(data)
    try:
        records = list(read_runs(str(path), strict=strict))
    except ProblemsFound:
        return
    assert [r.number for r in records] == list(range(1, len(records) + 1))
    assert len(records) <= max(data.count(b"\n") + 1, data.count(b",") + 1)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**310), 10**310), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
CALL = st.fixed_dictionaries(
    {"tool_name": st.text(max_size=5)},
    optional=dict.fromkeys(("input", "output", "error", "latency_ms", "started", "truncated", "token_usage", "cost_usd"), JSON),
)
LIKELY: dict[str, Any] = {
    "input": st.text(max_size=20),
    "output": st.text(max_size=40),
    "expected": st.text(max_size=20),
    "tool_calls": st.lists(CALL, max_size=3),
    "tools": st.lists(st.dictionaries(st.sampled_from(["name", "description", "inputSchema", "annotations"]), JSON), max_size=2),
    "spans": st.lists(st.dictionaries(st.sampled_from(["name", "attributes", "start_time", "kind", "status"]), JSON), max_size=2),
    "token_usage": st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens", "x"]), JSON),
}
RUN = st.fixed_dictionaries({}, optional={k: st.one_of(LIKELY.get(k, JSON), JSON) for k in RUN_KEYS})


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(runs=st.lists(RUN, min_size=1, max_size=6))
def test_any_fields_end_in_a_verdict_or_a_problem_each(judge: Judge, runs: list[Any]) -> None:
    result = judge("\n".join(map(json.dumps, runs)).encode())
    assert len(result.lines()) == len(runs)
    assert result.code == (2 if errors(result) else 0)
