"""Escaping for the formats that other programs read: workflow commands, Markdown, XML."""

from __future__ import annotations

import re

from iris.report.text import is_hidden, label, visible

MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&@:$=^])")
COMMAND_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
COMMAND_PROPERTY = {**COMMAND_DATA, ":": "%3A", ",": "%2C"}
XML_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
XML_ATTRIBUTE = {**XML_TEXT, '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(c) or (label(c) if is_hidden(c) else c) for c in text)


def github_data(text: str) -> str:
    """Escape the message of a workflow command; a line break is kept as `%0A`."""
    return _escaped(text, COMMAND_DATA)


def github_property(text: str) -> str:
    """Escape the value of a property of a workflow command."""
    return _escaped(text, COMMAND_PROPERTY)


def markdown_text(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, on one line and inside a table cell."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", visible(text))


def markdown_code(text: str) -> str:
    """Write a text as a code span that also holds inside a table cell (CommonMark 6.1, GFM 4.10)."""
    shown = visible(text)
    if not shown.strip(" "):
        return ""
    # A backslash before a pipe would eat the escape of the pipe, so such text is not put in a code span.
    if "\\" in shown and "|" in shown:
        return markdown_text(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _xml(text: str, table: dict[str, str]) -> str:
    kept = "".join(c if c in "\r\n\t" or not is_hidden(c) else label(c) for c in text)
    return "".join(table.get(c, c) for c in kept)


def xml_text(text: str) -> str:
    """Escape character data; characters that XML 1.0 cannot hold become code points."""
    return _xml(text, XML_TEXT)


def xml_attribute(text: str) -> str:
    """Escape the value of an attribute in double quotes, its line breaks kept."""
    return _xml(text, XML_ATTRIBUTE)
