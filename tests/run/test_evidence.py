"""Evidence points at the raw text in code points, never repeats it, and says what was counted against what."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris.run.finding import Evidence, Finding
from iris.run.wire import from_case
from tests.support import engine_of, head, judge

NEEDLE = "xyz9"
SHARED = f"""
detectors:
  needle: {{regex: '{NEEDLE}', class: stub, examples: {{hit: [{NEEDLE}, a {NEEDLE}], miss: [a, b]}}}}
  tail: {{regex: 'z9', class: format, examples: {{hit: [z9, a z9], miss: [a, b]}}}}
  other: {{regex: 'other', examples: {{hit: [other, an other], miss: [a, b]}}}}
"""


def found(text: str, run: dict[str, Any]) -> Finding:
    """The finding of a rule that fails when the needle is found in a reading of the output."""
    return judge(f"{head()}fail_when: 'found(d.needle, {text})'\n", run, SHARED)


def spans(finding: Finding) -> list[tuple[str, int, int]]:
    """The places of the evidence."""
    return [(e["source"], e["start"], e["end"]) for e in finding.evidence if e["type"] == "span"]


def wide(text: str) -> str:
    """A text in full-width letters."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


BEFORE = st.text(alphabet="a é\u00a0ﬁ€😀\u200b.ß漢字", max_size=30)


@settings(max_examples=80, deadline=None)
@given(BEFORE, BEFORE)
def test_a_span_of_the_output_is_the_raw_stretch_whatever_stands_before_it(before: str, after: str) -> None:
    output = f"{before}{NEEDLE}{after}"
    ((source, start, end),) = spans(found("output", {"output": output}))
    assert (source, output[start:end]) == ("output", NEEDLE)


@settings(max_examples=80, deadline=None)
@given(BEFORE, BEFORE)
def test_a_span_in_the_folded_text_points_at_the_raw_letters(before: str, after: str) -> None:
    written = wide(NEEDLE)
    output = f"{before} {written}.{after}"
    ((_, start, end),) = spans(found("folded(output)", {"output": output}))
    assert output[start:end] == written


@settings(max_examples=60, deadline=None)
@given(BEFORE)
def test_a_span_in_a_decoded_text_is_the_whole_encoded_run(before: str) -> None:
    encoded = base64.b64encode(f"this hides {NEEDLE} in a run of letters".encode()).decode()
    output = f"{before}\n{encoded} end"
    ((_, start, end),) = spans(found("decoded(output)", {"output": output}))
    assert encoded.rstrip("=") == output[start:end].rstrip("=")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='a é\n"\\😀ß', max_size=20))
def test_a_span_in_a_json_document_points_into_the_document(before: str) -> None:
    output = json.dumps({"k": 1, "text": f"{before} {NEEDLE}"}, ensure_ascii=False)
    places = spans(found("json_values(output)", {"output": output}))
    assert [output[start:end] for _, start, end in places] == [NEEDLE]


def test_a_span_in_an_escaped_json_text_covers_the_escapes() -> None:
    output = '{"text": "é\\u0078yz9 more"}'
    ((_, start, end),) = spans(found("json_values(output)", {"output": output}))
    assert output[start:end] == "\\u0078yz9"


@pytest.mark.parametrize(
    "reading", ["first(output, 30)", "sentences(output)", "lines(output)", "folded(first(output, 30))", "last(output, 10)"]
)
def test_parts_and_windows_point_into_the_raw_text(reading: str) -> None:
    output = "Été 😀. Then xyz9 ends."
    for text in (reading, f"[output] + [{reading}]"):
        assert {output[s:e] for _, s, e in spans(found(text, {"output": output}))} == {NEEDLE}


def test_a_span_names_the_call_it_lies_in() -> None:
    run = {"calls": [{"tool": "a", "result": "é"}, {"tool": "b", "args": {"k": "é xyz9"}, "result": "ü xyz9"}]}
    assert spans(found("calls.result", run)) == [("tool_outputs[1]", 2, 6)]
    ((source, start, end),) = spans(judge(f"{head()}fail_when: some c in calls satisfies found(d.needle, c.args)\n", run, SHARED))
    assert (source, json.dumps({"k": "é xyz9"}, ensure_ascii=False)[start:end]) == ("tool_calls[1].input", NEEDLE)


