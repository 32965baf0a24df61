"""`iris packs new PACK[/RULE]`: write a pack, or a rule into one, that compiles as it stands."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from iris.cli import PASSED
from iris.problems import Problem, ProblemsFound

PACK = """\
# yaml-language-server: $schema=./.schema/pack.json
pack: {name}
version: 0.1.0
engine: ">=1"
title: Rules of {name}
licence: MIT
"""

RULE = """\
# yaml-language-server: $schema=./.schema/rule.json
rule: {name}
title: The answer names no ticket of ours
bundle: custom
kind: policy
question: safe_output
classes: [format]
weight: 1
version: 1
status: draft
about: |
  Fails when the answer shows an internal ticket number. Change the detector to what your answers must not show.
remedy: Leave the ticket number out.
detectors:
  ticket:
    regex: '\\bTICKET-\\d+\\b'
    examples:
      hit: ["see TICKET-12", "(TICKET-7)"]
      miss: ["see the ticket", "TICKET-x"]
let:
  tickets: hits(ticket, output)
fail_when: size(tickets) > 0
say: "{{tickets}} ticket numbers"
cases:
  - {{name: a ticket, run: {{output: It is in TICKET-12.}}, expect: fail}}
  - {{name: two tickets, run: {{output: TICKET-1 and TICKET-2}}, expect: fail}}
  - {{name: none, run: {{output: It is in the queue.}}, expect: pass}}
  - {{name: nearly, run: {{output: It is in TICKET-x.}}, expect: pass}}
  - {{name: no answer, run: {{input: "Where is it?"}}, expect: skip}}
"""


def run(args: argparse.Namespace) -> int:
    """Write the files and say what to do next."""
    pack, _, rule = args.name.partition("/")
    for name in (pack, rule or "x"):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ProblemsFound([Problem("E113", f"`{name}` is no name", None, "", "lower-case letters, digits and `_`")])
    folder = Path(args.folder) / pack
    written = []
    if not (folder / "pack.yaml").is_file():
        written += _write(folder / "pack.yaml", PACK.format(name=pack))
        rule = rule or "no_ticket_numbers"
    if rule:
        written += _write(folder / f"{rule}.yaml", RULE.format(name=rule))
    written += _schemas(folder)
    for path in written:
        print(f"wrote {path}")
    print(f"next: iris packs compile {folder}")
    return PASSED


def _write(path: Path, text: str) -> list[str]:
    if path.exists():
        raise ProblemsFound([Problem("E603", f"{path} is already there", None, "", "choose another name")])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProblemsFound(
            [Problem("E604", f"{path} can not be written: {error.strerror}", None, "", "check the folder")]
        ) from None
    return [path.as_posix()]


def _schemas(folder: Path) -> list[str]:
    """The JSON Schemas that the editor comment of each file names."""
    import json

    from iris.packs.schema import pack_schema

    out = []
    for kind in ("rule", "detectors", "shared", "pack"):
        path = folder / ".schema" / f"{kind}.json"
        if not path.exists():
            out += _write(path, json.dumps(pack_schema(kind), indent=1) + "\n")
    return out
