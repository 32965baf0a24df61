"""Bytes of answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris.serve.http.answers import broken, dumped, refusal
from iris.service.errors import ServiceError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(), v, max_size=3), max_leaves=10
)


@given(JSON)
def test_what_is_written_reads_the_same(value: Any) -> None:
    assert json.loads(dumped(value)) == value


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": [1]}, ["a\ud83d"]])
def test_half_a_surrogate_pair_is_an_escape(value: Any) -> None:
    assert json.loads(dumped(value)) == value


def test_numbers_no_json_has_are_null() -> None:
    assert dumped([float("nan"), float("inf")]) == b"[null,null]"


def test_a_refusal_says_what_to_do_and_when() -> None:
    error = ServiceError("IRIS_STORAGE_ERROR", "the store is busy", ["Send it again."], retryable=True, retry_after_ms=2500)
    answer = refusal(error)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
    assert answer.body["recovery"] == ["Send it again."]


def test_a_fault_within_the_service_is_told_by_its_id_alone() -> None:
    answer = refusal(ServiceError("IRIS_INTERNAL_ERROR", "it broke at /home/somebody", ["Report it with the id 0a1b."]))
    assert (answer.status, answer.body["error"]) == (500, "Internal server error")
    assert "somebody" not in str(answer.body)


def test_what_nobody_foresaw_gives_an_id_alone() -> None:
    assert set(broken(KeyError("/home/somebody")).body) == {"error", "id"}
