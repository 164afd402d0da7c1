"""Values of a local best response at one decision, in any game of two players.

With wp, the probability to win against the bot's range if both players only check and call from
there to the showdown (ties count half), and asked, the chips to call:

    U(fold)    = 0
    U(call)    = wp pot - (1 - wp) asked
    U(raise a) = fp pot + (1 - fp) (wp' (pot + a) - (1 - wp') (asked + a))

a: chips beyond the call, as far as the bot can call them.  fp: the probability that the bot folds.
wp': the probability to win against the hands that do not fold.

Paper: Lisý & Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots",
arXiv 1612.07547, algorithm 1.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["LocalSpot", "best_action", "narrowed"]

T = TypeVar("T")
_Vector = npt.NDArray[np.float64]


class LocalSpot(NamedTuple):
    """A decision of the response.

    weights: the bot's range, float64 ``[hands]``; sums to 1.  wins: the probability to win against
    each of its hands if all cards are dealt, ``[hands]``.  pot: the chips that can be won now.
    asked: the chips to call, 0 for a check.
    """

    weights: _Vector
    wins: _Vector
    pot: float
    asked: float

    def call(self) -> float:
        """U of a call, or of a check."""
        return self._showdown(self.weights, 0)

    def raises(self, beyond: float, folds: _Vector | None) -> float:
        """U of a raise by ``beyond`` chips.

        folds: the probability that the bot folds each hand, ``[hands]``; None if it never does.
        """
        if folds is None:
            return self._showdown(self.weights, beyond)
        folded = float(self.weights @ folds)
        if folded >= 1 - 1e-9:
            return float(self.pot)
        called = self._showdown(self.weights * (1 - folds), beyond)
        return folded * self.pot + (1 - folded) * called

    def _showdown(self, weights: _Vector, beyond: float) -> float:
        """Chips won at the showdown, if ``beyond`` more than the call is paid by each."""
        total = float(weights.sum())
        win = float(weights @ self.wins) / total if total > 0 else 0.5
        return win * (self.pot + beyond) - (1 - win) * (self.asked + beyond)


def narrowed(weights: _Vector, chances: npt.NDArray[np.floating]) -> _Vector:
    """A range after an action, by Bayes' rule; unchanged if the action has probability 0.

    chances: the probability of the action with each hand, ``[hands]``.
    """
    left = weights * chances
    total = left.sum()
    return np.asarray(left / total) if total > 0 else weights


def best_action(values: Sequence[tuple[T, float]]) -> T:
    """The action with the largest U; the first, and so the cheapest, if several are equal."""
    return max(values, key=lambda pair: pair[1])[0]
