"""SARIF 2.1.0: one result a failed rule, at the line of the run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from iris.report.evidence import phrase, told
from iris.report.jsontext import to_json
from iris.report.judged import Judged, RuleResult, deciding_rules, failed_rules, state_of, verdict_of
from iris.report.sarif_parts import SCHEMA, VERSION, location, tool
from iris.report.text import visible
from iris.report.veil import Veil, veil_of


def _level(result: RuleResult, judged: Judged) -> str:
    if state_of(judged) == "pass":
        return "note"
    if result["ruleName"] in deciding_rules(judged) or result.get("critical"):
        return "error"
    return "note" if result.get("role") == "advisory" else "warning"


def _locations(judged: Judged) -> list[dict[str, Any]]:
    return [location(judged.file, judged.line)] if judged.file else []


def _fingerprint(name: str, judged: Judged) -> str:
    key = to_json([name, judged.file, judged.run_id])
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _properties(result: RuleResult, judged: Judged, veil: Veil) -> dict[str, Any]:
    return {
        "run": judged.run_id,
        "basis": str(verdict_of(judged).get("basis", "")),
        "score": result["score"],
        "classes": list(result.get("classes", ())),
        "evidence": [phrase(item, veil) for item in told(result)],
    }


def _rule(result: RuleResult, about: Mapping[str, str]) -> dict[str, Any]:
    """Describe a rule from what a pack says of it, or from its result alone."""
    name = str(result["ruleName"])
    title = about.get("title") or name
    remedy = about.get("remedy") or about.get("about") or f"See `iris rules show {name}`."
    tags = [t for t in (result.get("category"), result.get("kind"), result.get("question")) if t]
    return {
        "id": name,
        "name": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": about.get("about") or title},
        "help": {"text": remedy},
        "properties": {"tags": list(dict.fromkeys(tags))},
    }


class Sarif:
    """Writes one SARIF run, the results as they come. `rules` maps a rule name to title, about and remedy."""

    def __init__(self, *, version: str = "", rules: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self.version = version
        self.about = rules or {}
        self.rules: dict[str, dict[str, Any]] = {}
        self.faults: list[dict[str, Any]] = []
        self.empty = True

    def start(self) -> str:
        """Open the log; the tool comes last, when its rules are known."""
        return f'{{"$schema": {to_json(SCHEMA)}, "version": {to_json(VERSION)}, "runs": [{{"results": ['

    def item(self, judged: Judged) -> str:
        """Return the results of one run, and keep its error as a notification."""
        if judged.result is None:
            self.faults.append(_notification(judged))
            return ""
        veil = veil_of(judged)
        return "".join(self._result(result, judged, veil) for result in failed_rules(judged))

    def end(self) -> str:
        """Close the log with the rules met and the runs that could not be judged."""
        invocation = {"executionSuccessful": not self.faults, "toolExecutionNotifications": self.faults}
        parts = (to_json(tool(list(self.rules.values()), self.version)), to_json([invocation]))
        return f'\n], "tool": {parts[0]}, "invocations": {parts[1]}}}]}}\n'

    def _result(self, result: RuleResult, judged: Judged, veil: Veil) -> str:
        name = str(result["ruleName"])
        self.rules.setdefault(name, _rule(result, self.about.get(name, {})))
        comma = "" if self.empty else ","
        self.empty = False
        message = visible(veil.mask(result["message"])) or name
        written = {
            "ruleId": name,
            "ruleIndex": list(self.rules).index(name),
            "level": _level(result, judged),
            "message": {"text": message},
            "locations": _locations(judged),
            "partialFingerprints": {"irisRun/v1": _fingerprint(name, judged)},
            "properties": _properties(result, judged, veil),
        }
        return f"{comma}\n{to_json(written)}"


def _notification(judged: Judged) -> dict[str, Any]:
    code, message = (judged.error.code, judged.error.message) if judged.error else ("", "not judged")
    descriptor = {"descriptor": {"id": code}} if code else {}
    text = f"{visible(judged.run_id)}: {visible(message)}"
    return {**descriptor, "level": "error", "message": {"text": text}, "locations": _locations(judged)}
