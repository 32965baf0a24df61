"""Check rules: their conditions, messages, settings, and what they must carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from iris.check.cases import check_cases
from iris.check.detectors import check_detector
from iris.check.expression import ExpressionChecker
from iris.check.instances import value_problems
from iris.check.needs import Needs, needs_of
from iris.check.scope import Scope, World, full_name
from iris.check.sound import Sound, SoundDefinition, SoundDetector, SoundRule, SoundSignal, SoundText
from iris.language.paths import PATHS
from iris.packs.documents import PackDoc, RuleDoc, SignalDoc, Text
from iris.packs.fields import CLASSES
from iris.packs.source import problem_at
from iris.problems import Problem

SAY = re.compile(r"\{([^{}]*)\}")
MAX_LETS = 64


class RuleChecker:
    """Checks one rule of one pack."""

    def __init__(
        self, pack: PackDoc, rule: RuleDoc, world: World, bodies: dict[str, SoundDefinition], problems: list[Problem]
    ) -> None:
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
        late = Scope(
            self.world, "rule", self.scope.lets, config=self.scope.config, local_detectors=self.scope.local_detectors, fired=True
        )
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
                doc,
                full,
                full.rpartition(":")[0],
                self.world,
                self.problems,
                parameters=settings,
                local=self.scope.local_detectors,
            )
            if found:
                out.append(found)
        return out

    def _shape(self) -> None:
        r = self.rule
        self._one_condition()
        idle = {"with": "it belongs to `use`"}
        if r.fail_when and not r.signals:
            idle["unchecked"] = "it says what unknown `signals` mean; a `fail_when` that is unknown always skips"
        self.problems += idle_keys(r, idle)
        for setting in r.config:
            if setting.required:
                hint = "a rule must work before anybody sets anything; what an instance must give are `parameters`"
                self.problems.append(
                    problem_at("E111", f"setting `{setting.name}` lacks `default`", setting.at, "missing default", hint)
                )
        self._defaults()
        types = {s.name: s.type for s in (*r.config, *(r.parameters or ()))}
        check_cases(self.pack, r, types, {s.name for s in (*r.signals, *r.advise)}, self.problems)

    def _one_condition(self) -> None:
        """Exactly one of `signals` and `fail_when`; a broken one has its own problem already."""
        r = self.rule
        both = bool(r.signals) is bool(r.fail_when)
        broken = any(p.place and p.place.file == r.file for p in self.problems) and ("signals" in r.keys) is not (
            "fail_when" in r.keys
        )
        if both and not broken:
            how = "has both `signals` and" if r.signals else "needs either `signals` or"
            hint = "keep one: a signal can say what the other says" if r.signals else "write `fail_when:` with a condition"
            self.problems.append(problem_at("E201", f"rule `{r.name}` {how} `fail_when`", r.at, "one of the two", hint))

    def _defaults(self) -> None:
        """Each default against its type; a rule may ship an empty list of words."""
        for setting in (*self.rule.config, *(self.rule.parameters or ())):
            if setting.default_at is None or setting.default in (None, []):
                continue
            place = setting.default_at.place()
            found = value_problems(setting.name, setting.type, setting.default)
            self.problems += [Problem(p.code, p.message, place, p.label, p.help) for p in found]

    def _lets(self) -> None:
        if len(self.rule.lets) > MAX_LETS:
            message = f"the rule has {len(self.rule.lets)} lets"
            at = self.rule.lets[MAX_LETS][0]
            self.problems.append(problem_at("E105", message, at, f"at most {MAX_LETS}", "share some as `define:`"))
        names = [k.text for k, _ in self.rule.lets]
        for i, (key, text) in enumerate(self.rule.lets):
            if key.text in PATHS or key.text in ("config", "lists", "tables", "match", "fired"):
                self.problems.append(
                    problem_at("E011", f"`let {key.text}` hides what is already called so", key, "taken", "choose another name")
                )
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
        if doc.cls and doc.cls.text in CLASSES and doc.cls.text not in {c.text for c in self.rule.classes}:
            self.problems.append(
                problem_at(
                    "E205",
                    f"signal `{doc.name}` has class `{doc.cls.text}`, the rule does not",
                    doc.cls.at,
                    "not declared",
                    "add it to `classes`",
                )
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
        out.append(text.text[at:])
        self._braces(text)
        return tuple(out)

    def _braces(self, text: Text) -> None:
        """A brace that belongs to no `{expression}`."""
        for brace in re.finditer(r"[{}]", SAY.sub(lambda found: " " * len(found[0]), text.text)):
            place = text.at.place_of(brace.start(), brace.end())
            what = "is not closed" if brace[0] == "{" else "closes nothing"
            self.problems.append(Problem("E002", f"a brace of the message {what}", place, "here", "write `{expression}`"))
            return

    def _printable(self, node: Sound, text: Text) -> None:
        hint = "print `size(…)`, a list (it prints its size) or a number"
        safe = node.kind == "config" or (node.kind in ("factfield", "callfield") and node.data in ("name", "class", "tool"))
        broken = node.kind == "let" and node.data not in self.lets  # its own problem is reported already
        if node.type.kind in ("text", "fact", "call", "json", "any") and not safe and not broken:
            self.problems.append(
                Problem(
                    "E030",
                    "the message would print text of the run",
                    text.at.place_of(node.start, node.end),
                    "text of the run",
                    hint,
                )
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
        patterns = {d.regex_from.text for d in r.detectors if d.regex_from}
        for setting in (*r.config, *(r.parameters or ())):
            if setting.name not in patterns and not any(re.search(rf"\bconfig\s*\.\s*{setting.name}\b", t) for t in texts):
                message = f"setting `{setting.name}` is never used"
                self.problems.append(
                    problem_at("E206", message, setting.at, "unused", f"read `config.{setting.name}`, or remove it")
                )

    def _needs(self, signals: list[SoundSignal], fail: SoundText | None, advise: list[SoundSignal]) -> tuple[set[str], set[str]]:
        lets = {name: s.node for name, s in self.lets.items()}
        each: list[Needs] = [needs_of(s.when.node, lets, self.bodies) for s in signals]
        if fail is not None:
            each.append(needs_of(fail.node, lets, self.bodies))
        reads = set().union(*(n.reads for n in each), *(needs_of(s.when.node, lets, self.bodies).reads for s in advise))
        if self.rule.unchecked == "pass" and each:
            return set.intersection(*(n.required for n in each)), reads
        return set().union(*(n.required for n in each)), reads


IDLE_IN_INSTANCE = (
    "config", "parameters", "let", "detectors", "skip_when", "signals", "fail_when", "advise", "unchecked", "score", "say",
    "kind", "question", "classes",
)  # fmt: skip


def idle_keys(rule: RuleDoc, keys: Mapping[str, str]) -> list[Problem]:
    """Report keys that would be read and then do nothing; `keys` gives the help line of each."""
    return [
        problem_at("E211", f"`{name}` does nothing in this rule", rule.keys[name], "no effect", hint)
        for name, hint in keys.items()
        if name in rule.keys
    ]


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
