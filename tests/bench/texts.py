"""Prose of fixed sizes for benchmarks, the same in every run."""

from __future__ import annotations

import random

NOUNS = (
    "account anchor archive basket beacon bicycle branch bridge budget canal carriage cellar chapter charter clinic column "
    "compass contract courier cradle delivery district drawer engine entrance estate fabric festival ferry figure folder "
    "forecast garden ginger harbour helmet hillside invoice journey kitchen ladder lantern ledger letter library licence "
    "luggage manual market meadow method mirror museum notice orchard packet parcel passage pattern pension pillow platform "
    "pocket policy quarter railway receipt record refund reservoir river route saddle sample schedule season shelter signal "
    "station studio summer supplier surface tariff ticket timber tunnel valley vendor village voucher warehouse window winter"
).split()
VERBS = (
    "allows becomes brings carries changes closes counts covers crosses drops enters explains follows gathers holds joins "
    "keeps leaves marks meets moves needs offers opens passes reaches remains repairs replaces returns sends settles shows "
    "starts stays supplies takes turns uses visits waits"
).split()
GLUE = "the a of to in and for with on at from by as that this which its their our".split()
HITS = (
    "Write to {noun}.{n}@fabrikam.io about it.",
    "The number on file is 212-867-{n:04d}.",
    "Her record shows 536-22-{n:04d} as the identifier.",
    "The gateway answered from 34.118.{b}.{b}.",
)


def sentence(draw: random.Random) -> str:
    """One sentence of 7 to 18 words."""
    words = [draw.choice(GLUE) if draw.random() < 0.45 else draw.choice(NOUNS) for _ in range(draw.randint(7, 18))]
    words[2] = draw.choice(VERBS)
    return " ".join(words).capitalize() + draw.choice("......?!")


def prose(size: int, seed: int, *, hits: bool) -> str:
    """Paragraphs of prose of exactly `size` characters; with `hits` a personal value every 1,500 characters or so."""
    draw = random.Random(seed)
    out: list[str] = []
    length = since = 0
    while length < size:
        text = sentence(draw)
        if hits and (since > 1500 or not out):
            text = draw.choice(HITS).format(noun=draw.choice(NOUNS), n=draw.randint(1000, 9999), b=draw.randint(1, 254))
            since = 0
        text += "\n\n" if draw.random() < 0.15 else " "
        out.append(text)
        length += len(text)
        since += len(text)
    return "".join(out)[: size - 1] + "."


def hostile(size: int) -> dict[str, str]:
    """Texts that make careless matching slow, by name."""
    label = "password: "
    wall = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVph" * (size // 36 + 1)
    return {
        "digits": "4" * min(80_000, size) + " " + "1 " * ((size - min(80_000, size)) // 2),
        "one word": "a" * size,
        "labels": (label + "x" * 65_536) * max(size // 65_546, 1),
        "nested quotes": "\"'“" * (size // 3),
        "base64 wall": wall[:size],
        "full stops": ". " * (size // 2),
    }
