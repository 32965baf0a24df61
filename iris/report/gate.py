"""Whether judged runs stop a build: the values of `--fail-on`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from iris.problems import Place, Problem, ProblemsFound
from iris.report.judged import Judged
from iris.report.tally import Tally, tally_of

OUTCOMES = ("never", "fail", "unknown", "not-passed")
BASES = (
    "policy_gate",
    "detector_veto",
    "critical_unknown",
    "required_evidence_missing",
    "risk_over_loss",
    "score_below_threshold",
    "no_rules",
)
RULE = "rule:"
DEFAULT = "not-passed"


@dataclass(frozen=True, slots=True)
class FailOn:
    """The conditions that stop a build; any one of them does. No term at all never does."""

    terms: tuple[str, ...]
    """Outcomes, bases and `rule:NAME`, as written, without `never`."""

    def __str__(self) -> str:
        """Write the conditions as they were given."""
        return ",".join(self.terms) or "never"


def _counted(term: str, tally: Tally) -> int:
    states = tally.states
    if term == "fail":
        return states["fail"]
    if term == "unknown":
        # A run that could not be judged is no better than one whose verdict is unknown.
        return states["fail"] + states["unknown"] + states["error"]
    if term == "not-passed":
        return tally.not_passed
    if term.startswith(RULE):
        return tally.rules[term.removeprefix(RULE)]
    return tally.bases[term]


def terms_tripped(judged: Iterable[Judged] | Tally, fail_on: str | FailOn) -> tuple[str, ...]:
    """Return the conditions that hold for some run. Raises ProblemsFound (E901) for a bad text."""
    on = fail_on if isinstance(fail_on, FailOn) else parse_fail_on(fail_on)
    tally = judged if isinstance(judged, Tally) else tally_of(judged)
    return tuple(term for term in on.terms if _counted(term, tally))


def tripped(judged: Iterable[Judged] | Tally, fail_on: str | FailOn = DEFAULT) -> bool:
    """Tell whether any condition holds for any run. Raises ProblemsFound (E901) for a bad text."""
    return bool(terms_tripped(judged, fail_on))


def parse_fail_on(text: str, rules: Collection[str] | None = None) -> FailOn:
    """Read a comma list of conditions; rules must be in `rules`, if given. Raises ProblemsFound (E901)."""
    problems: list[Problem] = []
    terms: dict[str, None] = {}
    start = 0
    for raw in text.split(","):
        term = raw.strip()
        column = start + len(raw) - len(raw.lstrip()) + 1
        start += len(raw) + 1
        if problem := _problem(term, Place("--fail-on", 1, column, max(len(term), 1), text), rules):
            problems.append(problem)
        terms[term] = None
    if "never" in terms and len(terms) > 1:
        whole = Place("--fail-on", 1, 1, max(len(text), 1), text)
        problems.append(Problem("E901", "`never` stands alone", whole, "never, and something else", "leave one out"))
    if problems:
        raise ProblemsFound(problems)
    return FailOn(tuple(term for term in terms if term != "never"))


def _problem(term: str, place: Place, rules: Collection[str] | None) -> Problem | None:
    if term in OUTCOMES or term in BASES:
        return None
    if term.startswith(RULE):
        return _rule_problem(term.removeprefix(RULE), place, rules)
    if not term:
        return Problem("E901", "`--fail-on` has an empty condition", place, "nothing here", _valid())
    near = get_close_matches(term.lower(), [*OUTCOMES, *BASES], 1) or _as_rule(term, rules or ())
    help_ = f"did you mean `{near[0]}`?" if near else _valid()
    return Problem("E901", f"`--fail-on` does not know `{term}`", place, "unknown condition", help_)


def _rule_problem(name: str, place: Place, rules: Collection[str] | None) -> Problem | None:
    if not name:
        return Problem("E901", "`rule:` names no rule", place, "a rule's name is missing", "write `rule:no_pii`")
    if rules is None or name in rules:
        return None
    near = _as_rule(name, rules)
    help_ = f"did you mean `{near[0]}`?" if near else "no loaded pack has a rule of this name"
    return Problem("E901", f"there is no rule `{name}`", place, "unknown rule", help_)


def _as_rule(name: str, rules: Collection[str]) -> list[str]:
    return [RULE + near for near in get_close_matches(name, list(rules), 1)]


def _valid() -> str:
    return f"conditions are {', '.join([*OUTCOMES, *BASES])} and rule:NAME"
