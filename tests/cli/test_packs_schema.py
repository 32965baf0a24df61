"""`iris packs schema`: what an editor checks is what Iris reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from iris.flow import built_in_root

from .command import iris


def schema_of(kind: str) -> Draft202012Validator:
    """The schema of a kind of file, checked to be one."""
    schema = json.loads(iris("packs", "schema", kind).out)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


FILES = {
    "pack": sorted(built_in_root().glob("*/pack.yaml")),
    "rule": sorted(p for p in built_in_root().glob("*/*.yaml") if p.name != "pack.yaml"),
    "detectors": sorted(built_in_root().glob("*/detectors/*.yaml")),
    "shared": sorted([*built_in_root().glob("*/lists/*.yaml"), *built_in_root().glob("*/definitions/*.yaml")]),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_schema_accepts_every_built_in_file_and_refuses_a_misspelt_key(kind: str) -> None:
    schema = schema_of(kind)
    assert FILES[kind]
    for path in FILES[kind]:
        value = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        assert [e.message for e in schema.iter_errors(value)] == [], path
    wrong = {**value, "misspelt": 1}
    assert not schema.is_valid(wrong)


def test_the_schema_sees_a_misspelt_key_at_every_depth() -> None:
    schema = schema_of("rule")
    rule: dict[str, Any] = {"rule": "a", "fail_when": "blank(output)"}
    assert schema.is_valid(rule)
    for more in (
        {"config": {"most": {"type": "count", "defalt": 1}}},
        {"config": {"most": {"type": "counts"}}},
        {"signals": {"a": {"wen": "true"}}},
        {"skip_when": [{"when": "true"}]},
        {"detectors": {"d": {"regexp": "x"}}},
        {"cases": [{"name": "a", "run": {"outptu": "x"}, "expect": "fail"}]},
        {"cases": [{"name": "a", "run": {"calls": [{"tol": "x"}]}, "expect": "fail"}]},
        {"cases": [{"name": "a", "run": {}, "expect": "failed"}]},
        {"rule": "Not_a_name"},
        {"bundle": "safty"},
        {"classes": ["stubs"]},
        {"weight": -1},
    ):
        assert not schema.is_valid({**rule, **more}), more
