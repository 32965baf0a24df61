"""What the operators on texts mean: expression, run, value."""

from __future__ import annotations

import base64
from typing import Any

from tests.support import UNKNOWN

Example = tuple[str, dict[str, Any], Any]

PARA = {"output": "One two. Three?\n\nSecond block."}
HIDDEN = base64.b64encode(b"the hidden words of a text").decode()
TABLE = "| item | price |\n|---|---|\n| pen | 3 € |\n| mug | 7 |\n"
DIFF = "```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-gone\n kept\n```\n"

PRESENCE: list[Example] = [
    ("given(input)", {}, False),
    ("given(input)", {"input": "a"}, True),
    ("given(output)", {"output": ""}, True),
    ("given(input) and given(output)", {"output": "x"}, False),
    ("each c in calls where given(c.result) give c.index", {"calls": [{"tool": "a"}, {"tool": "b", "result": "r"}]}, [1]),
    ("each c in calls where given(c.error) give c.index", {"calls": [{"tool": "a", "error": None}, {"tool": "b"}]}, [0]),
    ("gather(input, output)", {}, UNKNOWN),
    ("gather(input, output)", {"output": "o"}, ["o"]),
    ("gather(input, calls.result)", {"input": "é", "calls": [{"tool": "a", "result": "r"}, {"tool": "b"}]}, ["é", "r"]),
    ("gather(input, calls.result)", {"calls": []}, []),
]

DETECTORS: list[Example] = [
    ("found(d.hedge, output)", {"output": "Well, I  THINK so"}, True),
    ("found(d.hedge, output)", {"output": "rethink"}, False),
    ("found(d.hedge, output)", {}, UNKNOWN),
    ("found(d.hedge, [])", {}, False),
    ("found(d.hedge, gather(input, output))", {"input": "no", "output": "not sure"}, True),
    ("found(d.euro, output)", {"output": "größer: 12 €"}, True),
    ("found(d, output)", {"output": "3 €"}, True),
    ("found(d.large, output)", {"output": "404 and 5"}, False),
    ("found(d.large, output)", {"output": "404 and 505"}, True),
    ("hits(d.pair, output)", {"output": "a=1, b=zwei"}, ["1", "zwei"]),
    ("each h in hits(d.pair, output) give h.key", {"output": "a=1 b=2"}, ["a", "b"]),
    ("each h in hits(d.pair, output) give h.k", {"output": "ü a=1 é b=2"}, ["a", "b"]),
    ("each h in hits(d, output) give h.name", {"output": "x=1 x 5 €"}, ["d.pair", "d.word_x", "d.word_x", "d.euro"]),
    ("each h in hits(d.word_x, output) give h.class", {"output": "x"}, ["stub"]),
    ("hits(d.amount, output)", {"output": "$5 $12"}, [5, 12]),
    ("hits(d.large, output)", {"output": "5 101 404 999"}, ["101", "999"]),
    ("hits(d.large, [])", {}, []),
    ("hits(d.large, output)", {}, UNKNOWN),
    ("hits(d.large, gather(input, output))", {"input": "101", "output": "102"}, ["101", "102"]),
    ("size(hits(d.word_x, output))", {"output": "x " * 250}, 100),
]

VIEWS: list[Example] = [
    ("folded(output)", {"output": "ＡＢＣ  def\u200b"}, "ABC def"),
    ("folded(output)", {"output": "раypal"}, "paypal"),
    ("folded(gather(input, output))", {"input": "é", "output": "a  b"}, ["e", "a b"]),
    ("folded([])", {}, []),
    ("folded(output)", {}, UNKNOWN),
    ("unbroken(output)", {"output": "pass\nword here"}, "password here"),
    ("unbroken(output)", {}, UNKNOWN),
    ("unleet(output)", {"output": "1gn0re 100 items"}, "ignore 100 items"),
    ("unleet(output)", {}, UNKNOWN),
    ("unspaced(output)", {"output": "i g n o r e this"}, "ignore this"),
    ("unspaced(output)", {}, UNKNOWN),
    ("decoded(output)", {"output": f"see {HIDDEN} end"}, ["the hidden words of a text"]),
    ("decoded(output)", {"output": "nothing here"}, []),
    ("decoded([])", {}, []),
    ("decoded(output)", {}, UNKNOWN),
    ('contains(json_values(output), "a\\nb")', {"output": '{"k": "a\\nb"}'}, True),
    ("json_values(output)", {"output": "no document"}, "no document"),
    ("json_values(output)", {}, UNKNOWN),
    ('contains(json_labelled(output), "secret")', {"output": '{"secret": "x"}'}, True),
    ("json_labelled(output)", {"output": "no document"}, "no document"),
    ("json_labelled(output)", {}, UNKNOWN),
]

