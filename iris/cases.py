"""Run the packs' own tests, rules' cases and detectors' examples, through the real plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iris.packs.documents import CaseDoc, DetectorDoc, PackDoc, RuleDoc
from iris.packs.source import problem_at
from iris.problems import Problem
from iris.run.engine import Engine
from iris.run.finding import Finding
from iris.run.rule import CompiledRule
from iris.run.values import View
from iris.run.wire import from_case

STATES = {"fails": "fail", "passes": "pass", "skipped": "skip"}


def case_problems(packs: list[PackDoc], engine: Engine) -> list[Problem]:
    """Every case and example that disagrees with the plan."""
    problems: list[Problem] = []
    for pack in packs:
        for rule in pack.rules:
            for case, finding in run_cases(pack, rule, engine):
                problems += disagreement(rule, case, finding)
    problems += _examples(packs, engine)
    return problems


def run_cases(pack: PackDoc, rule: RuleDoc, engine: Engine) -> Iterator[tuple[CaseDoc, Finding]]:
    """Each case of a rule with what the plan finds."""
    name = rule.name if pack.built_in or pack.deployed else f"{pack.name}/{rule.name}"
    compiled = next((r for r in engine.rules if r.info.name == name), None)
    for case in rule.cases:
        chosen = compiled
        if rule.parameters is not None:
            chosen = engine.instance(name, name, case.config, {})
        if chosen is not None:
            yield case, judge_case(engine, chosen, case)


def judge_case(engine: Engine, rule: CompiledRule, case: CaseDoc) -> Finding:
    """Judge one case's run by one rule."""
    overrides = {key: (value, "config") for key, value in case.config.items()}
    return engine.judge(from_case(case.run), [rule], {rule.info.name: overrides})[0]


def disagreement(rule: RuleDoc, case: CaseDoc, finding: Finding) -> list[Problem]:
    """How a finding differs from what its case expects."""
    got = STATES[finding.state]
    label = f"expected {case.expect}, got {got}"
    if got != case.expect:
        message = f"case `{case.name}` of `{rule.name}` expects {case.expect}, the rule gives {got}"
        return [problem_at("E401", message, case.at, label, finding.message[:160])]
    if case.signals is not None:
        fired = {e["name"] for e in finding.evidence if e["type"] == "pattern"} | set(finding.signals)
        if fired != set(case.signals):
            want, have = ", ".join(sorted(case.signals)) or "none", ", ".join(sorted(fired)) or "none"
            return [
                problem_at(
                    "E402",
                    f"case `{case.name}` expects signals {want}; {have} hold",
                    case.at,
                    "signals differ",
                    "name exactly those that hold",
                )
            ]
    return _evidence(case, finding)


def _evidence(case: CaseDoc, finding: Finding) -> list[Problem]:
    spans = [e for e in finding.evidence if e["type"] == "span"]
    out = []
    for wanted in case.evidence or ():
        if not any(all(span.get(k) == v for k, v in wanted.items()) for span in spans):
            have = "; ".join(f"{s['source']} {s['start']}-{s['end']} {s['label']}" for s in spans[:4]) or "no span"
            out.append(
                problem_at(
                    "E403", f"case `{case.name}` expects evidence {_shown(wanted)}", case.at, "not among the evidence", have
                )
            )
    return out


def _shown(wanted: Mapping[str, Any]) -> str:
    return " ".join(f"{k}={v}" for k, v in wanted.items())


def _examples(packs: list[PackDoc], engine: Engine) -> list[Problem]:
    numbers = {p.name: p.id for p in engine.matcher.patterns}
    out: list[Problem] = []
    for pack in packs:
        groups = [(g, ds) for g, ds in pack.detectors] + [(r.name, r.detectors) for r in pack.rules]
        for group, detectors in groups:
            for doc in detectors:
                name = f"{group}.{doc.name}" if (group, detectors) in pack.detectors else f"{group}:{doc.name}"
                full = name if pack.built_in or pack.deployed else f"{pack.name}/{name}"
                if full in numbers and not doc.regex_from:
                    out += example_problems(doc, numbers[full], engine)
    return out


def example_problems(doc: DetectorDoc, number: int, engine: Engine) -> list[Problem]:
    """The examples of a detector that do not do what they say."""
    out = []
    for texts, wanted in ((doc.hits, True), (doc.misses, False)):
        for text in texts:
            hits = engine.matcher.view_hits(number, View(text.text, None))
            if bool(hits) is not wanted:
                word = "hit" if wanted else "miss"
                out.append(
                    problem_at(
                        "E305",
                        f"detector `{doc.name}` should {word} this example",
                        text.at,
                        f"does not {word}",
                        "mend the pattern or the example",
                    )
                )
    return out
