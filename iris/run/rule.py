"""One compiled rule: run its condition, and write its finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iris.run import logic
from iris.run.absence import Absence
from iris.run.compile import UNSET, Builder, Closure
from iris.run.condition import Condition, detector_ids, message, message_parts
from iris.run.context import Context
from iris.run.evidence import classes_of, render, span_keys
from iris.run.finding import Evidence, Finding, RuleInfo
from iris.run.gates import Gate, both, closed_test
from iris.run.matcher import Pattern
from iris.run.trace import Tracer, count_of
from iris.run.traced import Traced
from iris.run.values import Unknown, View
from iris.run.why import why_tree
from iris.run.wire import MAX_CALLS

DEFEATED = ("more than",)
CONFIG_INVALID = ("the schema can not be used",)


class CompiledRule:
    """A rule of a plan, ready to run."""

    def __init__(
        self, b: Builder, rule: Mapping[str, Any], info: RuleInfo, units: Mapping[str, Any], own: Sequence[Pattern] = ()
    ) -> None:
        self.own_patterns = tuple(own)  # the matcher forgets a pattern of a template's instance with its last rule
        self.info, self.b, self.size = info, b, rule["size"]
        b.lets = {}
        b.let_nodes = {x["slot"]: x["body"]["x"] for x in rule["lets"]}
        self.let_nodes = b.let_nodes
        self.let_texts = {x["slot"]: x["body"]["t"] for x in rule["lets"]}
        for let in rule["lets"]:
            b.lets[let["slot"]] = b.build(let["body"]["x"])
        self.lets = b.lets
        self.detectors = detector_ids([rule[k] for k in ("lets", "skips", "signals", "fail_when", "advise")], units)
        self.skips = [(b.build(s["when"]["x"]), s["because"]) for s in rule["skips"]]
        self.signals = [Condition(b, s["when"], s["name"], s["class"], s["say"]) for s in rule["signals"]]
        self.named = bool(self.signals)
        if rule["fail_when"] is not None:
            self.signals = [Condition(b, rule["fail_when"], "fail_when", None, None)]
        self.advise = [Condition(b, s["when"], s["name"], s["class"], s["say"]) for s in rule["advise"]]
        self.unchecked_pass = rule["unchecked_pass"]
        gate: Gate | None = {}
        for condition in self.signals:
            gate = both(gate, condition.gate)
        self.closed = closed_test(b, gate) if gate else None
        self.score: Closure | None = b.build(rule["score"]["x"]) if rule["score"] else None
        self.say = message_parts(b, rule["say"])
        self.blank = [UNSET] * self.size
        self.defaults = {k: config_value(v["type"], v["default"]) for k, v in rule["config"].items()}
        self.sources = {k: v["given"] for k, v in rule["config"].items() if v.get("given")}
        self.types = {k: v["type"] for k, v in rule["config"].items()}
        self.stat = self._stat() if not self.named else None
        self.required = tuple(rule["needs"])
        absence = Absence(self.let_nodes, units)
        hopeless = [absence.not_true_without(c.node) for c in self.signals]
        read = [absence.counts_read(c.node) for c in self.signals] if "tokens" in self.required else []
        self.counts: frozenset[str] = frozenset().union(*read)
        self.hopeless = frozenset.intersection(*hopeless) & frozenset(self.required)
        self._skips: dict[tuple[str, ...], Finding] = {}
        self._clean: Finding | None = None
        self.steady_words = gate is not None and not self.counts and self._steady(rule, gate)

    def _stat(self) -> tuple[list[Any], Closure, Closure] | None:
        """The comparison whose count a passing rule reports, when its condition is one."""
        node = self.signals[0].node
        while node[0] == "and":
            node = node[3][-1]
        if node[0] != "compare" or node[6] is None:
            return None
        return node, self.b.build(node[4]), self.b.build(node[5])

    def judge(self, context: Context, config: Mapping[str, Any], sources: dict[str, str], units: Any) -> Finding:
        """Run the rule; an error of ours on this input becomes a skip that says so."""
        if not self.hopeless <= context.inputs.carried:
            return self._lacking(context.inputs.carried)
        context.steps = 0
        frame = self.blank[:]
        frame[0], frame[1], frame[2] = context, config, 0
        try:
            finding = self._judge(context, frame, sources, units)
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            return self._skipped(f"the rule stopped on this run ({type(error).__name__})", "defeated")
        left_out = context.inputs.calls_left_out
        if left_out and finding.state == "passes" and "tool_calls" in self.info.reads:
            return self._skipped(f"{left_out} calls beyond the first {MAX_CALLS} were not examined", "defeated")
        return finding

    def _judge(self, context: Context, frame: list[Any], sources: dict[str, str], units: Any) -> Finding:
        for when, because in self.skips:
            if when(frame) is True:
                return self._skipped(because, "not_applicable")
        fired: list[Condition] = []
        open_: list[tuple[Condition, Unknown]] = []
        if self.closed is None or not self.closed(frame):
            self._ask(frame, fired, open_)
            if fired:
                return self._fails(frame, fired, open_, sources, units)
        elif self._is_steady(frame):
            if self._clean is None:
                self._clean = self._passes(frame, [], sources, units)
            return self._clean
        if not context.inputs.carried.issuperset(self.required):
            return self._lacking(context.inputs.carried)
        if not context.inputs.carried.issuperset(self.counts):
            absent = ", ".join(sorted(self.counts - context.inputs.carried))
            return self._skipped(f"needs {absent}", "not_applicable", ("tokens",))
        if open_ and (not self.unchecked_pass or len(open_) == len(self.signals)):
            return self._open(open_)
        return self._passes(frame, [c.name for c, _ in open_], sources, units)

    def _ask(self, frame: list[Any], fired: list[Condition], open_: list[tuple[Condition, Unknown]]) -> None:
        """Evaluate every signal whose gate is open."""
        seen: dict[str, View | None] = {}
        for condition in self.signals:
            if self.named and condition.shut(frame, seen):
                continue
            value = condition.run(frame)
            if value is True:
                fired.append(condition)
            elif type(value) is Unknown:
                open_.append((condition, value))

    def _is_steady(self, frame: list[Any]) -> bool:
        """Whether a pass behind the closed gate is the one that is kept."""
        quiet = all(c.closed is not None and c.closed(frame) for c in self.advise)
        return self.steady_words and self.defaults is frame[1] and quiet

    def _steady(self, rule: Mapping[str, Any], gate: Gate) -> bool:
        """Whether a pass behind the closed gate always reads the same: its message and score depend on nothing else."""
        if self.stat is not None or (self.score is not None and not _only_fired(rule["score"]["x"])):
            return False
        if rule["say"] and self.info.kind == "measurement":
            return False
        return frozenset(self.required) <= self.hopeless

    def _lacking(self, carried: set[str]) -> Finding:
        """The skip of a rule whose inputs were not supplied."""
        lacked = tuple(n for n in self.required if n not in carried)
        found = self._skips.get(lacked)
        if found is None:
            found = self._skips[lacked] = self._skipped("needs " + ", ".join(lacked), "not_applicable", lacked)
        return found

    def _skipped(self, reason: str, skip_class: str, lacked: tuple[str, ...] = ()) -> Finding:
        return Finding(
            self.info, "skipped", 0.0, f"not judged: {reason}", [], skip_reason=reason, skip_class=skip_class, lacked=lacked
        )

    def _open(self, open_: list[tuple[Condition, Unknown]]) -> Finding:
        reasons = list(dict.fromkeys(r for _, u in open_ for r in u.reasons))
        text = "; ".join(reasons)
        known = any(r.startswith(DEFEATED) for r in reasons)
        invalid = any(r.startswith(CONFIG_INVALID) for r in reasons)
        skip_class = "defeated" if known else "config_invalid" if invalid else "not_applicable"
        return self._skipped(f"can not tell: {text}", skip_class, tuple(r for r in reasons if r in self.info.reads))

    def _fails(
        self,
        frame: list[Any],
        fired: list[Condition],
        open_: list[tuple[Condition, Unknown]],
        sources: dict[str, str],
        units: Any,
    ) -> Finding:
        tracer = Tracer(self._own(), units, frame[:], sources)
        traced = [(c, tracer.trace(c.node)) for c in fired]
        frame[2] = _distinct([t for _, t in traced]) if len(traced) > 1 else 1
        evidence: list[Evidence] = []
        for condition, t in traced:
            found = render(t.rope, condition.name if self.named else self.info.name)
            if self.named:
                evidence.append(
                    {"type": "pattern", "name": condition.name, "count": max(sum(e["type"] == "span" for e in found), 1)}
                )
            evidence += found
        advice = self._advice(frame, tracer, evidence)
        classes = list(
            dict.fromkeys(c for condition, t in traced for c in ([condition.cls] if condition.cls else classes_of(t.rope)))
        )
        said = message(self.say, frame) or self.info.title
        own = [message(c.say, frame) for c in fired if c.say]
        counts = [e for e in evidence if e["type"] == "count"]
        return Finding(
            self.info,
            "fails",
            self._score(frame, 0.0),
            "; ".join([said, *own]) if own else said,
            _ordered(evidence),
            classes=tuple(classes) or self.info.classes,
            signals=tuple(c.name for c in fired) if self.named else (),
            unchecked=tuple(c.name for c, _ in open_) if self.named else (),
            advice=advice,
            value=_value(counts),
            own_number=any(c.get("thresholdSource") == "default" for c in counts),
            capped=not self.detectors.isdisjoint(frame[0].capped()),
            why=lambda: why_tree([(c.name, c.text, t) for c, t in traced], self.let_texts, units),
        )

    def _own(self) -> Builder:
        """The builder with this rule's lets, for tracing."""
        self.b.let_nodes, self.b.lets = self.let_nodes, self.lets
        return self.b

    def _passes(self, frame: list[Any], unchecked: list[str], sources: dict[str, str], units: Any) -> Finding:
        evidence: list[Evidence] = []
        value = None
        if self.stat is not None:
            node, left, right = self.stat
            count = count_of(node, left(frame), right(frame), sources)
            if count is not None:
                evidence.append(count)
                value = (count["stat"], count["unit"], count["value"])
        advice = self._advice(frame, Tracer(self._own(), units, frame, sources), evidence) if self.advise else ()
        score = 1.0 if self.score is None else self._score(frame, 1.0)
        text = message(self.say, frame) if self.say and self.info.kind == "measurement" else self.info.title
        return Finding(
            self.info,
            "passes",
            score,
            text,
            evidence,
            value=value,
            advice=advice,
            unchecked=tuple(unchecked) if self.named else (),
        )

    def _advice(self, frame: list[Any], tracer: Tracer, evidence: list[Evidence]) -> tuple[str, ...]:
        out = []
        for condition in self.advise:
            if (condition.closed is None or not condition.closed(frame)) and condition.run(frame) is True:
                found = render(tracer.trace(condition.node).rope, condition.name)
                evidence.append(
                    {"type": "pattern", "name": condition.name, "count": max(sum(e["type"] == "span" for e in found), 1)}
                )
                evidence += found
                out.append(message(condition.say, frame) or condition.name.replace("_", " "))
        if out:
            evidence[:] = _ordered(evidence)
        return tuple(out)

    def _score(self, frame: list[Any], default: float) -> float:
        if self.score is None:
            return default
        value = self.score(frame)
        if not logic.is_number(value):
            return default
        return float(min(max(value, 0.0), 1.0))


