"""Win rate by rollouts: how often a hand wins if nobody folds.

Any hold'em game will do: the deck, the order of hands, how many cards are to come and whether the
board runs on are read from the rules of the view. In Permutation Hold'em these are the ranks as
shown; who knows better must say so elsewhere.
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
    """What rollouts have counted: won alone, tied for the best hand, of how many."""

    won: int
    tied: int
    rollouts: int

    @property
    def with_ties(self) -> float:
        """The part that is not lost, which some programs call the win rate."""
        return (self.won + self.tied) / self.rollouts

    @property
    def share(self) -> float:
        """The part of the pot; a tie counts as half, which it is with two players."""
        return (self.won + 0.5 * self.tied) / self.rollouts


class _Shape(NamedTuple):
    """What rollouts need of rules: the deck, the final board, suits that run on."""

    deck: int
    board: int
    run_suits: int


@lru_cache(maxsize=64)
def _shape(rules: Rules) -> _Shape:
    board = sum(street.cards for street in rules.streets)
    run_suits = sum(1 << SUITS.index(suit) for suit in rules.run_suits)
    return _Shape(rules.deck, board, run_suits)


def checked_rollouts(rollouts: int) -> int:
    """A number of rollouts, or `OptionError`."""
    return whole_number("rollouts", rollouts, 1, MOST_ROLLOUTS)


def fits_ranges(rules: Rules) -> bool:
    """Whether rollouts against ranges are possible: two cards, five on the board, no runs."""
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
    """Deal what is not known some thousand times and count.

    cards, board: what is known.  opponents: how many random hands to beat.  ranges: float64
    ``[opponents, 1326]``, weights of their hands instead, where `fits_ranges`; combos that hold a
    known card are left out, and a range that has nothing else counts as random.
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
            raise OptionError("ranges need two hole cards and five on the board; leave them out")
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
    """Which combos can be made of the cards of a bit mask, bool ``[1326]``."""
    there = np.array([left >> card & 1 for card in range(52)], np.bool_)
    return np.asarray(there[COMBO_CARDS[:, 0]] & there[COMBO_CARDS[:, 1]])
