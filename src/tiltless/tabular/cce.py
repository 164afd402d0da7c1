"""Coarse correlated equilibrium (CCE) gap: the regret of the play of many iterations.

A coarse correlated equilibrium is a distribution over profiles from which no player gains by
deciding to deviate before a profile is drawn. No-regret play approaches one in every game, even
where average strategies are not an equilibrium: with more than two players, or payoffs that do not
sum to zero. The distribution is the play itself, s^1, s^2 …, with weights w_t:

    gap = max over i of (max over s'_i of mean_t u_i(s'_i, s_-i^t)  -  mean_t u_i(s^t))

The opponents' play is correlated through t, so their average strategies do not determine the first
term. But gains of sequences (`tiltless.kernels.tabular.best_response`) are linear in the opponents'
play, so the sum of the gains of all iterations is enough: one array, however many iterations.
Exact for any number of players.

Paper: Moulin & Vial (1978), "Strategically zero-sum games"; for play without regret, Hannan (1957).
"""

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.tabular.best_response import BestResponse, Evaluator, ProfileEvaluation
from tiltless.tabular.flat import FlatGame

__all__ = ["CoarseCorrelatedPlay"]


class CoarseCorrelatedPlay:
    """A running sum over profiles.

    With alternating updates, give the profile that was played: each player's strategy as it stood
    when the regrets of the others were updated against it.
    """

    def __init__(self, flat: FlatGame) -> None:
        self.evaluator = Evaluator(flat)
        self.gain = np.zeros_like(self.evaluator.workspace.gain)
        self.value = np.zeros(flat.game.players)
        self.weight = 0.0

    def add(self, table: npt.ArrayLike, weight: float = 1.0) -> None:
        """Count the profile of one iteration."""
        if not 0 <= weight < float("inf"):
            raise OptionError(f"weight={weight} of an iteration must be finite and not negative")
        self.evaluator.gather(table)
        self.gain += weight * self.evaluator.workspace.gain
        self.value += weight * self.evaluator.workspace.values
        self.weight += weight

    def evaluate(self) -> ProfileEvaluation:
        """Mean values of the profiles, and of best responses to all of them at once."""
        self._respond()
        mean = self.value / self.weight
        best = self.evaluator.workspace.best / self.weight
        return ProfileEvaluation(tuple(mean.tolist()), tuple(best.tolist()))

    def best_response(self) -> BestResponse:
        """For each player, the pure strategy that would have done best, played every time."""
        self._respond()
        work = self.evaluator.workspace
        return BestResponse(tuple((work.best / self.weight).tolist()), work.response.copy())

    def cce_gap(self) -> float:
        """The most that a player would have gained; small is near to an equilibrium.

        It may be negative: then everybody loses by deviating.
        """
        return max(self.evaluate().gains)

    def _respond(self) -> None:
        if not self.weight:
            raise OptionError("no iteration has been added; call add first")
        self.evaluator.workspace.gain[...] = self.gain
        self.evaluator.respond()
