"""Reports on judged runs and on problems. Each reporter is imported only when it is made."""

from __future__ import annotations

import os

from iris.report.shape import Factory, Options, Reporter

__all__ = ["Factory", "Options", "Reporter", "reporters"]


def _pretty(options: Options) -> Reporter:
    from iris.report.pretty import Pretty

    return Pretty(colour=options.colour, width=options.width, verbose=options.verbose)


def _jsonl(_: Options) -> Reporter:
    from iris.report.jsonl import Jsonl

    return Jsonl()


def _json(_: Options) -> Reporter:
    from iris.report.json import Json

    return Json()


def _junit(_: Options) -> Reporter:
    from iris.report.junit import Junit

    return Junit()


def _sarif(options: Options) -> Reporter:
    from iris.report.sarif import Sarif

    return Sarif(version=options.version, rules=options.rules)


def _github(options: Options) -> Reporter:
    from iris.report.github import Github

    return Github(summary_file=options.summary_file or os.environ.get("GITHUB_STEP_SUMMARY") or None)


def reporters() -> dict[str, Factory]:
    """Return the reporters on judged runs by name; a factory makes one from the options."""
    return {
        "pretty": _pretty,
        "jsonl": _jsonl,
        "json": _json,
        "junit": _junit,
        "sarif": _sarif,
        "github": _github,
    }
