"""Nodes of one file to its document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from iris.packs import fields as f
from iris.packs.case import case_doc
from iris.packs.documents import (
    DefinitionDoc,
    DetectorDoc,
    RuleDoc,
    SettingDoc,
    SignalDoc,
    SkipDoc,
    Text,
)
from iris.packs.reader import Reader
from iris.packs.source import Mapping, Scalar, YamlNode, problem_at
from iris.packs.source import Sequence as YamlSequence
from iris.problems import Problem

DEFINE = re.compile(r"([a-z][a-z0-9_]*)\(([a-z][a-z0-9_]*(?:\s*,\s*[a-z][a-z0-9_]*)*)\)\Z")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")


def rule_doc(file: str, node: YamlNode, content: str, problems: list[Problem], *, deployed: bool = False) -> RuleDoc | None:
    """Build a rule document; None when it has no name to speak of. A deployed rule may have any text as its name."""
    reader = Reader(node, f.DEPLOYED if deployed else f.RULE, "a rule", problems)
    name = reader.name("rule")
    if name is None:
        return None
    stem = PurePosixPath(file).stem
    if stem != name.text and file.endswith((".yaml", ".yml")):
        problems.append(
            problem_at(
                "E114", f"the file is `{stem}`, the rule `{name.text}`", name.at, "differs", "name the file after the rule"
            )
        )
    question = reader.text("question")
    deployment = _mapping(reader, "deployment")
    return RuleDoc(
        name=str(deployment.get("name", name.text)),
        file=file,
        at=name.at,
        title=reader.text("title") or name.text.replace("_", " "),
        bundle=reader.text("bundle") or "custom",
        kind=reader.text("kind") or "policy",
        question=question,
        classes=reader.texts("classes"),
        critical=reader.flag("critical"),
        weight=reader.number("weight", 1.0, above=True),
        version=int(reader.number("version", 1, whole=True, least=1)),
        status=reader.text("status") or "draft",
        about=(reader.text("about") or "").strip(),
        remedy=(reader.text("remedy") or "").strip(),
        config=_settings(reader, "config"),
        parameters=_settings(reader, "parameters") if "parameters" in reader.values else None,
        use=reader.name("use"),
        arguments=_mapping(reader, "with"),
        arguments_at=reader.values.get("with"),
        keys={k.text: k for k, _ in node.items} if isinstance(node, Mapping) else {},
        lets=tuple((k, t) for k, v in reader.items("let") if (t := _expression(v, reader))),
        detectors=detector_docs(reader.items("detectors"), problems),
        skips=_skips(reader),
        signals=_signals(reader, "signals"),
        fail_when=reader.scalar("fail_when"),
        advise=_signals(reader, "advise"),
        unchecked=reader.text("unchecked"),
        score=reader.scalar("score"),
        say=reader.scalar("say"),
        cases=tuple(c for n in reader.sequence("cases") if (c := case_doc(n, problems))),
        content=content,
    )


def _expression(node: YamlNode, reader: Reader) -> Text | None:
    if isinstance(node, Scalar):
        return Text(node.text, node)
    reader.wrong(node, "an expression (put it in a block when it starts with `[` or `{`)")
    return None


def _mapping(reader: Reader, name: str) -> dict[str, Any]:
    value = reader.json(name)
    if value is None or isinstance(value, dict):
        return value or {}
    reader.wrong(reader.values[name], "a mapping")
    return {}


def _settings(reader: Reader, name: str) -> tuple[SettingDoc, ...]:
    out = []
    for key, node in reader.items(name):
        inner = Reader(node, f.SETTING, f"setting `{key.text}`", reader.problems)
        out.append(
            SettingDoc(
                key.text,
                key,
                inner.text("type") or "text",
                inner.json("default"),
                "default" not in inner.values,
                inner.text("about") or "",
                inner.values.get("default"),
            )
        )
    return tuple(out)


def _signals(reader: Reader, name: str) -> tuple[SignalDoc, ...]:
    out = []
    for key, node in reader.items(name):
        if isinstance(node, Scalar):
            out.append(SignalDoc(key.text, key, Text(node.text, node), None, None))
            continue
        inner = Reader(node, f.SIGNAL, f"signal `{key.text}`", reader.problems)
        when = inner.scalar("when")
        if when:
            out.append(SignalDoc(key.text, key, when, inner.scalar("class"), inner.scalar("say")))
    return tuple(out)


def _skips(reader: Reader) -> tuple[SkipDoc, ...]:
    out = []
    for node in reader.sequence("skip_when"):
        inner = Reader(node, f.SKIP, "an entry of skip_when", reader.problems)
        when = inner.scalar("when")
        if when:
            out.append(SkipDoc(when, inner.text("because") or ""))
    return tuple(out)


def detector_docs(items: Sequence[tuple[Scalar, YamlNode]], problems: list[Problem]) -> tuple[DetectorDoc, ...]:
    """Build the detectors of a mapping."""
    return tuple(_detector(key, node, problems) for key, node in items)


def _detector(key: Scalar, node: YamlNode, problems: list[Problem]) -> DetectorDoc:
    reader = Reader(node, f.DETECTOR, f"detector `{key.text}`", problems)
    regex, phrases, source = reader.scalar("regex"), reader.texts("phrases"), reader.name("regex_from")
    if sum(name in reader.values for name in ("regex", "phrases", "regex_from")) != 1:
        hint = "two patterns are two detectors" if len(reader.values) > 1 else "write `regex: '…'`"
        problems.append(problem_at("E301", f"detector `{key.text}` needs one of regex, phrases, regex_from", key, "here", hint))
    if regex and regex.at.style == "double" and (control := CONTROL.search(regex.text)):
        place = regex.at.place_of(control.start(), control.end())
        what = "double quotes turned this escape into a control character"
        problems.append(Problem("E108", what, place, "no longer a pattern", "put the pattern in single quotes"))
    if isinstance(listed := reader.values.get("phrases"), YamlSequence) and not listed.items:
        reader.wrong(listed, "a list of at least one phrase")
    before = len(problems)
    shown = [replace(x, required=False) for x in f.EXAMPLES]
    examples = Reader(reader.values["examples"], shown, "examples", problems) if "examples" in reader.values else None
    hits, misses = (examples.texts("hit"), examples.texts("miss")) if examples else ((), ())
    read = len(problems) == before
    return DetectorDoc(
        key.text,
        key,
        reader.scalar("class"),
        regex,
        phrases,
        source,
        reader.scalar("where"),
        reader.one_or_more("except"),
        reader.scalar("key"),
        reader.scalar("value"),
        hits,
        misses,
        reader.text("about") or "",
        read,
    )


def shared_doc(
    group: str, node: YamlNode, problems: list[Problem]
) -> tuple[
    list[tuple[str, tuple[str, ...], Scalar]],
    list[tuple[str, dict[str, tuple[str, ...]], Scalar]],
    tuple[DetectorDoc, ...],
    list[DefinitionDoc],
]:
    """Build the lists, tables, detectors and definitions of a shared file."""
    reader = Reader(node, f.SHARED, f"file `{group}`", problems)
    lists = [(k.text, tuple(map(str, _texts(v, problems))), k) for k, v in reader.items("lists")]
    tables = [(k.text, _table(v, problems), k) for k, v in reader.items("tables")]
    definitions = []
    for key, body in _entries(reader, "define"):
        matched = DEFINE.match(key.text)
        if not matched or not isinstance(body, Scalar):
            problems.append(
                problem_at("E113", f"`{key.text}` defines nothing", key, "here", "write `name(parameter): expression`")
            )
            continue
        names = tuple(p.strip() for p in matched[2].split(","))
        definitions.append(DefinitionDoc(matched[1], names, key, Text(body.text, body)))
    return lists, tables, detector_docs(reader.items("detectors"), problems), definitions


def _entries(reader: Reader, name: str) -> Sequence[tuple[Scalar, YamlNode]]:
    node = reader.values.get(name)
    if node is None:
        return ()
    if isinstance(node, Mapping):
        return node.items
    reader.wrong(node, "a mapping")
    return ()


def _texts(node: YamlNode, problems: list[Problem]) -> list[str]:
    items = getattr(node, "items", ()) if not isinstance(node, Mapping | Scalar) else None
    if items is None:
        problems.append(problem_at("E112", "this must be a list of texts", node, "not a list"))
        return []
    out = []
    for item in items:
        if isinstance(item, Scalar):
            out.append(item.text)
        else:
            problems.append(problem_at("E112", "this must be a text", item, "not a text"))
    return out


def _table(node: YamlNode, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    if not isinstance(node, Mapping):
        problems.append(problem_at("E112", "a table is a mapping from a text to texts", node, "not a mapping"))
        return {}
    return {k.text.lower(): (v.text,) if isinstance(v, Scalar) else tuple(_texts(v, problems)) for k, v in node.items}


__all__ = ["detector_docs", "rule_doc", "shared_doc"]
