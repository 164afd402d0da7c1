"""First-in decisions: what a player does with each starting hand when nobody is in the pot."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.line_text import Choice
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, CLASS_SIZES
from tiltless.games.holdem.actions import FOLD, RaiseTo

__all__ = ["Opening", "as_chances", "hand_classes"]

Vector = npt.NDArray[np.float64]
_SHARE = CLASS_SIZES / len(CLASS_OF_COMBO)


class Opening(NamedTuple):
    """The strategy of a player's first decision, with nobody in the pot.

    short, player: the position, such as "UTG" and "under the gun".
    chances: float64 ``[169, actions]``.
    """

    short: str
    player: str
    choices: Sequence[Choice]
    chances: Vector

    @property
    def folds(self) -> Vector:
        """The probability of folding with each hand, ``[169]``."""
        return self._sum([choice.action == FOLD for choice in self.choices])

    @property
    def raises(self) -> Vector:
        """The probability of raising with each hand, ``[169]``."""
        return self._sum([isinstance(choice.action, RaiseTo) for choice in self.choices])

    @property
    def limps(self) -> Vector:
        """The probability of calling with each hand, ``[169]``."""
        return np.asarray(1 - self.folds - self.raises)

    def _sum(self, wanted: Sequence[bool]) -> Vector:
        return np.asarray(self.chances[:, np.array(wanted)].sum(axis=1))

    @staticmethod
    def share(chances: Vector) -> float:
        """The share of all 1,326 hands; chances: one of the three above."""
        return float(_SHARE @ chances)


def as_chances(weights: npt.NDArray[np.floating]) -> Vector:
    """Probabilities of weights, ``[rows, actions]``: all alike in rows that were never met."""
    wide = np.asarray(weights, np.float64)
    total = wide.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, wide / np.maximum(total, 1e-300), 1 / wide.shape[1]))


def hand_classes(hands: Vector) -> Vector:
    """The mean of each of the 169 classes, ``[169, actions]``, of ``[1326, actions]``."""
    sums = np.zeros((CLASS_COUNT, hands.shape[1]))
    np.add.at(sums, CLASS_OF_COMBO, hands)
    return np.asarray(sums / CLASS_SIZES[:, None])
