"""Expressions and rules that hold: names resolved, types known. The hand-over from `check` to `plan`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from iris.language.types import Type


@dataclass(frozen=True, slots=True)
class Sound:
    """One resolved node.

    `kind` says what it is, `args` are its sub-expressions, `data` what else it needs:
    num value · str value · bool value · list · path name · let name · var name · config key · listref name ·
    tableref name · detector names · match · group name · field (name, how) · op name · def name · by (how, name) ·
    minus · arith op · compare op · member negated · else · not · and · or · quant (kind, names, orders) ·
    each (name, order, has_where, has_give).
    """

    kind: str
    type: Type
    start: int
    end: int
    args: tuple[Sound | None, ...] = ()
    data: Any = None


@dataclass(frozen=True, slots=True)
class SoundText:
    """A sound expression with the text it was written as (for `why`)."""

    node: Sound
    text: str


@dataclass(frozen=True, slots=True)
class SoundDetector:
    """A detector: `pattern` is its RE2 text, None when a template parameter brings it."""

    name: str
    group: str
    cls: str | None
    pattern: str | None
    parameter: str | None
    where: SoundText | None
    excepts: tuple[SoundText, ...]
    key: SoundText | None
    value: SoundText | None
    hits: tuple[str, ...]
    misses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SoundDefinition:
    """A named expression with parameters."""

    name: str
    parameters: tuple[str, ...]
    body: SoundText


@dataclass(frozen=True, slots=True)
class SoundSignal:
    """A named condition."""

    name: str
    when: SoundText
    cls: str | None
    say: tuple[str | SoundText, ...] | None


@dataclass(frozen=True, slots=True)
class SoundRule:
    """A rule whose every expression holds."""

    name: str
    pack: str
    facts: dict[str, Any]
    """title, bundle, kind, question, classes, critical, weight, version, status, about, remedy, file."""
    config: dict[str, dict[str, Any]]
    template: bool
    use: str | None
    lets: tuple[tuple[str, SoundText], ...]
    skips: tuple[tuple[SoundText, str], ...]
    signals: tuple[SoundSignal, ...]
    fail_when: SoundText | None
    advise: tuple[SoundSignal, ...]
    unchecked_pass: bool
    score: SoundText | None
    say: tuple[str | SoundText, ...] | None
    needs: tuple[str, ...]
    reads: tuple[str, ...]
    settings: tuple[str, ...]
    hash: str


@dataclass(frozen=True, slots=True)
class SoundPacks:
    """Everything the plan is made from."""

    packs: tuple[dict[str, Any], ...]
    rules: tuple[SoundRule, ...]
    detectors: tuple[SoundDetector, ...]
    definitions: tuple[SoundDefinition, ...]
    lists: dict[str, tuple[str, ...]]
    tables: dict[str, dict[str, tuple[str, ...]]]
    policy: dict[str, Any]