def _only_fired(node: Any) -> bool:
    """Whether an expression reads nothing but constants and `fired`, which is 0 on every pass."""
    if isinstance(node, list):
        if node and node[0] in ("let", "path", "config", "op", "def", "each", "quant", "hoist"):
            return node[0] == "op" and node[3] in ("max", "min", "abs", "round") and all(_only_fired(a) for a in node[4] if a)
        return all(_only_fired(n) for n in node)
    return True


def _value(counts: list[Evidence]) -> tuple[str, str, float] | None:
    return (counts[0]["stat"], counts[0]["unit"], counts[0]["value"]) if counts else None


KIND_ORDER = {"count": 0, "pattern": 1, "span": 2, "toolCall": 3, "citation": 4}


def _ordered(evidence: list[Evidence]) -> list[Evidence]:
    unique: dict[Any, Evidence] = {tuple(sorted(e.items(), key=lambda kv: kv[0])): e for e in evidence}
    return sorted(unique.values(), key=lambda e: KIND_ORDER[e["type"]])[:25]


def _distinct(traced: list[Traced]) -> int:
    """Signals that rest on overlapping places are one finding."""
    groups: list[set[tuple[str, int, int]]] = []
    for t in traced:
        spans = span_keys(t.rope)
        apart = []
        for group in groups:
            if any(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for a in spans for b in group):
                spans |= group
            else:
                apart.append(group)
        groups = [*apart, spans]
    return len(groups)


def config_value(kind: str, value: Any) -> Any:
    """A setting's value as expressions read it: word lists become texts once."""
    from iris.run.values import as_texts

    if kind == "words" and isinstance(value, list):
        return as_texts(value)
    return value
