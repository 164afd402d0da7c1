"""Litmus checks: facts of sound preflop play that a player understands.

With two players they look at the first decision, whose rows are the 169 starting hands, or 507
where red and black suits are told apart; where the buckets before the flop are others, there are
none. With more, they look at the first-in decisions of all positions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Lossless
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.multiway.openings import first_in as first_in_by_seat
from tiltless.blueprint.opening import Opening, as_chances, hand_classes
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, combo_index
from tiltless.games.holdem.actions import FOLD, RaiseTo

__all__ = ["LitmusCheck", "first_in", "litmus", "litmus_by_seat"]

_NEVER = 0.01
_RARELY = 0.05
_BIG_BLIND = 2  # the player, counted from the button


@dataclass(frozen=True)
class LitmusCheck:
    """What was looked at, in words, and whether it holds."""

    text: str
    holds: bool


def first_in(tree: BettingTree, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float64] | None:
    """Probabilities of the first decision, float64 ``[169, actions]``; None for other buckets.

    weights: average strategy of that decision, ``[buckets, actions]``, which need not sum to 1.
    Hands that have not been met yet play every action alike; of hands that differ by colour, the
    mean over combos.
    """
    actions, coloured = len(tree.children(0)), Lossless(0, "red-black")
    if weights.shape not in ((CLASS_COUNT, actions), (coloured.count, actions)) or not actions:
        return None
    shares = as_chances(weights)
    if len(shares) == CLASS_COUNT:
        return shares
    return hand_classes(shares[coloured.buckets(np.empty(0, np.uint8))])


def litmus(tree: BettingTree, weights: npt.NDArray[np.float32]) -> list[LitmusCheck]:
    """The checks of an average strategy; weights: as in `first_in`."""
    shares = first_in(tree, weights)
    if shares is None:
        return []
    actions = [tree.action(child) for child in tree.children(0)]
    raises = np.array([isinstance(action, RaiseTo) for action in actions])
    folds = np.array([action == FOLD for action in actions])

    def row(hand: str) -> npt.NDArray[np.float64]:
        return np.asarray(shares[CLASS_OF_COMBO[combo_index(hand)]])

    size = np.bincount(CLASS_OF_COMBO) / 1326
    folded = float(size @ shares[:, folds].sum(axis=1))
    return [
        LitmusCheck("AA never folds first in", bool(row("AsAh")[folds].sum() < _NEVER)),
        LitmusCheck("KK never folds first in", bool(row("KsKh")[folds].sum() < _NEVER)),
        LitmusCheck(
            "72o opens less than AKs",
            bool(row("7s2h")[raises].sum() < row("AsKs")[raises].sum()),
        ),
        LitmusCheck(
            "72o folds more than 98s", bool(row("7s2h")[folds].sum() > row("9s8s")[folds].sum())
        ),
        LitmusCheck("the button plays half of its hands or more", folded <= 0.5),
    ]


def litmus_by_seat(
    spots: GraphSpots,
    openings: Sequence[Opening],
    weights: Callable[[int], npt.NDArray[np.float32]],
) -> list[LitmusCheck]:
    """The checks of three to six seats: first in by position, and whether every seat has averages.

    weights: the average of a decision by its node, ``[buckets, actions]``.
    """

    def chance(chances: npt.NDArray[np.float64], hand: str) -> float:
        return float(chances[CLASS_OF_COMBO[combo_index(hand)]])

    first, plays = openings[0], [1 - each.share(each.folds) for each in openings]
    shorts = [each.short for each in openings]
    rising = openings.index(next(each for each in openings if each.short == "BTN"))
    big_blind = spots.after(spots.after(spots.root, 1), 0)  # a limper, then folds
    while big_blind.actor != _BIG_BLIND:
        big_blind = spots.after(big_blind, 0)
    nodes = [spot.node for spot in first_in_by_seat(spots).values()] + [big_blind.node]
    return [
        LitmusCheck(
            "AA never folds first in",
            all(chance(each.folds, "AsAh") < _NEVER for each in openings),
        ),
        LitmusCheck(
            f"72o folds first in from {first.short}", chance(first.folds, "7s2h") > 1 - _RARELY
        ),
        LitmusCheck(
            f"first-in frequency rises from {shorts[0]} to BTN",
            all(low < high for low, high in pairwise(plays[: rising + 1])),
        ),
        LitmusCheck("every seat has an average", all(weights(node).any() for node in nodes)),
    ]
