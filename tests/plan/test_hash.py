"""A rule's hash changes with everything its verdict rests on, and with nothing else; a plan is plain JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from iris.plan.build import digest
from iris.run.engine import Engine
from iris.run.wire import from_case
from tests.support import SHARED, engine_of, head, plan_of

RULE = f"""{head()}config:
  most: {{type: count, default: 2, about: a}}
let:
  said: hits(d.pair, output)
signals:
  doubt: found(d.hedge, output) and size(said) > config.most
  fruit: mentions(output, lists.fruit)
  acts: some c in calls satisfies (failed(c) and c.tool in lookup(tables.actions, "mail"))
  apart: any(groups(said, by=first_letter))
  stop: any(terms(output))
say: "{{said}} things said"
score: 1 - 0.1 * fired
"""


def hash_of(rule: str = RULE, shared: str = SHARED) -> str:
    """The hash of the rule `trial`."""
    return str(next(r["hash"] for r in plan_of(rule, shared=shared)["rules"] if r["name"] == "trial"))


def replaced(text: str, old: str, new: str) -> str:
    """A text with one thing changed, which must be there."""
    assert old in text
    return text.replace(old, new, 1)


BEHIND = [
    ("a detector's phrase", "[I think, not sure]", "[I think, not sure, perhaps]"),
    ("a detector's pattern", "(?P<v>\\w+)", "(?P<v>\\w)"),
    ("a detector's key", "key: match.k, value: match.v", "key: match.v, value: match.v"),
    ("a list", "crème brûlée]", "crème brûlée, plum]"),
    ("a table", "mail: send_mail", "mail: post_mail"),
    ("a definition", "failed(c): given(c.error) and not blank(c.error)", "failed(c): given(c.error) and blank(c.error)"),
    ("a definition named in by=", "first_letter(t): first(t, 1)", "first_letter(t): first(t, 2)"),
    ("the list of stop words", "stop_words: [the, a,", "stop_words: [the,"),
]


@pytest.mark.parametrize("old, new", [b[1:] for b in BEHIND], ids=[b[0] for b in BEHIND])
def test_a_hash_changes_with_what_the_rule_rests_on(old: str, new: str) -> None:
    assert hash_of(shared=replaced(SHARED, old, new)) != hash_of()


OWN = [
    ("a bound", "default: 2", "default: 3"), ("a condition", "> config.most", ">= config.most"), ("a signal's name", "doubt:", "doubted:"),
    ("the message", "things said", "words said"), ("the score", "0.1 * fired", "0.2 * fired"), ("a let", "hits(d.pair, output)", "hits(d.pair, input)"),
    ("the version", "version: 1", "version: 2"), ("the kind", "kind: detection", "kind: policy"),
]  # fmt: skip


@pytest.mark.parametrize("old, new", [b[1:] for b in OWN], ids=[b[0] for b in OWN])
def test_a_hash_changes_with_the_rule_itself(old: str, new: str) -> None:
    assert hash_of(replaced(RULE, old, new)) != hash_of()


FOR_PEOPLE = [
    ("the title", "title: t", "title: another"),
    ("about", "about: a\n", "about: why\n"),
    ("remedy", "remedy: r", "remedy: do it"),
]


@pytest.mark.parametrize("old, new", [b[1:] for b in FOR_PEOPLE], ids=[b[0] for b in FOR_PEOPLE])
def test_a_hash_does_not_change_with_words_for_people(old: str, new: str) -> None:
    assert hash_of(replaced(RULE, old, new)) == hash_of()


UNRELATED = [
    ("a detector before the others", "detectors:\n", "detectors:\n  aaa: {regex: 'q', examples: {hit: [q, qq], miss: [a, b]}}\n"),
    ("an example of a used detector", "hit: [I think so, not sure]", "hit: [I think so, not sure, I think]"),
    ("a detector of no use here", "'x+'", "'x'"),
    ("a list of no use here", "networks: [10.0.0.0/8,", "networks: ["),
    ("a definition of no use here", "> 0.8", "> 0.9"),
    ("another table row for people", "lists:\n", "lists:\n  more: [one]\n"),
]


@pytest.mark.parametrize("old, new", [b[1:] for b in UNRELATED], ids=[b[0] for b in UNRELATED])
def test_a_hash_does_not_change_with_what_the_rule_does_not_use(old: str, new: str) -> None:
    assert hash_of(shared=replaced(SHARED, old, new)) == hash_of()


def test_a_hash_does_not_change_with_another_rule() -> None:
    other = f"{head('other')}fail_when: found(d.large, output)\n"
    hashes = {r["name"]: r["hash"] for r in plan_of(other, RULE)["rules"]}
    assert hashes["trial"] == hash_of()
    assert hashes["other"] != hashes["trial"]


def test_compiling_twice_gives_one_plan_and_one_hash() -> None:
    one, two = plan_of(RULE), plan_of(RULE)
    assert json.dumps(one) == json.dumps(two)
    assert one["hash"] == digest({k: v for k, v in one.items() if k != "hash"})
    assert plan_of(RULE, shared=SHARED.replace("'x+'", "'x'"))["hash"] != one["hash"]


ODD = """lists:
  stop_words: [detector, a, b, abc]
  odd: [op, x, y, terms, def]
tables:
  actions: {name: [who], mail: [listref, a, b, c]}
"""


def test_word_lists_that_look_like_plan_nodes_are_word_lists() -> None:
    rule = f'{head()}fail_when: any(terms(output)) and mentions(output, lists.odd) and any(lookup(tables.actions, "name"))\n'
    assert hash_of(rule, ODD) != hash_of(rule, ODD.replace("who", "whom"))
    assert hash_of(rule, ODD) != hash_of(rule, ODD.replace("abc", "abd"))


RUNS: list[dict[str, Any]] = [
    {}, {"output": "I think a=1 b=2 c=3"}, {"output": "a pear"}, {"output": "", "calls": [{"tool": "send_mail", "error": "é"}]},
]  # fmt: skip


def test_a_plan_read_back_from_json_is_the_same_and_judges_the_same() -> None:
    plan = plan_of(RULE)
    back = json.loads(json.dumps(plan))
    assert back == plan
    for run in RUNS:
        (a,), (b,) = (e.judge(from_case(run), e.rules) for e in (engine_of(RULE), Engine(back)))
        assert (a.state, a.signals, a.evidence, a.message) == (b.state, b.signals, b.evidence, b.message)
