"""A loaded plan: every rule compiled, ready to judge runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from iris.run.compile import UNSET, Builder
from iris.run.context import Context
from iris.run.finding import Finding, RuleInfo
from iris.run.matcher import Matcher, Pattern
from iris.run.rule import CompiledRule, config_value
from iris.run.values import Text, Unknown, as_texts
from iris.run.views.words import TermTable
from iris.run.wire import Inputs

STOP_WORDS = "stop_words"
"""The list that `terms` leaves out unless it is told another."""

CONDITIONS = ("lets", "skips", "signals", "fail_when", "advise", "score", "say")
"""The keys of a rule that hold plan nodes."""

MOST_TABLES = 256
"""Tables of stems kept at most, one a list of words to leave out."""

Overrides = Mapping[str, Mapping[str, tuple[Any, str]]]
"""Settings by rule and key: the value and where it came from (`config` or `call`)."""

BUNDLES = ("completeness", "relevance", "safety", "cost", "custom")


class Engine:
    """Judges runs by one plan. Not thread-safe while it loads; judging shares only caches."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self.plan = plan
        self.matcher = Matcher(plan["detectors"], plan["sets"])
        self.lists = {name: as_texts(items) for name, items in plan["lists"].items()}
        self.tables: dict[str, dict[str, list[str]]] = plan["tables"]
        self.units: Mapping[str, Any] = plan["definitions"]
        self._term_tables: dict[frozenset[str], TermTable] = {}
        self._list_words = {id(texts): frozenset(t.fold for t in texts) for texts in self.lists.values()}
        self.builder = Builder(self.lists, self.tables, STOP_WORDS, self.matcher.shared)
        self.definitions = self.builder.definitions
        self._detector_context = Context(self, Inputs())
        for name, unit in plan["definitions"].items():
            self.definitions[name] = self._definition(name, unit)
        for pattern, detector in zip(self.matcher.patterns, plan["detectors"], strict=True):
            self._conditions(pattern, detector)
        self._templates = {r["name"]: r for r in plan["rules"] if r["template"]}
        self._instances: WeakValueDictionary[tuple[int, str], Pattern] = WeakValueDictionary()
        self._parametric: dict[str, list[int]] = {}
        for i, detector in enumerate(plan["detectors"]):
            if detector["parameter"]:
                self._parametric.setdefault(detector["group"], []).append(i)
        self.rules = [self._rule(r) for r in plan["rules"] if not r["template"]]
        self._chosen: dict[str, list[CompiledRule]] = {}

    def term_table(self, drop: Any) -> TermTable:
        """The stems that remain when a list of words is left out; one table a list."""
        key = self._list_words.get(id(drop))  # a list of the plan: it lives as long as the engine
        if key is None:
            key = frozenset(t.fold for t in as_texts(drop)) if drop is not None else frozenset()
        found = self._term_tables.get(key)
        if found is None:
            if len(self._term_tables) >= MOST_TABLES:
                self._term_tables.clear()
            found = self._term_tables[key] = TermTable(key)
        return found

    def _definition(self, name: str, unit: Mapping[str, Any]) -> Callable[..., Any]:
        body = self.builder.build(unit["body"]["x"])
        rest = [UNSET] * (unit["size"] - 3 - unit["parameters"])

        def apply(context: Context, *args: Any) -> Any:
            if context.keeps(args):
                key = (name, id(args[0]))
                if key not in context.memo:
                    context.memo[key] = body([context, None, None, *args, *rest])
                return context.memo[key]
            return body([context, None, None, *args, *rest])

        return apply

    def _conditions(self, pattern: Pattern, detector: Mapping[str, Any]) -> None:
        size = detector["size"] - 3

        def condition(expression: Mapping[str, Any] | None) -> Callable[[Any], Any] | None:
            if expression is None:
                return None
            body = self.builder.build(expression["x"])
            context = self._detector_context

            def test(fact: Any) -> Any:
                context.steps = 0
                return body([context, None, fact, *([UNSET] * size)])

            return test

        pattern.where, pattern.key = condition(detector["where"]), condition(detector["key"])
        pattern.value = condition(detector["value"])
        pattern.excepts = [c for e in detector["excepts"] if (c := condition(e)) is not None]

    def _rule(self, rule: Mapping[str, Any], rule_id: str | None = None) -> CompiledRule:
        own = [(i, self._own_pattern(i, rule)) for i in self._parametric.get(rule["use"] or "", ())]
        if own:
            swap = {i: pattern.id for i, pattern in own}
            rule = {**rule, **{k: swapped(rule[k], swap) for k in CONDITIONS}}
        return CompiledRule(self.builder, rule, rule_info(rule, rule_id), self.units, [pattern for _, pattern in own])

    def _own_pattern(self, detector_id: int, rule: Mapping[str, Any]) -> Pattern:
        """The detector that a template's pattern parameter makes; rules with the same pattern share it while one lives."""
        detector = self.plan["detectors"][detector_id]
        source = rule["config"][detector["parameter"]]["default"]
        made = self._instances.get((detector_id, source))
        if made is None:
            made = self.matcher.add({**detector, "pattern": source})
            self._conditions(made, detector)
            self._instances[detector_id, source] = made
        return made

    def instance(self, name: str, template: str, arguments: Mapping[str, Any], facts: Mapping[str, Any]) -> CompiledRule:
        """Make a rule from a template at run time; the arguments must have been checked."""
        base = self._templates[template]
        config = {k: {**v, "default": arguments[k], "given": "call"} if k in arguments else v for k, v in base["config"].items()}
        rule = {**base, "name": name, "config": config, "template": False, "use": template, **facts}
        return self._rule(rule, facts.get("rule_id"))

    def compiled(self, rule: Mapping[str, Any]) -> CompiledRule:
        """Make a rule of lowered plan nodes at run time."""
        return self._rule(rule, rule.get("rule_id"))

    def choose(self, eval_type: str) -> list[CompiledRule]:
        """The rules of a bundle; `all` is every bundle; custom rules always run."""
        found = self._chosen.get(eval_type)
        if found is None:
            found = [
                r
                for bundle in BUNDLES
                for r in self.rules
                if r.info.bundle == bundle
                and (eval_type in ("all", bundle) or r.info.origin == "custom")
                and r.info.status != "retired"
            ]
            self._chosen[eval_type] = found
        return found

    def judge(self, inputs: Inputs, rules: Sequence[CompiledRule], overrides: Overrides | None = None) -> list[Finding]:
        """Run rules over a run, in order."""
        context = Context(self, inputs)
        out = []
        for rule in rules:
            config, sources = rule.defaults, rule.sources
            if overrides and rule.info.name in overrides:
                config, sources = configured(rule, overrides[rule.info.name])
            out.append(rule.judge(context, config, sources, self.units))
        return out


