"""`iris packs diff`: which version bump a change asks for, and which verdicts it flips."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iris.flow import built_in_root

from .command import iris, text_of, write_pack, write_runs

SETTING = "config: {{most: {{type: count, default: {}, about: Words.}}}}\n"


def set_to(words: int) -> dict[str, str]:
    """A rule that takes its number from a setting."""
    return {"config": SETTING.format(words), "most": "config.most"}


DIFFERENCES = {
    "nothing": ({}, {}, "none"),
    "words": ({}, {"title": "The answer has few words"}, "patch"),
    "a condition": ({}, {"most": "6"}, "minor"),
    "a condition of a gate": ({"kind": "policy"}, {"kind": "policy", "most": "6"}, "major"),
    "made critical": ({}, {"critical": "true"}, "major"),
    "no longer critical": ({"critical": "true"}, {}, "major"),
    "another kind": ({}, {"kind": "inference"}, "minor"),
    "a default": (set_to(5), set_to(6), "minor"),
    "a default of a gate": ({"kind": "policy", **set_to(5)}, {"kind": "policy", **set_to(6)}, "major"),
    "a setting": ({}, set_to(5), "minor"),
    "a setting gone": (set_to(5), {}, "major"),
}


@pytest.mark.parametrize("change", DIFFERENCES)
def test_the_bump_that_a_change_asks_for(change: str, small: Callable[..., dict[str, Any]]) -> None:
    before, after, bump = DIFFERENCES[change]
    assert small({"short.yaml": text_of(**before)}, {"short.yaml": text_of(**after)})["bump"] == bump


@pytest.mark.parametrize(
    "kind, critical, added",
    [
        ("measurement", "false", "minor"),
        ("detection", "false", "minor"),
        ("policy", "false", "major"),
        ("detection", "true", "major"),
    ],
)
def test_a_rule_that_is_added_or_gone(small: Callable[..., dict[str, Any]], kind: str, critical: str, added: str) -> None:
    other = {"base.yaml": text_of().replace("rule: short", "rule: base")}
    rule = {**other, "short.yaml": text_of(kind=kind, critical=critical)}
    assert small(other, rule)["bump"] == added
    assert small(rule, other)["bump"] == "major"
    assert small(rule, rule) == {"bump": "none", "changes": [], "flips": []}


@pytest.fixture
def small(place: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Compare two packs beside the stub."""
    from iris.cli import diff

    monkeypatch.setattr(diff, "built_in_root", lambda: place / ".stub")

    def compared(old: dict[str, str], new: dict[str, str], *more: str) -> dict[str, Any]:
        for side, files in (("old", old), ("new", new)):
            shutil.rmtree(place / side, ignore_errors=True)
            write_pack(place / side, files)
        result = iris("packs", "diff", "old", "new", "--format", "json", *more)
        found: dict[str, Any] = json.loads(result.out)
        assert result.code == (1 if found["flips"] else 0)
        assert f"bump due: {found['bump']}\n" in iris("packs", "diff", "old", "new", *more).out
        return found

    return compared


def test_a_replay_lists_each_verdict_that_flips(small: Callable[..., dict[str, Any]], place: Path) -> None:
    runs = [{"id": "six", "output": "a b c d e f"}, {"id": "one", "output": "a"}, {"id": "many", "output": "a b c d e f g h"}, 7]
    write_runs(place / "replay.jsonl", runs)
    old, new = (text_of(kind="policy", critical="true", most=most) for most in ("5", "6"))
    found = small({"short.yaml": old}, {"short.yaml": new}, "--replay", "replay.jsonl")
    assert [(f["id"], f["old"], f["rules"]) for f in found["flips"]] == [("six", "fail (policy_gate)", ["house/short"])]
    text = iris("packs", "diff", "old", "new", "--replay", "replay.jsonl").out
    assert "flips    six: fail (policy_gate) → pass" in text
    assert "1 verdicts flip" in text


@pytest.mark.parametrize("old, new", [("nothing", "house"), ("house", "nothing"), ("house", "runs.jsonl")])
def test_comparing_what_is_no_pack_is_a_problem(place: Path, old: str, new: str) -> None:
    write_pack(place, {"short.yaml": text_of()})
    result = iris("packs", "diff", old, new)
    assert (result.code, result.out) == (2, "")
    assert "E109" in result.err


def test_a_copy_of_the_built_in_packs_is_compared_as_it_stands(tmp_path: Path) -> None:
    result = iris("packs", "diff", built_in_root(), built_in_root(), "--format", "json")
    assert json.loads(result.out) == {"bump": "none", "changes": [], "flips": []}
