"""What the operators on numbers, lists, facts, dates and JSON mean: expression, run, value."""

from __future__ import annotations

from typing import Any

from tests.support import UNKNOWN

Example = tuple[str, dict[str, Any], Any]

NONE: dict[str, Any] = {}
TIMES = {"calls": [{"tool": "a", "started": 0}, {"tool": "b", "started": 5}, {"tool": "c", "started": 7}]}
HOLE = {"calls": [{"tool": "a", "started": 0}, {"tool": "b"}]}
TURNS = {"calls": [{"tool": t, "args": {}} for t in "abababc"]}
SAID = {"output": "a=1 b=2 c=3", "input": "a=1 b=9 b=8"}

NUMBERS: list[Example] = [
    ("number(output)", {"output": "about 1,234.5 or 6"}, 1234.5),
    ("number(output)", {"output": "-3"}, -3),
    ("number(output)", {"output": "v-3"}, 3),
    ("number(output)", {"output": "none"}, UNKNOWN),
    ("number(output)", {"output": "9" * 400}, UNKNOWN),
    ("number(output)", {"output": "é ٣ 7"}, 3),
    ("number(metadata.n)", {"metadata": {"n": 4}}, 4),
    ("number(metadata.none)", {"metadata": {}}, UNKNOWN),
    ("number(output)", NONE, UNKNOWN),
    ("each h in hits(d.amount, output) give number(h)", {"output": "$7"}, [7]),
    ("abs(0 - 3)", NONE, 3),
    ("abs(cost)", NONE, UNKNOWN),
    ("min(2, 3)", NONE, 2),
    ("min(cost, 3)", NONE, UNKNOWN),
    ("max(2, 3)", NONE, 3),
    ("max(3, size(each c in calls where blank(c.result)))", {"calls": [{"tool": "a"}]}, UNKNOWN),
    ("sum([1, 2.5])", NONE, 3.5),
    ("sum([])", NONE, 0),
    ("sum(hits(d.amount, output))", {"output": "$1 $2"}, 3),
    ('sum(["a"])', NONE, UNKNOWN),
    ("sum(calls.started)", NONE, UNKNOWN),
    ("median([3, 1, 2])", NONE, 2),
    ("median([1, 2])", NONE, 1.5),
    ("median([])", NONE, UNKNOWN),
    ("median(calls.started)", NONE, UNKNOWN),
    ("round(2.5, 0)", NONE, 2),
    ("round(0.126, 2)", NONE, 0.13),
    ("round(cost, 2)", NONE, UNKNOWN),
]

LISTS: list[Example] = [
    ('distinct(["É", "é", "a"])', NONE, ["É", "a"]),
    ("distinct([])", NONE, []),
    ("size(distinct(words(output)))", {"output": "a A b"}, 2),
    ("distinct(calls.tool)", NONE, UNKNOWN),
    ("any([])", NONE, False),
    ("any([0])", NONE, True),
    ("any(calls)", NONE, UNKNOWN),
    ("any(each c in calls where blank(c.result))", {"calls": [{"tool": "a"}]}, UNKNOWN),
    ("any(each c in calls where blank(c.result))", {"calls": [{"tool": "a"}, {"tool": "b", "result": ""}]}, True),
    ("covers(words(output), words(input))", {"output": "a b É", "input": "é A"}, True),
    ("covers(words(output), words(input))", {"output": "a", "input": "b"}, False),
    ("covers([], [])", NONE, True),
    ("covers(words(output), words(input))", {"output": "a"}, UNKNOWN),
    ("first_of([3, 4])", NONE, [3]),
    ("first_of([])", NONE, []),
    ("first_of(words(output))", {"output": "Ça va"}, ["ça"]),
    ("first_of(calls)", NONE, UNKNOWN),
    ("last_of([3, 4])", NONE, [4]),
    ("last_of([])", NONE, []),
    ("last_of(calls)", NONE, UNKNOWN),
    ("largest(groups(calls, by=tool))", {"calls": [{"tool": "a"}, {"tool": "b"}, {"tool": "A"}]}, ["call 0", "call 2"]),
    ("largest([])", NONE, []),
    ("largest(groups(calls, by=tool))", NONE, UNKNOWN),
    (
        "groups(calls, by=key)",
        {"calls": [{"tool": "a", "args": {"x": 1, "y": 2}}, {"tool": "a", "args": {"y": 2, "x": 1}}, {"tool": "a"}]},
        [["call 0", "call 1"], ["call 2"]],
    ),
    ("groups(words(output), by=first_letter)", {"output": "éa b éc"}, [["éa", "éc"], ["b"]]),
    ("groups([], by=key)", NONE, []),
    ("groups(calls, by=key)", NONE, UNKNOWN),
    ("repeats(calls, by=tool, period=2)", TURNS, ["call 0", "call 1", "call 2", "call 3", "call 4", "call 5"]),
    ("repeats(calls, by=tool, period=1)", TURNS, []),
    ("repeats(calls, by=tool, period=2)", {"calls": [{"tool": "a"}] * 6}, []),
    ("repeats(calls, by=tool, period=1)", {"calls": [{"tool": "a"}] * 3}, ["call 0", "call 1", "call 2"]),
    ("repeats([], by=tool, period=2)", NONE, []),
    ("repeats(calls, by=tool, period=0)", TURNS, []),
    ("repeats(calls, by=tool, period=2)", NONE, UNKNOWN),
    ("chained(lines(output), by=words, from=words(input))", {"output": "b c\nx\na b\nc d", "input": "a"}, ["a b"]),
    ("chained(lines(output), by=words, from=words(input))", {"output": "a b\nb c\nx\nc É", "input": "A"}, ["a b", "b c", "c É"]),
    ("chained([], by=terms, from=words(input))", NONE, []),
    ("chained(lines(output), by=terms, from=words(input))", {"output": "a"}, UNKNOWN),
    ("gaps(calls.started)", TIMES, [5, 2]),
    ("gaps([1])", NONE, []),
    ("gaps([])", NONE, []),
    ("gaps(calls.started)", NONE, UNKNOWN),
]

