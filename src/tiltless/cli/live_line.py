"""Progress of long commands: a live line on a terminal, occasional lines elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

__all__ = ["live_line"]

EVERY = 10.0
"""Seconds between two lines where nobody can be shown a live one: in a pipe or a file."""


@contextmanager
def live_line(console: Console, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Gives a function that shows how far the work has come; quiet: it shows nothing."""
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        line = Text("starting")
        with Live(line, console=console, transient=True):
            yield lambda text: setattr(line, "plain", text)
    else:
        last = time.monotonic()

        def show(text: str) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY:
                last = time.monotonic()
                console.print(text, markup=False, soft_wrap=True)

        yield show
