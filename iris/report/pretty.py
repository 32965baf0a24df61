"""The report for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from iris.report.evidence import phrase, told
from iris.report.excerpt import excerpt
from iris.report.judged import (
    Judged,
    RuleResult,
    advisories,
    deciding_rules,
    decision,
    failed_rules,
    place_of,
    results_of,
    skipped_rules,
    state_of,
    verdict_of,
    weighs,
)
from iris.report.paint import Paint
from iris.report.tally import Tally, plural, totals
from iris.report.text import visible, wrap
from iris.report.veil import Scene, Veil, scene_of
from iris.report.why import why_lines

MARKS = {"pass": "✓ PASS", "fail": "✗ FAIL", "unknown": "? UNKNOWN", "error": "! ERROR"}
ADVISED = "▲ PASS"
"""The mark of a run that passed although rules point at something; each such rule has the sign of it."""
SUPPLY = "Supply `"
"""How a suggestion begins that names an input which rules waited for."""
NARROWEST = 40
SPANS_SHOWN = 5
"""Places drawn per rule unless `verbose`."""
BAR = "        │ "


class Pretty:
    """Writes one block a run, then totals. `width` is in terminal columns, at least 40."""

    def __init__(self, *, colour: bool = False, width: int = 100, verbose: bool = False) -> None:
        self.paint = Paint(colour)
        self.width = max(width, NARROWEST)
        self.verbose = verbose
        self.tally = Tally()
        self.lacked: Counter[str] = Counter()
        """Runs per suggestion to supply an input."""
        self.apart = True
        """Whether the report so far ends with an empty line."""

    def start(self) -> str:
        """Return nothing: the first run opens the report."""
        return ""

    def item(self, judged: Judged) -> str:
        """Return the block of one run; a single line when there is nothing more to say than its verdict."""
        self.tally.add(judged)
        body = self._error(judged) if judged.result is None else self._body(scene_of(judged))
        lines = [*self._header(judged), *body]
        gap = "" if self.apart or len(lines) == 1 else "\n"
        self.apart = len(lines) > 1
        return gap + "\n".join(lines) + ("\n\n" if self.apart else "\n")

    def end(self) -> str:
        """Return the totals and the failures per rule."""
        lines = wrap(totals(self.tally), self.width)
        lines = [*([] if self.apart else [""]), *(self.paint("bold", line) for line in lines)]
        lines += self._table("failures per rule", self.tally.failures())
        lines += self._table("inputs that would let more rules judge", self.lacked.most_common())
        return "\n".join(lines) + "\n"

    def _table(self, title: str, rows: list[tuple[str, int]]) -> Iterator[str]:
        if not rows:
            return
        yield from ("", title)
        digits = len(str(rows[0][1]))
        for text, count in rows:
            yield from wrap(visible(text), self.width, f"  {count:>{digits}}  ", " " * (digits + 4))

    def _header(self, judged: Judged) -> list[str]:
        state = state_of(judged)
        parts = [visible(judged.run_id), *_facts(judged), visible(place_of(judged))]
        count = advisories(judged)
        style, mark = ("advice", ADVISED) if count else (state, MARKS[state])
        if count:
            parts[0] = f"with {plural(count, 'advisory')} · {parts[0]}"
        lines = wrap(" · ".join(part for part in parts if part), self.width, mark + " ", "    ")
        return [self.paint(style, mark) + lines[0].removeprefix(mark), *lines[1:]]

    def _error(self, judged: Judged) -> Iterator[str]:
        if judged.error is None:
            return
        yield from wrap(visible(judged.error.message), self.width, f"  error[{visible(judged.error.code)}]: ", "    ")
        if judged.error.help:
            yield from wrap(visible(judged.error.help), self.width, "  help: ", "    ")

    def _body(self, scene: Scene) -> Iterator[str]:
        deciding = deciding_rules(scene.judged)
        for result in failed_rules(scene.judged):
            decides = result["ruleName"] in deciding or weighs(result)
            yield from self._rule(*(("✗", "fail") if decides else (ADVISED[0], "advice")), result, scene)
        for result in skipped_rules(scene.judged):
            # Why a verdict is unknown is told always, other skips on request only.
            if result["ruleName"] in deciding or self.verbose:
                yield from self._skip(result, scene.veil, dim=result["ruleName"] not in deciding)
        for result in _advising(scene.judged) if self.verbose else ():
            yield from self._rule("·", "note", result, scene)
        for suggestion in (scene.judged.result or {})["suggestions"]:
            if suggestion.startswith(SUPPLY) and state_of(scene.judged) != "unknown":
                # Nearly every run lacks something: it is said once, at the end.
                self.lacked[scene.veil.mask(suggestion)] += 1
                continue
            yield from wrap(visible(scene.veil.mask(suggestion)), self.width, "  → ", "    ")

    def _skip(self, result: RuleResult, veil: Veil, *, dim: bool) -> Iterator[str]:
        reason = visible(veil.mask(result.get("skipReason") or result["message"]))
        for line in wrap(f"{visible(result['ruleName'])} skipped: {reason}", self.width, "  - ", "    "):
            yield self.paint("dim", line) if dim else line

    def _rule(self, mark: str, style: str, result: RuleResult, scene: Scene) -> Iterator[str]:
        tags = [word for word in ("critical" if result.get("critical") else "", result.get("role", "")) if word]
        name = visible(result["ruleName"]) + (f" ({' '.join(tags)})" if tags else "")
        message = visible(scene.veil.mask(result["message"]))
        lines = wrap(f"{name}: {message}", self.width, f"  {mark} ", "    ")
        yield lines[0].replace(mark, self.paint(style, mark), 1)
        yield from lines[1:]
        # The classes of a rule that passed are what it looks for, not what it found.
        for key in () if result["passed"] else ("signals", "classes"):
            if names := ", ".join(result.get(key, ())):
                yield from wrap(visible(names), self.width, f"      {key}: ", "        ")
        yield from self._evidence(result, scene)
        yield from why_lines(result.get("why"), self.width)

    def _evidence(self, result: RuleResult, scene: Scene) -> Iterator[str]:
        spans = _spans(result)
        shown = spans if self.verbose else spans[:SPANS_SHOWN]
        for item in shown:
            yield from wrap(phrase(item, scene.veil), self.width, "      ", "        ")
            yield from self._excerpt(item, scene)
        if len(shown) < len(spans):
            yield f"      and {len(spans) - len(shown)} more places"
        for item in told(result):
            # A signal is named above already.
            if item["type"] != "span" and item.get("name") not in result.get("signals", ()):
                yield from wrap(phrase(item, scene.veil), self.width, "      ", "        ")

    def _excerpt(self, item: Mapping[str, Any], scene: Scene) -> Iterator[str]:
        text = scene.text(item["source"])
        if scene.veil.withheld:
            yield self.paint("dim", f"{BAR}text withheld: leaks not all placed")
        elif text is None or not 0 <= item["start"] <= item["end"] <= len(text):
            yield self.paint("dim", f"{BAR}the run has no such text")
        else:
            drawn = excerpt(text, item["start"], item["end"], self.width - len(BAR))
            yield BAR + drawn.before + self.paint("mark", drawn.marked) + drawn.after
            if not self.paint.colour or not drawn.marked:
                yield BAR + drawn.underline()


def _facts(judged: Judged) -> Iterator[str]:
    if judged.result is None:
        return
    yield f"score {judged.result['score']:.2f}"
    if state_of(judged) != "pass":
        yield visible(decision(judged))
    if risk := verdict_of(judged).get("risk"):
        yield f"risk {risk['pBad']:.2f} ({risk['lo']:.2f} to {risk['hi']:.2f})"


def _advising(judged: Judged) -> list[RuleResult]:
    """Return the rules that passed and still point at something."""
    return [r for r in results_of(judged) if r["passed"] and not r.get("skipped") and r.get("evidence")]


def _spans(result: RuleResult) -> list[Mapping[str, Any]]:
    """Return the places of a rule, each once, under all the labels it was given."""
    labels: dict[tuple[str, int, int], list[str]] = {}
    for item in result.get("evidence", ()):
        if item["type"] == "span":
            labels.setdefault((item["source"], item["start"], item["end"]), []).append(item["label"])
    return [
        {
            "type": "span",
            "source": source,
            "start": start,
            "end": end,
            "label": ", ".join(dict.fromkeys(names)),
        }
        for (source, start, end), names in labels.items()
    ]
