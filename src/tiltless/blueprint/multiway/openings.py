"""First-in decisions of a betting graph, by position: everybody before has folded."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.line_text import Choice
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.opening import Opening, as_chances, hand_classes
from tiltless.blueprint.tree_spot import TreeSpot
from tiltless.games.holdem.positions import position_names
from tiltless.kernels.multiway.nodes import FOLDS

__all__ = ["POSITION_NAMES", "first_in", "openings"]

POSITION_NAMES = {
    "UTG": "under the gun",
    "HJ": "the hijack",
    "CO": "the cutoff",
    "BTN": "the button",
    "SB": "the small blind",
    "BB": "the big blind",
}
"""Positions in words."""


def first_in(spots: GraphSpots) -> dict[str, TreeSpot]:
    """The decision of each position, from the first to act to the small blind, after folds."""
    names, found, spot = position_names(spots.players), {}, spots.root
    while spot.actor >= 0 and spots.graph.nodes.node[spot.node, FOLDS]:
        found[names[spot.actor]] = spot
        spot = spots.after(spot, 0)
    return found


def openings(
    spots: GraphSpots,
    buckets: npt.NDArray[np.integer],
    weights: Callable[[int], npt.NDArray[np.floating]],
) -> list[Opening]:
    """What each position does with each hand, first in.

    buckets: of every hand before the flop, ``[1326]``.  weights: of a decision by its node,
    ``[buckets, actions]``, which need not sum to 1; hands that were never met play all alike.
    """
    found = []
    for short, spot in first_in(spots).items():
        assert spot.spot is not None
        choices = [Choice.at(spot.spot, spot.betting, action) for action in spot.actions]
        chances = hand_classes(as_chances(weights(spot.node))[buckets])
        found.append(Opening(short, POSITION_NAMES[short], choices, chances))
    return found
