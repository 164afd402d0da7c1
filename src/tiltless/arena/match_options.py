"""Match options: plans from what a user types, for ``tiltless match`` and ``python -m``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltless.arena.lineup import lineup_tables
from tiltless.arena.plan import (
    CHUNK,
    HANDS,
    MatchPlan,
    deals_for,
    deals_for_matches,
    usual_chunk,
)
from tiltless.errors import OptionError
from tiltless.games.parameter_text import read_parameters
from tiltless.validate import one_of

__all__ = [
    "MATCHES",
    "MATCH_HANDS",
    "MatchOptions",
    "match_plan",
    "match_plans",
    "match_size",
    "parted",
    "table_parameters",
]

MATCHES, MATCH_HANDS = 100, 1000
"""Matches where they are counted, and the hands of each, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """Options of a match besides its agents and the table; see ``tiltless match --help``."""

    hands: int | None = None
    score: str = "chips"
    matches: int | None = None
    game: str = "nlhe"
    seed: int = 0
    mirrored: bool = True
    carry: bool = False
    game_hands: int = 0
    clock: float | None = None
    chunk: int | None = None


def match_plans(
    words: Sequence[str], options: MatchOptions, seats: int | None = None, lineup: str = ""
) -> list[MatchPlan]:
    """The matches of a command, one or two: see `tiltless.arena.lineup`.

    words: agents, and parameters of the game.
    """
    agents, given = parted(words)
    seats, parameters = table_parameters(given, seats)
    tables = lineup_tables(agents, seats, lineup)
    return [match_plan(table, parameters, options) for table in tables]


def parted(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Agents and parameters of the game; a word with ``=`` before any ``:`` is a parameter."""
    parameters = [word for word in words if "=" in word.partition(":")[0]]
    agents = tuple(word for word in words if "=" not in word.partition(":")[0])
    if len(agents) < 2:
        raise OptionError("a match needs two agents or more; tiltless agents lists them")
    return agents, read_parameters(parameters)


def table_parameters(given: dict[str, Any], seats: int | None) -> tuple[int | None, dict[str, Any]]:
    """The seats of a table, by ``--seats`` or ``seats=``, and the other parameters of the game."""
    parameters = {name: value for name, value in given.items() if name != "seats"}
    if seats is not None and given.get("seats", seats) != seats:
        raise OptionError(f"--seats {seats} and seats={given['seats']} differ; give one of them")
    return given.get("seats", seats), parameters


def match_plan(
    agents: tuple[str, ...],
    parameters: dict[str, Any],
    options: MatchOptions,
    slow: Sequence[str] = (),
) -> MatchPlan:
    """The plan of a match from its options.

    slow: agents that decide how large a chunk is, if there are others.
    """
    hands, chunk, game_hands = options.hands, options.chunk, options.game_hands
    mirrored, carry = options.mirrored, options.carry or bool(game_hands)
    size = match_size(options.score, hands, options.matches)
    usual = CHUNK if carry or not mirrored else usual_chunk(slow or agents)
    deals_per_chunk = chunk or usual
    if size:
        deals = deals_for_matches(options.matches or MATCHES, size, mirrored=mirrored)
    else:
        session = game_hands or ((chunk or CHUNK) if carry else 1)
        deals = deals_for(hands or HANDS, len(agents), mirrored=mirrored, session=session)
    if unit := size or game_hands:
        deals_per_chunk = max(1, -(-chunk // unit) if chunk else usual // unit) * unit
    return MatchPlan(
        agents,
        deals,
        options.game,
        parameters,
        options.seed,
        mirrored,
        carry,
        options.clock,
        deals_per_chunk,
        match_hands=size,
        game_hands=game_hands,
        trusted=True,
    )


def match_size(score: str, hands: int | None, matches: int | None) -> int:
    """Hands of a match for the options ``--score``, ``--hands`` and ``--matches``; 0 for chips."""
    one_of("score", score, ("chips", "match"))
    if score == "match":
        return hands or MATCH_HANDS
    if matches is not None:
        raise OptionError(f"--matches {matches} counts matches; add --score match, or give --hands")
    return 0
