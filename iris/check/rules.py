"""Check rules: their conditions, messages, settings, and what they must carry."""

from __future__ import annotations

import re
from typing import Any

from iris.check.detectors import check_detector
from iris.check.expression import ExpressionChecker
from iris.check.needs import Needs, needs_of
from iris.check.scope import Scope, World, full_name
from iris.check.sound import Sound, SoundDefinition, SoundDetector, SoundRule, SoundSignal, SoundText
from iris.language.paths import PATHS
from iris.packs.documents import PackDoc, RuleDoc, SignalDoc, Text
from iris.packs.source import problem_at
from iris.problems import Problem

SAY = re.compile(r"\{([^{}]*)\}")
MAX_LETS = 64


class RuleChecker:
    """Checks one rule of one pack."""

    def __init__(self, pack: PackDoc, rule: RuleDoc, world: World, bodies: dict[str, SoundDefinition], problems: list[Problem]) -> None:
        self.pack, self.rule, self.world, self.problems = pack, rule, world, problems
        self.bodies = {name: d.body.node for name, d in bodies.items()}
        self.checker = ExpressionChecker(problems)
        self.lets: dict[str, SoundText] = {}
        settings = {s.name: s for s in (*rule.config, *(rule.parameters or ()))}
        local = {d.name: f"{full_name(pack, rule.name)}:{d.name}" for d in rule.detectors}
        self.scope = Scope(world, "rule", config=settings, local_detectors=local)

    def check(self) -> tuple[SoundRule, list[SoundDetector]] | None:
        """Check everything; None when the rule can not be planned."""
        before = len(self.problems)
        detectors = self._detectors()
        self._shape()
        self._lets()
        skips = [(w, s.because) for s in self.rule.skips if (w := self.checker.check(s.when, self.scope, "flag"))]
        signals = [x for s in self.rule.signals if (x := self._signal(s))]
        advise = [x for s in self.rule.advise if (x := self._signal(s))]
        fail = self.checker.check(self.rule.fail_when, self.scope, "flag") if self.rule.fail_when else None
        late = Scope(self.world, "rule", self.scope.lets, config=self.scope.config, local_detectors=self.scope.local_detectors, fired=True)
        score = self.checker.check(self.rule.score, late, "number") if self.rule.score else None
        say = self._say(self.rule.say, late)
        self._unused(len(self.problems) == before)
        if any(p.severity == "error" for p in self.problems[before:]):
            return None
        needs, reads = self._needs(signals, fail, advise)
        rule = SoundRule(
            full_name(self.pack, self.rule.name),
            self.pack.name,
            self._facts(),
            self._config(),
            self.rule.parameters is not None,
            None,
            tuple(self.lets.items()),
            tuple(skips),
            tuple(signals),
            fail,
            tuple(advise),
            self.rule.unchecked == "pass",
            score,
            say,
            tuple(sorted(needs)),
            tuple(sorted(reads)),
            tuple(s.name for s in (*self.rule.config, *(self.rule.parameters or ()))),
            "",
        )
        return rule, detectors

    def _facts(self) -> dict[str, Any]:
        r = self.rule
        return {
            "title": r.title,
            "bundle": r.bundle,
            "kind": r.kind,
            "question": r.question,
            "classes": [c.text for c in r.classes],
            "critical": r.critical,
            "weight": r.weight,
            "version": r.version,
            "status": r.status,
            "about": r.about,
            "remedy": r.remedy,
            "origin": "built-in" if self.pack.built_in else "custom",
        }

    def _config(self) -> dict[str, dict[str, Any]]:
        both = (*self.rule.config, *(self.rule.parameters or ()))
        return {s.name: {"type": s.type, "default": s.default, "required": s.required, "about": s.about} for s in both}

    def _detectors(self) -> list[SoundDetector]:
        out = []
        settings = {s.name: s for s in (*self.rule.config, *(self.rule.parameters or ()))}
        for doc in self.rule.detectors:
            full = self.scope.local_detectors[doc.name]
            found = check_detector(
                doc, full, full.rpartition(":")[0], self.world, self.problems, parameters=settings, local=self.scope.local_detectors
            )
            if found:
                out.append(found)
        return out

    def _shape(self) -> None:
        r = self.rule
        if bool(r.signals) == bool(r.fail_when):
            self.problems.append(problem_at("E201", f"rule `{r.name}` needs either `signals` or `fail_when`", r.at, "one of the two"))
        if r.weight <= 0:
            self.problems.append(problem_at("E112", "the weight must be more than 0", r.at, "weight"))
        for setting in r.config:
            if setting.required:
                self.problems.append(problem_at("E111", f"setting `{setting.name}` lacks `default`", setting.at, "missing default"))
        self._cases()

    def _cases(self) -> None:
        r = self.rule
        kinds = {c.expect for c in r.cases}
        for kind in ("fail", "pass"):
            if kind not in kinds and not self.pack.deployed:
                self.problems.append(
                    problem_at("E202", f"rule `{r.name}` has no case that expects {kind}", r.at, "untested", f"add a case with `expect: {kind}`")
                )
        names = [c.name for c in r.cases]
        for case in r.cases:
            if names.count(case.name) > 1:
                self.problems.append(problem_at("E203", f"two cases are called `{case.name}`", case.at, "again", "give each case its own name"))
                names.remove(case.name)
            known = {s.name for s in (*r.signals, *r.advise)}
            for name in case.signals or ():
                if name not in known:
                    self.problems.append(problem_at("E204", f"rule `{r.name}` has no signal `{name}`", case.at, "unknown signal"))

    def _lets(self) -> None:
        if len(self.rule.lets) > MAX_LETS:
            self.problems.append(problem_at("E105", f"{len(self.rule.lets)} lets", self.rule.at, f"at most {MAX_LETS}"))
        names = [k.text for k, _ in self.rule.lets]
        for i, (key, text) in enumerate(self.rule.lets):
            if key.text in PATHS or key.text in ("config", "lists", "tables", "match", "fired"):
                self.problems.append(problem_at("E011", f"`let {key.text}` hides what is already called so", key, "taken", "choose another name"))
                continue
            self.scope.later_lets = frozenset(names[i:])
            sound = self.checker.check(text, self.scope)
            if sound is not None:
                self.lets[key.text] = sound
                self.scope.lets[key.text] = sound.node.type
            else:
                from iris.language.types import ANY

                self.scope.lets[key.text] = ANY
        self.scope.later_lets = frozenset()

    def _signal(self, doc: SignalDoc) -> SoundSignal | None:
        when = self.checker.check(doc.when, self.scope, "flag")
        if doc.cls and doc.cls.text not in {c.text for c in self.rule.classes}:
            self.problems.append(
                problem_at("E205", f"signal `{doc.name}` has class `{doc.cls.text}`, the rule does not", doc.cls.at, "not declared", "add it to `classes`")
            )
        say = self._say(doc.say, self.scope)
        return SoundSignal(doc.name, when, doc.cls.text if doc.cls else None, say) if when else None

    def _say(self, text: Text | None, scope: Scope) -> tuple[str | SoundText, ...] | None:
        """Split a message into text and expressions; a message may not print text of the run."""
        if text is None:
            return None
        out: list[str | SoundText] = []
        at = 0
        for found in SAY.finditer(text.text):
            out.append(text.text[at : found.start()])
            at = found.end()
            inner = _Inside(text, found.start(1), found[1])
            sound = self.checker.check(inner.text, scope)
            if sound is not None:
                self._printable(sound.node, inner.text)
                out.append(sound)
        rest = text.text[at:]
        if "{" in rest or "}" in rest:
            self.problems.append(problem_at("E002", "a brace of the message is not closed", text.at, "here", "write `{expression}`"))
        return (*out, rest)

    def _printable(self, node: Sound, text: Text) -> None:
        safe = node.kind == "config" or (node.kind in ("factfield", "callfield") and node.data in ("name", "class", "tool"))
        if node.type.kind in ("text", "fact", "call", "json", "any") and not safe:
            self.problems.append(
                Problem("E030", "the message would print text of the run", text.at.place(), "text of the run", "print a count or a number")
            )

    def _unused(self, clean: bool) -> None:
        if not clean:
            return
        r = self.rule
        texts = [s.when.text for s in (*r.signals, *r.advise)] + [s.when.text for s in r.skips]
        texts += [t.text for t in (r.fail_when, r.score, r.say) if t] + [t.text for _, t in r.lets]
        texts += [s.say.text for s in (*r.signals, *r.advise) if s.say]
        for key, own in r.lets:
            if not any(re.search(rf"\b{key.text}\b", t) for t in texts if t is not own.text):
                problem = problem_at("E206", f"`let {key.text}` is never used", key, "unused", "remove it")
                self.problems.append(problem)

    def _needs(self, signals: list[SoundSignal], fail: SoundText | None, advise: list[SoundSignal]) -> tuple[set[str], set[str]]:
        lets = {name: s.node for name, s in self.lets.items()}
        each: list[Needs] = [needs_of(s.when.node, lets, self.bodies) for s in signals]
        if fail is not None:
            each.append(needs_of(fail.node, lets, self.bodies))
        reads = set().union(*(n.reads for n in each), *(needs_of(s.when.node, lets, self.bodies).reads for s in advise))
        if self.rule.unchecked == "pass" and each:
            return set.intersection(*(n.required for n in each)), reads
        return set().union(*(n.required for n in each)), reads


class _Inside:
    """An expression inside a message: a text whose places are those of the message, moved."""

    def __init__(self, outer: Text, offset: int, inner: str) -> None:
        self.text = Text(inner, _Moved(outer, offset))  # type: ignore[arg-type]


class _Moved:
    def __init__(self, outer: Text, offset: int) -> None:
        self.outer, self.offset = outer, offset

    def place(self) -> Any:
        """Where the whole message stands."""
        return self.outer.at.place()

    def place_of(self, start: int, end: int) -> Any:
        """Where characters of the inner expression stand."""
        return self.outer.at.place_of(start + self.offset, end + self.offset)
