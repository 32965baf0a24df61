"""The command `iris`. `iris --version` imports nothing heavy."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; gives its exit code: 0 passed, 1 gate tripped, 2 could not judge or wrong use."""
    args = sys.argv[1:] if argv is None else argv
    if args in (["--version"], ["-V"]):
        from iris import __version__

        print(f"iris {__version__}")
        return 0
    from iris.cli import run

    return run(args)


if __name__ == "__main__":
    sys.exit(main())
