"""Plain front ends: helpers of ``python -m tiltless.…`` commands; numpy and numba suffice."""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tiltless.errors import TiltlessError
from tiltless.interrupts import INTERRUPTED

__all__ = ["plain_main", "said_now_and_then"]


def plain_main(
    parser: argparse.ArgumentParser,
    arguments: list[str],
    work: Callable[[argparse.Namespace], int | None],
) -> int:
    """Parse the arguments and call ``work``; an error is one line and exit code 2, Ctrl-C 130."""
    args = parser.parse_args(arguments)
    try:
        return work(args) or 0
    except TiltlessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def said_now_and_then(
    every: float = 10.0, out: Callable[[str], Any] | None = None
) -> Callable[[str], None]:
    """A function that prints a line, at most one per ``every`` seconds.

    out: where to; by default to standard error.
    """
    last = time.monotonic()

    def say(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= every:
            last = time.monotonic()
            (out or partial(print, file=sys.stderr, flush=True))(line)

    return say
