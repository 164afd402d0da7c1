"""Terminal helpers of all commands: consoles, lines, bars, JSON."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.file_proxy import FileProxy
from rich.text import Text

from tiltless.plain import said_now_and_then

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = [
    "AsJson",
    "Threads",
    "bar",
    "console",
    "is_live",
    "live_line",
    "pipe_lines",
    "print_json",
    "say",
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[
    int, typer.Option(help="Number of threads; 0 means all cores.", min=0, max=1024)
]
EVERY = 10.0
"""Seconds between two progress lines where a live line is not possible: in a pipe or a file."""


def console(*, stderr: bool = False, markup: bool = True) -> Console:
    """A console; results go to standard output, progress to standard error."""
    return Console(highlight=False, markup=markup, stderr=stderr)


def say(on: Console, text: str) -> None:
    """Print a line verbatim: no markup, wrapped only by the terminal."""
    on.print(text, markup=False, soft_wrap=True)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, in which infinite and unknown numbers are null.

    indent: None for one line.
    """
    typer.echo(json.dumps(_finite(value), indent=indent, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def bar(
    description: str = "{task.description}",
    *middle: str,
    on: Console | None = None,
    transient: bool = True,
) -> "Progress":
    """A bar with percentage, elapsed and remaining time; an occasional line in a pipe.

    description, middle: columns before and after the bar, in rich's words for a task.
    """
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from tiltless.cli.progress import PipedProgress

    on = on or console(stderr=True)
    return PipedProgress(
        TextColumn(description, markup=False),
        BarColumn(),
        TaskProgressColumn(),
        *(TextColumn(text) for text in middle),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=on,
        transient=transient,
        disable=transient and not on.is_terminal,  # a pipe would get an empty line
    )


@contextmanager
def live_line(on: Console, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that shows progress; quiet: it shows nothing.

    A line with a spinner on a terminal, an occasional line elsewhere.
    """
    if quiet:
        yield lambda _: None
    elif on.is_terminal:
        with on.status(Text("starting")) as status:
            yield lambda text: status.update(Text(text))
    else:
        yield pipe_lines(on)


def pipe_lines(on: Console) -> Callable[[str], None]:
    """A function that prints a line, at most one in `EVERY` seconds, and none on a terminal."""
    return (lambda _: None) if on.is_terminal else said_now_and_then(EVERY, partial(say, on))


def is_live() -> bool:
    """Whether a spinner, a bar or a live line is on the terminal now."""
    return isinstance(sys.stderr, FileProxy)  # which rich puts there meanwhile
