"""Equity of any number of players: every deal on every final board, or Monte Carlo.

Twin: tests/naive/cards/equity.py; tested by tests/cards/test_equity.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below, next_double
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_board,
    rank_sum,
    rank_sum_value,
)

__all__ = ["SampledRanges", "sample_deals", "sweep_deals"]

U = np.uint64


class SampledRanges(NamedTuple):
    """What `sample_deals` draws from; the hands of each player are contiguous.

    start: int64 ``[players + 1]``, where each player's hands begin in combos int64 ``[n]`` and
    cumulative float64 ``[n]``, the running sums of their weights.  by_combo: float64
    ``[players, 1326]``, by_card: float64 ``[players, 52]``; weight of each combo, and of all combos
    that hold each card.
    """

    start: Any
    combos: Any
    cumulative: Any
    by_combo: Any
    by_card: Any


@kernel
def sweep_deals(
    boards: Any,
    board_weights: Any,
    starts: Any,
    combos: Any,
    weights: Any,
    tables: HandTables,
    out: Any,
) -> None:
    """Any number of players: every deal of one hand to each, on every board.

    boards: uint8 ``[m, 5]``.  starts: int64 ``[players + 1]``, where each player's hands begin in
    combos int64 ``[n]`` and weights float64 ``[n]``.  out: float64 ``[players, 4]``, added to:
    weight won alone, shared, the share of the pot, and all weight.
    """
    players = len(starts) - 1
    values = np.empty(1326, np.uint16)
    pair = np.zeros(91, np.uint16)
    next_hand = np.zeros(players, np.int64)
    used = np.zeros(players + 1, np.uint64)
    weight = np.zeros(players + 1)
    value = np.zeros(players, np.uint16)
    for b in range(boards.shape[0]):
        rank_board(boards[b], tables, pair, values)
        weight[0] = board_weights[b]
        next_hand[0] = starts[0]
        player = 0
        while player >= 0:
            i = next_hand[player]
            if i == starts[player + 1]:
                player -= 1
                continue
            next_hand[player] = i + 1
            combo = combos[i]
            bits = (U(1) << U(tables.combo_cards[combo, 0])) | (
                U(1) << U(tables.combo_cards[combo, 1])
            )
            if values[combo] == 0 or used[player] & bits:
                continue
            value[player] = values[combo]
            used[player + 1] = used[player] | bits
            weight[player + 1] = weight[player] * weights[i]
            if player + 1 < players:
                player += 1
                next_hand[player] = starts[player]
                continue
            best, winners = np.uint16(0), 0
            for p in range(players):
                if value[p] > best:
                    best, winners = value[p], 1
                elif value[p] == best:
                    winners += 1
            mass = weight[players]
            for p in range(players):
                out[p, 3] += mass
                if value[p] == best:
                    out[p, 0 if winners == 1 else 1] += mass
                    out[p, 2] += mass / winners


@kernel
def sample_deals(
    samples: Any,
    state: Any,
    board: Any,
    dead: Any,
    ranges: SampledRanges,
    tables: HandTables,
    out: Any,
    squares: Any,
) -> Any:
    """Monte Carlo: draw a hand for each player by weight, around the others, and fill the board.

    A player's hand is drawn from what the hands before leave of the range, and the deal counts by
    the product of these remainders: so every possible deal has on average the weight that
    `sweep_deals` gives it, however often the ranges share cards (importance sampling).

    samples: how many deals to draw.  state: uint64 ``[1]``, advanced.  board: uint8 ``[0..5]``.
    dead: uint64, bits of all cards that cannot come.  out: float64 ``[players, 4]``, added to:
    weight won alone, shared, the share of the pot, and all weight.  squares: float64
    ``[players, 3]``, added to: of each deal, weight^2, weight^2 * share, weight^2 * share^2.
    Returns how many deals were possible.
    """
    players = len(ranges.start) - 1
    offsets, values, flushes = tables.offsets[2], tables.values[2], tables.flushes
    hole = np.zeros(2 * players, np.uint64)
    value = np.zeros(players, np.uint16)
    start_key, start_bits = SUITS_AT_THREE, U(0)
    for j in range(len(board)):
        start_key += tables.card_key[board[j]]
        start_bits |= tables.card_bit[board[j]]
    possible = 0
    for _ in range(samples):
        # 1. A hand for each player.
        used, weight = dead, 1.0
        for p in range(players):
            total = ranges.cumulative[ranges.start[p + 1] - 1]
            left = total
            for i in range(2 * p):
                left -= ranges.by_card[p, hole[i]]
                for j in range(i):
                    left += ranges.by_combo[p, tables.combo_of[hole[i], hole[j]]]
            weight *= left / total
            if left < 1e-9 * total:
                weight = 0.0
                break
            while True:
                low, high = ranges.start[p], ranges.start[p + 1] - 1
                target = next_double(state) * total
                while low < high:
                    middle = (low + high) >> 1
                    if ranges.cumulative[middle] > target:
                        high = middle
                    else:
                        low = middle + 1
                combo = ranges.combos[low]
                x, y = U(tables.combo_cards[combo, 0]), U(tables.combo_cards[combo, 1])
                bits = (U(1) << x) | (U(1) << y)
                if not used & bits:
                    break
            used |= bits
            hole[2 * p], hole[2 * p + 1] = x, y
        if weight == 0.0:
            continue
        # 2. The rest of the board.
        possible += 1
        key, board_bits = start_key, start_bits
        missing = 5 - len(board)
        while missing > 0:
            card = next_below(state, 52)
            if used & (U(1) << card):
                continue
            used |= U(1) << card
            key += tables.card_key[card]
            board_bits |= tables.card_bit[card]
            missing -= 1
        # 3. The showdown.
        best, winners = np.uint16(0), 0
        for p in range(players):
            x, y = hole[2 * p], hole[2 * p + 1]
            hand_key = key + tables.card_key[x] + tables.card_key[y]
            if has_flush(hand_key):
                bits = board_bits | tables.card_bit[x] | tables.card_bit[y]
                value[p] = flushes[flush_ranks(hand_key, bits)]
            else:
                value[p] = rank_sum_value(rank_sum(hand_key), offsets, values)
            if value[p] > best:
                best, winners = value[p], 1
            elif value[p] == best:
                winners += 1
        for p in range(players):
            out[p, 3] += weight
            squares[p, 0] += weight * weight
            if value[p] == best:
                share = 1.0 / winners
                out[p, 0 if winners == 1 else 1] += weight
                out[p, 2] += weight * share
                squares[p, 1] += weight * weight * share
                squares[p, 2] += weight * weight * share * share
    return possible
