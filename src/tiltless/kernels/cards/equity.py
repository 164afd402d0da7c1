"""Equity: who wins how often, over a list of final boards.

Several exact methods, because ranges differ so much in size: few hands against few
(`compare_hands`), few against many (`compare_with_many`), and many against many, where the hands of
a board are ranked once and the work is proportional to the number of hands and not of pairs
(`sweep_boards`). `sweep_deals` takes three and more players; `sample_deals` is Monte Carlo.
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, summing_kernel
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

__all__ = [
    "SampledRanges",
    "compare_classes",
    "compare_hands",
    "compare_with_many",
    "sample_deals",
    "sweep_boards",
    "sweep_deals",
]

U = np.uint64
_BLOCK = 32


class SampledRanges(NamedTuple):
    """What `sample_deals` draws from; the hands of each player lie one after the other.

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
def _sort_by_value(
    values: Any, combos: Any, count: Any, half_sorted: Any, keys: Any, bins: Any
) -> Any:
    """Sort the unblocked combos of a list by value, with their places in the list.

    Two passes of radix sort on value (13 bits), which is stable.  keys: uint32 ``[count]``,
    overwritten: ``value << 16 | place in combos``, sorted.  half_sorted: uint32 ``[count]``,
    bins: uint64 ``[128]``, scratch. Returns how many are unblocked.
    """
    live = U(0)
    bins[:] = 0
    for i in range(U(count)):
        value = U(values[combos[i]])
        keys[live] = (value << U(16)) | i
        if value:
            bins[value & U(127)] += U(1)
            live += U(1)
    start = U(0)
    for i in range(U(128)):
        size = bins[i]
        bins[i] = start
        start += size
    for i in range(live):
        digit = (U(keys[i]) >> U(16)) & U(127)
        half_sorted[bins[digit]] = keys[i]
        bins[digit] += U(1)
    bins[:] = 0
    for i in range(live):
        bins[U(half_sorted[i]) >> U(23)] += U(1)
    start = U(0)
    for i in range(U(128)):
        size = bins[i]
        bins[i] = start
        start += size
    for i in range(live):
        digit = U(half_sorted[i]) >> U(23)
        keys[bins[digit]] = half_sorted[i]
        bins[digit] += U(1)
    return live


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
        rank_board(boards[b], tables, pair, every)
        for i in range(count):
            seen[every[combos[i]]] = 1
        seen[0] = 0
        groups = _number_values(seen, number)
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
        weight = board_weights[b]
        for i in range(count):
            value = every[combos[i]]
            if value:
                row = U(number[value])
                x, y = cards[i, 0], cards[i, 1]
                won = below[row, total] - below[row, x] - below[row, y]
                end = row + U(1)
                # the hand itself was taken away twice, once with each of its cards
                at_most = below[end, total] - below[end, x] - below[end, y] + weights[i]
                out[i, 0] += weight * won
                out[i, 1] += weight * at_most


@kernel
def compare_classes(
    boards: Any, board_weights: Any, class_of_combo: Any, tables: HandTables, out: Any
) -> None:
    """All 169 classes against all 169 classes at once.

    The sweep of `sweep_boards` with a vector for each running sum: how many combos of each class
    lie below. boards: uint8 ``[m, 5]``.  board_weights: int32 ``[m]``.
    class_of_combo: uint8 ``[1326]``.  out: int32 ``[169, 176]``, added to: twice the pairs of hands
    that the row's class wins, plus those it ties. Columns past 169 are padding.
    """
    combos, cards = np.arange(1326), tables.combo_cards
    values = np.empty(1326, np.uint16)
    pair = np.zeros(91, np.uint16)
    half_sorted = np.empty(1326, np.uint32)
    keys = np.empty(1327, np.uint32)
    bins = np.empty(128, np.uint64)
    width = U(out.shape[1])  # a constant would be unrolled before it is vectorised
    below = np.empty(width, np.int32)
    below_card = np.empty((52, width), np.int32)
    for b in range(boards.shape[0]):
        rank_board(boards[b], tables, pair, values)
        live = _sort_by_value(values, combos, 1326, half_sorted, keys, bins)
        weight = board_weights[b]
        below[:] = 0
        below_card[:] = 0
        start = U(0)
        while start < live:
            value = keys[start] >> np.uint32(16)
            stop = start
            while stop < live and keys[stop] >> np.uint32(16) == value:
                stop += U(1)
            for side in range(2):  # what lies below the group, then what lies below its end
                for i in range(start, stop):
                    hand = U(keys[i]) & U(0xFFFF)
                    own, x, y = U(class_of_combo[hand]), U(cards[hand, 0]), U(cards[hand, 1])
                    for k in range(width):
                        out[own, k] += weight * (below[k] - below_card[x, k] - below_card[y, k])
                    if side == 1:  # the hand itself was taken away twice, once with each card
                        out[own, own] += weight
                if side == 0:
                    for i in range(start, stop):
                        hand = U(keys[i]) & U(0xFFFF)
                        own = U(class_of_combo[hand])
                        below[own] += 1
                        below_card[cards[hand, 0], own] += 1
                        below_card[cards[hand, 1], own] += 1
            start = stop


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
    place = np.zeros(players, np.int64)
    used = np.zeros(players + 1, np.uint64)
    weight = np.zeros(players + 1)
    value = np.zeros(players, np.uint16)
    for b in range(boards.shape[0]):
        rank_board(boards[b], tables, pair, values)
        weight[0] = board_weights[b]
        place[0] = starts[0]
        player = 0
        while player >= 0:
            i = place[player]
            if i == starts[player + 1]:
                player -= 1
                continue
            place[player] = i + 1
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
                place[player] = starts[player]
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
    the product of these remainders: so every possible deal has in the mean the weight that
    `sweep_deals` gives it, however rarely ranges leave room for each other (importance sampling).

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
    known, known_bits = SUITS_AT_THREE, U(0)
    for j in range(len(board)):
        known += tables.card_key[board[j]]
        known_bits |= tables.card_bit[board[j]]
    possible = 0
    for _ in range(samples):
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
        possible += 1
        key, board_bits = known, known_bits
        missing = 5 - len(board)
        while missing > 0:
            card = next_below(state, 52)
            if used & (U(1) << card):
                continue
            used |= U(1) << card
            key += tables.card_key[card]
            board_bits |= tables.card_bit[card]
            missing -= 1
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
