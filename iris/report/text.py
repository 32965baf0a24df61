"""Text that is safe and honest on a terminal: hidden characters shown, widths counted in cells."""

from __future__ import annotations

import unicodedata

HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Drawn as nothing although Unicode files them under letters, marks or symbols.
HIDDEN_OTHERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
BREAKS = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
# Build runners obey these anywhere in a line of a log, so no text of a run may spell them out.
COMMAND_OPENINGS = ("##[", "##vso[")
TAB_STOP = 4


def is_hidden(char: str) -> bool:
    """Tell whether a character is a control, bidi, zero-width, tag or otherwise invisible one."""
    if char.isascii():
        return not char.isprintable()
    if unicodedata.category(char) in HIDDEN_CATEGORIES or char in HIDDEN_OTHERS:
        return True
    return any(ord(char) in selectors for selectors in SELECTORS)


def label(char: str) -> str:
    """Write a character as its code point, such as `<U+200B>`."""
    return f"<U+{ord(char):04X}>"


def _opens_command(text: str, index: int) -> bool:
    return any(text.endswith(opening, 0, index + 1) for opening in COMMAND_OPENINGS)


def glyph(text: str, index: int) -> str:
    """Return what is drawn for one character of a text; never a line break or an escape."""
    char = text[index]
    if char in BREAKS:
        return BREAKS[char]
    if is_hidden(char) or (char == "[" and _opens_command(text, index)):
        return label(char)
    return char


def visible(text: str) -> str:
    """Put a text on one line: breaks become spaces, hidden characters become code points."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text
    return "".join(" " if text[i] in BREAKS else glyph(text, i) for i in range(len(text)))


def cell_width(char: str) -> int:
    """Return the terminal cells of one visible character: 0, 1 or 2 (Unicode Standard Annex 11)."""
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me") or 0x1161 <= ord(char) <= 0x11FF:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cells(text: str) -> int:
    """Return the terminal cells of a visible text."""
    return len(text) if text.isascii() else sum(map(cell_width, text))


def laid_out(line: str) -> tuple[str, list[int]]:
    """Draw a source line and return it with the cell at which each character, and the end, stands."""
    drawn: list[str] = []
    offsets = [0]
    for index, char in enumerate(line):
        at = offsets[-1]
        piece = " " * (TAB_STOP - at % TAB_STOP) if char == "\t" else glyph(line, index)
        drawn.append(piece)
        offsets.append(at + cells(piece))
    return "".join(drawn), offsets


def _pieces(word: str, room: int) -> list[str]:
    pieces, piece, used = [], "", 0
    for char in word:
        size = cell_width(char)
        if used + size > room and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece += char
        used += size
    return [*pieces, piece]


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Break a visible text into lines of at most `width` cells, begun with `first` and then with `rest`.

    A line that would begin with `::` gets a backslash: build runners read `::name::` as a command.
    """
    room = max(width - max(cells(first), cells(rest)) - 1, 8)
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        for piece in _pieces(word, room):
            joined = f"{current} {piece}" if current else piece
            if cells(joined) <= room:
                current = joined
            else:
                lines.append(current)
                current = piece
    lines.append(current)
    guarded = ["\\" + line if line.startswith("::") else line for line in lines]
    return [(rest if index else first) + line for index, line in enumerate(guarded)]
