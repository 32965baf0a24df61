"""Rules that come with a call: made once for the same definition, refused with the path of what is wrong."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from iris.evaluate import Evaluator
from iris.problems import Problem, ProblemsFound
from iris.run.rule import CompiledRule
from iris.service.errors import ServiceError

KEPT = 128


class InlineRules:
    """The rules made of the definitions of late calls."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._made: OrderedDict[str, list[CompiledRule]] = OrderedDict()

    def of(self, definitions: Sequence[Mapping[str, Any]], path: str = "custom_rules[{}]") -> list[CompiledRule]:
        """Make rules of definitions. Raises IRIS_INVALID_RULE_CONFIG with the path of each mistake."""
        return [rule for i, d in enumerate(definitions) for rule in self._one(d, path.format(i))]

    def _one(self, definition: Mapping[str, Any], path: str) -> list[CompiledRule]:
        key = json.dumps(definition, sort_keys=True)
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        try:
            made = self._evaluator.custom([definition])
        except ProblemsFound as found:
            raise rule_refused(found.problems, path) from found
        self._made[key] = made
        if len(self._made) > KEPT:
            self._made.popitem(last=False)
        return made


def rule_refused(problems: Sequence[Problem], path: str) -> ServiceError:
    """Make the error of a definition that can not be used; a problem's message begins with its field."""
    details = [_detail(p, path) for p in problems]
    message = "; ".join(d["message"] for d in details)
    recovery = ["Correct the fields that are named and send the call again; nothing was deployed, judged or stored."]
    error = ServiceError("IRIS_INVALID_RULE_CONFIG", message, recovery, field=details[0]["field"], see="iris://capabilities")
    error.details = details
    return error


def _detail(problem: Problem, path: str) -> dict[str, Any]:
    name, sign, rest = problem.message.partition(": ")
    plain = sign and " " not in name
    field = ".".join(filter(None, (path, name if plain else "config")))
    hint = f" ({problem.help})" if problem.help else ""
    return {"field": field, "message": f"`{field}` {rest if plain else problem.message}{hint}"}
