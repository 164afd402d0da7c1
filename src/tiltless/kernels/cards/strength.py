"""Hand strength of all 1,326 hands on a board at once: exact counts over every final board.

On a final board each hand is ranked once. Row g of a table holds, for each card and for all cards
together, twice the weight of the hands of worse values plus the weight of those of the g-th value.
So *twice the wins plus the ties* of a hand (x, y) are three look-ups, and the work is linear in the
number of hands and not of pairs of hands (Johanson, Waugh, Bowling & Zinkevich 2011, "Accelerating
best response calculation in large extensive games", section 5).

Weights are 64-bit words, and every sum here is exact as long as it fits into one. So a word may
hold four counters of 16 bits: the hands of four opponent clusters are summed as fast as those of
one.

Twin: tests/naive/cards/buckets.py; tested by tests/abstraction/cards/test_features.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.cards.evaluate import HandTables, rank_board

__all__ = [
    "FIELDS",
    "MOST_STRENGTH",
    "MOST_VALUES",
    "SCALE",
    "WIDTH",
    "add_positions",
    "cluster_sums",
    "cumulate",
    "equity_counts",
    "final_boards",
    "live_clusters",
    "number_values",
    "share",
    "strength_sums",
    "sum_wins",
]

U = np.uint64
FIELDS = 4
"""Counters in a word."""
SCALE = 4096
"""Features are whole numbers: shares of one are rounded to a multiple of 1 / SCALE."""
MOST_STRENGTH = 1980
"""Twice the 990 hands that an opponent can hold on a final board."""
_FIELD = U(0xFFFF)
MOST_VALUES = 288
"""Different values on a board, at most: 137 with five cards; in general one for each of 91 pairs of
ranks and 46 flushes in each suit."""
WIDTH = 56
"""Of a row of sums: 52 cards, all together, padding."""
_ALL = U(52)


@inline
def _number_hands(board: Any, tables: Any, pair: Any, values: Any, seen: Any, live: Any) -> Any:
    """Rank a final board of five cards, then `number_values`."""
    rank_board(board, tables, pair, values)
    return number_values(values, seen, live)


@inline
def number_values(values: Any, seen: Any, live: Any) -> Any:
    """Number the values that occur on a ranked board, from the worst.

    values: uint16 ``[1326]``, the value of each hand, overwritten with its number.  seen: uint16
    ``[7488]``, zeros before and after.  live: uint16 ``[1326]``, overwritten: hands that share no
    card with the board.  Returns how many hands are live and how many values there are.
    """
    count = U(0)
    for combo in range(U(1326)):
        live[count] = combo
        count += U(values[combo] != 0)
    for i in range(count):
        seen[values[live[i]]] = 1
    number = U(0)
    words = seen.view(np.uint64)
    for word in range(U(len(words))):
        if words[word]:
            for value in range(U(4) * word, U(4) * word + U(4)):
                if seen[value]:
                    seen[value] = number
                    number += U(1)
    for i in range(count):
        values[live[i]] = seen[values[live[i]]]
    seen[:] = 0
    return count, number


@inline
def sum_wins(
    values: Any, live: Any, count: Any, groups: Any, unit: Any, cards: Any, below: Any, won: Any
) -> None:
    """Twice the weight that each live hand beats plus the weight that it ties.

    values, live: of `number_values`.  unit: uint64 ``[1326]``, the weight of each hand.
    below: uint64 ``[289, 56]``, scratch.  won: uint64 ``[1326]``, overwritten for live hands.
    """
    below[:groups] = U(0)
    for i in range(count):
        hand = U(live[i])
        row, weight = U(values[hand]), unit[hand]
        below[row, cards[hand, 0]] += weight
        below[row, cards[hand, 1]] += weight
        below[row, _ALL] += weight
    running = below[U(MOST_VALUES)]
    running[:] = U(0)
    width = U(below.shape[1])  # a constant would be unrolled before it is vectorised
    for number in range(groups):
        here = below[number]
        for k in range(width):
            worse, same = running[k], here[k]
            running[k] = worse + same
            here[k] = worse + worse + same
    for i in range(count):
        hand = U(live[i])
        row, x, y = U(values[hand]), U(cards[hand, 0]), U(cards[hand, 1])
        # the hand itself was subtracted twice, once with each of its cards
        won[hand] = below[row, _ALL] - below[row, x] - below[row, y] + unit[hand]


@kernel
def final_boards(board: Any, out: Any) -> Any:
    """All final boards that begin with ``board``, uint8 ``[3..5]``, the missing cards ascending.

    out: uint8 ``[1176 or more, 5]``, overwritten. Returns how many there are: 1,176, 48 or 1.
    """
    used = U(0)
    size = len(board)
    for j in range(size):
        used |= U(1) << U(board[j])
    count = U(0)
    for turn in range(52 if size < 4 else 1):
        if size < 4 and (used >> U(turn)) & U(1):
            continue
        for river in range(turn + 1 if size < 4 else 0, 52 if size < 5 else 1):
            if size < 5 and (used >> U(river)) & U(1):
                continue
            for j in range(size):
                out[count, j] = board[j]
            if size < 4:
                out[count, 3] = turn
            if size < 5:
                out[count, 4] = river
            count += U(1)
    return count


@kernel
def strength_sums(boards: Any, weights: Any, tables: HandTables, out: Any) -> None:
    """Sum the strength of every hand against a random one, and its square, over final boards.

    The strength on one board is s = 2 wins + ties against the 990 other hands, 0 to 1,980.

    boards: uint8 ``[m, 5]``.  weights: uint64 ``[m]``.
    out: uint64 ``[1326, 2]``, added to: the sums of weight * s and of weight * s^2.
    """
    cards = tables.combo_cards
    pair, values = np.zeros(91, np.uint16), np.zeros(1326, np.uint16)
    seen, live = np.zeros(7488, np.uint16), np.zeros(1326, np.uint16)
    below = np.zeros((MOST_VALUES + 1, WIDTH), np.uint64)
    unit, won = np.ones(1326, np.uint64), np.zeros(1326, np.uint64)
    for b in range(boards.shape[0]):
        count, groups = _number_hands(boards[b], tables, pair, values, seen, live)
        sum_wins(values, live, count, groups, unit, cards, below, won)
        for i in range(count):
            hand = U(live[i])
            s = won[hand]
            out[hand, 0] += weights[b] * s
            out[hand, 1] += weights[b] * s * s


@kernel
def equity_counts(boards: Any, weights: Any, bin_of: Any, tables: HandTables, out: Any) -> None:
    """Count the final boards that leave each hand with each equity against a random hand.

    bin_of: uint8 ``[1981]``, the bin of a strength s (see `strength_sums`).
    boards: uint8 ``[m, 5]``.  weights: uint32 ``[m]``.
    out: uint32 ``[1326, bins]``, added to.
    """
    cards = tables.combo_cards
    pair, values = np.zeros(91, np.uint16), np.zeros(1326, np.uint16)
    seen, live = np.zeros(7488, np.uint16), np.zeros(1326, np.uint16)
    below = np.zeros((MOST_VALUES + 1, WIDTH), np.uint64)
    unit, won = np.ones(1326, np.uint64), np.zeros(1326, np.uint64)
    for b in range(boards.shape[0]):
        count, groups = _number_hands(boards[b], tables, pair, values, seen, live)
        sum_wins(values, live, count, groups, unit, cards, below, won)
        for i in range(count):
            hand = U(live[i])
            out[hand, U(bin_of[won[hand]])] += weights[b]


@kernel
def cluster_sums(boards: Any, weights: Any, units: Any, tables: HandTables, out: Any) -> None:
    """Sum 2 wins + ties of every hand against each opponent cluster, over final boards.

    units: uint64 ``[words, 1326]``, a one in the field of each hand's cluster: cluster c is field
    c % 4 of word c // 4.  boards: uint8 ``[m, 5]``.  weights: uint64 ``[m]``.
    out: uint64 ``[1326, 4 * words]``, added to.
    """
    cards = tables.combo_cards
    pair, values = np.zeros(91, np.uint16), np.zeros(1326, np.uint16)
    seen, live = np.zeros(7488, np.uint16), np.zeros(1326, np.uint16)
    below = np.zeros((MOST_VALUES + 1, WIDTH), np.uint64)
    won = np.zeros(1326, np.uint64)
    for b in range(boards.shape[0]):
        count, groups = _number_hands(boards[b], tables, pair, values, seen, live)
        for word in range(U(units.shape[0])):
            sum_wins(values, live, count, groups, units[word], cards, below, won)
            for i in range(count):
                hand = U(live[i])
                fields = won[hand]
                first = word * U(4)
                out[hand, first] += weights[b] * (fields & _FIELD)
                out[hand, first + U(1)] += weights[b] * ((fields >> U(16)) & _FIELD)
                out[hand, first + U(2)] += weights[b] * ((fields >> U(32)) & _FIELD)
                out[hand, first + U(3)] += weights[b] * (fields >> U(48))


@kernel
def live_clusters(board: Any, units: Any, cards: Any, out: Any) -> None:
    """How many hands of each cluster share no card with a hand and the board.

    board: uint8 ``[any]``.  units: as in `cluster_sums`.  cards: uint8 ``[1326, 2]``.
    out: uint64 ``[1326, 4 * words]``, overwritten; 0 for hands that share a card with the board.
    """
    used = U(0)
    for j in range(len(board)):
        used |= U(1) << U(board[j])
    by_card = np.zeros(53, np.uint64)
    for word in range(U(units.shape[0])):
        unit = units[word]
        by_card[:] = U(0)
        for hand in range(U(1326)):
            x, y = U(cards[hand, 0]), U(cards[hand, 1])
            if not ((used >> x) | (used >> y)) & U(1):
                by_card[x] += unit[hand]
                by_card[y] += unit[hand]
                by_card[_ALL] += unit[hand]
        for hand in range(U(1326)):
            x, y = U(cards[hand, 0]), U(cards[hand, 1])
            fields = U(0)
            if not ((used >> x) | (used >> y)) & U(1):
                fields = by_card[_ALL] - by_card[x] - by_card[y] + unit[hand]
            for field in range(U(4)):
                out[hand, word * U(4) + field] = (fields >> (U(16) * field)) & _FIELD


@kernel
def cumulate(counts: Any, out: Any) -> None:
    """Turn counts into cumulative shares in units of 1 / `SCALE`, rounded.

    counts: uint32 ``[n, bins]``.  out: int16 ``[n, bins - 1]``, overwritten: the share of the bins
    0 to i; the last is always one and left out. Rows without a count become 0.
    """
    bins = U(counts.shape[1])
    for n in range(U(len(counts))):
        total = U(0)
        for i in range(bins):
            total += U(counts[n, i])
        half = total >> U(1)
        total = max(total, U(1))
        passed = U(0)
        for i in range(bins - U(1)):
            passed += U(counts[n, i])
            out[n, i] = (passed * U(SCALE) + half) // total


@kernel
def share(sums: Any, most: Any, out: Any) -> None:
    """Write ``sums / most`` in units of 1 / `SCALE`, rounded; 0 where ``most`` is 0.

    sums, most: uint64 ``[n, dims]``.  out: int16 ``[n, dims]``, overwritten.
    """
    for n in range(U(sums.shape[0])):
        for i in range(U(sums.shape[1])):
            whole = most[n, i]
            out[n, i] = (sums[n, i] * U(SCALE) + (whole >> U(1))) // max(whole, U(1))


@kernel
def add_positions(bucket: Any, live: Any, positions: Any, out: Any) -> None:
    """Add the position of each live hand's bucket to ``out``.

    bucket: uint16 ``[n]``.  live: uint8 ``[n]``.  positions: int16 ``[k, dims]``.
    out: int64 ``[n, dims]``.
    """
    dims = U(positions.shape[1])
    for n in range(U(len(bucket))):
        if live[n]:
            here = U(bucket[n])
            for i in range(dims):
                out[n, i] += positions[here, i]
