"""``tiltless hands``: files of hands from anywhere."""

from pathlib import Path
from typing import Annotated

import typer

from tiltless.arena.table.hand_file import HandFile
from tiltless.cli import ui
from tiltless.errors import OptionError
from tiltless.files.writable import check_writable
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.record import HandRecord

__all__ = ["app"]

app = typer.Typer(
    help="Read files of hands: PHH, text, and histories of poker rooms.",
    no_args_is_help=True,
    add_completion=False,
)
_EVERY = 200  # hands between writes


@app.callback()
def _group() -> None:
    """Keeps the name of the command, even if there is only one."""


@app.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files of hands: histories of poker rooms such as PokerStars, PHH (.phh, "
            ".phhs), or lines of text."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File to add the hands to, as PHH.")],
    unit: Annotated[
        str | None,
        typer.Option(
            help="Value of one chip, such as 0.01; by default a cent if there are fractions."
        ),
    ] = None,
) -> None:
    """Read hands and write them as PHH.

    tiltless hands import history.txt --out hands.phhs

    Hands with an unknown line or a move that the rules do not allow, and hands that are not over,
    are left out and named; the exit code is then 1.
    """
    if out.resolve() in {file.resolve() for file in files}:
        raise OptionError(f"{out} is one of the files to read; choose another for --out")
    check_writable(out)
    target, console, left_out = HandFile(out), ui.console(), 0
    errors = ui.console(stderr=True)

    def problem(line: str) -> None:
        nonlocal left_out
        left_out += 1
        ui.say(errors, f"left out: {line}")

    count, batch = 0, list[HandRecord]()
    for file in files:
        before = count + len(batch) + left_out
        for record in read_hands(file, unit=unit, problems=problem):
            if record.final.actor != TERMINAL:
                problem(f"{file}, hand {record.number}: it is not over")
                continue
            batch.append(record)
            if len(batch) >= _EVERY:
                count += _written(target, batch)
        if count + len(batch) + left_out == before:
            ui.say(errors, f"{file} has no hands; give a history of a poker room, or PHH")
    count += _written(target, batch)
    words = f"{count:,} hand{'s' * (count != 1)} written to {out}"
    ui.say(console, words + (f", {left_out:,} left out" if left_out else ""))
    if left_out or not count:
        raise typer.Exit(1)


def _written(target: HandFile, batch: list[HandRecord]) -> int:
    """Write a batch and empty it; returns how many hands it had."""
    count = len(batch)
    if batch:
        target.extend(batch)
        batch.clear()
    return count
