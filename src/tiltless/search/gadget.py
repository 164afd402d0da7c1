"""Safe subgame solving: the re-solving gadget and max-margin.

We know what each hand of the opponent could get from our blueprint, its *alternative value*.
Solving with a fixed range may give some hands more than that, and an opponent who knows how we
search would bring them. So the opponent chooses, hand by hand or among hands, against us:

* `ResolvingGadget`: the re-solving gadget. With every hand, follow into the subgame or take the
  alternative value. Where a strategy exists that keeps to all alternative values (the blueprint
  does), none of the solution gives a hand more.
* `MaxMarginGadget`: max-margin. Choose the hand whose value exceeds its alternative the most (or
  falls short of it the least), so that the smallest margin becomes as large as can be.

Both promise only to do no worse than the blueprint. A blueprint that loses much promises little:
any of many strategies will do, and what comes out may lose to the blueprint itself, which is no
best response (docs/decisions/0007-search.md). So the opponent may be *believed* for a part of the
time: then it comes with its range, whatever that is worth. 0 is what the papers have, 1 is unsafe.

Both learn by regret matching with the discounts of DCFR, beside the solver, which has a vector of
how likely each hand comes (`tiltless.postflop.solver.PostflopSolver.start`).

Papers: Burch, Johanson & Bowling (2014), "Solving imperfect information games using decomposition",
section on the re-solving gadget; Moravčík, Schmid, Ha, Hladík & Gaukrodger (2016), "Refining
subgames in large imperfect information games".
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["FixedRange", "Gadget", "MaxMarginGadget", "ResolvingGadget"]

Vector = npt.NDArray[np.float64]
Worth = npt.NDArray[np.floating[Any]]


class Gadget(Protocol):
    """How likely an opponent comes with each hand, from one iteration to the next.

    weights: now, float64 ``[hands]``.
    """

    weights: Vector

    def learn(self, cfv: Worth, t: int) -> None:
        """See what each hand wins in iteration t = 1, 2 …, times our reach."""
        ...


class FixedRange:
    """Comes with a fixed range: unsafe."""

    def __init__(self, weights: Vector) -> None:
        self.weights = weights

    def learn(self, cfv: Worth, t: int) -> None:
        """Nothing to learn."""


class ResolvingGadget:
    """The re-solving gadget.

    alternative: what each hand gets otherwise, times our reach, ``[hands]``.  first: how likely
    each hand comes at first, and where it is believed.  All hands are asked alike.
    """

    def __init__(self, alternative: Vector, first: Vector, trust: float = 0.0) -> None:
        self.alternative = alternative
        self.always, self.asked = trust * first, (1 - trust) * float(first.mean())
        self.regret = np.zeros((2, len(first)))  # of following, and of not
        self.follow: Vector = first / first.max()
        self.weights = self.always + self.asked * self.follow

    def learn(self, cfv: Worth, t: int) -> None:
        """Regret matching over following and not."""
        more = cfv - self.alternative
        taken = self.follow * more
        _discount(self.regret, t)
        self.regret[0] += more - taken
        self.regret[1] -= taken
        plus = np.maximum(self.regret, 0)
        total = plus[0] + plus[1]
        np.divide(plus[0], total, out=self.follow, where=total > 0)
        self.weights = self.always + self.asked * self.follow


class MaxMarginGadget:
    """Max-margin.

    others: our reach of hands that leave each hand possible, ``[hands]``.  first: how likely each
    hand comes at first.  believed: see above.
    """

    def __init__(
        self, alternative: Vector, others: Vector, first: Vector, trust: float = 0.0
    ) -> None:
        some = others > 0
        self.alternative, self.always = alternative, trust * first
        self.per = np.where(some, 1 / np.where(some, others, 1), 0.0)
        self.regret = np.zeros(len(first))
        self.choice: Vector = first * others / (first @ others)
        self.chosen = (1 - trust) * float(first.sum() / (self.choice @ self.per)) * self.per
        self.weights = self.always + self.chosen * self.choice

    def learn(self, cfv: Worth, t: int) -> None:
        """Regret matching over hands."""
        more = (cfv - self.alternative) * self.per
        _discount(self.regret, t)
        self.regret += more - self.choice @ more
        self.regret[self.per == 0] = 0
        plus = np.maximum(self.regret, 0)
        total = plus.sum()
        if total > 0:
            self.choice = plus / total
            self.weights = self.always + self.chosen * self.choice


def _discount(regret: Vector, t: int) -> None:
    """DCFR with 3/2 and 0, in place."""
    keep = t**1.5 / (t**1.5 + 1)
    regret *= np.where(regret > 0, keep, 0.5)
