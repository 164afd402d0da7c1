"""Gadgets of subgame solving: the re-solving gadget and max-margin, mixed with a fixed range.

Each hand of the opponent has an *alternative value*: the most it could get against our blueprint.
Solving with a fixed range may give some hands more than that, and an opponent who knows how we
search would exploit it by entering with them. So the opponent is given a choice, for each hand or
among hands:

* `ResolvingGadget`: the re-solving gadget. With every hand, enter the subgame or take the
  alternative value. As long as some strategy gives no hand more than its alternative value (the
  blueprint is one such strategy), the solution gives none more either.
* `MaxMarginGadget`: max-margin. The opponent enters with the hand whose value exceeds its
  alternative the most (or falls short of it the least), so the smallest margin is maximised.

That is safe subgame solving, and it guarantees only to do no worse than the blueprint. With a weak
blueprint that is a weak guarantee: many strategies satisfy it, and the result may lose to the
blueprint itself, which is not a best response (docs/decisions/0007-search.md). So with probability
*trust* the opponent enters with its believed range, whatever the values are. 0 is the setting of
the papers, 1 is unsafe search; anything between, such as the agent's 0.98, limits what a hand may
gain but guarantees nothing (mixed max-margin).

Both learn by regret matching with the discounts of DCFR, beside the solver, whose reach at the root
they set (`tiltless.postflop.solver.PostflopSolver.start`).

Papers: Burch, Johanson & Bowling (2014), "Solving imperfect information games using decomposition",
section on the re-solving gadget; Moravčík, Schmid, Ha, Hladík & Gaukrodger (2016), "Refining
subgames in large imperfect information games".
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["FixedRange", "Gadget", "MaxMarginGadget", "ResolvingGadget"]

Vector = npt.NDArray[np.float64]
Values = npt.NDArray[np.floating[Any]]


class Gadget(Protocol):
    """The opponent's reach at the root of a subgame, updated in each iteration.

    weights: the current reach of each hand, float64 ``[hands]``.  trust: see the module.
    """

    weights: Vector
    trust: float

    def learn(self, cfv: Values, t: int) -> None:
        """Update from the counterfactual value of each hand in iteration t = 1, 2 …."""
        ...


class FixedRange:
    """Enters with a fixed range, the believed one: unsafe search."""

    def __init__(self, weights: Vector) -> None:
        self.weights, self.trust = weights, 1.0

    def learn(self, cfv: Values, t: int) -> None:
        """Do nothing: the range is fixed."""


class ResolvingGadget:
    """The re-solving gadget.

    alternative: the alternative counterfactual value of each hand, ``[hands]``.  first: the reach
    of each hand in the first iteration, and in the trusted part.  The choice has the same weight
    for all hands.
    """

    def __init__(self, alternative: Vector, first: Vector, trust: float = 0.0) -> None:
        self.alternative, self.trust = alternative, trust
        self.always, self.asked = trust * first, (1 - trust) * float(first.mean())
        self.regret = np.zeros((2, len(first)))  # of entering, and of the alternative
        self.enter: Vector = first / first.max()
        self.weights = self.always + self.asked * self.enter

    def learn(self, cfv: Values, t: int) -> None:
        """Regret matching over entering and the alternative."""
        gain = cfv - self.alternative
        taken = self.enter * gain
        _discount(self.regret, t)
        self.regret[0] += gain - taken
        self.regret[1] -= taken
        plus = np.maximum(self.regret, 0)
        total = plus[0] + plus[1]
        np.divide(plus[0], total, out=self.enter, where=total > 0)
        self.weights = self.always + self.asked * self.enter


class MaxMarginGadget:
    """Max-margin.

    others: our reach summed over hands that share no card with each hand, ``[hands]``.  first: the
    reach of each hand in the first iteration.  trust: see the module.
    """

    def __init__(
        self, alternative: Vector, others: Vector, first: Vector, trust: float = 0.0
    ) -> None:
        some = others > 0
        self.alternative, self.trust, self.always = alternative, trust, trust * first
        self.per = np.where(some, 1 / np.where(some, others, 1), 0.0)
        self.regret = np.zeros(len(first))
        self.choice: Vector = first * others / (first @ others)
        self.chosen = (1 - trust) * float(first.sum() / (self.choice @ self.per)) * self.per
        self.weights = self.always + self.chosen * self.choice

    def learn(self, cfv: Values, t: int) -> None:
        """Regret matching over hands."""
        gain = (cfv - self.alternative) * self.per
        _discount(self.regret, t)
        self.regret += gain - self.choice @ gain
        self.regret[self.per == 0] = 0
        plus = np.maximum(self.regret, 0)
        total = plus.sum()
        if total > 0:
            self.choice = plus / total
            self.weights = self.always + self.chosen * self.choice


def _discount(regret: Vector, t: int) -> None:
    """The discounts of DCFR with alpha 3/2 and beta 0, in place."""
    keep = t**1.5 / (t**1.5 + 1)
    regret *= np.where(regret > 0, keep, 0.5)
