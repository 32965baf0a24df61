"""Standard streams for the protocol alone. A command takes them first of all, before it imports or opens anything."""

from __future__ import annotations

import fcntl
import os
import sys


def take_standard_streams() -> tuple[int, int]:
    """Give descriptors of stdin and stdout; whoever else reads finds the end of a file, whoever prints, stderr."""
    reading = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    writing = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    # Python's own buffer is written at exit, to whatever descriptor 1 is then; text that goes to stderr keeps its order.
    sys.stdout = sys.stderr
    return reading, writing
