"""Coarse to fine: the best of many raises, with few questions to a bot that takes long to answer.

The bot is asked for its answers to a few sizes that are spread over the list. Between two of them
the probability to fold of each hand is interpolated by the pseudo-harmonic mapping
(`tiltless.abstraction.bets.translation.chance_of_smaller`), as a bot would that reads a bet as one
of its neighbours. Then the size of the largest estimated value is asked about, until none
promises more than the best one known by at least `WORTH`. Estimates may be too low for sizes far
from those asked about, so twice the middle of the wider gap beside the best size is asked about as
well.

Only sizes with a known answer are compared in the end, so what is approximated is which sizes are
looked at: the response remains a strategy against the real bot, and its winnings a lower bound. It
may miss a raise whose answer is unlike those to its neighbours.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.translation import chance_of_smaller
from tiltless.arena.estimators.local_spot import LocalSpot

__all__ = ["FEW", "HALVES", "MORE", "WORTH", "coarse_to_fine", "middle_of_gap", "share_of_smaller"]

FEW, MORE, HALVES = 4, 7, 2
"""The usual number of sizes asked about first, the most that are asked about after them, and how
many of these are in the middle of a gap."""

WORTH = 0.002
"""What a size must promise beyond the best one known, in pots, to be worth a question."""

_Vector = npt.NDArray[np.float64]


def coarse_to_fine(
    spot: LocalSpot,
    sizes: Sequence[float],
    ask: Callable[[int], _Vector | None],
    first: int,
    least: float,
) -> dict[int, float]:
    """U of the raises that were asked about, by their index.

    sizes: chips beyond the call, ascending.  ask: the probability that the bot folds each hand to a
    raise, as in `LocalSpot.raises`.  first: the number of sizes asked about first.  least: a value
    that is certain; sizes estimated below it are not asked about.
    """
    pot = spot.pot + spot.asked
    shares = [beyond / pot for beyond in sizes]
    none = np.zeros(len(spot.weights))
    folds: dict[int, _Vector] = {}
    values: dict[int, float] = {}

    def learn(index: int) -> None:
        answer = ask(index)
        folds[index] = none if answer is None else answer
        values[index] = spot.raises(sizes[index], answer)

    for index in np.unique(
        np.rint(np.linspace(0, len(sizes) - 1, max(first, 2))).astype(int)
    ).tolist():
        learn(index)
    bisected = 0
    for _ in range(MORE):
        best, value = -1, max(least, *values.values()) + WORTH * pot
        for low, high in pairwise(sorted(folds)):
            for index in range(low + 1, high):
                p = share_of_smaller(shares[index], shares[low], shares[high])
                guess = spot.raises(sizes[index], p * folds[low] + (1 - p) * folds[high])
                if guess > value:
                    best, value = index, guess
        if best < 0 and bisected < HALVES:
            best, bisected = middle_of_gap(values), bisected + 1
        if best < 0:
            break
        learn(best)
    return dict(sorted(values.items()))


def middle_of_gap(values: dict[int, float]) -> int:
    """The middle of the wider gap beside the best raise; -1 if there is no gap."""
    known = sorted(values)
    place = known.index(max(values, key=lambda index: values[index]))
    gaps = [known[k : k + 2] for k in (place - 1, place) if 0 <= k < len(known) - 1]
    low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
    return (low + high) // 2 if high - low > 1 else -1


def share_of_smaller(x: float, small: float, large: float) -> float:
    """How much of the answer to a bet of ``x`` is taken from that to the smaller of two bets."""
    return chance_of_smaller(x, small, large) if small < large else 1.0
