"""Settings of a deployment: a YAML file, strictly read, every key known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iris.config.values import check_values, value_problems
from iris.packs.fields import Field
from iris.packs.reader import Reader, json_value
from iris.packs.source import Mapping, problem_at
from iris.problems import Problem, ProblemsFound
from iris.verdict.settings import Setting, Settings

FIELDS = (
    Field("threshold", "number", "The score that must be reached, 0 to 1."),
    Field("critical_rules", "texts", "Built-in rules that are critical here."),
    Field("non_critical_rules", "texts", "Built-in rules that are not critical here."),
    Field("defaults_gate", "flag", "Whether a policy that rests on our own number may fail a run."),
    Field(
        "on_critical_skipped", "choice", "What a critical rule that could not judge does.", choices=("unknown", "fail", "pass")
    ),
    Field("required_evidence", "texts", "Inputs without which no verdict is given."),
    Field("false_pass_cost", "number", "How many wrong fails one wrong pass is worth."),
    Field("priors", "json", "How often a run has each failure class."),
    Field("rules", "json", "Settings of rules: `rule: {key: value}`."),
)


def load_settings(file: str | None) -> Settings:
    """Read a settings file; none means the policy as it is. Raises ProblemsFound with every mistake."""
    if file is None:
        return Settings()
    from iris.packs.load import load_node

    problems: list[Problem] = []
    node, _ = load_node(Path(file), file, problems)
    if node is None:
        raise ProblemsFound(problems)
    reader = Reader(node, FIELDS, "the settings", problems)
    settings = _settings(reader, problems)
    if problems:
        raise ProblemsFound(problems)
    return settings


def _settings(reader: Reader, problems: list[Problem]) -> Settings:
    def given(name: str, value: Any) -> Any:
        return Setting(value, "config") if name in reader.values else None

    return Settings(
        threshold=given("threshold", reader.number("threshold", 0.7)),
        defaults_gate=given("defaults_gate", reader.flag("defaults_gate")),
        on_critical_skipped=given("on_critical_skipped", reader.text("on_critical_skipped")),
        required_evidence=given("required_evidence", tuple(t.text for t in reader.texts("required_evidence"))),
        false_pass_cost=given("false_pass_cost", reader.number("false_pass_cost", 1.0)),
        priors={k: Setting(v, "config") for k, v in _object(reader, "priors", problems).items()},
        rules=_rules(reader, problems),
        critical_rules=tuple(t.text for t in reader.texts("critical_rules")),
        non_critical_rules=tuple(t.text for t in reader.texts("non_critical_rules")),
    )


def _object(reader: Reader, name: str, problems: list[Problem]) -> dict[str, Any]:
    node = reader.values.get(name)
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        problems.append(problem_at("E112", f"`{name}` must be a mapping", node, "not a mapping"))
        return {}
    return {k.text: json_value(v) for k, v in node.items}


def _rules(reader: Reader, problems: list[Problem]) -> dict[str, dict[str, Setting[Any]]]:
    out: dict[str, dict[str, Setting[Any]]] = {}
    for rule, keys in _object(reader, "rules", problems).items():
        if not isinstance(keys, dict):
            problems.append(
                problem_at("E112", f"the settings of `{rule}` must be a mapping", reader.values["rules"], "not a mapping")
            )
            continue
        out[rule] = {key: Setting(value, "config") for key, value in keys.items()}
    return out


__all__ = ["FIELDS", "check_values", "load_settings", "value_problems"]
