"""Edges of one hand against all others on boards of River of Blood, for AIVAT.

An *edge* is P(win) - P(lose). Where another card is to come, `next_card_edges` is the mean of
`shown_edges` over that card: not the edge over the whole run, but a mean that is exact for the next
step of chance, which is all that AIVAT needs (`tiltless.arena.estimators.aivat`).
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, DECK_SIZE
from tiltless.cards.run_boards import rank_run_boards

__all__ = ["next_card_edges", "shown_edges"]

Vector = npt.NDArray[np.float64]


def shown_edges(hand: int, board: tuple[int, ...]) -> Vector:
    """1, 0 or -1: whether a combo beats each other one on a board, float64 ``[1326]``.

    board: 5 to 31 cards.  0 for combos that share a card with it.
    """
    edges: Vector = _edges(hand, np.array([board], np.uint8))[0]
    return edges


@lru_cache(maxsize=16)
def next_card_edges(hand: int, board: tuple[int, ...]) -> Vector:
    """The mean of `shown_edges` over all cards that may follow, float64 ``[1326]``.

    For two hands those are the cards that neither of them holds. Not to be written to.
    """
    gone = {*board, *COMBO_CARDS[hand].tolist()}
    cards = np.array([card for card in range(DECK_SIZE) if card not in gone], np.uint8)
    boards = np.empty((len(cards), len(board) + 1), np.uint8)
    boards[:, :-1], boards[:, -1] = board, cards
    edges = _edges(hand, boards).sum(axis=0) / (len(cards) - 2)
    edges.flags.writeable = False
    return np.asarray(edges)


def _edges(hand: int, boards: npt.NDArray[np.uint8]) -> Vector:
    """`shown_edges` on several boards of one length, ``[m, 1326]``."""
    values = rank_run_boards(boards, eval7_flushes=True).astype(np.int64)
    edges = np.sign(values[:, hand, None] - values)
    return np.where(values > 0, edges, 0).astype(np.float64).reshape(-1, COMBO_COUNT)