PARTS: list[Example] = [
    ("sentences(output)", {"output": "One two. Three? Vier, Dr. Ümit!"}, ["One two.", "Three?", "Vier, Dr. Ümit!"]),
    ("sentences(output)", {"output": ""}, []),
    ("sentences([])", {}, []),
    ("sentences(output)", {}, UNKNOWN),
    ("lines(output)", {"output": "a\n\n  \nb é"}, ["a", "b é"]),
    ("lines(output)", {}, UNKNOWN),
    ("blocks(output)", PARA, ["One two. Three?", "Second block."]),
    ("blocks([])", {}, []),
    ("blocks(output)", {}, UNKNOWN),
    ("quoted(output)", {"output": "He wrote “ça va bien” and went on with a long sentence of his own."}, ["ça va bien"]),
    ("quoted(output)", {"output": "it's"}, []),
    ("quoted(output)", {}, UNKNOWN),
    ("fenced(output)", {"output": "a\n```py\nx = 1\n```\nb"}, ["x = 1"]),
    ("fenced(output)", {"output": "a"}, []),
    ("fenced(output)", {}, UNKNOWN),
    ('each r in removed(output) give contains(r, "gone")', {"output": DIFF}, [True]),
    ("removed(output)", {"output": "- a list\n- of things"}, []),
    ("removed(output)", {}, UNKNOWN),
    ("cells(output)", {"output": TABLE}, ["3 €", "7"]),
    ("each c in cells(output) give c.key", {"output": TABLE}, ["pen", "mug"]),
    ("cells([])", {}, []),
    ("cells(output)", {}, UNKNOWN),
    ("words(output)", {"output": "The Größe, the x2!"}, ["the", "größe", "the", "x2"]),
    ("words(output, shortest=4)", {"output": "The Größe of it"}, ["größe"]),
    ("size(words(output))", {"output": "a a a"}, 3),
    ("words([])", {}, []),
    ("words(output)", {}, UNKNOWN),
    ("terms(output)", {"output": "The refund and refunds of the order"}, ["refund", "order"]),
    ('terms(output, drop=["refund"])', {"output": "refund order"}, ["order"]),
    ("any(terms(output))", {"output": "the of"}, False),
    ("any(terms(output))", {"output": "the order"}, True),
    ("terms([])", {}, []),
    ("terms(output)", {}, UNKNOWN),
]

WINDOWS: list[Example] = [
    ("each h in hits(d.large, output) give text_before(h, 3)", {"output": "ü é 500"}, [" é "]),
    ("each h in hits(d.large, output) give text_before(h, 9)", {"output": "a 500"}, ["a "]),
    ("each h in hits(d.large, output) give text_after(h, 2)", {"output": "500 €!"}, [" €"]),
    ("each h in hits(d.large, output) give text_after(h, 2)", {"output": "500"}, [""]),
    ("each h in hits(d.large, output) give around(h, 1)", {"output": "<500>"}, ["<500>"]),
    ("first(output, 2)", {"output": "éàü"}, "éà"),
    ("first(output, 9)", {"output": "ab"}, "ab"),
    ("first(output, 0)", {"output": "ab"}, ""),
    ("last(output, 2)", {"output": "éàü"}, "àü"),
    ("last(output, 0)", {"output": "ab"}, ""),
    ("each s in sentences(output) give first(s, 3)", {"output": "One two. Four."}, ["One", "Fou"]),
    ("each s in sentences(output) give last(s, 4)", {"output": "One two. Four."}, ["two.", "our."]),
    ("each h in hits(d.large, output) give line_of(h)", {"output": "a\nb 500 ç\nc"}, ["b 500 ç"]),
    ("each h in hits(d.large, output) give line_of(h)", {"output": "500"}, ["500"]),
    ("each h in hits(d.large, output) give sentence_of(h)", {"output": "No. It is 500 here. Yes."}, ["It is 500 here."]),
    *[(f"{name}(output, 3)", {}, UNKNOWN) for name in ("text_before", "text_after", "around", "first", "last")],
    *[(f"{name}(output)", {}, UNKNOWN) for name in ("line_of", "sentence_of")],
    ("first(output, number(input))", {"output": "abc", "input": "none"}, UNKNOWN),
    ("found(d.word_x, first(output, 1))", {"output": "ax"}, False),
]

