"""Generated texts and leaking runs."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

from iris.report.judged import Judged

from .samples import judged, result, rule, skipped

AWKWARD = "\n\r\t\x1b\x00\x85\u2028\u200b\u202e\U000e0041\ud800客é%:,|`<&\"'[#"
awkward_text = st.text(alphabet=st.one_of(st.characters(), st.sampled_from(AWKWARD + "ab ")), max_size=60)
# Letters and digits by turns, so that no word that a format itself writes is taken for a secret.
pairs = st.tuples(st.sampled_from(string.ascii_letters), st.sampled_from(string.digits))
secrets = st.lists(pairs, min_size=6, max_size=25).map(lambda found: "".join(a + b for a, b in found))
# Few letters, so that the text around a secret resembles it.
nearby = st.text(alphabet="aA0b =\n-.\u200b客", max_size=40)


@st.composite
def spans(draw: st.DrawFn, text: str, source: str) -> dict[str, Any]:
    """Draw a span of a text, which may cut a secret in two."""
    start = draw(st.integers(0, len(text)))
    return {
        "type": "span",
        "source": source,
        "start": start,
        "end": draw(st.integers(start, len(text))),
        "label": "other",
    }


@st.composite
def leaks(draw: st.DrawFn) -> tuple[str, Judged]:
    """Draw a secret and a run that holds it in many places, of which one is reported."""
    secret = draw(secrets)
    before, after = draw(nearby), draw(nearby)
    output = before + secret + after + draw(st.sampled_from(["", secret, secret[3:], f"\n{secret.upper()} "]))
    page = draw(nearby) + secret[draw(st.integers(0, 3)) :] + draw(nearby)
    call = {"tool_name": f"t-{secret}", "input": {"k": secret}, "output": page}
    found = {
        "type": "span",
        "source": "output",
        "start": len(before),
        "end": len(before) + len(secret),
        "label": "key",
    }
    others = draw(st.lists(st.one_of(spans(output, "output"), spans(page, "tool_outputs[0]")), max_size=4))
    arguments = {"type": "span", "source": "tool_calls[0].input", "start": 2, "end": 4, "label": "argument"}
    named = {"type": "toolCall", "index": 0, "toolName": call["tool_name"], "label": f"sent {secret}"}
    cited = {"type": "citation", "url": f"https://example.com/?k={secret}", "status": "dead"}
    rules = [
        rule("no_pii", f"found {secret}", classes=["credential_leak"], evidence=[found]),
        rule("other", "found more", evidence=[*others, arguments, named, cited]),
        skipped("late", f"after {secret}"),
    ]
    state = draw(st.sampled_from(["fail", "unknown"]))
    outcome = result(rules, state, by=["late"], suggestions=[f"remove {secret}"], note=f"about {secret}")
    return secret, judged({"output": output, "tool_calls": [call]}, outcome)
