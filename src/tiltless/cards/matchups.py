"""Matchups: exact all-in equities of two hands, of one against all others, and of all pairs."""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import permutations
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.cards import card, hand_order
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.equity_input import disjoint
from tiltless.cards.hand_order import STANDARD, HandOrder, hand_tables
from tiltless.cards.runouts import runouts
from tiltless.errors import CardError
from tiltless.files.cached_arrays import kept_arrays
from tiltless.kernels.cards import evaluate
from tiltless.kernels.cards import matchups as matchup_kernels
from tiltless.kernels.cards import runouts as runout_kernels
from tiltless.kernels.cards.matchups import hand_against_all, sum_matchups
from tiltless.kernels.cards.strength import final_boards
from tiltless.system import usable_cores

__all__ = ["HOLDING", "apart", "edges_against_all", "edges_of_all", "preflop_matchups"]

_BOARDS = comb(48, 5)

HOLDING = np.stack([np.any(card == COMBO_CARDS, axis=1) for card in range(52)])
"""Which combos contain a card, bool ``[52, 1326]``."""


def _build() -> npt.NDArray[np.int32]:
    boards, weights = runouts((), (), (0, 0, 0, 0))
    jobs = []
    for weight in np.unique(weights):
        same = np.ascontiguousarray(boards[weights == weight])
        jobs += [
            (same[start : start + 4064], np.int32(weight)) for start in range(0, len(same), 4064)
        ]

    def work(number: int) -> npt.NDArray[np.int32]:
        net = np.zeros((1326, 1326), np.int32)
        for some, weight in jobs[number::threads]:
            sum_matchups(some, weight, hand_tables(STANDARD), net)
        return net

    threads = usable_cores()
    with ThreadPoolExecutor(threads) as pool:
        net = sum(pool.map(work, range(threads)))
    # one board of each orbit was evaluated: add the images of each pair under all 24 permutations
    every = np.zeros((1326, 1326), np.int64)
    for suits in permutations(range(4)):
        moved = (COMBO_CARDS & ~np.uint8(3)) | np.array(suits, np.uint8)[COMBO_CARDS & 3]
        image = COMBO_OF[moved[:, 0], moved[:, 1]]
        every += np.asarray(net)[image[:, None], image]
    every //= 24
    blocked = comb(50, 5) - _BOARDS  # boards with a card of the other hand were counted as won
    return np.where(apart() > 0, every - blocked, 0).astype(np.int32)


@lru_cache(maxsize=1)
def preflop_matchups() -> npt.NDArray[np.int32]:
    """Boards won minus boards lost by each hand all-in against each, int32 ``[1326, 1326]``.

    Exact, over all 1,712,304 boards of every pair of hands in the standard order; 0 for hands that
    share a card. The equity is 1/2 + net / 3,424,608. The first call takes about ten seconds and
    stores the table in the cache folder.
    """
    made_by = [sys.modules[__name__], card, hand_order, evaluate, matchup_kernels, runout_kernels]
    return kept_arrays("preflop-matchups", made_by, lambda: {"net": _build()})["net"]


def edges_against_all(
    hand: int, board: npt.ArrayLike, order: HandOrder = STANDARD
) -> npt.NDArray[np.float64]:
    """P(win) - P(lose) of a combo against each of the 1,326 combos, float64 ``[1326]``.

    board: none, or 3 to 5 cards; all final boards that block neither hand are counted. 0 for combos
    that share a card with the hand or the board. Before the flop only the standard order works.
    """
    cards = np.asarray(board, np.uint8)
    mine = COMBO_CARDS[hand]
    if not len(cards):
        if order != STANDARD:
            raise CardError("preflop matchups exist for the standard order only; give a board")
        return np.asarray(preflop_matchups()[hand] / _BOARDS, np.float64)
    boards = np.empty((1176, 5), np.uint8)
    count = final_boards(cards, boards)
    won, met = np.zeros(1326, np.int32), np.zeros(1326, np.int32)
    hand_against_all(boards[:count], len(cards), hand, hand_tables(order), won, met)
    met[HOLDING[[*mine.tolist(), *cards.tolist()]].any(axis=0)] = 0
    edges = won / np.maximum(met, 1) - 1.0
    return np.where(met > 0, edges, 0.0)


@lru_cache(maxsize=1)
def apart() -> npt.NDArray[np.float64]:
    """1 where two combos share no card, else 0, float64 ``[1326, 1326]``; not to be written to."""
    pairs = disjoint(np.arange(1326), np.arange(1326)).astype(np.float64)
    pairs.flags.writeable = False
    return pairs


@lru_cache(maxsize=4)
def edges_of_all(board: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """P(win) - P(lose) of each combo against each, float64 ``[1326, 1326]``; not to be written to.

    board: as in `edges_against_all`, whose rows these are. 0 for combos that share a card with each
    other or with the board.
    """
    if not board:
        edges = preflop_matchups() / _BOARDS
    else:
        boards, net = np.empty((1176, 5), np.uint8), np.zeros((1326, 1326), np.int32)
        count = final_boards(np.array(board, np.uint8), boards)
        sum_matchups(boards[:count], np.int32(1), hand_tables(STANDARD), net)
        left, missing = 52 - len(board), 5 - len(board)
        met = comb(left - 4, missing)
        # a hand that a board blocks loses there: the boards that block the other were counted
        edges = (net - (comb(left - 2, missing) - met)) / met
        edges[:, HOLDING[list(board)].any(axis=0)] = 0.0
        edges[HOLDING[list(board)].any(axis=0)] = 0.0
        edges *= apart()
    edges.flags.writeable = False
    return edges
