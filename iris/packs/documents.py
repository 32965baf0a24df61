"""What a pack's files say, typed but not yet understood: the hand-over from `packs` to `parse`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from iris.packs.source import Scalar, YamlNode


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the scalar it came from."""

    text: str
    at: Scalar


@dataclass(frozen=True, slots=True)
class DetectorDoc:
    """One named pattern set."""

    name: str
    at: Scalar
    cls: Text | None
    regex: Text | None
    phrases: tuple[Text, ...]
    regex_from: Text | None
    where: Text | None
    excepts: tuple[Text, ...]
    key: Text | None
    value: Text | None
    hits: tuple[Text, ...]
    misses: tuple[Text, ...]
    about: str
    examples_read: bool = True
    """Whether the examples had the right shape."""


@dataclass(frozen=True, slots=True)
class SettingDoc:
    """One key of `config` or `parameters`."""

    name: str
    at: Scalar
    type: str
    default: Any
    required: bool
    about: str
    default_at: YamlNode | None = None


@dataclass(frozen=True, slots=True)
class SignalDoc:
    """One named condition of `signals` or `advise`."""

    name: str
    at: Scalar
    when: Text
    cls: Text | None
    say: Text | None


@dataclass(frozen=True, slots=True)
class SkipDoc:
    """One entry of `skip_when`."""

    when: Text
    because: str


@dataclass(frozen=True, slots=True)
class CaseDoc:
    """One test of a rule: a run in the language's words and what must come out."""

    name: str
    at: YamlNode
    run: dict[str, Any]
    config: dict[str, Any]
    expect: str
    signals: tuple[str, ...] | None
    evidence: tuple[dict[str, Any], ...] | None
    signals_at: tuple[Scalar, ...] = ()
    config_at: tuple[tuple[Scalar, YamlNode], ...] = ()
    """Keys and values of `with` and `config`, for their places."""


@dataclass(frozen=True, slots=True)
class DefinitionDoc:
    """`name(parameters): expression`."""

    name: str
    parameters: tuple[str, ...]
    at: Scalar
    body: Text


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """One rule file: a rule, a template (has parameters) or an instance (has `use`)."""

    name: str
    file: str
    at: YamlNode
    title: str
    bundle: str
    kind: str
    question: str | None
    classes: tuple[Text, ...]
    critical: bool
    weight: float
    version: int
    status: str
    about: str
    remedy: str
    config: tuple[SettingDoc, ...]
    parameters: tuple[SettingDoc, ...] | None
    use: Text | None
    arguments: dict[str, Any]
    lets: tuple[tuple[Scalar, Text], ...]
    detectors: tuple[DetectorDoc, ...]
    skips: tuple[SkipDoc, ...]
    signals: tuple[SignalDoc, ...]
    fail_when: Text | None
    advise: tuple[SignalDoc, ...]
    unchecked: str | None
    score: Text | None
    say: Text | None
    cases: tuple[CaseDoc, ...]
    content: str = ""
    """The file's text, for its hash."""
    arguments_at: YamlNode | None = None
    keys: dict[str, Scalar] = field(default_factory=dict)
    """The keys that the file has, for their places."""


@dataclass(frozen=True, slots=True)
class PackDoc:
    """One folder of rules and what they share."""

    name: str
    version: str
    engine: str
    title: str
    licence: str
    folder: str
    built_in: bool
    deployed: bool = False
    rules: tuple[RuleDoc, ...] = ()
    detectors: tuple[tuple[str, tuple[DetectorDoc, ...]], ...] = ()
    lists: tuple[tuple[str, tuple[str, ...], Scalar], ...] = ()
    tables: tuple[tuple[str, dict[str, tuple[str, ...]], Scalar], ...] = ()
    definitions: tuple[DefinitionDoc, ...] = ()
    contents: tuple[tuple[str, str], ...] = field(default=())
    """(file, text) of everything that is not a rule, for the pack's hash."""
    at: YamlNode | None = None
