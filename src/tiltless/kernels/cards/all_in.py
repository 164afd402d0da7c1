"""All-in equity in chips: every way to complete the board, and the pots shared out each time.

Tested by tests/arena/estimators/test_all_in.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_sum,
    rank_sum_value,
)

__all__ = ["sum_winnings"]

U = np.uint64


@kernel
def sum_winnings(
    board: Any, deck: Any, hands: Any, chips: Any, members: Any, tables: HandTables, out: Any
) -> Any:
    """Sum what each hand takes over all ways to complete the board; returns how many there are.

    board: uint8 ``[0..5]``, the cards that are there.  deck: uint8, the cards that may come.
    hands: uint8 ``[n, 2]``, in the order in which odd chips go to winners.
    chips: int64 ``[pots]``.  members: uint8 ``[pots, n]``, 1 for the hands that play for a pot.
    out: int64 ``[n]``, added to.
    """
    n, size, missing = U(len(hands)), U(len(deck)), U(5 - len(board))
    keys, bits = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for i in range(n):
        keys[i], bits[i] = SUITS_AT_THREE, U(0)
        for j in range(len(board)):
            keys[i] += tables.card_key[board[j]]
            bits[i] |= tables.card_bit[board[j]]
        for j in range(2):
            keys[i] += tables.card_key[hands[i, j]]
            bits[i] |= tables.card_bit[hands[i, j]]
    offsets, values, flushes = tables.offsets[2], tables.values[2], tables.flushes
    choice, strength = np.zeros(5, np.uint64), np.zeros(n, np.uint16)
    for k in range(missing):
        choice[k] = k
    count = 0
    while True:
        # 1. The strength of every hand on this board.
        key, bit = U(0), U(0)
        for k in range(missing):
            key += tables.card_key[deck[choice[k]]]
            bit |= tables.card_bit[deck[choice[k]]]
        for i in range(n):
            hand = keys[i] + key
            if has_flush(hand):
                strength[i] = flushes[flush_ranks(hand, bits[i] | bit)]
            else:
                strength[i] = rank_sum_value(rank_sum(hand), offsets, values)
        # 2. The winners of each pot.
        for p in range(U(len(chips))):
            best, winners, first = U(0), 0, n
            for i in range(n):
                if members[p, i]:
                    if strength[i] > best:
                        best, winners, first = U(strength[i]), 1, U(i)
                    elif strength[i] == best:
                        winners += 1
            part = chips[p] // winners
            out[first] += chips[p] - part * winners
            for i in range(n):
                if members[p, i] and strength[i] == best:
                    out[i] += part
        count += 1
        # 3. The next choice of cards, in lexicographic order.
        at = missing
        while at > U(0) and choice[at - U(1)] == size - missing + at - U(1):
            at -= U(1)
        if at == U(0):
            return count
        choice[at - U(1)] += U(1)
        for later in range(at, missing):
            choice[later] = choice[later - U(1)] + U(1)
