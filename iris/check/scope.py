"""What names mean in an expression: the packs around it, the rule it stands in, the variables bound so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from iris.language.paths import PATHS
from iris.language.types import ANY, FLAG, JSON, TEXT, Type, list_of, number
from iris.packs.documents import DefinitionDoc, DetectorDoc, PackDoc, SettingDoc

SETTING_TYPES: dict[str, Type] = {
    "count": number("count"),
    "ratio": number("ratio"),
    "usd": number("usd"),
    "ms": number("ms"),
    "number": number(None),
    "text": TEXT,
    "words": list_of(TEXT),
    "pattern": TEXT,
    "flag": FLAG,
    "json": JSON,
}


@dataclass(frozen=True, slots=True)
class World:
    """The shared names that one pack sees: its own first, then those of the built-in packs.

    Values are full names: a built-in thing keeps its name, a user pack's is prefixed with the pack.
    """

    detectors: dict[str, dict[str, str]]
    """group -> name -> full name."""
    documents: dict[str, DetectorDoc]
    """full name -> document."""
    lists: dict[str, str]
    tables: dict[str, str]
    definitions: dict[str, tuple[str, DefinitionDoc]]

    def group(self, name: str) -> dict[str, str]:
        """The detectors of a group."""
        return self.detectors.get(name, {})


def full_name(pack: PackDoc, name: str) -> str:
    """The name under which a pack's thing stands in the plan."""
    return name if pack.built_in or pack.deployed else f"{pack.name}/{name}"


def world_of(pack: PackDoc, all_packs: Iterable[PackDoc]) -> World:
    """Collect what a pack sees."""
    world = World({}, {}, {}, {}, {})
    for other in [p for p in all_packs if p.built_in and p is not pack] + [pack]:
        for group, detectors in other.detectors:
            names = {d.name: full_name(other, f"{group}.{d.name}") for d in detectors}
            world.detectors[group] = {**world.detectors.get(group, {}), **names} if other.built_in else names
            world.documents.update({full_name(other, f"{group}.{d.name}"): d for d in detectors})
        world.lists.update({name: full_name(other, name) for name, _, _ in other.lists})
        world.tables.update({name: full_name(other, name) for name, _, _ in other.tables})
        world.definitions.update({d.name: (full_name(other, d.name), d) for d in other.definitions})
    return world


@dataclass(slots=True)
class Scope:
    """What one expression may name. `place` says where it stands: rule, detector or definition."""

    world: World
    place: str
    lets: dict[str, Type] = field(default_factory=dict)
    later_lets: frozenset[str] = frozenset()
    config: dict[str, SettingDoc] = field(default_factory=dict)
    local_detectors: dict[str, str] = field(default_factory=dict)
    local_documents: dict[str, DetectorDoc] = field(default_factory=dict)
    parameters: dict[str, Type] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    fired: bool = False
    variables: dict[str, Type] = field(default_factory=dict)

    def bind(self, name: str, of: Type) -> Scope:
        """A scope with one more variable."""
        return Scope(
            self.world,
            self.place,
            self.lets,
            self.later_lets,
            self.config,
            self.local_detectors,
            self.local_documents,
            self.parameters,
            self.groups,
            self.fired,
            {**self.variables, name: of},
        )

    def names(self) -> set[str]:
        """Every name that may stand alone."""
        found = set(self.lets) | set(self.variables) | set(self.parameters)
        if self.place != "detector":
            found |= set(PATHS)
        if self.place == "detector":
            found.add("match")
        if self.fired:
            found.add("fired")
        return found


def setting_type(setting: SettingDoc) -> Type:
    """The type of `config.key`."""
    return SETTING_TYPES.get(setting.type, ANY)