TESTS: list[Example] = [
    ('contains(output, "STRASSE")', {"output": "die straße"}, True),
    ('contains(output, "two  words")', {"output": "two\nwords"}, True),
    ('contains(output, ["no", "él"])', {"output": "ÉL"}, True),
    ("contains(output, [])", {"output": "a"}, False),
    ('contains(output, "")', {"output": "a"}, False),
    ('contains([], "a")', {}, False),
    ('contains(output, "a")', {}, UNKNOWN),
    ("contains(output, input)", {"output": "a"}, UNKNOWN),
    ('mentions(output, "cat")', {"output": "concatenate"}, False),
    ('mentions(output, "cat")', {"output": "concatenate a CAT."}, True),
    ('mentions(output, "noir")', {"output": "énoir"}, False),
    ('mentions(output, "東京")', {"output": "私は東京に"}, True),
    ("mentions(output, lists.fruit)", {"output": "a crème\nbrûlée"}, True),
    ("mentions(output, lists.fruit)", {}, UNKNOWN),
    ('starts(output, "HE")', {"output": "hello"}, True),
    ("starts(output, [])", {"output": "hello"}, False),
    ('starts(output, ["a", "É"])', {"output": "été"}, True),
    ('starts(output, "a")', {}, UNKNOWN),
    ('ends(output, "LO")', {"output": "hello"}, True),
    ("ends(output, [])", {"output": "hello"}, False),
    ('ends(output, "a")', {}, UNKNOWN),
    ("blank(output)", {"output": " \n\u2003"}, True),
    ("blank(output)", {"output": "."}, False),
    ("blank(metadata.none)", {"metadata": {}}, True),
    ("blank(metadata.x)", {"metadata": {"x": False}}, True),
    ("blank(metadata.x)", {"metadata": {"x": 0}}, False),
    ("blank(metadata.x)", {"metadata": {"x": []}}, True),
    ("blank(output)", {}, UNKNOWN),
    (
        "each h in hits(d.large, output) where inside(h, quoted(output)) give h",
        {"output": "He says “101 x” but 102 is true here."},
        ["101"],
    ),
    (
        "each h in hits(d.large, folded(output)) where inside(h, quoted(output)) give h",
        {"output": "É he  says “101 x”, 102 now."},
        ["101"],
    ),
    ("each h in hits(d.large, output) where inside(h, []) give h", {"output": "101"}, []),
    ("inside(output, quoted(output))", {}, UNKNOWN),
    ("each h in hits(d.large, output) where within(h, hits(d.word_x, output), 2) give h", {"output": "x 101 ééé 102"}, ["101"]),
    ("each h in hits(d.large, output) where within(h, [], 5) give h", {"output": "101"}, []),
    ("within(output, quoted(output), 3)", {}, UNKNOWN),
    ("lower(output)", {"output": "ÀB"}, "àb"),
    ("lower(output)", {}, UNKNOWN),
    ("digits(output)", {"output": "a1-2٣b"}, "12"),
    ("digits(output)", {}, UNKNOWN),
    ('stem(output) == stem("orders")', {"output": "order"}, True),
    ("stem(output)", {}, UNKNOWN),
    ("size(output)", {"output": "éa"}, 2),
    ("size(calls)", {"calls": [{"tool": "a"}]}, 1),
    ("size([])", {}, 0),
    ("size(metadata.none)", {"metadata": {}}, 0),
    ("size(metadata)", {"metadata": {"a": 1, "b": 2}}, 2),
    ("size(output)", {}, UNKNOWN),
    ("size(each c in calls where blank(c.result))", {"calls": [{"tool": "a"}, {"tool": "b", "result": ""}]}, ("between", 1, 2)),
    ("entropy(output)", {"output": "abab"}, 1.0),
    ("entropy(output)", {"output": ""}, 0.0),
    ("entropy(output)", {}, UNKNOWN),
]

READINGS = "folded unbroken unleet unspaced decoded json_values json_labelled"
PIECES = "sentences lines blocks quoted fenced removed cells words terms"
EMPTY: list[Example] = [
    *[(f"{name}([])", {}, []) for name in f"{READINGS} {PIECES}".split()],
    ('mentions([], "a")', {}, False),
    ("mentions(output, [])", {"output": "a"}, False),
    ("gather([])", {}, []),
]

EXAMPLES = [*EMPTY, *PRESENCE, *DETECTORS, *VIEWS, *PARTS, *WINDOWS, *TESTS]
