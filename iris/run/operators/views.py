"""Readings of a text, each with the way back to the raw text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from iris.run.values import Opaque, Text, View, as_text, as_texts
from iris.run.views.decode import decode_runs
from iris.run.views.disguise import unleet, unspace
from iris.run.views.fold import fold
from iris.run.views.json_view import json_labelled, json_values

Reading = Callable[[str], "tuple[str, Any] | None"]


def derive(text: Text, name: str, reading: Reading) -> Text:
    """Read a text another way; a reading that changes nothing is the text itself, so hits are shared."""
    view = text.view
    if name not in view.readings() and text.start == 0 and text.end == len(view.text):
        return text
    key = (name, text.start, text.end)
    found: Text | None = view.derived.get(key)
    if found is None:
        raw = text.s
        read = reading(raw)
        if read is None or read[0] is raw or read[0] == raw:
            found = text
        else:
            found = View(read[0], view.source, view, text.start, read[1], view.window).whole()
        view.derived[key] = found
    return found


def _view(name: str, reading: Reading) -> Callable[..., Any]:
    def operator(_c: Any, x: Any) -> Any:
        if type(x) is Text:
            return derive(x, name, reading)
        if isinstance(x, list):
            return [derive(t, name, reading) for t in as_texts(x)]
        return derive(as_text(x), name, reading)

    return operator


def _unbroken(text: str) -> tuple[str, Any]:
    return fold(text, drop_breaks=True)


def decoded(_c: Any, x: Any) -> list[Text]:
    """The texts inside base64 runs; their hits report the whole run."""
    out: list[Text] = []
    for text in as_texts(x):
        if "decoded" not in text.view.readings():
            continue
        key = ("decoded", text.start, text.end)
        found = text.view.derived.get(key)
        if found is None:
            found = [
                View(s, text.view.source, text.view, text.start + start, Opaque(end - start)).whole()
                for s, start, end in decode_runs(text.s)
            ]
            text.view.derived[key] = found
        out += found
    return out


def operators() -> dict[str, Callable[..., Any]]:
    """The operators of this file."""
    return {
        "folded": _view("folded", fold),
        "unbroken": _view("unbroken", _unbroken),
        "unleet": _view("unleet", unleet),
        "unspaced": _view("unspaced", unspace),
        "json_values": _view("json_values", json_values),
        "json_labelled": _view("json_labelled", json_labelled),
        "decoded": decoded,
    }
