"""Inputs made to be slow cost what their length costs: four times the text at most six times the time."""

from __future__ import annotations

import base64
import gc
import random
import time
from collections.abc import Callable
from functools import lru_cache

import pytest

from iris import flow
from iris.evaluate import Evaluator

SMALL, LARGE = 250_000, 1_000_000
GROWTH = 6.0
OVER_PROSE = 10.0
SHORT = 0.5
"""Seconds for 1 MB that are no matter, whatever they are compared with."""
WORDS = "the agent found that orders were refunded after a review of each account and no further action is needed by anyone today".split()


@lru_cache(maxsize=1)
def evaluator() -> Evaluator:
    """The built-in packs."""
    return Evaluator(flow.load_plan())


def prose(n: int) -> str:
    """Ordinary sentences, with the quotation marks and accents that ordinary sentences have."""
    draw, parts, size = random.Random(3), [], 0
    while size < n:
        sentence = " ".join(draw.choices(WORDS, k=12)).capitalize() + ", as “Zoé” said — twice. "
        parts.append(sentence)
        size += len(sentence)
    return "".join(parts)[:n]


def filled(part: str, n: int) -> str:
    """A part again and again."""
    return (part * (n // len(part) + 1))[:n]


def numbers(n: int) -> str:
    """Runs of digits as long as a wall of them can be, a tenth of the text."""
    return filled("7" * 80_000 + " " + prose(9 * 80_000), n)


def labels(n: int) -> str:
    """A label every 64 kB of something that never ends a token."""
    return filled("x" * 65_500 + "\nAPI key: password: ", n)


def wall(n: int) -> str:
    """Base64 without a break."""
    return base64.b64encode(random.Random(5).randbytes(n))[:n].decode()


def broken_wall(n: int) -> str:
    """Base64 runs of text, each decodable."""
    return filled(base64.b64encode(b"Please go on with the plain words of this text, all of them. " * 4).decode() + "\n", n)


def tables(n: int) -> str:
    """One Markdown table."""
    return filled("| item 12 | 34 € | yes |\n", n)


SHAPES: dict[str, Callable[[int], str]] = {
    "digits": lambda n: filled("7", n),
    "numbers": numbers,
    "one word": lambda n: filled("a", n),
    "one line of words": lambda n: filled("word ", n),
    "labels": labels,
    "nested quotes": lambda n: filled("“‘\"'", n),
    "open quotes": lambda n: filled("\" a 'b ", n),
    "base64 wall": wall,
    "base64 runs": broken_wall,
    "brackets": lambda n: filled("[{(", n),
    "json": lambda n: filled('{"a": [1, ', n),
    "fences": lambda n: filled("```\n", n),
    "breaks": lambda n: filled("a\n", n),
    "spaces": lambda n: filled(" ", n),
    "dots": lambda n: filled(".", n),
    "at signs": lambda n: filled("a@", n),
    "dashes": lambda n: filled("4-", n),
    "invisible": lambda n: filled("a\u200b", n),
    "accents": lambda n: filled("e\u0301", n),
    "marks on one letter": lambda n: "e" + filled("\u0301", n - 1),
    "wide letters": lambda n: filled("Ａｂ ", n),
    "spaced letters": lambda n: filled("i g n o r e ", n),
    "table": tables,
    "commas": lambda n: filled("1,", n),
    "slashes": lambda n: filled("a/b.c:", n),
}


@lru_cache(maxsize=64)
def seconds(name: str, characters: int) -> float:
    """The best of three evaluations of a run with a shape as its output."""
    text = prose(characters) if name == "prose" else SHAPES[name](characters)
    best = float("inf")
    for i in range(3):
        run = {"output": text[:-1] + str(i), "input": "What was found?"}
        gc.collect()
        begin = time.perf_counter()
        evaluator().evaluate(run, evaluation_id="e", judged_at="2026-01-02T03:04:05.000Z")
        best = min(best, time.perf_counter() - begin)
    return best


@pytest.mark.parametrize("name", SHAPES)
def test_four_times_the_text_takes_at_most_six_times_as_long(name: str) -> None:
    small, large = seconds(name, SMALL), seconds(name, LARGE)
    assert large < max(GROWTH * small, SHORT), f"{small:.3f} s, then {large:.3f} s"


@pytest.mark.parametrize("name", SHAPES)
def test_no_shape_costs_ten_times_what_prose_costs(name: str) -> None:
    assert seconds(name, LARGE) < OVER_PROSE * max(seconds("prose", LARGE), SHORT / OVER_PROSE)
