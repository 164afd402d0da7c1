"""Size of a subgame tree, limited while it grows, so that hopeless ones are skipped.

A node costs time on every board: for the blueprint's rows, the alternative values, and the
iterations. The betting tree, which is the same on all boards, is built only until it has too many
nodes, so the check takes a small part of the time that it may save.
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

__all__ = [
    "MOST_DEVICE_NODES",
    "MOST_NODES",
    "TooLargeError",
    "affordable",
    "check_memory_for",
    "grow_forests",
]

MOST_NODES = 100_000
"""The most nodes, times boards, that are searched without a time limit: about 2 GB."""
MOST_DEVICE_NODES = 1_200_000
"""The same on a GPU: about 10 GB with all hands, and half of that where suits are alike."""

_DEVICE_NODE_SECONDS = 1e-6
_NODE_SECONDS = 50e-6  # with the fewest useful iterations
_NODE_BYTES = 16 * COMBO_COUNT  # regrets, averages and the buffers of one board
_ALWAYS_THERE = 16e6  # bytes; a river is solved faster than the free memory is read


class TooLargeError(OptionError):
    """A tree that cannot be searched in the available time."""


def affordable(seconds: float | None, *, on_device: bool = False) -> int:
    """The nodes, times boards, that can be searched in a time; None means no time limit."""
    most, each = MOST_NODES, _NODE_SECONDS
    if on_device:
        most, each = MOST_DEVICE_NODES, _DEVICE_NODE_SECONDS
    return most if seconds is None else min(int(seconds / each), most)


def grow_forests(
    spot: Spot, played: Sequence[Action] = (), most: int = MOST_NODES
) -> list[StreetForest]:
    """`street_forests`, or `TooLargeError` if nodes times boards exceed a limit."""
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
    """Raise `OptionError` if there is not enough memory for a solver of these forests."""
    size = nodes_dealt(forests)
    if size * _NODE_BYTES > _ALWAYS_THERE and size * _NODE_BYTES > free_memory():
        raise OptionError(
            f"the bets {spot.bets} make {size:,} nodes, which do not fit in memory; "
            "give fewer sizes"
        )
