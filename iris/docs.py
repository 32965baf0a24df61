"""Write the generated pages of docs/, a page a rule and a problem code, and the operators: `python -m iris.docs [--check]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iris.cli.shelf import Rule
    from iris.language.operators import Operator
    from iris.packs.documents import CaseDoc

FOLDER = Path(__file__).parents[1] / "docs"
OWNED = ("rules", "problems")
"""Folders in which every page is generated, so that one without a source is out of date."""
NOTE = "<!-- Written by `python -m iris.docs`; change the source, not this page. -->"
LONGEST_CASE = 600
"""Characters of an example case above which a shorter one is shown, when there is one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pages, or with --check name those that are out of date; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m iris.docs", description="Write the generated pages of docs/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="the folder of the pages")
    args = parser.parse_args(argv)
    stale = out_of_date(args.out, pages())
    if args.check:
        for name, _ in stale:
            print(f"out of date: {name}")
        return 1 if stale else 0
    for name, text in stale:
        write(args.out / name, text)
        print(f"{'removed' if text is None else 'wrote'} {name}")
    return 0


def out_of_date(folder: Path, wanted: dict[str, str]) -> list[tuple[str, str | None]]:
    """The pages that differ from what they should be, with the right text; None for one that should not be there."""
    there = {p.relative_to(folder).as_posix() for owned in OWNED for p in (folder / owned).glob("*.md")}
    stale: list[tuple[str, str | None]] = [(name, None) for name in sorted(there - set(wanted))]
    return stale + [(name, text) for name, text in wanted.items() if _read(folder / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def write(path: Path, text: str | None) -> None:
    """Write a page, or remove it."""
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Every generated page by its path in docs/. Raises ProblemsFound when the packs do not compile."""
    from iris.cli.explain import catalogue
    from iris.cli.shelf import load_shelf
    from iris.config.page import page as configuration
    from iris.language.operators import operators
    from iris.serve.mcp.page import mcp_page

    shelf, codes = load_shelf([]), catalogue()
    out = {"rules/index.md": rules_index(list(shelf.rules.values())), "problems/index.md": problems_index(codes)}
    out |= {f"rules/{name}.md": rule_page(rule, shelf.cases[name]) for name, rule in shelf.rules.items()}
    out |= {f"problems/{code}.md": problem_page(code, entry) for code, entry in codes.items()}
    out["configuration.md"], out["mcp.md"] = page([configuration()]), page([mcp_page()])
    return {**out, "operators.md": operators_page(list(operators().values()))}


def page(parts: Iterator[str] | Sequence[str]) -> str:
    """Join the parts of a page with blank lines."""
    return "\n\n".join([NOTE, *(part for part in parts if part)]) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *([" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: str, language: str = "text") -> str:
    """A fenced block; the fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def rules_index(rules: Sequence[Rule]) -> str:
    """The list of rules and templates."""
    head = ("rule", "bundle", "kind", "critical", "what holds when it passes")
    rows = [
        (f"[{r.name}]({r.name}.md)", r.bundle, r.kind, "yes" if r.critical else "no", r.title) for r in rules if not r.template
    ]
    templates = [(f"[{r.name}]({r.name}.md)", r.title) for r in rules if r.template]
    intro = "The rules that ship with Iris. Each page is made of the rule's own file in `rulepacks/`."
    more = "A template becomes a rule with `use:` and `with:`, or as the `type` of a custom rule."
    return page(["# Rules", intro, table(head, rows), "## Templates", more, table(("template", "what holds"), templates)])


def rule_page(rule: Rule, cases: Sequence[CaseDoc]) -> str:
    """A rule as Markdown."""
    return page(_rule_parts(rule, cases))


def _rule_parts(rule: Rule, cases: Sequence[CaseDoc]) -> Iterator[str]:
    from iris.cli.explain import facts

    yield f"# {rule.name}"
    yield f"**{rule.title}**"
    yield rule.about
    yield f"Remedy: {rule.remedy}" if rule.remedy else ""
    yield table(("", ""), [(label, value) for label, value in facts(rule) if value])
    if rule.settings:
        yield "## " + ("Parameters" if rule.template else "Settings")
        yield table(("key", "type", "value", ""), [(f"`{s['name']}`", s["type"], s["shown"], s["about"]) for s in rule.settings])
    if rule.skips:
        yield "## When it does not apply"
        yield "\n".join(f"- `{text}`: {because}" for text, because in rule.skips)
    yield "## When it fails"
    if rule.fail_when:
        yield code(rule.fail_when)
    else:
        yield "When at least one of these signals holds." + (UNCHECKED if rule.unchecked_pass else "")
        yield from _signals(rule.signals)
    if rule.advise:
        yield "## What it reports without failing"
        yield from _signals(rule.advise)
    yield from _words(rule)
    yield from _examples(cases)


UNCHECKED = " A signal that can not be checked counts as not holding, and is listed in the finding."


def _signals(signals: Sequence[dict[str, Any]]) -> Iterator[str]:
    for s in signals:
        yield f"**{s['name']}**" + (f" ({s['class']})" if s["class"] else "")
        yield code(s["when"])


def _words(rule: Rule) -> Iterator[str]:
    """The names, the score, the message, and what the rule rests on."""
    if rule.lets:
        yield "## Names in these conditions"
        yield code("\n".join(f"{name}: {text}" for name, text in rule.lets))
    if rule.score:
        yield "## Score when it fails"
        yield code(rule.score)
    yield f"The message: `{rule.say}`" if rule.say else ""
    used = [f"- {kind}: " + ", ".join(f"`{name}`" for name in names) for kind, names in rule.used.items() if names]
    if used:
        yield "## What it rests on"
        yield "\n".join(used)


def _examples(cases: Sequence[CaseDoc]) -> Iterator[str]:
    words = (("fail", "## A run that fails"), ("pass", "## A run that passes"))
    for kind, title in words:
        chosen = example([c for c in cases if c.expect == kind])
        if chosen is not None:
            yield title
            yield f"From the rule's own cases: *{chosen.name}*."
            yield code(run_text(chosen), "json")


def example(cases: Sequence[CaseDoc]) -> CaseDoc | None:
    """The first case that is not too long to print, else the shortest."""
    short = [c for c in cases if len(run_text(c)) <= LONGEST_CASE]
    return short[0] if short else min(cases, key=lambda c: len(run_text(c)), default=None)


def run_text(case: CaseDoc) -> str:
    """A case's run, and the settings it is judged with, as JSON in which every character can be seen."""
    text = laid_out({**case.run, **({"config": case.config} if case.config else {})}, 0)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def laid_out(value: Any, indent: int) -> str:
    """JSON with each value on one line where it fits into a hundred characters."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (indent and len(line) + indent <= 100):
        return line
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
    rows = [
        ("" if key is None else f"{json.dumps(key, ensure_ascii=False)}: ") + laid_out(item, indent + 2) for key, item in pairs
    ]
    pad = " " * (indent + 2)
    return opened + "\n" + ",\n".join(pad + row for row in rows) + "\n" + " " * indent + closed


def problems_index(codes: dict[str, dict[str, str]]) -> str:
    """The list of problem codes."""
    intro = "Every mistake that Iris reports has a code. `iris explain CODE` prints its page."
    parts = ["# Problems", intro]
    for first, title in AREAS:
        rows = [(f"[{c}]({c}.md)", entry["title"]) for c, entry in codes.items() if c.startswith(first)]
        parts += [f"## {title}", table(("code", "problem"), rows)]
    return page(parts)


AREAS = (
    ("E0", "Expressions"),
    ("E1", "Pack files"),
    ("E2", "Rules"),
    ("E3", "Detectors"),
    ("E4", "Cases"),
    ("E5", "Custom rules"),
    ("E6", "Locks and files that are written"),
    ("E7", "Runs"),
    ("E8", "Verdict policy and settings"),
    ("E9", "The command line"),
)


def problem_page(number: str, entry: dict[str, str]) -> str:
    """A problem code as Markdown."""
    language = {"run": "json", "custom": "json", "command": "console"}.get(entry["in"], "yaml")
    fix = entry["fix"].strip()
    wrong, right = code(entry["wrong"], language), code(entry["right"], language)
    head = f"# {number}: {entry['title']}"
    return page([head, entry["about"].strip(), "## How to put it right", fix, "Wrong:", wrong, "Right:", right])


def operators_page(operators: Sequence[Operator]) -> str:
    """The table of operators, a section a group."""
    from iris.check.apply import signature

    parts = ["# Operators", OPERATORS_INTRO.strip()]
    for group in dict.fromkeys(o.group for o in operators):
        rows = [(f"`{signature(o)}`", o.gives, o.about, f"`{o.example}`") for o in operators if o.group == group]
        parts += [f"## {group[0].upper() + group[1:]}", table(("operator", "gives", "meaning", "example"), rows)]
    return page(parts)


OPERATORS_INTRO = """
What a condition can use besides the words of the [language](language.md). An operator whose argument is unknown gives
unknown, except for those of the first group.

A `?` marks an argument that may be left out; it is given by its label, as in `words(output, shortest=4)`. With `…` the
last argument may be repeated. `texts` takes a text or a list of texts, and `text` also takes a fact or a JSON value.
`by` takes the name of a field, of an operator with one argument, or of a definition with one parameter. Of the results,
`view` is a text for a text and a list for a list, `same` has the type of the first argument, `item` is one element of
the list, and `groups` is a list of lists.
"""


if __name__ == "__main__":
    sys.exit(main())
