"""Win rate by rollouts: how often a hand wins if nobody folds.

It works for any hold'em game: the deck, the order of hands, the number of cards to come and whether
the board keeps growing are taken from the rules. In Permutation Hold'em these are the printed
ranks; an agent that has inferred the true order must account for it elsewhere.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, SUITS
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import OptionError
from tiltless.games.holdem.rules import Rules
from tiltless.kernels.cards.rollouts import roll_out, roll_out_large, roll_out_ranges
from tiltless.validate import whole_number

__all__ = ["MOST_ROLLOUTS", "WinRate", "checked_rollouts", "fits_ranges", "unseen", "win_rate"]

MOST_ROLLOUTS = 100_000_000


class WinRate(NamedTuple):
    """Counts of rollouts: won alone, tied for the best hand, and the total."""

    won: int
    tied: int
    rollouts: int

    @property
    def with_ties(self) -> float:
        """The fraction of rollouts that are not lost, which some programs call the win rate."""
        return (self.won + self.tied) / self.rollouts

    @property
    def share(self) -> float:
        """The mean share of the pot; a tie counts as half, which is exact with two players."""
        return (self.won + 0.5 * self.tied) / self.rollouts


class _Shape(NamedTuple):
    """What rollouts need to know of the rules.

    deck: bit mask of cards.  board: cards on the final board.  run_suits: bit mask of the suits
    with which the board keeps growing.
    """

    deck: int
    board: int
    run_suits: int


@lru_cache(maxsize=64)
def _shape(rules: Rules) -> _Shape:
    board = sum(street.cards for street in rules.streets)
    run_suits = sum(1 << SUITS.index(suit) for suit in rules.run_suits)
    return _Shape(rules.deck, board, run_suits)


def checked_rollouts(rollouts: int) -> int:
    """The number of rollouts, if it is valid; else `OptionError`."""
    return whole_number("rollouts", rollouts, 1, MOST_ROLLOUTS)


def fits_ranges(rules: Rules) -> bool:
    """Whether rollouts against ranges are possible: two hole cards and boards of exactly five."""
    return rules.hole_cards == 2 and _shape(rules)[1:] == (5, 0)


def win_rate(
    rules: Rules,
    cards: Sequence[int],
    board: Sequence[int],
    rollouts: int,
    rng: Random,
    *,
    opponents: int = 1,
    ranges: npt.NDArray[np.float64] | None = None,
) -> WinRate:
    """Deal the unknown cards ``rollouts`` times and count wins and ties.

    cards, board: the known cards.  opponents: number of random hands to beat.  ranges: float64
    ``[opponents, 1326]``, weights of the opponents' hands instead, if `fits_ranges`; combos that
    contain a known card are left out, and a range that becomes empty counts as random.
    """
    shape = _shape(rules)
    seen = 0
    for card in (*cards, *board):
        seen |= 1 << card
    left = shape.deck & ~seen
    deck = np.array([card for card in range(52) if left >> card & 1], np.uint8)
    state = np.array([rng.getrandbits(64)], np.uint64)
    own, common = np.array(cards, np.uint8), np.array(board, np.uint8)
    missing = max(shape.board - len(board), 0)
    tables = hand_tables(rules.hand_order)
    if ranges is not None:
        if not fits_ranges(rules):
            raise OptionError(
                "ranges need two hole cards and boards of five, which this game does not have; "
                "leave them out"
            )
        free = unseen(left)
        weights = np.where(free, ranges, 0.0)
        weights[weights.sum(axis=1) <= 0.0] = free
        counts = roll_out_ranges(rollouts, state, own, common, missing, deck, weights, tables)
        if counts[2]:
            return WinRate(*counts)
        opponents = len(ranges)
    if shape.run_suits or len(cards) + len(board) + missing > 7:
        won, tied = roll_out_large(
            rollouts,
            state,
            own,
            common,
            missing,
            shape.run_suits,
            rules.eval7_flushes,
            deck,
            opponents,
            tables,
        )
    else:
        won, tied = roll_out(rollouts, state, own, common, missing, deck, opponents, tables)
    return WinRate(won, tied, rollouts)


def unseen(left: int) -> npt.NDArray[np.bool_]:
    """Which combos consist of cards in the bit mask ``left``, bool ``[1326]``."""
    there = np.array([left >> card & 1 for card in range(52)], np.bool_)
    return np.asarray(there[COMBO_CARDS[:, 0]] & there[COMBO_CARDS[:, 1]])
