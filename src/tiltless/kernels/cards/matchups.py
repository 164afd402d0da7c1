"""Matchups: one hand against all hands, and all against all, over lists of final boards.

Tested by tests/cards/test_matchups.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_board,
    rank_sum,
    rank_sum_value,
)
from tiltless.kernels.cards.strength import number_values

__all__ = ["hand_against_all", "sum_matchups"]

U = np.uint64
_BLOCK = 127


@inline
def _score(mine: Any, theirs: Any) -> Any:
    """2 for a win, 1 for a tie, 0 for a loss."""
    return np.int32(mine > theirs) + np.int32(mine >= theirs)


@kernel
def hand_against_all(
    boards: Any, common: Any, hand: Any, tables: HandTables, won: Any, met: Any
) -> None:
    """How often a hand beats every other, over final boards with the same first cards.

    Suits aside, the others have only 91 different hands, their pairs of ranks: these are compared,
    and summed over all boards. What a board's later cards block is taken off, and hands that make a
    flush are put right, one by one. Boards that hold a card of the hand are passed over.

    boards: uint8 ``[m, 5]``.  common: how many cards all boards have in common.  hand: a combo.
    won: int32 ``[1326]``, overwritten: twice the boards won plus those tied, against each hand.
    met: int32 ``[1326]``, overwritten: the boards that block neither. Both mean nothing for hands
    that hold a card of the hand, or one that the boards have in common.
    """
    combo_of, pair_of_combo = tables.combo_of, tables.pair_of_combo
    card_key, card_bit, flushes = tables.card_key, tables.card_bit, tables.flushes
    offsets, values = tables.offsets[2], tables.values[2]
    one, two = U(tables.combo_cards[hand, 0]), U(tables.combo_cards[hand, 1])
    own = (U(1) << one) | (U(1) << two)
    pair_sum, score, total = np.zeros(91, np.uint64), np.zeros(91, np.int32), np.zeros(91, np.int32)
    i = U(0)
    for high in range(U(13)):
        for low in range(high + U(1)):
            pair_sum[i] = rank_sum(card_key[U(4) * high]) + rank_sum(card_key[U(4) * low])
            i += U(1)
    won[:] = 0
    met[:] = 0
    count = 0
    for b in range(boards.shape[0]):
        # 1. The board, and the value of the hand.
        key, bits, used, suits = SUITS_AT_THREE, U(0), U(0), U(0)
        for j in range(5):
            card = U(boards[b, j])
            key += card_key[card]
            bits |= card_bit[card]
            used |= U(1) << card
            suits += U(1) << (U(4) * (card & U(3)))
        if used & own:
            continue
        count += 1
        mine_key = key + card_key[one] + card_key[two]
        if has_flush(mine_key):
            mine = flushes[flush_ranks(mine_key, bits | card_bit[one] | card_bit[two])]
        else:
            mine = rank_sum_value(rank_sum(mine_key), offsets, values)
        # 2. The 91 pairs of ranks.
        board_sum = rank_sum(key)
        for p in range(U(91)):
            score[p] = _score(mine, rank_sum_value(board_sum + pair_sum[p], offsets, values))
            total[p] += score[p]
        # 3. Blocked hands.
        for j in range(common, 5):
            card = U(boards[b, j])
            for other in range(U(52)):
                # a hand of two such cards is met twice: take it off with the first of them
                twice = False
                for k in range(common, j):
                    twice |= other == U(boards[b, k])
                if other != card and not twice:
                    combo = combo_of[card, other]
                    won[combo] -= score[pair_of_combo[combo]]
                    met[combo] -= 1
        # 4. Flushes.
        for suit in range(U(4)):
            many = (suits >> (U(4) * suit)) & U(15)
            if many < U(3):
                continue
            shift = U(16) * suit
            ranks = (bits >> shift) & U(0x1FFF)
            for first in range(U(52)):
                if (used >> first) & U(1):
                    continue
                held = U((first & U(3)) == suit)
                if held + many + U(1) < U(5):
                    continue
                with_first = ranks | (card_bit[first] >> shift) if held else ranks
                for other in range(first):
                    also = U((other & U(3)) == suit)
                    if held + also + many < U(5) or (used >> other) & U(1):
                        continue
                    every = with_first | (card_bit[other] >> shift) if also else with_first
                    combo = combo_of[first, other]
                    won[combo] += _score(mine, flushes[every]) - score[pair_of_combo[combo]]
    for combo in range(U(1326)):
        won[combo] += total[pair_of_combo[combo]]
        met[combo] += count


@inline
def _add_row(mine: Any, theirs: Any, row: Any) -> None:
    """Add 1 where the hand wins, and take 1 off where it loses."""
    for k in range(U(len(row))):
        their = theirs[k]  # written so that the compiler compares 64 bytes at a time
        won = np.int8(1) if mine > their else np.int8(0)
        lost = np.int8(1) if mine < their else np.int8(0)
        row[k] = np.int8(row[k] + won - lost)


@kernel
def sum_matchups(boards: Any, weight: Any, tables: HandTables, out: Any) -> None:
    """Boards won less boards lost, of every hand against every other.

    A board has at most 137 different values, and 127 boards are counted at a time: bytes are
    enough, which is what makes it quick. A hand that a board blocks has the value 0 there and
    loses; the caller takes that off again.

    boards: uint8 ``[m, 5]``.  weight: int32, of each of them.  out: int32 ``[1326, 1326]``, added
    to: row i, column k, over the boards that do not block hand i.
    """
    values = np.zeros((_BLOCK, 1344), np.uint8)
    every, pair = np.zeros(1326, np.uint16), np.zeros(91, np.uint16)
    seen, live = np.zeros(7488, np.uint16), np.zeros(1326, np.uint16)
    row = np.zeros(1344, np.int8)
    for start in range(0, boards.shape[0], _BLOCK):
        size = U(min(_BLOCK, boards.shape[0] - start))
        for b in range(size):
            rank_board(boards[U(start) + b], tables, pair, every)
            count, _ = number_values(every, seen, live)
            values[b] = 0
            for i in range(count):
                values[b, live[i]] = every[live[i]] + 1
        for i in range(U(1326)):
            row[:] = 0
            for b in range(size):
                if values[b, i]:
                    _add_row(values[b, i], values[b], row)
            for k in range(U(1326)):
                out[i, k] += weight * np.int32(row[k])
