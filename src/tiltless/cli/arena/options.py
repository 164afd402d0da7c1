"""Options and arguments shared by the commands of the arena."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltless.arena.stats.score import UNITS
from tiltless.games.holdem.rules import MOST_SEATS

__all__ = [
    "Carry",
    "ChunkSize",
    "Cluster",
    "CountedBy",
    "Database",
    "Game",
    "GameHands",
    "Hands",
    "KeepHands",
    "Lineup",
    "Matches",
    "Mirrored",
    "Processes",
    "ProcessesOrAll",
    "Resume",
    "Seats",
    "Seconds",
    "Seed",
    "Unit",
    "Words",
    "output_folder",
]

Words = Annotated[
    list[str],
    typer.Argument(
        help="Agents, such as fish or monte-carlo:rollouts=1000, and parameters of the game, such "
        "as stack=100bb.",
        metavar="AGENT AGENT... [NAME=VALUE]...",
    ),
]
Hands = Annotated[
    int | None,
    typer.Option(
        help="Number of hands, 10,000 by default; when mirrored, each deal gives one hand per "
        "seating. With --score match, hands of one match, 1,000 by default.",
        min=1,
    ),
]
CountedBy = Annotated[
    str,
    typer.Option(
        "--score",
        help="Score: chips, what an agent wins per hand; or match, also how many matches "
        "of --hands hands it wins, with agents that remember a whole match.",
    ),
]
Matches = Annotated[
    int | None,
    typer.Option(
        help="Number of matches with --score match, 100 by default; when mirrored, each is played "
        "twice with the same deals and swapped seats, and both count.",
        min=1,
    ),
]
Seats = Annotated[
    int | None,
    typer.Option(
        help="Seats at the table; as many as agents by default. With two agents and more seats, "
        "one plays against copies of the other.",
        min=2,
        max=MOST_SEATS,
    ),
]
Lineup = Annotated[
    str,
    typer.Option(
        help="Lineup of two agents at more seats: one-against-rest (or one-against-five, "
        "for six seats), rest-against-one, or both, which is the default.",
    ),
]
GameHands = Annotated[
    int,
    typer.Option(
        help="Number of hands per game with carried stacks; a player without chips is out "
        "until the game ends.",
        min=0,
    ),
]
Game = Annotated[str, typer.Option(help="Game; see `tiltless games`.")]
Seed = Annotated[int, typer.Option(help="Random seed for deals and agents' choices.", min=0)]
Processes = Annotated[
    int, typer.Option(help="Number of processes; the result does not depend on it.", min=1)
]
ProcessesOrAll = Annotated[int, typer.Option(help="Number of processes; 0 means all cores.", min=0)]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Ray cluster to play on: auto for this machine's, or HOST:PORT; the result "
        "does not depend on it. See docs/scaling.md.",
        metavar="ADDRESS",
    ),
]
Mirrored = Annotated[bool, typer.Option(help="Mirrored: play each deal in every seating.")]
Carry = Annotated[
    bool, typer.Option(help="Carry stacks from hand to hand, in sessions of --chunk deals.")
]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="Time limit per decision, in seconds; a late answer counts as a check or fold."
    ),
]
ChunkSize = Annotated[
    int | None,
    typer.Option(help="Deals per stored chunk; 100 by default, 2 with search agents.", min=1),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue an interrupted match, or extend a finished one.")
]
KeepHands = Annotated[
    bool, typer.Option("--keep-hands/--no-hands", help="Store every hand, or only the sums.")
]
Database = Annotated[Path, typer.Option("--db", help="Results file (SQLite).")]
Unit = Annotated[str, typer.Option(help=f"Unit of the results: one of {', '.join(UNITS)}.")]


def output_folder(name: str) -> Any:
    """The option ``--out`` of a command that reproduces; quick runs have a folder of their own."""
    return typer.Option(help=f"Output folder; by default {name}, or {name}-quick with --quick.")
