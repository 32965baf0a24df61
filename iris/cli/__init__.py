"""The command line: one file a verb; each is imported only when it runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence

from iris import __version__

PASSED, TRIPPED, WRONG = 0, 1, 2
"""Exit codes: passed; a gate tripped or a pack is wrong; could not judge or wrong use."""

EVAL_TYPES = ("completeness", "relevance", "safety", "cost", "custom", "all")
PROBLEM_FORMATS = ("text", "json", "sarif", "github")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="iris", description="Judge what AI agents did. Rules are YAML, verdicts explain themselves."
    )
    parser.add_argument("-V", "--version", action="version", version=f"iris {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    _serve(verbs)
    _eval(verbs)
    _packs(verbs)
    _rules(verbs)
    explain = verbs.add_parser("explain", help="explain a problem code or a rule")
    explain.add_argument("what", metavar="CODE|RULE", help="a problem code such as E014, or a rule's name")
    _packs_option(explain)
    explain.set_defaults(run=_lazy("explain", "run"))
    return parser


Command = Callable[[argparse.Namespace], int]


def _lazy(module: str, function: str) -> Command:
    def command(args: argparse.Namespace) -> int:
        from importlib import import_module

        chosen: Command = getattr(import_module(f"iris.cli.{module}"), function)
        return chosen(args)

    return command


def _packs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--packs", metavar="DIR", action="append", default=[], help="a folder of your own packs, beside the built-in ones"
    )


def _serve(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    p = verbs.add_parser("serve", help="serve MCP on stdio (what `iris` alone does) or HTTP, and the HTTP interface")
    p.add_argument("--transport", choices=("stdio", "http"), help="how MCP is served; stdio when not set")
    p.add_argument("--host", metavar="HOST", help="where MCP over HTTP listens")
    p.add_argument("--port", metavar="PORT", help="its port; 3000 when not set")
    p.add_argument("--config", metavar="FILE", help="settings; config.json in the Iris home when not set")
    p.add_argument("--db-path", metavar="FILE", help="the database; iris.db in the Iris home when not set")
    p.add_argument("--api-key", metavar="KEY", help="a key that callers over HTTP must present")
    p.add_argument("--dashboard", action="store_true", default=None, help="serve the HTTP interface too")
    p.add_argument("--dashboard-host", metavar="HOST", help="where it listens; 127.0.0.1 when not set")
    p.add_argument("--dashboard-port", metavar="PORT", help="its port; 6920 when not set")
    _packs_option(p)
    p.set_defaults(run=_lazy("serve", "run"))


def _eval(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    p = verbs.add_parser("eval", help="judge runs from files or standard input")
    p.add_argument("files", metavar="FILE", nargs="+", help="NDJSON or JSON, .gz too; - is standard input")
    p.add_argument("--eval-type", choices=EVAL_TYPES, help="which bundle runs; all when left out")
    _packs_option(p)
    p.add_argument("--config", metavar="FILE", help="settings (YAML): threshold, critical_rules, rules …")
    p.add_argument("--format", default="pretty", choices=("pretty", "json", "jsonl", "junit", "sarif", "github"))
    p.add_argument(
        "--fail-on", default=None, metavar="WHAT", help="never, fail, unknown, not-passed (default), a basis, rule:NAME,…"
    )
    p.add_argument("--strict", action="store_true", help="refuse keys that a run does not have")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; 0 is one a core")
    p.add_argument("--output", metavar="FILE", help="write the report here instead of to standard output")
    p.add_argument("--verbose", action="store_true", help="show skipped rules too")
    p.add_argument("--why", action="store_true", help="add the tree of sub-expressions to each failed rule (json, jsonl)")
    p.add_argument(
        "--score-against",
        metavar="LABEL",
        help="instead of a report, count rules and verdict against a label of the runs: PATH, or PATH=BAD,BAD",
    )
    p.add_argument("--cluster-by", metavar="PATH", help="with --score-against: runs alike in this are one piece of evidence")
    p.add_argument("--slice-by", metavar="PATH", help="with --score-against: a table for each value of this")
    p.add_argument("--judged-at", metavar="TIME", help="the time to record (ISO 8601), for reports that must not change")
    p.set_defaults(run=_lazy("eval", "run"))


def _packs(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    group = verbs.add_parser("packs", help="compile, check, test, compare and write packs")
    parts = group.add_subparsers(dest="part", metavar="ACTION", required=True)
    for name, text in (
        ("compile", "compile packs, run their cases and write pack.lock"),
        ("check", "compile packs and run their cases; write nothing"),
        ("test", "run the cases and say what each rule answered"),
    ):
        p = parts.add_parser(name, help=text)
        p.add_argument("folders", metavar="DIR", nargs="*", help="your own packs; the built-in ones when left out")
        p.add_argument("--format", default="text", choices=PROBLEM_FORMATS)
        if name == "test":
            p.add_argument(
                "--mutate", action="store_true", help="drop each condition in turn: a change that no case notices is reported"
            )
            p.add_argument("--rule", help="only this rule")
        p.set_defaults(run=_lazy("packs", name))
    diff = parts.add_parser("diff", help="compare two compiled packs; say which version bump is due")
    diff.add_argument("old", metavar="OLD", help="a folder of packs")
    diff.add_argument("new", metavar="NEW", help="a folder of packs")
    diff.add_argument("--replay", metavar="FILE", help="runs to judge by both; every verdict that flips is listed")
    diff.add_argument("--format", default="text", choices=("text", "json"))
    diff.set_defaults(run=_lazy("diff", "run"))
    new = parts.add_parser("new", help="write a new pack, or a new rule into a pack")
    new.add_argument("name", metavar="PACK[/RULE]")
    new.add_argument("--in", dest="folder", metavar="DIR", default=".", help="where to write")
    new.set_defaults(run=_lazy("new", "run"))
    schema = parts.add_parser("schema", help="print the JSON Schema of a pack file, for editors")
    schema.add_argument("kind", nargs="?", default="rule", choices=("rule", "detectors", "shared", "pack"))
    schema.set_defaults(run=_lazy("packs", "schema"))
    listing = parts.add_parser("list", help="list packs and their rules")
    _packs_option(listing)
    listing.add_argument("--format", default="text", choices=("text", "json"))
    listing.set_defaults(run=_lazy("packs", "listing"))


def _rules(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    group = verbs.add_parser("rules", help="list rules, or show one with its settings and where each comes from")
    parts = group.add_subparsers(dest="part", metavar="ACTION", required=True)
    for name, text in (("list", "every rule in a line"), ("show", "one rule")):
        p = parts.add_parser(name, help=text)
        if name == "show":
            p.add_argument("name")
        _packs_option(p)
        p.add_argument("--config", metavar="FILE")
        p.add_argument("--format", default="text", choices=("text", "json"))
        p.set_defaults(run=_lazy("rules", name if name == "show" else "listing"))


def run(argv: Sequence[str]) -> int:
    """Parse and run; a person's mistake prints problems, never a traceback."""
    from iris.problems import ProblemsFound

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    args = build_parser().parse_args(_with_verb(argv))
    try:
        command: Command = args.run
        return command(args)
    except ProblemsFound as error:
        from iris.report.problems import render_problems

        print(render_problems(error.problems, "text", colour=colour(sys.stderr)), file=sys.stderr, end="")
        return WRONG
    except KeyboardInterrupt:
        return 130


def _with_verb(argv: Sequence[str]) -> Sequence[str]:
    """`iris` alone, or with flags of `serve`, serves."""
    bare = not argv or (argv[0].startswith("--") and argv[0].partition("=")[0] not in ("--version", "--help"))
    return ["serve", *argv] if bare else argv


def colour(stream: object) -> bool:
    """Whether a stream is a terminal that wants colour (https://no-color.org)."""
    return bool(getattr(stream, "isatty", lambda: False)()) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
