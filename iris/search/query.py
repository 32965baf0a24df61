"""Read a search: `q` of the lists, the filter box and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from iris.evaluate import Evaluator
from iris.packs.source import Scalar, Source
from iris.problems import Problem, ProblemsFound
from iris.search.keys import SORTS, TermError, part_of
from iris.search.parts import Part, Row, asked, both, opposite
from iris.search.terms import Cut, Term, Word, cut
from iris.store.filters import EVERYTHING, All, Filter

MAX_CHARS = 4000
MAX_TERMS = 64


@dataclass(frozen=True, slots=True)
class Query:
    """A search, ready for the store.

    `where` is answered by an index, `text` by full-text search, `keep` is asked of each run that is left (None: nothing
    is left to ask). `sort` and `descending` are set when the search names an order. `chips` are its parts as written.
    """

    where: Filter = EVERYTHING
    text: tuple[str, ...] = ()
    keep: Callable[[dict[str, Any]], bool] | None = None
    sort: str | None = None
    descending: bool | None = None
    chips: tuple[str, ...] = ()


def parse(search: str, evaluator: Evaluator, now: datetime | None = None) -> Query:
    """Read a search. Raises ProblemsFound with every mistake, each with its place in the search."""
    if len(search) > MAX_CHARS:
        raise ProblemsFound([_too_long(search, f"the search has {len(search)} characters", f"at most {MAX_CHARS}")])
    pieces = cut(search)
    if len(pieces.terms) + len(pieces.words) > MAX_TERMS:
        raise ProblemsFound([_too_long(search, "the search has too many terms", f"at most {MAX_TERMS}")])
    problems: list[Problem] = []
    sort = _sort(search, pieces.terms, problems)
    parts = _parts(search, pieces.terms, evaluator, now or datetime.now(UTC), problems)
    parts += [opposite(_contains(w)) for w in pieces.words if w.negated]
    words = tuple(w.text for w in pieces.words if not w.negated)
    words += tuple(t.value for t in pieces.terms if _is_text(t))
    if pieces.rest.strip():
        parts += _condition(pieces.rest, evaluator, problems)
    if problems:
        raise ProblemsFound(problems)
    return _query(parts, words, sort, _chips(search, pieces))


def _chips(search: str, pieces: Cut) -> tuple[str, ...]:
    """The parts of a search as they were written."""
    spans = [(p.start, p.end) for p in pieces.terms] + [(w.start, w.end) for w in pieces.words]
    return tuple(filter(None, [*(search[start:end] for start, end in spans), pieces.rest.strip()]))


def _query(parts: list[Part], words: tuple[str, ...], sort: tuple[str, bool] | None, chips: tuple[str, ...]) -> Query:
    exact = tuple(f for p in parts if (f := p.filter or p.implied) is not None)
    rest = both([p for p in parts if p.filter is None]).test if any(p.filter is None for p in parts) else None
    keep = None if rest is None else lambda row: rest(row) is True
    return Query(All(exact) if exact else EVERYTHING, words, keep, sort[0] if sort else None, sort[1] if sort else None, chips)


def _is_text(term: Term) -> bool:
    """Whether a term asks the full-text index: `text:word` that is not negated and not one of several."""
    return term.key.lower() == "text" and term.op == ":" and not term.negated and (term.quoted or "," not in term.value)


def _sort(search: str, terms: tuple[Term, ...], problems: list[Problem]) -> tuple[str, bool] | None:
    chosen = None
    for term in terms:
        if term.key.lower() == "sort":
            if term.value not in SORTS or term.op != ":" or term.negated:
                problems.append(_problem(search, term, "E722", f"there is no order `{term.value}`", "one of " + ", ".join(SORTS)))
            else:
                chosen = SORTS[term.value]
    return chosen


def _parts(search: str, terms: tuple[Term, ...], evaluator: Evaluator, now: datetime, problems: list[Problem]) -> list[Part]:
    rules: Mapping[str, Mapping[str, Any]] = {}
    if any(t.key.lower() in ("pack", "severity") for t in terms):
        rules = {r["name"]: r for r in evaluator.engine.plan["rules"] if not r["template"]}
    parts = []
    for term in terms:
        if term.key.lower() == "sort" or _is_text(term):
            continue
        try:
            parts.append(part_of(term, rules, now))
        except TermError as wrong:
            problems.append(_problem(search, term, wrong.code, wrong.message, wrong.help))
    return parts


def _condition(rest: str, evaluator: Evaluator, problems: list[Problem]) -> list[Part]:
    from iris.search.condition import condition_parts

    try:
        return condition_parts(rest, evaluator)
    except ProblemsFound as found:
        problems += found.problems
        return []


def _contains(word: Word) -> Part:
    wanted = word.text.casefold()

    def test(row: Row) -> bool | None:
        return any(wanted in (row.get(k) or "").casefold() for k in ("input", "output"))

    return asked(test)


def _too_long(search: str, message: str, label: str) -> Problem:
    place = Scalar(Source.of("q", search[:60]), 0, 1, search[:60], "plain").place_of(0, 1)
    return Problem("E723", message, place, label, "look for fewer words")


def _problem(search: str, at: Term | Word, code: str, message: str, help_line: str) -> Problem:
    place = Scalar(Source.of("q", search), 0, len(search), search, "plain").place_of(at.start, at.end)
    return Problem(code, message, place, "here", help_line)
