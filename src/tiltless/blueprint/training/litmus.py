"""Litmus checks: facts of sound preflop play that a player understands.

They look at the first decision of a heads-up game, whose rows are the 169 starting hands, or 507
where red and black suits are told apart; where the buckets before the flop are others, there are
none.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Lossless
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, combo_index
from tiltless.games.holdem.actions import FOLD, RaiseTo

__all__ = ["LitmusCheck", "first_in", "litmus"]

_NEVER = 0.01


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
    wide = weights.astype(np.float64)
    total = wide.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, wide / np.maximum(total, 1e-300), 1 / actions)
    if len(shares) == CLASS_COUNT:
        return shares
    mean = np.zeros((CLASS_COUNT, actions))
    np.add.at(mean, CLASS_OF_COMBO, shares[coloured.buckets(np.empty(0, np.uint8))])
    return mean / np.bincount(CLASS_OF_COMBO)[:, None]


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
