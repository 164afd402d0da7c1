"""Dealing for games whose board grows (River of Blood): many hands around each board.

The buckets of a long board take half a millisecond for all of its hands, so hands are dealt board
by board. A board is drawn to its end first and the hole cards from what is left; the chance of a
board and four hole cards is the same as if they had been dealt in the order of the game, as any
order of a shuffled deck is as likely as any other.

Twin: tests/naive/blueprint/run_deals.py; tested by tests/blueprint/test_river_run.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.cards.evaluate import HandTables, drop_later_suits, large_value

__all__ = ["board_sizes", "deal_around", "show_down_runs"]

U = np.uint64


@kernel
def board_sizes(boards: Any, always: Any, run_suits: Any, out: Any) -> None:
    """The number of cards of each board: ``always``, and more while the newest has a run suit.

    boards: uint8 ``[n, width]``.  run_suits: a bit mask.  out: uint8 ``[n]``, overwritten.
    """
    run_suits, width = U(run_suits), U(boards.shape[1])
    for i in range(U(len(boards))):
        size = U(always)
        while size < width and (run_suits >> (U(boards[i, size - U(1)]) & U(3))) & U(1):
            size += U(1)
        out[i] = size


@kernel
def deal_around(state: Any, deck: Any, boards: Any, sizes: Any, cards: Any) -> None:
    """Deal two hole cards to two players around each board, equally many hands for each.

    state: uint64 ``[1]``, advanced.  deck: uint8, the whole deck.  boards: uint8 ``[n, width]``,
    sizes: uint8 ``[n]``.  cards: uint8 ``[n * times, 4 + width]``, overwritten: hole cards of
    player 0, of player 1, the board.
    """
    left = np.zeros(len(deck), np.uint8)
    times = U(len(cards)) // U(len(boards))
    for b in range(U(len(boards))):
        used, count = U(0), U(0)
        for j in range(U(sizes[b])):
            used |= U(1) << U(boards[b, j])
        for j in range(U(len(deck))):
            left[count] = deck[j]
            count += U(1) - ((used >> U(deck[j])) & U(1))
        for hand in range(b * times, (b + U(1)) * times):
            for j in range(U(4)):
                k = j + next_below(state, count - j)
                card = left[k]
                left[k] = left[j]
                left[j] = card
                cards[hand, j] = card
            for j in range(U(boards.shape[1])):
                cards[hand, U(4) + j] = boards[b, j]


@kernel
def show_down_runs(
    cards: Any, sizes: Any, first_suit_only: Any, tables: HandTables, result: Any
) -> None:
    """Who would win each hand on boards of any length: 1 player 0, -1 player 1, 0 a tie.

    cards: as in `deal_around`.  sizes: uint8 ``[hands]``, board cards of each.
    first_suit_only: see `tiltless.kernels.cards.evaluate.evaluate_large_hands`.
    result: int8 ``[hands]``, overwritten.
    """
    card_bit = tables.card_bit
    for i in range(U(len(result))):
        board = U(0)
        for j in range(U(4), U(4) + U(sizes[i])):
            board |= card_bit[cards[i, j]]
        value = np.int64(0)
        for player in range(U(2)):
            bits = board | card_bit[cards[i, U(2) * player]]
            bits |= card_bit[cards[i, U(2) * player + U(1)]]
            flush_bits = drop_later_suits(bits) if first_suit_only else bits
            value = np.int64(large_value(bits, flush_bits, tables)) - value
        result[i] = np.int8(value < 0) - np.int8(value > 0)
