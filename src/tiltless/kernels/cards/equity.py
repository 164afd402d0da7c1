"""Equity of two ranges: who wins how often, over a list of final boards.

Several exact methods, because ranges differ so much in size: few hands against few
(`compare_hands`), few against many (`compare_with_many`), and many against many, where the hands of
a board are ranked once and the work is proportional to the number of hands and not of pairs
(`sweep_boards`).

Twin: tests/naive/cards/equity.py; tested by tests/cards/test_equity.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, summing_kernel
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_board,
    rank_sum,
    rank_sum_value,
)

__all__ = ["compare_hands", "compare_with_many", "sweep_boards"]

U = np.uint64
_BLOCK = 32


@kernel
def compare_hands(
    boards: Any, board_weights: Any, first: Any, second: Any, pair_weights: Any, tables: HandTables
) -> Any:
    """Compare each hand of a short list with each hand of another on every board.

    Boards are taken in blocks, so that the comparisons of two hands on all boards of a block fill
    vector registers however short the lists are.

    boards: uint8 ``[m, 5]``.  board_weights: float64 ``[m]``.  first, second: int64 ``[n1]``,
    ``[n2]``, combos.  pair_weights: float64 ``[n1, n2]``, 0 where two hands share a card.
    Returns the weight won and tied by the first list, over all boards.
    """
    n1, count = U(len(first)), U(len(first) + len(second))
    hole_keys, hole_bits = np.empty(count, np.uint64), np.empty(count, np.uint64)
    for i in range(count):
        combo = first[i] if i < n1 else second[i - n1]
        x, y = tables.combo_cards[combo, 0], tables.combo_cards[combo, 1]
        hole_keys[i] = tables.card_key[x] + tables.card_key[y]
        hole_bits[i] = tables.card_bit[x] | tables.card_bit[y]
    # A blocked hand of the first list has value 0, of the second 65535: it beats and ties nothing.
    hands = np.empty((count, _BLOCK), np.uint16)
    won, tied = np.empty(_BLOCK), np.empty(_BLOCK)
    all_won, all_tied = 0.0, 0.0
    offsets, values, flushes = tables.offsets[2], tables.values[2], tables.flushes
    for start in range(0, boards.shape[0], _BLOCK):
        size = U(min(_BLOCK, boards.shape[0] - start))
        for b in range(size):
            key, bits = SUITS_AT_THREE, U(0)
            for j in range(5):
                card = boards[U(start) + b, j]
                key += tables.card_key[card]
                bits |= tables.card_bit[card]
            for i in range(count):
                hand_key = key + hole_keys[i]
                if has_flush(hand_key):
                    hands[i, b] = flushes[flush_ranks(hand_key, bits | hole_bits[i])]
                else:
                    hands[i, b] = rank_sum_value(rank_sum(hand_key), offsets, values)
                if hole_bits[i] & bits:
                    hands[i, b] = 0 if i < n1 else 0xFFFF
        won[:] = 0.0
        tied[:] = 0.0
        for i in range(n1):
            mine = hands[i]
            for k in range(n1, count):
                weight = pair_weights[i, k - n1]
                if weight > 0.0:
                    theirs = hands[k]
                    for b in range(size):
                        won[b] += weight if theirs[b] < mine[b] else 0.0
                        tied[b] += weight if theirs[b] == mine[b] else 0.0
        for b in range(size):
            all_won += board_weights[U(start) + b] * won[b]
            all_tied += board_weights[U(start) + b] * tied[b]
    return all_won, all_tied


@summing_kernel
def compare_with_many(
    boards: Any, first: Any, second: Any, pair_weights: Any, tables: HandTables, out: Any
) -> None:
    """Compare each hand of a short list with each hand of a long one, board by board.

    boards: uint8 ``[m, 5]``.  first, second: int64 ``[n1]``, ``[n2]``, combos; a combo may be
    repeated.  pair_weights: float64 ``[n1, n2]``, 0 where two hands share a card.
    out: float64 ``[m, n1, 2]``, overwritten: weight won and tied by each first hand.
    """
    every = np.empty(1326, np.uint16)
    pair = np.zeros(91, np.uint16)
    theirs = np.empty(len(second), np.uint16)
    for b in range(boards.shape[0]):
        rank_board(boards[b], tables, pair, every)
        for k in range(U(len(second))):
            # one less, so that a blocked hand (0) becomes 65535, which nothing beats or ties
            theirs[k] = every[second[k]] - np.uint16(1)
        for i in range(U(len(first))):
            mine = every[first[i]]
            won, tied = 0.0, 0.0
            if mine > 0:
                mine -= np.uint16(1)
                for k in range(U(len(second))):
                    won += pair_weights[i, k] if theirs[k] < mine else 0.0
                    tied += pair_weights[i, k] if theirs[k] == mine else 0.0
            out[b, i, 0] = won
            out[b, i, 1] = tied


@inline
def _number_values(seen: Any, number: Any) -> Any:
    """Number the values that were seen 0, 1, 2 … from the worst; returns how many.

    seen: uint8 ``[7464]``, 1 where a value occurs; cleared.  number: uint16 ``[7464]``, overwritten
    for those values.
    """
    count = U(0)
    words = seen.view(np.uint64)
    for word in range(U(len(words))):
        if words[word]:
            for value in range(U(8) * word, U(8) * word + U(8)):
                if seen[value]:
                    number[value] = count
                    count += U(1)
            words[word] = U(0)
    return count


@kernel
def sweep_boards(
    boards: Any,
    board_weights: Any,
    combos: Any,
    cards: Any,
    weights: Any,
    tables: HandTables,
    out: Any,
) -> None:
    """Every hand against a range: rank each board once and sum weights in order of value.

    A hand h = (x, y) beats the weight of all worse hands, less those that hold x, less those that
    hold y. Row g + 1 of a table holds the weight of all hands of the g + 1 worst values, by the
    cards that they hold, so the work is linear in the number of hands and not of pairs; a board
    has at most 137 different values (91 pairs of ranks, 45 hands of its suit, the board itself).

    boards: uint8 ``[m, 5]``.  board_weights: float64 ``[m]``.  combos: int64 ``[n]``, the hands to
    compare and those of the range.  cards: uint8 ``[n, 2]``.  weights: float64 ``[n]``, of the
    range.  out: float64 ``[n, 2]``, added to: weight that each hand beats, and beats or ties.
    """
    total = 52
    count = U(len(combos))
    every = np.empty(1326, np.uint16)
    pair = np.zeros(91, np.uint16)
    seen = np.zeros(7464, np.uint8)
    number = np.zeros(7464, np.uint16)
    below = np.zeros((256, 56))
    width = U(below.shape[1])  # a constant would be unrolled before it is vectorised
    for b in range(boards.shape[0]):
        # 1. Rank the hands, and number the values that occur.
        rank_board(boards[b], tables, pair, every)
        for i in range(count):
            seen[every[combos[i]]] = 1
        seen[0] = 0
        groups = _number_values(seen, number)
        # 2. Weights by value and card, then their running sums.
        below[: groups + U(1)] = 0.0
        for i in range(count):
            value = every[combos[i]]
            if value:
                row = U(number[value]) + U(1)
                below[row, cards[i, 0]] += weights[i]
                below[row, cards[i, 1]] += weights[i]
                below[row, total] += weights[i]
        for g in range(U(1), groups + U(1)):
            for k in range(width):
                below[g, k] += below[g - U(1), k]
        # 3. What each hand beats.
        weight = board_weights[b]
        for i in range(count):
            value = every[combos[i]]
            if value:
                row = U(number[value])
                x, y = cards[i, 0], cards[i, 1]
                won = below[row, total] - below[row, x] - below[row, y]
                end = row + U(1)
                # the hand itself was subtracted twice, once with each of its cards
                at_most = below[end, total] - below[end, x] - below[end, y] + weights[i]
                out[i, 0] += weight * won
                out[i, 1] += weight * at_most
