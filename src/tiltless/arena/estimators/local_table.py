"""Values of a local best response at a table of several players, in any game.

The response knows the strategies of all others. After its action those who owe chips answer in
turn: each folds with the probability that its strategy gives its hand, or else calls. From there on
everybody who is left checks and calls to the showdown. So

    U(fold)   = 0
    U(action) = E [ chips taken from the pots ] - chips paid from now on

with the expectation over *worlds* (hands of the others and boards to come, weighted) and over who
folds. With one opponent this is U of Lisý & Bowling (2017), arXiv 1612.07547, algorithm 1, which
`tiltless.arena.estimators.local_spot` computes exactly. What a response wins in play is a lower
bound of what could be won whatever U is, so that worlds may be sampled.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.games.holdem.pots import side_pots

__all__ = ["LocalTable"]

_Vector = npt.NDArray[np.float64]


class LocalTable(NamedTuple):
    """A decision of the response in seat ``seat``.

    weights: of the worlds, float64 ``[worlds]``; they sum to 1.  hands: the number of each
    opponent's hand, int ``[worlds]``, by seat.  values: of the hands at the showdown, int
    ``[worlds]``, by seat, the response's too.  paid: chips by seat, of those who have folded too.
    dead: chips in the pot that nobody has paid for himself.
    """

    seat: int
    weights: _Vector
    hands: Mapping[int, npt.NDArray[np.int64]]
    values: Mapping[int, npt.NDArray[np.int64]]
    paid: Sequence[int]
    dead: int = 0

    def value(
        self, cost: int, answers: Mapping[int, tuple[int, _Vector | None]] | None = None
    ) -> float:
        """U of an action that costs ``cost`` chips.

        answers: of those who owe chips then, what a call costs and the probability to fold each
        hand, ``[hands]``; None for one who never folds.
        """
        answers = answers or {}
        folding = [seat for seat, (_, folds) in answers.items() if folds is not None]
        stay = {}
        for seat in folding:
            folds = answers[seat][1]
            assert folds is not None
            stay[seat] = 1 - folds[self.hands[seat]]
        total = 0.0
        for choice in product((True, False), repeat=len(folding)):
            odds = self.weights
            for seat, stays in zip(folding, choice, strict=True):
                odds = odds * (stay[seat] if stays else 1 - stay[seat])
            if not odds.any():
                continue
            folded = {seat for seat, stays in zip(folding, choice, strict=True) if not stays}
            paid = list(self.paid)
            paid[self.seat] += cost
            for seat, (call, _) in answers.items():
                paid[seat] += 0 if seat in folded else call
            total += float(odds @ self._taken(paid, folded))
        return total - cost

    def _taken(self, paid: Sequence[int], folded: set[int]) -> _Vector:
        """What the response takes from the pots in each world."""
        live = [seat for seat in self.values if seat not in folded]
        mine, taken = self.values[self.seat], np.zeros(len(self.weights))
        for chips, seats in side_pots(paid, sum(1 << seat for seat in live), self.dead):
            if self.seat not in seats:
                continue
            tied, alive = np.ones(len(mine)), np.ones(len(mine), bool)
            for other in seats:
                if other != self.seat:
                    alive &= mine >= self.values[other]
                    tied += mine == self.values[other]
            taken += np.where(alive, chips / tied, 0.0)
        return taken