def words_of(value: Any) -> str:
    """All text of a finding."""
    return json.dumps(value, ensure_ascii=False, default=str)


SECRET = "qqsecretqq"
TELLING = [
    f'contains(output, "{SECRET}")', "any(words(output))", "some w in words(output) satisfies size(w) > 8", "any(terms(output))",
    "some s in sentences(output) satisfies size(s) > 3", "any(words(output) & words(input))", "some c in calls satisfies found(secret, c.result)",
    "output == input", "output in [input]", "some f in leaves(parsed(metadata)) satisfies not blank(f)", "any(hits(secret, folded(output)))",
    "some a in calls, b in calls after a satisfies a.result == b.result", "similar(output, input) > 0.5", "some c in calls satisfies not blank(c.error)",
    "any(conflicting(hits(secret, output), hits(keyed, input)))", "any(each s in lines(output) where found(secret, s) give first(s, 3))",
]  # fmt: skip


@pytest.mark.parametrize("condition", TELLING)
def test_no_evidence_repeats_text_of_the_run(condition: str) -> None:
    text = f"{SECRET} is 12."
    run = {
        "output": text, "input": text, "metadata": {"k": SECRET},
        "calls": [{"tool": "t", "args": {"k": SECRET}, "result": text, "error": SECRET}] * 2,
    }  # fmt: skip
    local = f"""detectors:
  secret: {{regex: '{SECRET}', key: match, value: match, examples: {{hit: [{SECRET}, a {SECRET}], miss: [a, b]}}}}
  keyed: {{regex: '{SECRET}', key: match, value: size(match), examples: {{hit: [{SECRET}, a {SECRET}], miss: [a, b]}}}}
"""
    finding = judge(f'{head()}{local}fail_when: |\n  {condition}\nsay: "{{size(output)}} characters"\n', run)
    assert finding.state == "fails"
    assert finding.why is not None
    kept = [{k: v for k, v in e.items() if k != "stat"} for e in finding.evidence]
    assert SECRET not in words_of([kept, finding.message, finding.advice])
    values = [node["value"] for node in nodes(finding.why())]
    assert SECRET not in words_of(values)


def nodes(tree: Any) -> list[dict[str, Any]]:
    """Every node of a `why` tree that has a value."""
    if isinstance(tree, list):
        return [n for item in tree for n in nodes(item)]
    below = [n for key in ("conditions", "children") for n in nodes(tree.get(key, []))]
    return ([tree] if "value" in tree else []) + below


def test_at_most_25_items_are_given() -> None:
    finding = found("output", {"output": f"{NEEDLE} " * 60})
    assert len(finding.evidence) == 25
    rule = f"{head()}signals:\n  a: found(d.needle, output)\n  b: found(d.other, output)\nadvise:\n  c: found(d.tail, output)\n"
    both = judge(rule, {"output": f"{NEEDLE} other " * 60}, SHARED)
    assert len(both.evidence) == 25
    assert both.signals == ("a", "b")


def test_a_detector_that_reached_its_cap_says_so() -> None:
    assert found("output", {"output": f"{NEEDLE} " * 120}).capped is True
    assert found("output", {"output": f"{NEEDLE} " * 20}).capped is False


def counts(finding: Finding) -> list[Evidence]:
    """The counts of the evidence."""
    return [e for e in finding.evidence if e["type"] == "count"]


CONFIGURED = f"{head()}config:\n  most: {{type: count, default: 2, about: a}}\nlet:\n  shares: size(calls) / config.most\n"
CALLS = {"calls": [{"tool": "a"}] * 5}


def test_a_count_carries_what_was_counted_and_where_the_bound_came_from() -> None:
    rule = f"{head()}fail_when: size(calls) > 3\n"
    wanted = {"type": "count", "stat": "size(calls)", "unit": "count", "value": 5, "threshold": 3, "thresholdSource": "rule"}
    assert counts(judge(rule, CALLS)) == [wanted]
    own = CONFIGURED.partition("let:")[0] + "fail_when: size(calls) > config.most\n"
    (count,) = counts(judge(own, CALLS))
    assert (count["threshold"], count["thresholdSource"]) == (2, "default")
    assert judge(own, CALLS).own_number is True
    (count,) = counts(judge(own, CALLS, most=4))
    assert (count["threshold"], count["thresholdSource"]) == (4, "config")
    assert judge(own, CALLS, most=4).own_number is False


