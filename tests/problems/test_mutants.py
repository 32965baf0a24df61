"""Whatever stands in a rule file, it is compiled or its mistakes are shown; nothing crashes."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from . import golden

RULES = [p.read_text(encoding="utf-8") for p in sorted(golden.HERE.glob("E*.yaml"))]
ODD = [
    "[]", "{}", "null", "5", "-1.5", "true", '""', "|", ">", "[a]", "{a: b}", "[{a: b}]", "[[a]]", "&x", "*x", "!t x", "a: b",
    "output", "calls", "config.x", "(", "size(", "NO", "\\", "'", '"', "\t", "\u2028", "é",
]  # fmt: skip


def changed(text: str, index: int, odd: str, whole: bool) -> str:
    """A rule with one value replaced, or with something put before it."""
    values = list(re.finditer(r"(?<=: )[^\n,{}]+|(?<=- )[^\n]+", text))
    value = values[index % len(values)]
    return text[: value.start()] + odd + text[value.end() if whole else value.start() :]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(RULES), st.lists(st.tuples(st.integers(0, 200), st.sampled_from(ODD), st.booleans()), min_size=1, max_size=3)
)
def test_an_odd_value_anywhere_in_a_rule_is_no_crash(text: str, changes: list[tuple[int, str, bool]]) -> None:
    for index, odd, whole in changes:
        text = changed(text, index, odd, whole)
    with golden.scratch():
        problems = golden.rule_problems(text)
        golden.shown(problems)
        (file,) = [p for p in Path("house").iterdir() if p.name != "pack.yaml"]
        lines = file.read_text(encoding="utf-8").split("\n")
    for problem in problems:
        assert re.fullmatch(r"E\d\d\d", problem.code)
        assert problem.place is None or problem.place.line <= len(lines)
