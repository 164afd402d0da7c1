"""Plain front ends: what ``python -m tiltless.…`` commands share, with numpy and numba alone."""

import argparse
import sys
import time
from collections.abc import Callable

from tiltless.errors import TiltlessError
from tiltless.interrupts import INTERRUPTED

__all__ = ["plain_main", "said_now_and_then"]


def plain_main(
    parser: argparse.ArgumentParser,
    arguments: list[str],
    work: Callable[[argparse.Namespace], int | None],
) -> int:
    """Read the arguments and work; a mistake is one line and exit code 2, Ctrl-C 130."""
    given = parser.parse_args(arguments)
    try:
        return work(given) or 0
    except TiltlessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def said_now_and_then(every: float = 10.0) -> Callable[[str], None]:
    """A function that writes a line to standard error, at most one in so many seconds."""
    last = time.monotonic()

    def say(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= every:
            last = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    return say