FACTS: list[Example] = [
    ("conflicting(hits(d.pair, output), hits(d.pair, input))", SAID, ["2"]),
    ("conflicting([], hits(d.pair, input))", NONE, []),
    ("conflicting(hits(d.pair, output), [])", SAID, []),
    ("conflicting(hits(d.pair, output), hits(d.pair, input))", {"output": "a=1"}, UNKNOWN),
    ("partners(hits(d.pair, output), hits(d.pair, input))", SAID, ["1", "9", "8"]),
    ("partners([], [])", NONE, []),
    ("partners(hits(d.pair, output), hits(d.pair, input))", {"output": "a=1"}, UNKNOWN),
    ("each f in bind(hits(d.word_x, output), hits(d.large, output), 2) give f.key", {"output": "é x 101, 102"}, ["x"]),
    ("bind(hits(d.word_x, output), [], 9)", NONE, []),
    ("bind(hits(d.word_x, output), hits(d.large, output), 9)", NONE, UNKNOWN),
    ("number_values(words(output))", {"output": "a 12 b3 é"}, [12, 3]),
    ("each f in number_values(hits(d.pair, output)) give f.key", {"output": "a=x b=7"}, ["b"]),
    ("number_values([])", NONE, []),
    ("number_values(words(output))", NONE, UNKNOWN),
    ('lookup(tables.actions, "REFUND")', NONE, ["pay_back", "credit"]),
    ('lookup(tables.actions, "mail")', NONE, ["send_mail"]),
    ('lookup(tables.actions, "é")', NONE, []),
    ("lookup(tables.actions, output)", NONE, UNKNOWN),
    ('similar("Größe", "GRÖSSE")', NONE, 1.0),
    ('similar("ab", "cd")', NONE, 0.0),
    ('similar("", "")', NONE, 1.0),
    ("similar(output, expected)", {"output": "a"}, UNKNOWN),
    ('nearest("pears", lists.fruit) > 0.8', NONE, True),
    ('nearest("pear", [])', NONE, 0.0),
    ("nearest(output, lists.fruit)", NONE, UNKNOWN),
]

DATES: list[Example] = [
    ("date(output)", {"output": "on 2024-02-29."}, (2024, 2, 29)),
    ("date(output)", {"output": "March 3rd"}, (None, 3, 3)),
    ("date(output)", {"output": "3 of March 2025"}, (2025, 3, 3)),
    ("date(output)", {"output": "2023-02-29"}, UNKNOWN),
    ("date(output)", {"output": "März 3"}, UNKNOWN),
    ("date(output)", NONE, UNKNOWN),
    ('date("2024-01-02") == date("2 January 2024")', NONE, True),
    ("weekday(date(output))", {"output": "2024-02-29"}, "Thursday"),
    ("weekday(date(output))", {"output": "March 3"}, UNKNOWN),
    ("weekday(date(output))", NONE, UNKNOWN),
    ("month_day(date(output))", {"output": "March 3"}, "03-03"),
    ("month_day(date(output))", {"output": "no"}, UNKNOWN),
]