def configured(rule: CompiledRule, overrides: Mapping[str, tuple[Any, str]]) -> tuple[dict[str, Any], dict[str, str]]:
    """A rule's settings with what the deployment or the call set, and where each came from."""
    config, sources = dict(rule.defaults), dict(rule.sources)
    for key, (value, source) in overrides.items():
        if key in config:
            config[key] = config_value(rule.types[key], value)
            sources[key] = source
    return config, sources


def rule_info(rule: Mapping[str, Any], rule_id: str | None) -> RuleInfo:
    """The constant facts of a rule."""
    return RuleInfo(
        name=rule["name"],
        title=rule["title"],
        bundle=rule["bundle"],
        kind=rule["kind"],
        question=rule["question"],
        classes=tuple(rule["classes"]),
        critical=rule["critical"],
        weight=rule["weight"],
        version=rule["version"],
        status=rule["status"],
        remedy=rule["remedy"],
        needs=tuple(rule["needs"]),
        reads=tuple(rule["reads"]),
        settings=tuple(rule["settings"]),
        origin=rule["origin"],
        rule_id=rule_id,
        hash=rule["hash"],
    )


def swapped(value: Any, swap: Mapping[int, int]) -> Any:
    """Plan nodes with detector numbers replaced."""
    if isinstance(value, dict):
        return {k: swapped(v, swap) for k, v in value.items()}
    if isinstance(value, list):
        if len(value) == 4 and value[0] == "detector":
            return [*value[:3], [swap.get(i, i) for i in value[3]]]
        return [swapped(v, swap) for v in value]
    return value


__all__ = ["Engine", "Text", "Unknown"]
