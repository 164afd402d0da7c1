"""Match options: plans from what a user types, for ``tiltless match`` and ``python -m``."""

from collections.abc import Sequence
from typing import Any

from tiltless.arena.lineup import lineup_tables
from tiltless.arena.plan import (
    CHUNK,
    HANDS,
    MATCHES,
    MatchPlan,
    deals_for,
    deals_for_matches,
    match_size,
    parted,
    usual_chunk,
)
from tiltless.errors import OptionError

__all__ = ["match_plan", "match_plans", "table_parameters"]


def match_plans(
    words: Sequence[str], *, seats: int | None = None, lineup: str = "", **options: Any
) -> list[MatchPlan]:
    """The matches of a command, one or two: see `tiltless.arena.lineup`.

    words: agents, and parameters of the game.  options: of `match_plan`.
    """
    agents, given = parted(words)
    seats, parameters = table_parameters(given, seats)
    tables = lineup_tables(agents, seats, lineup)
    return [match_plan(table, parameters, **options) for table in tables]


def table_parameters(given: dict[str, Any], seats: int | None) -> tuple[int | None, dict[str, Any]]:
    """The seats of a table, by ``--seats`` or ``seats=``, and the other parameters of the game."""
    parameters = {name: value for name, value in given.items() if name != "seats"}
    if seats is not None and given.get("seats", seats) != seats:
        raise OptionError(f"--seats {seats} and seats={given['seats']} differ; give one of them")
    return given.get("seats", seats), parameters


def match_plan(
    agents: tuple[str, ...],
    parameters: dict[str, Any],
    *,
    hands: int | None = None,
    score: str = "chips",
    matches: int | None = None,
    game: str = "nlhe",
    seed: int = 0,
    mirrored: bool = True,
    carry: bool = False,
    game_hands: int = 0,
    clock: float | None = None,
    chunk: int | None = None,
    slow: Sequence[str] = (),
) -> MatchPlan:
    """The plan of a match from its options.

    slow: agents that decide how large a chunk is, if there are others.
    """
    size = match_size(score, hands, matches)
    carry = carry or bool(game_hands)
    usual = CHUNK if carry or not mirrored else usual_chunk(slow or agents)
    deals_per_chunk = chunk or usual
    if size:
        deals = deals_for_matches(matches or MATCHES, size, mirrored=mirrored)
    else:
        session = game_hands or ((chunk or CHUNK) if carry else 1)
        deals = deals_for(hands or HANDS, len(agents), mirrored=mirrored, session=session)
    if unit := size or game_hands:
        deals_per_chunk = max(1, -(-chunk // unit) if chunk else usual // unit) * unit
    settings = (game, parameters, seed, mirrored, carry, clock, deals_per_chunk)
    return MatchPlan(
        agents, deals, *settings, match_hands=size, game_hands=game_hands, trusted=True
    )