def test_a_bound_of_the_call_is_told_from_one_of_the_deployment() -> None:
    engine = engine_of(CONFIGURED.partition("let:")[0] + "fail_when: size(calls) > config.most\n")
    for source in ("config", "call"):
        (finding,) = engine.judge(from_case(CALLS), engine.rules, {"trial": {"most": (1, source)}})
        assert counts(finding)[0]["thresholdSource"] == source


def test_a_setting_behind_a_let_is_still_the_source_of_the_bound() -> None:
    (count,) = counts(judge(CONFIGURED + "fail_when: shares > 2\n", CALLS))
    assert (count["stat"], count["value"], count["threshold"], count["thresholdSource"]) == ("shares", 2.5, 2, "default")
    (count,) = counts(judge(CONFIGURED + "fail_when: 2 < shares\n", CALLS, most=1))
    assert (count["stat"], count["value"], count["threshold"], count["thresholdSource"]) == ("shares", 5, 2, "config")


def test_a_passing_rule_reports_the_count_it_compared() -> None:
    finding = judge(f"{head()}fail_when: size(calls) > 9\n", CALLS)
    assert finding.state == "passes"
    assert [(c["stat"], c["value"], c["threshold"]) for c in counts(finding)] == [("size(calls)", 5, 9)]
    assert finding.value == ("size(calls)", "count", 5)


def test_the_why_tree_has_the_expressions_and_their_values() -> None:
    rule = f'{head()}let:\n  many: size(calls)\nfail_when: many > 3 and (some c in calls satisfies c.tool == "a")\n'
    finding = judge(rule, CALLS)
    assert finding.why is not None
    shown = {node.get("expression"): node["value"] for node in nodes(finding.why())}
    assert shown["many > 3"] is True
    assert (shown["many"], shown["size(calls)"]) == (5, 5)
    assert shown['some c in calls satisfies c.tool == "a"'] is True
    assert shown['c.tool == "a"'] is True


def test_the_why_tree_follows_a_definition_into_its_body() -> None:
    finding = judge(f"{head()}fail_when: some c in calls satisfies failed(c)\n", {"calls": [{"tool": "a", "error": "e"}]})
    assert finding.why is not None
    assert {"failed(c)", "given(c.error)", "not blank(c.error)"} <= {n.get("expression") for n in nodes(finding.why())}


OVERLAP = f"{head()}signals:\n  a: found(d.needle, output)\n  b: found(d.tail, output)\n  c: found(d.other, output)\n"


def test_signals_that_rest_on_one_place_count_once_in_fired() -> None:
    scored = f'{OVERLAP}score: 1 - 0.25 * fired\nsay: "{{fired}} found"\n'
    together = judge(scored, {"output": f"é {NEEDLE}"}, SHARED)
    assert (together.signals, together.score, together.message) == (("a", "b"), 0.75, "1 found")
    apart = judge(scored, {"output": f"{NEEDLE} other"}, SHARED)
    assert (apart.signals, apart.score, apart.message) == (("a", "b", "c"), 0.5, "2 found")


def test_classes_are_those_of_what_was_found() -> None:
    assert judge(OVERLAP, {"output": "z9"}, SHARED).classes == ("format",)
    assert judge(OVERLAP, {"output": NEEDLE}, SHARED).classes == ("stub", "format")
    assert judge(OVERLAP, {"output": "other"}, SHARED).classes == ("stub", "format")


def test_a_comparison_with_nothing_in_common_still_fails_with_the_other_side_absent() -> None:
    finding = judge(f"{head()}fail_when: size(hits(d.needle, output) & hits(d.needle, input)) == 0\n", {"output": "a"}, SHARED)
    assert (finding.state, finding.skip_reason) == ("fails", None)
