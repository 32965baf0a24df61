"""Write the golden texts anew: `python -m tests.problems.update [CODE …]`. Read the difference before you keep it."""

from __future__ import annotations

import sys

from .golden import HERE, inputs, text_of


def main(codes: list[str]) -> int:
    """Write the text of each input, or of the codes named."""
    for code, path in inputs().items():
        if codes and code not in codes:
            continue
        file, text = HERE / f"{code}.txt", text_of(path)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(f"wrote {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
