"""Size of a subgame tree, limited while it grows, so that hopeless ones are skipped.

A node takes so much time on every board: it gets a row of the blueprint, is looked at for
alternative values, and then iterated. The betting, which is the same on all boards, grows until
there are too many nodes, so that finding out takes a small part of the time that it may save.
"""

from collections.abc import Sequence
from contextlib import suppress

from tiltless.cards.card import COMBO_COUNT
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.postflop.betting_forest import (
    StreetForest,
    TooManyLinesError,
    nodes_dealt,
    street_forests,
)
from tiltless.postflop.spot import Spot
from tiltless.system import free_memory

__all__ = ["MOST_NODES", "TooLargeError", "affordable", "check_memory_for", "grow_forests"]

MOST_NODES = 100_000
"""Nodes, times boards, that are searched where nobody counts seconds: about 2 GB."""

_NODE_SECONDS = 50e-6  # with the fewest iterations that are worth anything
_NODE_BYTES = 16 * COMBO_COUNT  # regrets and averages, and what one board is worked out in
_ALWAYS_THERE = 16e6  # bytes; a river is solved faster than the system is asked


class TooLargeError(OptionError):
    """A tree that cannot be searched in the time that there is."""


def affordable(seconds: float | None) -> int:
    """Nodes, times boards, that may be searched in a time; None: if nobody counts it."""
    return MOST_NODES if seconds is None else min(int(seconds / _NODE_SECONDS), MOST_NODES)


def grow_forests(
    spot: Spot, played: Sequence[Action] = (), most: int = MOST_NODES
) -> list[StreetForest]:
    """`street_forests`, or `TooLargeError` if they have more nodes than that, times boards."""
    forests = None
    with suppress(TooManyLinesError):
        forests = street_forests(spot, played, most_dealt=most)
    if forests is None or nodes_dealt(forests) > most:
        raise TooLargeError(
            f"the bets {spot.bets} make more than {most:,} nodes, too many to search; "
            "give fewer sizes"
        )
    return forests


def check_memory_for(spot: Spot, forests: Sequence[StreetForest]) -> None:
    """`OptionError` if there is no memory for a solver of these forests."""
    size = nodes_dealt(forests)
    if size * _NODE_BYTES > _ALWAYS_THERE and size * _NODE_BYTES > free_memory():
        raise OptionError(
            f"the bets {spot.bets} make {size:,} nodes, more than there is memory for; "
            "give fewer sizes"
        )
