"""Off-tree bets: which bet of the tree stands for one that the tree does not have.

Sizes are shares of the pot after calling. Between neighbours A < B of the tree, a bet of x is taken
for A with probability

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x)),

the pseudo-harmonic mapping. A bet of x into a pot of 1 has to be called with probability
1 / (1 + x) if bluffs are not to pay; with f, the calls that answer A and B come to just that:
f / (1 + A) + (1 - f) / (1 + B) = 1 / (1 + x). The paper's axioms hold: f(A) = 1 and f(B) = 0,
monotone, the same in cents as in dollars, and small changes of x, A or B change it little.

* ``pseudo-harmonic``: randomised, as above.
* ``deterministic``: A where f(x) >= 1/2, that is up to x* = (A + B + 2 A B) / (A + B + 2).
* ``similarity``: the size with the largest min(x / A, A / x), as EP White has it; ties go down.

Paper: Ganzfried & Sandholm (2013), "Action translation in extensive-form games with large action
spaces: axioms, paradoxes, and the pseudo-harmonic mapping", IJCAI.
Deviations: the paper treats a check as a bet of 0, so a small bet may be taken for a check. Here
that is a choice, ``to_call``, and without it a bet below the smallest size is the smallest.
The six-player report reads the formula the other way round: it takes A where f <= 1/2, although its
f is the probability of A as well; and it puts in chips, not shares of the pot. We follow the paper.

In a hand (`Translation.action`), in this order:

1. No raise on the menu, as past a cap: the raise becomes a call, or a check.
2. The same share of the pot as a size of the tree: that one.
3. An all-in that is no smaller than every size of the tree but its all-in: the all-in, since both
   end the betting. A smaller all-in is a bet like any other, since its price matters most.
4. Otherwise the rule. So a raise that the tree has only as all-in becomes that, and one beyond the
   largest size the largest.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from tiltless.abstraction.sizes import Spot, spot_of
from tiltless.errors import OptionError
from tiltless.games.actions import CALL, CHECK, Action, Fold, RaiseTo
from tiltless.games.betting import Betting
from tiltless.games.common import brief, true_or_false

__all__ = ["RULES", "Translation", "midpoint", "real_action", "similarity", "smaller_share"]

RULES = ("pseudo-harmonic", "deterministic", "similarity")


def smaller_share(x: float, small: float, large: float) -> float:
    """The probability of taking a bet of x for the smaller of its neighbours."""
    if not 0 <= small <= x <= large or small == large:
        raise OptionError(f"{x:g} is not between {small:g} and {large:g}; give 0 <= A <= x <= B")
    return (large - x) * (1 + small) / ((large - small) * (1 + x))


def midpoint(small: float, large: float) -> float:
    """The bet that is taken for either neighbour with equal probability."""
    return (small + large + 2 * small * large) / (small + large + 2)


def similarity(a: float, b: float) -> float:
    """How alike two sizes are: min(a / b, b / a), from 0 to 1."""
    if a == b:
        return 1.0
    return min(a, b) / max(a, b)


@dataclass(frozen=True, slots=True)
class Translation:
    """How off-tree bets are read.

    rule: one of `RULES`.  to_call: whether a small bet may be taken for a check or call.
    """

    rule: str = "pseudo-harmonic"
    to_call: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError(f"rule={brief(self.rule)} is not known; use one of {RULES}")
        true_or_false("to_call", self.to_call)

    def size(self, x: float, sizes: Sequence[float], draw: float | None = None) -> int:
        """The place of the size that a bet of x is taken for.

        sizes: ascending shares of the pot.  draw: uniform from 0 to 1, for the randomised rule.
        """
        place = bisect_left(sizes, x)
        if place == 0 or place == len(sizes):
            return min(place, len(sizes) - 1)
        small, large = sizes[place - 1], sizes[place]
        if x == large:
            return place
        if self.rule == "similarity":
            return place - (similarity(x, small) >= similarity(x, large))
        if self.rule == "deterministic":
            return place - (x <= midpoint(small, large))
        if draw is None or not 0 <= draw < 1:
            raise OptionError(f"draw={draw} is not possible; {self.rule} needs one from 0 to 1")
        return place - (draw < smaller_share(x, small, large))

    def action(
        self,
        chips: int,
        real: Spot,
        actions: Sequence[Action],
        abstract: Spot,
        draw: float | None = None,
    ) -> int:
        """The place in ``actions`` of what stands for a raise to ``chips``.

        real: the spot of the raiser in the hand.  actions, abstract: what the tree offers at the
        node where it stands for the hand, and its spot there, whose pot and stacks may be others.
        """
        raises = [(i, a.chips) for i, a in enumerate(actions) if isinstance(a, RaiseTo)]
        passive = next(i for i, a in enumerate(actions) if a in (CALL, CHECK))
        if not raises:
            return passive
        for place, offered in raises:
            if (chips - real.bet) * abstract.pot == (offered - abstract.bet) * real.pot:
                return place
        shares = [abstract.share(min(offered, abstract.most)) for _, offered in raises]
        x = real.share(min(chips, real.most))
        if chips >= real.most and raises[-1][1] >= abstract.most and x >= max(shares[:-1] or [0]):
            return raises[-1][0]
        places = [place for place, _ in raises]
        if self.to_call:
            places.insert(0, passive)
            shares.insert(0, 0.0)
        return places[self.size(x, shares, draw)]


def real_action(action: Action, abstract: Spot, betting: Betting, pot: int) -> Action:
    """The legal action in a hand that stands for one of the tree.

    A raise keeps its share of the pot, within what is legal; all-in is all-in; where no raise is
    legal it is a call or a check. Nobody folds where checking is free.

    abstract: the spot in the tree.  betting, pot: those of the hand, for the same player.
    """
    legal = betting.actions
    passive: Action = CHECK if legal.check else CALL
    if isinstance(action, Fold):
        return action if not legal.check else CHECK
    if not isinstance(action, RaiseTo) or not legal.max_raise:
        return passive
    real = spot_of(betting, pot, legal=legal)
    if action.chips >= abstract.most:
        return RaiseTo(real.top)
    return RaiseTo(real.legal(real.bet + int(abstract.share(action.chips) * real.pot + 0.5)))
