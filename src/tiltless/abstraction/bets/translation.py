"""Action translation: which bets of the tree stand for an off-tree bet.

Sizes are shares of the pot after calling. Between neighbours A < B of the tree, a bet of x is taken
for A with probability

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x)),

the pseudo-harmonic mapping. A bet of x into a pot of 1 has to be called with probability
1 / (1 + x) if bluffs are not to pay; with f, the calls that answer A and B come to just that:
f / (1 + A) + (1 - f) / (1 + B) = 1 / (1 + x). The paper's axioms hold: f(A) = 1 and f(B) = 0,
monotone, the same in cents as in dollars, and small changes of x, A or B change it little.

* ``pseudo-harmonic``: both neighbours, with probabilities f and 1 - f. As in the paper a check or a
  call is a bet of 0, so a bet below the smallest size lies between that and the smallest.
* ``deterministic``: A where f(x) >= 1/2, that is up to x* = (A + B + 2 A B) / (A + B + 2).
* ``similarity``: the size with the largest min(x / A, A / x), as EP White has it; ties go down.

The latter two take a bet below the smallest size for the smallest. Both have a midpoint, on either
side of which their answers are far apart; an opponent who bets there wins from them.

Nothing is drawn here: a player answers by the mixture (`tiltless.blueprint.locate`).

Paper: Ganzfried & Sandholm (2013), "Action translation in extensive-form games with large action
spaces: axioms, paradoxes, and the pseudo-harmonic mapping", IJCAI.
The six-player report reads the formula the other way round: it takes A where f <= 1/2, although its
f is the probability of A as well; and it puts in chips, not shares of the pot. We follow the paper.

In a hand (`Translation.readings`), in this order; all chips as far as an opponent can call, so that
raises beyond that are alike:

1. No raise on the menu, as past a cap: the raise becomes a call, or a check.
2. The same share of the pot as a size of the tree: that one.
3. An all-in that is no smaller than every size of the tree but its all-in: the all-in, since both
   end the betting. A smaller all-in is a bet like any other, since its price matters most.
4. Otherwise the rule. So one beyond the largest size becomes the largest.

**Past the tree.** A raise that is read as a call, or a small bet that is read as a check, may end
the street in the tree, or the hand, while the real hand still waits for our answer. If the tree had
larger raises, the bet was read as one of size 0, which every hand calls. If it had none, we answer
by the row of our last decision: we fold as often as there, and otherwise call. Where checking is
free we check. After a call both stand on the same street again. Where the street goes on in the
tree, the same player acts in both; `tiltless.blueprint.locate` makes a call of a check.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.games.holdem.bet_context import BetContext
from tiltless.games.holdem.rules import MOST_CHIPS
from tiltless.validate import brief, is_number, one_of, whole_number

__all__ = [
    "RULES",
    "Shares",
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


Shares = tuple[tuple[int, float], ...]
"""Indices of what a bet is read as, with their probabilities, which sum to 1."""


@dataclass(frozen=True, slots=True)
class Translation:
    """How off-tree bets are read.

    rule: one of `RULES`.
    """

    rule: str = "pseudo-harmonic"

    def __post_init__(self) -> None:
        one_of("rule", self.rule, RULES)

    def split(self, x: float, sizes: Sequence[float]) -> Shares:
        """The sizes that a bet of x is taken for.  sizes: ascending shares of the pot."""
        if not is_number(x) or x < 0:
            raise OptionError(f"a bet of {brief(x)} pots is not possible; give a number from 0")
        if not len(sizes) or not all(map(is_number, sizes)) or sizes[0] < 0:
            raise OptionError(f"sizes {brief(sizes)} are not shares of the pot; give [0.5, 1.0]")
        if any(low > high for low, high in pairwise(sizes)):
            raise OptionError(f"sizes {brief(sizes)} are not in order; sort them")
        place = bisect_left(sizes, x)
        if place == 0 or place == len(sizes):
            return ((min(place, len(sizes) - 1), 1.0),)
        small, large = sizes[place - 1], sizes[place]
        if x == large:
            return ((place, 1.0),)
        if self.rule == "similarity":
            return ((place - (similarity(x, small) >= similarity(x, large)), 1.0),)
        if self.rule == "deterministic":
            return ((place - (x <= midpoint(small, large)), 1.0),)
        share = chance_of_smaller(x, small, large)
        return (place - 1, share), (place, 1 - share)

    def readings(
        self, chips: int, real: BetContext, actions: Sequence[Action], abstract: BetContext
    ) -> Shares:
        """The actions of the tree that stand for a raise to ``chips``, by index.

        real: the spot of the raiser in the hand.  actions, abstract: what the tree offers at the
        node where it stands for the hand, and its spot there, whose pot and stacks may be others.
        """
        chips = min(whole_number("chips", chips, real.bet + 1, MOST_CHIPS), real.most)
        places = [i for i, action in enumerate(actions) if isinstance(action, RaiseTo)]
        passive = next((i for i, action in enumerate(actions) if action in (CALL, CHECK)), -1)
        if passive < 0:
            raise OptionError(f"no check or call among {brief(actions)}; give those of a decision")
        if not places:
            return ((passive, 1.0),)
        offers = [min(a.chips, abstract.most) for a in actions if isinstance(a, RaiseTo)]
        x, shares = real.share(chips), [abstract.share(offered) for offered in offers]
        for place, offered in zip(places, offers, strict=True):
            if (chips - real.bet) * abstract.pot == (offered - abstract.bet) * real.pot:
                return ((place, 1.0),)
        below = [abstract.share(offered) for offered in offers if offered < abstract.most]
        if chips == real.most and len(below) < len(offers) and x >= max(below, default=0):
            return ((places[len(below)], 1.0),)
        if self.rule == "pseudo-harmonic":
            places.insert(0, passive)
            shares.insert(0, 0.0)
        return tuple((places[size], share) for size, share in self.split(x, shares))
