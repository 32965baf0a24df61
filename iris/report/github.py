"""GitHub Actions: an annotation for each run that did not pass, and a job summary in Markdown."""

from __future__ import annotations

from pathlib import Path

from iris.report.escape import github_data, github_property, markdown_code, markdown_text
from iris.report.evidence import sentence
from iris.report.judged import (
    Judged,
    deciding_rules,
    decision,
    failed_rules,
    place_of,
    skipped_rules,
    state_of,
    verdict_of,
)
from iris.report.tally import Tally, plural
from iris.report.veil import veil_of

LEVELS = {"fail": "error", "unknown": "warning", "error": "error"}
SUMMARY_BYTES = 900_000
"""GitHub refuses the summary of a step over 1 MiB; the rest is left for the totals."""
TOTALS = "| passed | failed | unknown | errors |\n|---:|---:|---:|---:|\n"
HEAD = "| run | verdict | score | decided by | failed rules | where |\n|---|---|---:|---|---|---|\n"


def command(level: str, message: str, **properties: str | int) -> str:
    """Write one workflow command line, everything in it escaped."""
    named = ",".join(f"{key}={github_property(str(value))}" for key, value in properties.items())
    return f"::{level} {named}::{github_data(message)}\n" if named else f"::{level}::{github_data(message)}\n"


def _message(judged: Judged) -> str:
    if judged.result is None:
        return f"{judged.error.code}: {judged.error.message}" if judged.error else "not judged"
    veil = veil_of(judged)
    skips = [
        f"{r['ruleName']} skipped: {veil.mask(r.get('skipReason') or r['message'])}"
        for r in skipped_rules(judged)
        if r["ruleName"] in deciding_rules(judged)
    ]
    said = [*(sentence(r, veil) for r in failed_rules(judged)), *skips]
    if said:
        return "\n".join(said)
    # Nothing failed and no rule decided: what was missing is all there is to say.
    lacking = [veil.mask(text) for text in judged.result["suggestions"]]
    return "\n".join([decision(judged) or "no rule judged", *lacking])


def annotation(judged: Judged) -> str:
    """Return the annotation of one run; empty for one that passed."""
    state = state_of(judged)
    if state not in LEVELS:
        return ""
    where: dict[str, str | int] = {"file": judged.file} if judged.file else {}
    if where and judged.line > 0:
        where["line"] = judged.line
    basis = verdict_of(judged).get("basis")
    title = f"{judged.run_id}: {state}" + (f" ({basis})" if basis else "")
    return command(LEVELS[state], _message(judged), **where, title=title)


def _row(judged: Judged) -> str:
    score = f"{judged.result['score']:.2f}" if judged.result else ""
    failed = ", ".join(markdown_code(str(r["ruleName"])) for r in failed_rules(judged))
    if judged.error:
        failed = markdown_text(f"{judged.error.code}: {judged.error.message}")
    where = markdown_code(place_of(judged))
    fields = (
        markdown_code(judged.run_id),
        state_of(judged),
        score,
        markdown_text(decision(judged)),
        failed,
        where,
    )
    return f"| {' | '.join(fields)} |\n"


class Github:
    """Writes annotations as runs come, and appends the job summary to a file at the end when one is named."""

    def __init__(self, *, summary_file: str | None = None) -> None:
        self.summary_file = summary_file
        self.tally = Tally()
        self.rows: list[str] = []
        self.size = 0

    def start(self) -> str:
        """Return nothing: annotations have no frame."""
        return ""

    def item(self, judged: Judged) -> str:
        """Return the annotation of one run, and keep its row for the summary."""
        self.tally.add(judged)
        if state_of(judged) != "pass" and self.summary_file and self.size < SUMMARY_BYTES:
            self.rows.append(_row(judged))
            self.size += len(self.rows[-1].encode("utf-8", "replace"))
        return annotation(judged)

    def end(self) -> str:
        """Append the summary; return a warning when its file cannot be written."""
        if not self.summary_file:
            return ""
        try:
            with Path(self.summary_file).open("a", encoding="utf-8", errors="replace") as file:
                file.write(self.summary())
        except OSError as error:
            return command("warning", f"the job summary was not written: {error.strerror}", title="Iris")
        return ""

    def summary(self) -> str:
        """Return the job summary in Markdown."""
        states = self.tally.states
        advised = f" ({self.tally.advised} with advisories)" if self.tally.advised else ""
        counts = " | ".join([f"{states['pass']}{advised}", *(str(states[state]) for state in ("fail", "unknown", "error"))])
        return f"## Iris: {plural(self.tally.runs, 'run')}\n\n{TOTALS}| {counts} |\n" + self._runs() + self._failures() + "\n"

    def _runs(self) -> str:
        if not self.rows:
            return ""
        left = self.tally.runs - self.tally.states["pass"] - len(self.rows)
        more = f"\nand {plural(left, 'more run')}\n" if left else ""
        return f"\n### Runs that did not pass\n\n{HEAD}{''.join(self.rows)}{more}"

    def _failures(self) -> str:
        rows = "".join(f"| {markdown_code(name)} | {count} |\n" for name, count in self.tally.failures())
        return f"\n### Failures per rule\n\n| rule | runs |\n|---|---:|\n{rows}" if rows else ""
