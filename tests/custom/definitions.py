"""Definitions of custom rules that are right, and the contract of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

CONTRACT = Path(__file__).parents[1] / "contract" / "evaluate_output.output.schema.json"
VALIDATOR = Draft202012Validator(json.loads(CONTRACT.read_text(encoding="utf-8")))
GOOD: dict[str, dict[str, Any]] = {
    "regex_match": {"pattern": "^ok"},
    "regex_no_match": {"pattern": "secret"},
    "min_length": {"min_length": 4},
    "max_length": {"max_length": 4},
    "contains_keywords": {"keywords": ["refund", "days"]},
    "excludes_keywords": {"keywords": ["never", "no way"]},
    "json_schema": {"schema": {"type": "object", "required": ["id"]}},
    "cost_threshold": {"max_cost": 0.1},
    "expression": {"fail_when": 'not mentions(output, "refund")'},
}
"""A definition's config for every type."""

Judge = Callable[..., tuple[bool | None, float]]
