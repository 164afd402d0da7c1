"""Boards of five cards and more, as River of Blood has them: the values of all hands.

A *run* is what follows a red river: one card after the other, until a black one comes.
"""

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import hand_tables
from tiltless.cards.matchups import HOLDING
from tiltless.errors import CardError
from tiltless.kernels.cards.river_run import LONGEST, rank_long_boards

__all__ = ["rank_run_boards"]

Board = npt.NDArray[np.uint8]

_SHORTEST, _LONGEST = 5, 31
_SHORT = 7  # cards of a board on which eval7 finds the same flushes as everybody else


def rank_run_boards(boards: Board, *, eval7_flushes: bool = False) -> npt.NDArray[np.uint16]:
    """Value of every combo on boards of one length, uint16 ``[m, 1326]``; 0 where it is blocked.

    boards: uint8 ``[m, n]``, n from 5 to 31.  eval7_flushes: as in `tiltless.cards.evaluate`; it
    makes a difference on boards of eight cards or more.
    """
    count, size = boards.shape
    if not _SHORTEST <= size <= _LONGEST:
        raise CardError(f"the boards have {size} cards; give {_SHORTEST} to {_LONGEST}")
    values = np.zeros((count, COMBO_COUNT), np.uint16)
    if size <= _SHORT or not eval7_flushes:
        wide = np.zeros((count, LONGEST), np.uint8)
        wide[:, :size] = boards
        rank_long_boards(wide, np.full(count, size, np.uint8), hand_tables(), values)
        return values
    for row, board in zip(values, boards, strict=True):
        free = np.flatnonzero(~HOLDING[board].any(axis=0))
        hands = np.empty((len(free), size + 2), np.uint8)
        hands[:, :2], hands[:, 2:] = COMBO_CARDS[free], board
        row[free] = evaluate_many(hands, eval7_flushes=True)
    return values
