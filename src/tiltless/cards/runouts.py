"""Runouts: the possible final boards, one per orbit under interchangeable suits."""

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import DECK_SIZE
from tiltless.kernels.cards.runouts import list_runouts

__all__ = ["runouts"]


def runouts(
    board: Sequence[int], dead: Sequence[int] = (), suits: tuple[int, ...] = (0, 1, 2, 3)
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """Every way to complete ``board`` to five cards, from a deck without the ``dead`` cards.

    suits: the class of each suit (see `tiltless.cards.suits.suit_classes`); the board, the dead
    cards and the quantity to compute must be invariant under swaps of suits within a class.
    Returns boards uint8 ``[n, 5]``, the known cards first, and how many boards each represents,
    float64 ``[n]``; the weights sum to C(cards left, cards to come).
    """
    boards, weights = _runouts(tuple(board), frozenset(dead), tuple(suits))
    return boards, weights


@lru_cache(maxsize=8)
def _runouts(
    board: tuple[int, ...], dead: frozenset[int], suits: tuple[int, ...]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    used = set(board) | dead
    deck = np.array([card for card in range(DECK_SIZE) if card not in used], dtype=np.uint8)
    size = 5 - len(board)
    most = comb(len(deck), size)
    cards = np.empty((most, size), dtype=np.uint8)
    weights = np.empty(most)
    count = list_runouts(deck, size, np.array(suits, dtype=np.int64), cards, weights)
    boards = np.empty((count, 5), dtype=np.uint8)
    boards[:, : len(board)] = np.array(board, dtype=np.uint8)
    boards[:, len(board) :] = cards[:count]
    return boards, weights[:count].copy()
