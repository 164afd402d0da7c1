"""The report's translation: which raise of the policy stands for one that it does not have.

With A the largest raise below x in the policy and B the smallest above it, all in chips,

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x)),

and the report takes A where f <= 1/2, and B otherwise: 450 between 400 and 500 gives 0.445, so 400.
In the paper f is the probability of A, so that A should be taken where f is *large*, and A, B and x
are shares of the pot (Ganzfried & Sandholm 2013; `tiltless.abstraction.bets.translation`).
``paper`` does that, by the more likely of the two.
"""

from bisect import bisect_left
from collections.abc import Sequence

from tiltless.abstraction.bets.translation import chance_of_smaller
from tiltless.validate import one_of

__all__ = ["RULES", "nearest_index", "translated"]

RULES = ("report", "paper")


def translated(x: float, sizes: Sequence[float], rule: str = "report", pot: float = 1.0) -> int:
    """The index of the size that stands for a raise to x.

    sizes: raises in the policy, ascending, in chips, not empty.  pot: in chips, for ``paper``.
    Beyond the sizes, the nearest; the report does not say.
    """
    one_of("ph", rule, RULES)
    above = bisect_left(sizes, x)
    if above == len(sizes):
        return above - 1
    if above == 0 or sizes[above] == x:
        return above
    small, large = sizes[above - 1], sizes[above]
    if rule == "paper":
        return above - (chance_of_smaller(x / pot, small / pot, large / pot) >= 0.5)
    return above - (chance_of_smaller(x, small, large) <= 0.5)


def nearest_index(x: float, sizes: Sequence[float]) -> int:
    """The index of the size nearest to x: how an own raise is found again after rounding."""
    return min(range(len(sizes)), key=lambda i: abs(sizes[i] - x))
