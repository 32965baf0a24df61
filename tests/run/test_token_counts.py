"""A run may carry one count of tokens and not another."""

from __future__ import annotations

import pytest

from iris.run.wire import from_wire
from tests.support import head, judge

CASES = [
    ("tokens.total > 10", {"total": 20}, "fails"),
    ("tokens.total > 10", {"total": 5}, "passes"),
    ("tokens.total > 10", {"prompt": 5, "completion": 50}, "skipped"),
    ("tokens.prompt > 10", {"prompt": 5}, "passes"),
    ("tokens.prompt > 10", {"total": 5}, "skipped"),
    ("tokens.prompt > 10 or tokens.total > 10", {"total": 20}, "fails"),
    ("tokens.prompt > 10 and tokens.total > 10", {"total": 5}, "skipped"),
    ("tokens.total > 10 and given(tokens.prompt) and tokens.prompt > 10", {"total": 5}, "passes"),
    ("(tokens.total else 0) > 10 or tokens.prompt > 10", {"prompt": 5}, "passes"),
    ("tokens.completion / tokens.prompt > 5", {"prompt": 5, "completion": 50}, "fails"),
]


@pytest.mark.parametrize("condition, tokens, state", CASES)
def test_a_rule_needs_the_counts_it_reads_and_no_other(condition: str, tokens: dict[str, int], state: str) -> None:
    finding = judge(f"{head()}fail_when: {condition}\n", {"tokens": tokens})
    assert finding.state == state, finding.message
    let = judge(f"{head()}let:\n  it: {condition}\nfail_when: it\n", {"tokens": tokens})
    assert let.state == state, let.message


@pytest.mark.parametrize("usage, carried", [({"total_tokens": 7}, True), ({"total_tokens": -1}, False), ({}, False)])
def test_a_total_alone_counts_as_tokens(usage: dict[str, int], carried: bool) -> None:
    assert ("tokens" in from_wire({"token_usage": usage}).carried) is carried
