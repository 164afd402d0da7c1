"""Options and arguments shared by the commands of the arena."""

from pathlib import Path
from typing import Annotated

import typer

from tiltless.arena.stats.score import UNITS

__all__ = [
    "Carry",
    "ChunkSize",
    "Database",
    "Game",
    "Hands",
    "KeepHands",
    "Mirrored",
    "Processes",
    "Resume",
    "Seconds",
    "Seed",
    "Unit",
    "Words",
]

Words = Annotated[
    list[str],
    typer.Argument(
        help="Agents, such as fish or monte-carlo:rollouts=1000, and parameters of the game, such "
        "as stack=100bb."
    ),
]
Hands = Annotated[
    int, typer.Option(help="How many; mirrored, each deal is one hand in every seating.", min=1)
]
Game = Annotated[str, typer.Option(help="The game; tiltless games lists them.")]
Seed = Annotated[int, typer.Option(help="Of cards and choices.", min=0)]
Processes = Annotated[int, typer.Option(help="The result is the same for any number.", min=1)]
Mirrored = Annotated[bool, typer.Option(help="Play each deal in every seating.")]
Carry = Annotated[
    bool, typer.Option(help="Carry stacks on from hand to hand, in sessions of --chunk deals.")
]
Seconds = Annotated[float | None, typer.Option(help="Seconds for a decision; later is a fold.")]
ChunkSize = Annotated[
    int | None,
    typer.Option(help="Deals that are written at once; 100, or 2 where agents search.", min=1),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with it, or make it longer.")]
KeepHands = Annotated[
    bool, typer.Option("--keep-hands/--no-hands", help="Keep every hand, or only the sums.")
]
Database = Annotated[Path, typer.Option("--db", help="The file of results.")]
Unit = Annotated[str, typer.Option(help=f"One of {', '.join(UNITS)}.")]
