"""The verdict policy: what `rulepacks/verdict.yaml` says, read, checked and typed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iris.problems import ProblemsFound
from iris.verdict.reading import PlaceOf, Reader

LAYERS = ("gate", "veto", "unknown", "evidence", "risk", "score")
KINDS = ("measurement", "detection", "inference", "judgment", "policy", "verification")
ROLES = ("gate", "veto", "risk", "advisory", "term")
DECIDING_ROLES = ("gate", "veto")
COLUMNS = ("critical", "decides", "measured", "otherwise")
ON_SKIPPED = ("unknown", "fail", "pass")
INPUTS = ("output", "input", "expected", "tool_calls", "tool_outputs", "tools_catalogue", "cost", "tokens", "citations")
"""The inputs a call may carry, as the contract of `evaluate_output` names them."""
QUESTIONS = ("safe_output", "grounded", "complete", "relevant", "task_completed", "tool_use_correct", "within_budget")
BUNDLES = ("completeness", "relevance", "safety", "cost", "custom")

_KEYS = (
    "layers", "threshold", "defaults_gate", "on_critical_skipped", "required_evidence", "false_pass_cost", "measured",
    "priors", "prior_otherwise", "groups", "roles", "questions",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoleRow:
    """What a rule of one kind may do; the first of these that applies is its role."""

    critical: str
    otherwise: str
    decides: str | None = None
    measured: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """How findings become a verdict. Rates and priors are 0..1; `false_pass_cost` counts wrong fails."""

    layers: tuple[str, ...]
    threshold: float
    defaults_gate: bool
    on_critical_skipped: str
    required_evidence: tuple[str, ...]
    false_pass_cost: float
    minimum_runs: int
    interval: float
    priors: Mapping[str, float]
    prior_otherwise: float
    groups: Mapping[str, tuple[tuple[str, ...], ...]]
    roles: Mapping[str, RoleRow]
    questions: Mapping[str, tuple[str, ...]]
    own_priors: frozenset[str] = frozenset()
    """Classes whose prior the deployment set."""

    @property
    def loss_limit(self) -> float:
        """Give the probability of a bad run above which passing it costs more than failing it."""
        return 1.0 / (1.0 + self.false_pass_cost)

    def prior(self, failure_class: str) -> float:
        """Give the prior of a failure class."""
        return self.priors.get(failure_class, self.prior_otherwise)


def policy_from(data: Mapping[str, Any], place_of: PlaceOf | None = None) -> Policy:
    """Type the parsed `verdict.yaml`; raises ProblemsFound with every mistake in it.

    `place_of` finds the place of a dotted key, so that problems can point into the file.
    """
    reader = Reader("the verdict policy", place_of)
    top = reader.mapping(data, "")
    reader.keys(top, "", _KEYS)
    if reader.problems:
        raise ProblemsFound(reader.problems)
    policy = _read(reader, top)
    if reader.problems:
        raise ProblemsFound(reader.problems)
    return policy


def _read(reader: Reader, top: Mapping[str, Any]) -> Policy:
    measured = reader.mapping(top["measured"], "measured")
    reader.keys(measured, "measured", ("minimum_runs", "interval"))
    return Policy(
        layers=_layers(reader, top["layers"]),
        threshold=reader.number(top["threshold"], "threshold", 0.0, 1.0, 1.0),
        defaults_gate=reader.flag(top["defaults_gate"], "defaults_gate"),
        on_critical_skipped=reader.choice(top["on_critical_skipped"], "on_critical_skipped", ON_SKIPPED),
        required_evidence=reader.names(top["required_evidence"], "required_evidence", INPUTS),
        false_pass_cost=reader.number(top["false_pass_cost"], "false_pass_cost", 0.0, math.inf, 1.0),
        minimum_runs=_whole(reader, measured.get("minimum_runs", 1), "measured.minimum_runs"),
        interval=_open(reader, measured.get("interval", 0.95), "measured.interval"),
        priors=_priors(reader, top["priors"]),
        prior_otherwise=_open(reader, top["prior_otherwise"], "prior_otherwise"),
        groups=_groups(reader, top["groups"]),
        roles=_roles(reader, top["roles"]),
        questions=_questions(reader, top["questions"]),
    )


def _whole(reader: Reader, value: Any, key: str) -> int:
    number = reader.number(value, key, 1, math.inf, 1)
    if not number.is_integer():
        reader.report("E803", key, f"`{key}` must be a whole number", "not whole", "count labelled runs")
        return 1
    return int(number)


def _open(reader: Reader, value: Any, key: str) -> float:
    number = reader.number(value, key, 0.0, 1.0, 0.5)
    if number in (0.0, 1.0):
        reader.report("E803", key, f"`{key}` must lie between 0 and 1", "a certainty", "no evidence could move a 0 or a 1")
        return 0.5
    return number


def _layers(reader: Reader, value: Any) -> tuple[str, ...]:
    layers = reader.names(value, "layers", LAYERS)
    if sorted(layers) != sorted(LAYERS) and set(layers) <= set(LAYERS):
        help_line = "name each of " + ", ".join(LAYERS) + " once, in the order you want"
        reader.report("E805", "layers", "`layers` must name each layer once", "incomplete or repeated", help_line)
    return layers


def _priors(reader: Reader, value: Any) -> dict[str, float]:
    return {name: _open(reader, prior, f"priors.{name}") for name, prior in reader.mapping(value, "priors").items()}


def _groups(reader: Reader, value: Any) -> dict[str, tuple[tuple[str, ...], ...]]:
    groups = {}
    for name, lists in reader.mapping(value, "groups").items():
        key = f"groups.{name}"
        if isinstance(lists, str) or not isinstance(lists, list | tuple):
            reader.report("E803", key, f"`{key}` must be a list of groups", "not a list", "write `- [rule_a, rule_b]`")
            continue
        groups[name] = tuple(reader.names(group, key) for group in lists)
        members = [member for group in groups[name] for member in group]
        for twice in sorted({m for m in members if members.count(m) > 1}):
            message = f"`{twice}` is twice in the groups of `{name}`"
            reader.report("E808", key, message, "in two groups", "a detector belongs to one group of a class")
    return groups


def _roles(reader: Reader, value: Any) -> dict[str, RoleRow]:
    table = reader.mapping(value, "roles")
    reader.keys(table, "roles", KINDS)
    return {kind: _role(reader, table[kind], f"roles.{kind}") for kind in KINDS if kind in table}


def _role(reader: Reader, value: Any, key: str) -> RoleRow:
    row = reader.mapping(value, key)
    reader.keys(row, key, ("critical", "otherwise"), ("decides", "measured"))
    cells = {c: reader.choice(row[c], f"{key}.{c}", ROLES) for c in COLUMNS if c in row}
    if cells.get("critical", "gate") not in DECIDING_ROLES:
        message = f"`{key}.critical` must be gate or veto"
        reader.report("E806", f"{key}.critical", message, "would not decide", "a failing critical rule always fails the verdict")
    for column in ("decides", "otherwise"):
        if cells.get(column) == "risk":
            message = f"`{key}.{column}` can not be risk"
            reader.report("E806", f"{key}.{column}", message, "not measured", "only `measured` rules have counts")
    return RoleRow(cells.get("critical", "gate"), cells.get("otherwise", "advisory"), cells.get("decides"), cells.get("measured"))


def _questions(reader: Reader, value: Any) -> dict[str, tuple[str, ...]]:
    table = reader.mapping(value, "questions")
    if set(table) != set(QUESTIONS):
        wrong = sorted(set(table) ^ set(QUESTIONS))
        message = "`questions` must be the seven of the contract; see " + ", ".join(f"`{w}`" for w in wrong)
        reader.report("E807", "questions", message, "missing or unknown", "write " + ", ".join(QUESTIONS))
    return {name: reader.names(inputs, f"questions.{name}", INPUTS) for name, inputs in table.items()}
