"""First-in decisions: what a player does with each starting hand when nobody is in the pot."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.line_text import Choice
from tiltless.cards.card import CLASS_OF_COMBO, CLASS_SIZES
from tiltless.games.holdem.actions import FOLD, RaiseTo

__all__ = ["Opening"]

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
