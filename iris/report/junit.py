"""JUnit XML, which every build server reads."""

from __future__ import annotations

from iris.report.escape import xml_attribute, xml_text
from iris.report.evidence import sentence
from iris.report.judged import Judged, decision, failed_rules, skipped_rules, state_of, verdict_of
from iris.report.tally import Tally
from iris.report.veil import veil_of


def _attributes(**values: str | int) -> str:
    return "".join(f' {name}="{xml_attribute(str(value))}"' for name, value in values.items())


def _lines(judged: Judged) -> list[str]:
    veil = veil_of(judged)
    skips = [f"{r['ruleName']} skipped: {veil.mask(r.get('skipReason') or r['message'])}" for r in skipped_rules(judged)]
    return [*(sentence(r, veil) for r in failed_rules(judged)), *skips]


def _failure(judged: Judged) -> str:
    basis = str(verdict_of(judged).get("basis", "fail"))
    body = xml_text("\n".join(_lines(judged)))
    return f"<failure{_attributes(type=basis, message=decision(judged) or basis)}>{body}</failure>"


def _unknown(judged: Judged) -> str:
    # A skipped test counts as none: a build server would show a run that nobody could judge as green.
    reason = ": ".join(["not judged", *filter(None, [decision(judged)])])
    return f"<failure{_attributes(type='unknown', message=reason)}>{xml_text(chr(10).join(_lines(judged)))}</failure>"


def _error(judged: Judged) -> str:
    code, message, help_ = ("", "not judged", "")
    if judged.error:
        code, message, help_ = judged.error.code, judged.error.message, judged.error.help
    return f"<error{_attributes(type=code, message=message)}>{xml_text(help_)}</error>"


OUTCOMES = {"fail": _failure, "unknown": _unknown, "error": _error}


class Junit:
    """Writes one test case a run. The format puts its counts first, so the cases wait for the end."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.cases: list[str] = []

    def start(self) -> str:
        """Return the XML declaration."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n'

    def item(self, judged: Judged) -> str:
        """Hold the test case of one run."""
        self.tally.add(judged)
        outcome = OUTCOMES.get(state_of(judged))
        place: dict[str, str | int] = {}
        if judged.file and judged.line > 0:
            place = {"file": judged.file, "line": judged.line}
        named = _attributes(classname=judged.file or "iris", name=judged.run_id, **place)
        self.cases.append(f"    <testcase{named}>{outcome(judged) if outcome else ''}</testcase>")
        return ""

    def end(self) -> str:
        """Return the suite with its counts and every case."""
        states = self.tally.states
        failures = states["fail"] + states["unknown"]
        counts = _attributes(tests=self.tally.runs, failures=failures, errors=states["error"], skipped=0)
        suite = "\n".join([f'  <testsuite name="iris"{counts}>', *self.cases, "  </testsuite>"])
        total = _attributes(name="iris", tests=self.tally.runs, failures=failures, errors=states["error"])
        return f"<testsuites{total}>\n{suite}\n</testsuites>\n"
