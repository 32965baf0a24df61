"""docs/configuration.md, made from the table of settings."""

from __future__ import annotations

import json
from typing import Any

from iris.config.table import TABLE, THRESHOLDS

HEAD = """# Configuration

Each setting is looked for in four places, a later one outranking an earlier one: its default, `config.json` in the Iris home,
the environment, the flags of `iris serve`. An unknown key, a value of another kind or a key that stands twice keeps Iris from
starting and is named with the nearest known one. The home is `~/.iris`, or the folder `IRIS_HOME` names; Iris makes it readable
for its owner alone.

`config.json` nests where the names below have dots: `dashboard.port` is `{"dashboard": {"port": 6920}}`.

| setting | environment | flag | default | what it does |
|---|---|---|---|---|
"""
TAIL = """
## Thresholds by their published names

`eval.ruleThresholds` takes these names; `eval.rules` takes every setting of every rule under the rule's own name. A threshold
that equals the default still counts as set: a rule whose number was set gates, one that rests on our number advises.

| name | rule | setting |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = [f"| `{e.name}` | {_code(e.env)} | {_code(e.flag)} | {_default(e.default)} | {e.about} |" for e in TABLE]
    names = [f"| `{name}` | `{rule}` | `{key}` |" for name, (rule, key) in THRESHOLDS.items()]
    return HEAD + "\n".join(rows) + "\n" + TAIL + "\n".join(names) + "\n"


def _code(name: str | None) -> str:
    return f"`{name}`" if name else ""


def _default(value: Any) -> str:
    return "" if value is None or value in ((), {}) else f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"
