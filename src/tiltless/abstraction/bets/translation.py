"""Action translation: which bet of the tree stands for an off-tree bet.

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
that is a choice, `Translation.small_bets_may_be_checks`, and without it a bet below the smallest
size is the smallest.
The six-player report reads the formula the other way round: it takes A where f <= 1/2, although its
f is the probability of A as well; and it puts in chips, not shares of the pot. We follow the paper.

In a hand (`Translation.action`), in this order; all chips as far as an opponent can call, so that
raises beyond that are alike:

1. No raise on the menu, as past a cap: the raise becomes a call, or a check.
2. The same share of the pot as a size of the tree: that one.
3. An all-in that is no smaller than every size of the tree but its all-in: the all-in, since both
   end the betting. A smaller all-in is a bet like any other, since its price matters most.
4. Otherwise the rule. So a raise that the tree has only as all-in becomes that, and one beyond the
   largest size the largest.

**Past the tree.** A raise that is read as a call, or a small bet that is read as a check, may end
the street in the tree, or the hand, while the real hand still waits for our answer. Then we answer
by the row of our last decision: we fold as often as there, and otherwise call; where checking is
free we check. After a call both stand on the same street again. Where the street goes on in the
tree, the same player acts in both; `tiltless.blueprint.locate` makes a call of a check.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tiltless.abstraction.bets.size import BetContext
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.games.holdem.rules import MOST_CHIPS
from tiltless.validate import brief, is_number, one_of, true_or_false, whole_number

__all__ = [
    "RULES",
    "Translation",
    "chance_of_smaller",
    "midpoint",
    "similarity",
]

RULES = ("pseudo-harmonic", "deterministic", "similarity")


def chance_of_smaller(x: float, small: float, large: float) -> float:
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

    rule: one of `RULES`.  small_bets_may_be_checks: whether a bet below the smallest size may be
    taken for a check, and such a raise for a call.
    """

    rule: str = "pseudo-harmonic"
    small_bets_may_be_checks: bool = False

    def __post_init__(self) -> None:
        one_of("rule", self.rule, RULES)
        true_or_false("small_bets_may_be_checks", self.small_bets_may_be_checks)

    def size(self, x: float, sizes: Sequence[float], draw: float | None = None) -> int:
        """The place of the size that a bet of x is taken for.

        sizes: ascending shares of the pot.  draw: uniform from 0 to 1, for the randomised rule.
        """
        if not is_number(x) or x < 0:
            raise OptionError(f"a bet of {brief(x)} pots is not possible; give a number from 0")
        if not len(sizes) or not all(map(is_number, sizes)) or sizes[0] < 0:
            raise OptionError(f"sizes {brief(sizes)} are not shares of the pot; give [0.5, 1.0]")
        if any(low > high for low, high in pairwise(sizes)):
            raise OptionError(f"sizes {brief(sizes)} are not in order; sort them")
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
        if draw is None or not is_number(draw) or not 0 <= draw < 1:
            raise OptionError(
                f"draw={brief(draw)} is not possible; {self.rule} needs one from 0 to 1"
            )
        return place - (draw < chance_of_smaller(x, small, large))

    def action(
        self,
        chips: int,
        real: BetContext,
        actions: Sequence[Action],
        abstract: BetContext,
        draw: float | None = None,
    ) -> int:
        """The place in ``actions`` of what stands for a raise to ``chips``.

        real: the spot of the raiser in the hand.  actions, abstract: what the tree offers at the
        node where it stands for the hand, and its spot there, whose pot and stacks may be others.
        """
        chips = min(whole_number("chips", chips, real.bet + 1, MOST_CHIPS), real.most)
        places = [i for i, action in enumerate(actions) if isinstance(action, RaiseTo)]
        passive = next((i for i, action in enumerate(actions) if action in (CALL, CHECK)), -1)
        if passive < 0:
            raise OptionError(f"no check or call among {brief(actions)}; give those of a decision")
        if not places:
            return passive
        offers = [min(a.chips, abstract.most) for a in actions if isinstance(a, RaiseTo)]
        x, shares = real.share(chips), [abstract.share(offered) for offered in offers]
        for place, offered in zip(places, offers, strict=True):
            if (chips - real.bet) * abstract.pot == (offered - abstract.bet) * real.pot:
                return place
        below = [abstract.share(offered) for offered in offers if offered < abstract.most]
        if chips == real.most and len(below) < len(offers) and x >= max(below, default=0):
            return places[len(below)]
        if self.small_bets_may_be_checks:
            places.insert(0, passive)
            shares.insert(0, 0.0)
        return places[self.size(x, shares, draw)]
