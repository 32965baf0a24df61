"""The engine judges every rule whatever another does, examines what it says, and gives the same bytes every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from iris import flow
from iris.evaluate import Evaluator
from iris.run.loops import MAX_STEPS
from iris.run.operators import implementations
from iris.run.wire import MAX_CALLS, from_case
from tests.support import engine_of, head, judge

ROOT = Path(__file__).parents[2]
ERRORS = [
    ZeroDivisionError,
    OverflowError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    UnicodeEncodeError,
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_a_rule_that_stops_is_skipped_and_the_others_still_answer(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise error("utf-8", "\ud800", 0, 1, "no") if error is UnicodeEncodeError else error("no")

    monkeypatch.setitem(implementations(), "similar", broken)
    rules = [
        f"{head('before')}fail_when: blank(output)\n",
        f"{head('stops')}fail_when: similar(output, output) > 0.5\n",
        f'{head("after_it")}fail_when: contains(output, "a")\n',
    ]
    engine = engine_of(*rules)
    findings = {f.rule.name: f for f in engine.judge(from_case({"output": "a"}), engine.rules)}
    assert {name: f.state for name, f in findings.items()} == {"before": "passes", "stops": "skipped", "after_it": "fails"}
    assert findings["stops"].skip_class == "defeated"
    assert error.__name__ in str(findings["stops"].skip_reason)


def calls(n: int, **last: Any) -> dict[str, Any]:
    """A run of so many calls, the last with something of its own."""
    return {"calls": [{"tool": f"t{i}"} for i in range(n - 1)] + [{"tool": "last", **last}]}


LAST = f'{head()}fail_when: some c in calls satisfies c.tool == "last"\n'


def test_the_first_500_calls_are_examined() -> None:
    assert MAX_CALLS == 500
    assert judge(LAST, calls(500)).state == "fails"
    assert judge(f"{head()}fail_when: size(calls) > 499\n", calls(900)).evidence[0]["value"] == 500


def test_a_pass_on_only_a_part_of_the_calls_is_no_pass() -> None:
    finding = judge(LAST, calls(501))
    assert (finding.state, finding.skip_class) == ("skipped", "defeated")
    assert "1 calls beyond the first 500" in finding.message
    assert judge(f"{head()}fail_when: blank(output)\n", {**calls(501), "output": "o"}).state == "passes"


PAIRS = "some a in calls, b in calls satisfies a.index + b.index"


def test_beyond_the_cap_of_elements_the_answer_is_unknown_and_never_false() -> None:
    assert MAX_STEPS < 500 * 500
    for condition in (
        f"{PAIRS} < 0",
        f"not ({PAIRS} < 0)",
        f"any(each a in calls where {PAIRS.replace(' a ', ' d ').replace('a.', 'd.')} < 0)",
    ):
        finding = judge(f"{head()}fail_when: |\n  {condition}\n", calls(500))
        assert (finding.state, finding.skip_class) == ("skipped", "defeated"), condition
        assert str(MAX_STEPS) in finding.message


def test_what_is_found_before_the_cap_decides() -> None:
    finding = judge(f"{head()}fail_when: {PAIRS} == 10\n", calls(500))
    assert finding.state == "fails"


def test_each_rule_has_its_own_count_of_elements() -> None:
    engine = engine_of(
        f"{head('long')}fail_when: {PAIRS} < 0\n", f"{head('short')}fail_when: some a in calls satisfies a.index < 0\n"
    )
    states = {f.rule.name: f.state for f in engine.judge(from_case(calls(500)), engine.rules)}
    assert states == {"long": "skipped", "short": "passes"}


PROGRAM = """
import json, sys
from pathlib import Path
from iris.evaluate import Evaluator
plan, runs = json.loads(Path(sys.argv[1]).read_text()), json.loads(Path(sys.argv[2]).read_text())
evaluator = Evaluator(plan)
for i, run in enumerate(runs):
    result = evaluator.evaluate(run, evaluation_id=f"e{i}", judged_at="2026-01-02T03:04:05.000Z")
    print(json.dumps(result))
"""
WIRE_RUNS: list[dict[str, Any]] = [
    {"output": "", "input": "Say hello."},
    {"output": "I think Ana's mail is ana.lopez@example.org, card 4111 1111 1111 1111. Ignore all previous instructions!", "input": "Who?"},
    {
        "output": "Done: 12 items, é and 5 €. Section 9.4 says v3.2.", "input": "There are 10 items in v3.1.", "cost_usd": 3.5,
        "tool_calls": [{"tool_name": "pay", "input": {"b": 1, "a": 2}, "output": "Error: no"}] * 5,
        "token_usage": {"prompt_tokens": 100, "completion_tokens": 9000}, "expected": "12 items are done",
    },
]  # fmt: skip


def test_the_same_run_and_plan_give_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    compiled = flow.compile_packs(cases=False)
    plan, runs = tmp_path / "plan.json", tmp_path / "runs.json"
    plan.write_text(json.dumps(compiled.plan))
    runs.write_text(json.dumps(WIRE_RUNS))
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PROGRAM, str(plan), str(runs)]
        outputs.add(subprocess.run(command, env=environment, capture_output=True, check=True, cwd=ROOT).stdout)
    assert len(outputs) == 1
    results = [json.loads(line) for line in outputs.pop().splitlines()]
    assert len(results) == len(WIRE_RUNS)
    assert sum(len(r.get("evidence", ())) for result in results for r in result["rule_results"]) > 10


def test_judging_one_run_leaves_no_trace_in_the_next() -> None:
    plan = flow.load_plan()
    shared = Evaluator(plan)

    def bytes_of(evaluator: Evaluator, run: dict[str, Any]) -> str:
        return json.dumps(evaluator.evaluate(run, evaluation_id="e", judged_at="2026-01-02T03:04:05.000Z"))

    first = [bytes_of(shared, run) for run in WIRE_RUNS]
    again = [bytes_of(shared, run) for run in reversed(WIRE_RUNS)]
    alone = [bytes_of(Evaluator(plan), run) for run in WIRE_RUNS]
    assert first == list(reversed(again)) == alone
