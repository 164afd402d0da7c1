"""Dynamic program of a match: the probability to win, by bankroll, hands left and seat.

    V(b, 0) = 1, 1/2 or 0 for b above, at or below 0
    V(b, n, seat) = 1 above one's own lock line, 0 below the opponent's (`rules`)
    V(b, n, seat) = sum over r of p_seat(r) V(b + r, n - 1, other seat)    between them,

with p_seat the distribution of hand results (`results`): the players play on without a thought for
the match until somebody can fold to the end. One correlation of NumPy for each n and seat, over the
bankrolls that are undecided: half a second for 1,000 hands with blinds 1 and 2.

Bankrolls are counted in units, the largest common divisor of the forced payments, or a quarter of
the larger one if that is smaller than a tenth of it; in between, V is interpolated.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.endgame.results import STACK, hand_results
from tiltless.agents.endgame.rules import fold_cost

__all__ = ["MOST_HANDS", "MatchValues", "match_values", "solve_match", "unit_results"]

Vector = npt.NDArray[np.float64]

MOST_HANDS = 2000
"""Hands of the largest table, which takes 100 MB; longer matches are scaled."""
_FAR = 4.0  # standard deviations


class MatchValues(NamedTuple):
    """The values of a match.

    unit: chips of a step.  table: float32 ``[hands + 1, 2, 2 w + 1]``, by hands left, seat (0: we
    are the button in the next hand) and bankroll from -w to w units.
    """

    unit: float
    table: npt.NDArray[np.float32]

    def at(self, bankroll: npt.ArrayLike, left: int, button: bool) -> Vector:
        """The probability to win with these bankrolls, in chips, and ``left`` hands to play.

        With more hands left than the table has, bankrolls are scaled with the lock lines.
        """
        if not left:
            return np.asarray((np.sign(bankroll) + 1) / 2)
        known = min(left, len(self.table) - 1)
        row = self.table[known, int(not button)]
        last = len(row) - 1
        units = np.asarray(bankroll) * (known / left) / self.unit
        where = np.clip(units + last // 2, 0, last)
        below = np.minimum(where.astype(np.int64), last - 1)
        share = where - below
        return np.asarray((1 - share) * row[below] + share * row[below + 1])


def solve_match(
    hands: int,
    styles: Sequence[Vector],
    posts: tuple[float, float],
    *,
    locks: tuple[bool, bool] = (True, True),
) -> npt.NDArray[np.float32]:
    """The table of `MatchValues`, in units.

    styles: ways to play a hand, of which the better is chosen by the score; each float64
    ``[2, 2 r + 1]``, probabilities of results from -r to r by seat.  posts: forced payments of
    button and other seat.  locks: whether we, and the opponent, fold once the match is won;
    otherwise they play on, and bankrolls are cut off at four standard deviations of what is left.
    """
    reach = max(style.shape[1] for style in styles) // 2
    swing = max(map(_deviation, styles))

    def line(left: int, button: bool, lock: bool) -> int:
        far = reach + int(_FAR * swing * left**0.5)
        return int(fold_cost(left, button, posts)) if lock else far

    width = reach + max(line(hands, button, lock) for button in (False, True) for lock in locks)
    table = np.zeros((hands + 1, 2, 2 * width + 1), np.float32)
    table[:, :, width + 1 :] = 1.0
    table[0, :, width] = 0.5
    for left in range(1, hands + 1):
        for seat in (0, 1):
            own, other = line(left, seat == 0, locks[0]), line(left, seat == 1, locks[1])
            later = table[left - 1, 1 - seat].astype(np.float64)
            best = None
            for style in styles:
                radius = style.shape[1] // 2
                part = later[width - other - radius : width + own + radius + 1]
                values = np.correlate(part, style[seat], "valid")
                best = values if best is None else np.maximum(best, values)
            table[left, seat, width - other : width + own + 1] = best
    return table


def _deviation(style: Vector) -> float:
    """The larger standard deviation of a hand, of both seats."""
    chips = np.arange(style.shape[1]) - style.shape[1] // 2
    return float(np.sqrt((style * chips**2).sum(axis=1) - (style @ chips) ** 2).max())


def unit_results(whole: Vector, unit: float, big: int, stack: int) -> Vector:
    """Results of `HandResults.whole` for other blinds and shorter stacks, in units.

    big: the big blind, in chips.  stack: the effective stack, in chips.
    """
    chips = np.clip(np.arange(-STACK, STACK + 1) * (big / 2), -stack, stack) / unit
    reach = int(np.ceil(np.abs(chips).max()))
    low = np.floor(chips).astype(np.int64)
    share = chips - low
    out = np.zeros((2, 2 * reach + 2))
    for seat in (0, 1):
        np.add.at(out[seat], low + reach, whole[seat] * (1 - share))
        np.add.at(out[seat], low + reach + 1, whole[seat] * share)
    return out[:, :-1]


@lru_cache(maxsize=4)
def match_values(
    hands: int, posts: tuple[int, int], big: int, stack: int, opponent_locks: bool = True
) -> MatchValues:
    """The values of a match of two players who fold as soon as they have won it.

    posts: forced payments of button and other seat.  big: the big blind.  stack: the effective
    stack at the start of a hand. All in chips.  opponent_locks: False for one who plays on.
    """
    unit: float = gcd(*posts) or big or 1
    if unit < max(posts) / 10:
        unit = max(posts) / 4
    results = unit_results(hand_results().whole, unit, big, stack)
    hands = min(hands, MOST_HANDS)
    in_units = posts[0] / unit, posts[1] / unit
    table = solve_match(hands, [results], in_units, locks=(True, opponent_locks))
    return MatchValues(unit, table)
