"""`iris explain CODE|RULE`: the page of a problem code, a rule, or another name of the packs."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iris.cli import PASSED
from iris.problems import Problem, ProblemsFound

if TYPE_CHECKING:
    from iris.cli.shelf import Rule, Shelf
    from iris.packs.documents import DetectorDoc

CODE = re.compile(r"E\d\d\d")
WIDTH = 100


def run(args: argparse.Namespace) -> int:
    """Print the page of a code or a name; raises ProblemsFound (E903) when there is none."""
    print(page(args.what, [Path(f) for f in args.packs]))
    return PASSED


def page(what: str, folders: Sequence[Path]) -> str:
    """The page of a problem code, rule, template, definition, operator or detector."""
    from iris.packs.reader import near

    if CODE.fullmatch(what.upper()):
        entries = catalogue()
        if what.upper() in entries:
            return code_page(what.upper(), entries[what.upper()])
        raise unknown(f"there is no problem code `{what.upper()}`", near(what.upper(), entries))
    from iris.cli.shelf import load_shelf
    from iris.language.operators import operators

    shelf = load_shelf(folders)
    if (rule := shelf.rule(what)) is not None:
        return rule_page(rule)
    if what in shelf.definitions:
        definition = shelf.definitions[what]
        body = textwrap.indent(definition.body.text.strip(), "  ")
        return f"{what}({', '.join(definition.parameters)}) is a definition of {definition.at.source.file}:\n\n{body}"
    if what in operators():
        return operator_page(what)
    if what in shelf.detectors:
        return detector_page(what, shelf.detectors[what])
    raise unknown(f"there is no rule, definition, operator or detector `{what}`", near(what, names(shelf)))


def names(shelf: Shelf) -> set[str]:
    """Every name that has a page."""
    from iris.language.operators import operators

    return {*shelf.rules, *shelf.definitions, *operators(), *shelf.detectors}


def unknown(message: str, hint: str) -> ProblemsFound:
    """The problem of a name that nothing has."""
    return ProblemsFound([Problem("E903", message, None, "", hint or "`iris rules list` names the rules")])


def catalogue() -> dict[str, dict[str, str]]:
    """Every problem code: title, about, fix, in (what the examples are), wrong, right."""
    from iris.packs.read import read_text, read_yaml
    from iris.packs.reader import json_value

    data = (resources.files("iris") / "catalogue.yaml").read_bytes()
    source, problems = read_text("catalogue.yaml", data)
    assert source is not None
    node, found = read_yaml(source)
    if node is None or problems or found:
        raise ProblemsFound([*problems, *found])
    entries: dict[str, dict[str, str]] = json_value(node)
    return entries


def code_page(code: str, entry: dict[str, str]) -> str:
    """A problem code as text."""
    parts = [f"{code}: {entry['title']}", wrapped(entry["about"]), f"To put it right: {entry['fix'].strip()}"]
    shown = [
        textwrap.indent(f"{word}\n\n{textwrap.indent(entry[key].rstrip(), '    ')}", "") for word, key in EXAMPLES if key in entry
    ]
    return "\n\n".join([parts[0], parts[1], wrapped(parts[2]), *shown])


EXAMPLES = (("Wrong", "wrong"), ("Right", "right"))


def wrapped(text: str) -> str:
    """A text in lines of at most a hundred characters, its paragraphs kept."""
    return "\n\n".join(textwrap.fill(" ".join(p.split()), WIDTH) for p in text.strip().split("\n\n"))


def rule_page(rule: Rule) -> str:
    """A rule as text."""
    return "\n\n".join(part for part in _rule_parts(rule) if part)


def _rule_parts(rule: Rule) -> Iterator[str]:
    yield f"{rule.name}: {rule.title}"
    yield _table([(label, value) for label, value in facts(rule) if value])
    yield wrapped(rule.about)
    yield f"Remedy: {rule.remedy}" if rule.remedy else ""
    yield _block("Settings", [f"{s['name']} ({s['type']}, {s['shown']}): {s['about']}" for s in rule.settings])
    yield _block("Let", [_said(name, text) for name, text in rule.lets])
    yield _block("Does not apply when", [f"{text}: {because}" for text, because in rule.skips])
    yield _block("Fails when" if rule.fail_when else "Fails when one of these holds", _conditions(rule))
    yield _block("Reports, without failing, when", [_signal(s) for s in rule.advise])
    yield _block("Score", [rule.score] if rule.score else [])
    yield _block("Says", [rule.say] if rule.say else [])
    yield _block("Rests on", [f"{kind}: {', '.join(used)}" for kind, used in rule.used.items() if used])


def facts(rule: Rule) -> list[tuple[str, str]]:
    """The short facts of a rule as label and value."""
    optional = [name for name in rule.reads if name not in rule.needs]
    return [
        ("pack", rule.pack),
        ("bundle", rule.bundle),
        ("kind", rule.kind + (" (template)" if rule.template else "")),
        ("question", rule.question),
        ("classes", ", ".join(rule.classes)),
        ("critical", "yes" if rule.critical else "no"),
        ("weight", f"{rule.weight:g}"),
        ("status", f"{rule.status}, version {rule.version}"),
        ("needs", ", ".join(rule.needs)),
        ("also reads", ", ".join(optional)),
        ("template", rule.use),
        ("cases", ", ".join(f"{n} {kind}" for kind, n in rule.cases.items())),
        ("hash", rule.hash),
    ]


def _conditions(rule: Rule) -> list[str]:
    if rule.fail_when:
        return [rule.fail_when]
    note = ["what can not be checked counts as passed, and is listed"] if rule.unchecked_pass else []
    return [_signal(s) for s in rule.signals] + note


def _signal(signal: dict[str, Any]) -> str:
    return _said(signal["name"] + (f" [{signal['class']}]" if signal["class"] else ""), signal["when"])


def _said(name: str, text: str) -> str:
    """A name and its expression: beside it, or below it when it has several lines."""
    text = text.strip()
    return f"{name}: {text}" if "\n" not in text else f"{name}:\n{textwrap.indent(textwrap.dedent(text), '  ')}"


def _block(title: str, lines: Sequence[str]) -> str:
    return f"{title}\n" + textwrap.indent("\n".join(lines), "  ") if lines else ""


def _table(rows: Sequence[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"  {label:{width}}  {value}" for label, value in rows)


def operator_page(name: str) -> str:
    """An operator as text."""
    from iris.check.apply import signature
    from iris.language.operators import operators

    operator = operators()[name]
    head = f"{signature(operator)} -> {operator.gives}, an operator ({operator.group})"
    return f"{head}\n\n{operator.about}\n\nExample\n  {operator.example}"


def detector_page(name: str, doc: DetectorDoc) -> str:
    """A detector as text."""
    texts = [
        ("pattern", doc.regex),
        ("where", doc.where),
        *(("except", e) for e in doc.excepts),
        ("key", doc.key),
        ("value", doc.value),
    ]
    rows = [_said(label, text.text) for label, text in texts if text is not None]
    if doc.phrases:
        rows.append("phrases: " + ", ".join(p.text for p in doc.phrases))
    shown = [f"hit:  {t.text!r}" for t in doc.hits] + [f"miss: {t.text!r}" for t in doc.misses]
    head = f"{name} is a detector of {doc.at.source.file}" + (f" (class {doc.cls.text})" if doc.cls else "")
    return "\n\n".join(part for part in (head, doc.about, _block("Hits", rows), _block("Examples", shown)) if part)