VALIDATORS: list[Example] = [
    ('luhn("4111 1111 1111 1111")', NONE, True),
    ('luhn("4111 1111 1111 1112")', NONE, False),
    ('luhn("")', NONE, False),
    ('luhn("٤١١١")', NONE, False),
    ("luhn(output)", NONE, UNKNOWN),
    ('mod97("GB82 WEST 1234 5698 7654 32")', NONE, True),
    ('mod97("GB82 WEST 1234 5698 7654 33")', NONE, False),
    ('mod97("é")', NONE, False),
    ("mod97(output)", NONE, UNKNOWN),
    ('in_networks("10.1.2.3", lists.networks)', NONE, True),
    ('in_networks("2001:db8::1", lists.networks)', NONE, True),
    ('in_networks("11.1.2.3", lists.networks)', NONE, False),
    ('in_networks("10.1.2.3", [])', NONE, False),
    ('in_networks("dix", lists.networks)', NONE, False),
    ("in_networks(output, lists.networks)", NONE, UNKNOWN),
    ('is_address("::1")', NONE, True),
    ('is_address("1.2.3")', NONE, False),
    ('is_address("١.2.3.4")', NONE, False),
    ("is_address(output)", NONE, UNKNOWN),
]

SCHEMA = {"schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}, "name": "a"}
JSON: list[Example] = [
    ("parsed(output).k", {"output": '{"k": "é"}'}, "é"),
    ("parsed(output)", {"output": "no json"}, None),
    ("parsed(output)", {"output": ""}, None),
    ("parsed(metadata)", {"metadata": {"a": 1}}, {"a": 1}),
    ("parsed(output)", NONE, UNKNOWN),
    ('field(metadata, "exit-code")', {"metadata": {"exit-code": 3}}, 3),
    ('field(metadata, "é")', {"metadata": {}}, None),
    ('field(metadata, "x")', NONE, UNKNOWN),
    ("leaves(metadata)", {"metadata": {"a": [1, {"b": "é"}], "c": None}}, [1, "é"]),
    ("each f in leaves(metadata) give f.key", {"metadata": {"a": [1, {"b": "é"}]}}, ["a", "b"]),
    ("leaves(metadata)", {"metadata": {}}, []),
    ("leaves(metadata)", NONE, UNKNOWN),
    (
        "each c in calls give size(schema_problems(c.args, c.schema))",
        {
            "tools": [SCHEMA],
            "calls": [{"tool": "a", "args": {}}, {"tool": "a", "args": {"id": "é"}}, {"tool": "a", "args": {"id": 1}}],
        },
        [1, 0, 1],
    ),
    ("schema_problems(output, metadata)", {"output": "1", "metadata": {"type": "nonsense"}}, UNKNOWN),
    ("schema_problems(output, metadata)", {"output": "1", "metadata": {"$ref": "http://example.com/x"}}, UNKNOWN),
    ("schema_problems(output, metadata)", {"output": "1"}, UNKNOWN),
    ("json_problems(output)", {"output": '{"é": 1}'}, []),
    ("size(json_problems(output))", {"output": '{"a": 1, "a": 2}'}, 1),
    ("any(json_problems(output))", {"output": "NaN"}, True),
    ("any(json_problems(output))", {"output": ""}, True),
    ("json_problems(output)", NONE, UNKNOWN),
    (
        "some a in calls, b in calls after a satisfies key(a) == key(b)",
        {"calls": [{"tool": "a", "args": {"x": 1, "y": 2}}, {"tool": "a", "args": {"y": 2, "x": 1}}]},
        True,
    ),
    (
        "some a in calls, b in calls after a satisfies key(a) == key(b)",
        {"calls": [{"tool": "a", "args": {}}, {"tool": "é", "args": {}}]},
        False,
    ),
    ("some a in calls satisfies blank(key(a))", {"calls": [{"tool": "a"}]}, UNKNOWN),
]

EXAMPLES = [*NUMBERS, *LISTS, *FACTS, *DATES, *VALIDATORS, *JSON]
