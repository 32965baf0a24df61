"""One case of a rule: the run it judges, what must come out, and the spans that must be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iris.packs import fields as f
from iris.packs.documents import CaseDoc
from iris.packs.reader import Reader, json_value, near, scalar_value
from iris.packs.source import Mapping, Scalar, YamlNode, problem_at
from iris.packs.source import Sequence as YamlSequence
from iris.problems import Problem

EVIDENCE_KEYS = ("source", "start", "end", "label")
LISTS = (("calls", f.CALL_KEYS, "a call"), ("tools", f.TOOL_KEYS, "a tool"))
NUMBERS = ("cost", "latency")


def case_doc(node: YamlNode, problems: list[Problem]) -> CaseDoc | None:
    """Build a case; None when it is no mapping."""
    inner = Reader(node, f.CASE, "a case", problems)
    if not isinstance(node, Mapping):
        return None
    signals = inner.texts("signals")
    return CaseDoc(
        inner.text("name") or "",
        inner.values.get("name", node),
        _run(inner),
        {k.text: json_value(v) for k, v in _settings(inner)},
        inner.text("expect") or "pass",
        tuple(t.text for t in signals) if "signals" in inner.values else None,
        _evidence(inner),
        tuple(t.at for t in signals),
        _settings(inner),
    )


def _settings(inner: Reader) -> tuple[tuple[Scalar, YamlNode], ...]:
    """The parameters and settings of the case, with their places."""
    found = [inner.values.get(name) for name in ("with", "config")]
    return tuple(item for node in found if isinstance(node, Mapping) for item in node.items)


def _run(inner: Reader) -> dict[str, Any]:
    for name in ("with", "config", "run"):
        node = inner.values.get(name)
        if node is not None and not isinstance(node, Mapping):
            inner.wrong(node, "a mapping")
    run = inner.values.get("run")
    if not isinstance(run, Mapping):
        return {}
    check_run(run, inner.problems)
    return {key.text: json_value(value) for key, value in run.items}


def _evidence(inner: Reader) -> tuple[dict[str, Any], ...] | None:
    if "evidence" not in inner.values:
        return None
    out = []
    for node in inner.sequence("evidence"):
        if not isinstance(node, Mapping):
            inner.wrong(node, "a mapping", "such as `{source: output, start: 0, end: 5}`")
            continue
        known_keys(node, EVIDENCE_KEYS, "an entry of evidence", inner.problems)
        out.append(json_value(node))
    return tuple(out)


def check_run(run: Mapping, problems: list[Problem]) -> None:
    """Refuse a misspelt key or a value of the wrong shape in a case's run, at every level Iris reads."""
    known_keys(run, f.RUN_KEYS, "a run", problems)
    for name in NUMBERS:
        _number(run.get(name), problems)
    for key, allowed, what in LISTS:
        for item in _items(run.get(key), problems):
            if not isinstance(item, Mapping):
                problems.append(
                    problem_at("E112", f"{what} must be a mapping", item, "not a mapping", "write `{" + allowed[0] + ": …}`")
                )
                continue
            known_keys(item, allowed, what, problems)
            if key == "calls":
                _number(item.get("latency"), problems)
    tokens = run.get("tokens")
    if isinstance(tokens, Mapping):
        known_keys(tokens, f.TOKEN_KEYS, "tokens", problems)
        for _, value in tokens.items:
            _number(value, problems)
    elif tokens is not None:
        problems.append(
            problem_at("E112", "`tokens` must be a mapping", tokens, "not a mapping", "write `{prompt: …, completion: …}`")
        )


def _items(node: YamlNode | None, problems: list[Problem]) -> Sequence[YamlNode]:
    if node is None:
        return ()
    if isinstance(node, YamlSequence):
        return node.items
    problems.append(
        problem_at(
            "E112",
            "this must be a list",
            node,
            "not a list",
            "`[]` says that there were none; leave the key out when nobody looked",
        )
    )
    return ()


def _number(node: YamlNode | None, problems: list[Problem]) -> None:
    value = scalar_value(node) if isinstance(node, Scalar) else node
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        assert node is not None
        problems.append(
            problem_at("E112", "this must be a number", node, "not a number", "leave the key out when it is not known")
        )


def known_keys(node: Mapping, allowed: Sequence[str], what: str, problems: list[Problem]) -> None:
    """Report each key that is not among the allowed ones."""
    for key, _ in node.items:
        if key.text not in allowed:
            problems.append(problem_at("E110", f"{what} has no key `{key.text}`", key, "unknown key", near(key.text, allowed)))
