"""Boards that grow past the river until a black card comes: sampling them, and hand strength.

A *run* is what follows a red river: cards up to and including the first black one. Boards have up
to 31 cards (four black cards and all red ones, then a black one).

Twin: tests/naive/cards/river_run.py; tested by tests/abstraction/cards/test_river_run.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.cards.evaluate import HandTables, suit_ranks, unsuited_value
from tiltless.kernels.cards.strength import MOST_VALUES, WIDTH, number_values, sum_wins

__all__ = ["LONGEST", "ONE", "draw_runs", "rank_long_boards", "run_counts"]

U = np.uint64
LONGEST = 32
"""Columns of an array of boards: at least the length of the longest."""
ONE = 4096
"""The weight of a run that no hand can block."""


@inline
def _is_red(card: Any) -> Any:
    """Whether a card is a diamond (suit 1) or a heart (suit 2)."""
    return (card + U(1)) & U(2) != U(0)


@inline
def _rank_long_board(board: Any, size: Any, tables: Any, pair: Any, out: Any) -> None:
    """Value of all 1,326 combos on a board of five cards or more, 0 where a combo is blocked.

    As in `tiltless.kernels.cards.evaluate.rank_board`, combos fall into 91 pairs of ranks. Here a
    flush need not beat what the ranks make, so it is compared.

    board: uint8 ``[size or more]``.  pair: uint16 ``[91]`` scratch.
    out: uint16 ``[1326]``, overwritten.
    """
    combo_of, pair_of_combo = tables.combo_of, tables.pair_of_combo
    card_bit, flushes = tables.card_bit, tables.flushes
    bits, once, twice, thrice, four = U(0), U(0), U(0), U(0), U(0)
    counts = U(0)  # cards of each suit, in bytes
    for j in range(size):
        card = U(board[j])
        bits |= card_bit[card]
        counts += U(1) << (U(8) * (card & U(3)))
        rank = suit_ranks(card_bit[card], card & U(3))
        four |= thrice & rank
        thrice |= twice & rank
        twice |= once & rank
        once |= rank
    # 1. The 91 pairs of ranks.
    i = U(0)
    for high in range(U(13)):
        rank = card_bit[U(4) * high]
        once_1, twice_1 = once | rank, twice | (once & rank)
        thrice_1, four_1 = thrice | (twice & rank), four | (thrice & rank)
        for low in range(high + U(1)):
            rank = card_bit[U(4) * low]
            pair[i] = unsuited_value(
                once_1 | rank,
                twice_1 | (once_1 & rank),
                thrice_1 | (twice_1 & rank),
                four_1 | (thrice_1 & rank),
                tables,
            )
            i += U(1)
    for combo in range(U(1326)):
        out[combo] = pair[pair_of_combo[combo]]
    # 2. Flushes: five of a suit on the board, one card of it in the hand, or two.
    for suit in range(U(4)):
        count = (counts >> (U(8) * suit)) & U(255)
        if count >= U(3):
            ranks = suit_ranks(bits, suit)
            if count >= U(5):
                value = flushes[ranks]
                for combo in range(U(1326)):
                    out[combo] = max(out[combo], value)
            if count >= U(4):
                for suited in range(suit, U(52), U(4)):
                    value = flushes[ranks | suit_ranks(card_bit[suited], suit)]
                    for other in range(U(52)):
                        if other != suited:
                            here = combo_of[suited, other]
                            out[here] = max(out[here], value)
            for suited in range(suit, U(52), U(4)):
                with_one = ranks | suit_ranks(card_bit[suited], suit)
                for other in range(suit, suited, U(4)):
                    here = combo_of[suited, other]
                    value = flushes[with_one | suit_ranks(card_bit[other], suit)]
                    out[here] = max(out[here], value)
    # 3. Blocked hands.
    for j in range(size):
        card = U(board[j])
        for other in range(U(52)):
            if other != card:
                out[combo_of[card, other]] = 0


@kernel
def rank_long_boards(boards: Any, sizes: Any, tables: HandTables, out: Any) -> None:
    """Value of all 1,326 combos on each board of five cards or more, 0 where a combo is blocked.

    boards: uint8 ``[n, 32]``.  sizes: uint8 ``[n]``.  out: uint16 ``[n, 1326]``, overwritten.
    """
    pair = np.zeros(91, np.uint16)
    for b in range(boards.shape[0]):
        _rank_long_board(boards[b], U(sizes[b]), tables, pair, out[b])


@kernel
def run_counts(
    boards: Any, sizes: Any, weights: Any, bin_of: Any, tables: HandTables, out: Any
) -> None:
    """Count the final boards that leave each hand with each equity against a random hand.

    boards: uint8 ``[m, 32]``.  sizes: uint8 ``[m]``, cards of each, 5 to 31.  weights: uint64
    ``[m]``.  bin_of: uint8 ``[32, 1981]``, the bin of 2 wins + ties on a board of each size.
    out: uint64 ``[1326, bins]``, added to.
    """
    cards = tables.combo_cards
    pair, values = np.zeros(91, np.uint16), np.zeros(1326, np.uint16)
    seen, live = np.zeros(7488, np.uint16), np.zeros(1326, np.uint16)
    below = np.zeros((MOST_VALUES + 1, WIDTH), np.uint64)
    unit, won = np.ones(1326, np.uint64), np.zeros(1326, np.uint64)
    for b in range(boards.shape[0]):
        size = U(sizes[b])
        _rank_long_board(boards[b], size, tables, pair, values)
        count, groups = number_values(values, seen, live)
        sum_wins(values, live, count, groups, unit, cards, below, won)
        bins = bin_of[size]
        for i in range(count):
            hand = U(live[i])
            out[hand, U(bins[won[hand]])] += weights[b]


@kernel
def draw_runs(
    starts: Any, times: Any, runs: Any, state: Any, boards: Any, sizes: Any, weights: Any
) -> None:
    """Draw the same number of runs for each board whose newest card is red.

    The first card of a run is dealt from a shuffled deck that lasts until it is used up, so that
    with 47 runs after a river each card comes once; each run by itself is a fair one.

    All hands look at the same runs, and a hand that holds a card of a run does not count it. Of d
    cards, a run of k cards has a chance of 1 / (d (d - 1) … (d - k + 1)), and of 1 / ((d - 2) …
    (d - k - 1)) for a player who sees two of the d. So runs have the weight

        d (d - 1) / ((d - k) (d - k - 1)),

    which makes the weights that a hand counts right, for each length and, on average, in sum.

    starts: uint8 ``[m, n]``.  times: uint64 ``[m]``, a factor of the weights.  state: uint64
    ``[1]``, advanced.  boards: uint8 ``[m * runs, 32]``, sizes: uint8 ``[m * runs]``,
    weights: uint64 ``[m * runs]``, overwritten; weights in units of 1 / `ONE`, rounded.
    """
    many, start_size = U(runs), U(starts.shape[1])
    first, later = np.zeros(52, np.uint8), np.zeros(52, np.uint8)
    for m in range(U(starts.shape[0])):
        # 1. The cards that are left.
        used = U(0)
        for j in range(start_size):
            used |= U(1) << U(starts[m, j])
        left = U(0)
        for unseen in range(U(52)):
            if not (used >> unseen) & U(1):
                first[left] = unseen
                later[left] = unseen
                left += U(1)
        for run in range(many):
            here = m * many + run
            for j in range(start_size):
                boards[here, j] = starts[m, j]
            # 2. The first card of a run, from its own deck.
            index = run % left
            other = index + next_below(state, left - index)
            card = U(first[other])
            first[other] = first[index]
            first[index] = card
            size = start_size
            boards[here, size] = card
            size += U(1)
            # 3. The others, until a black card comes.
            leader = card
            index = U(0)
            while _is_red(card):
                other = index + next_below(state, left - index)
                card = U(later[other])
                later[other] = later[index]
                later[index] = card
                index += U(1)
                if card == leader:  # dealt already: look at the next, which is also red or not
                    continue
                boards[here, size] = card
                size += U(1)
            sizes[here] = size
            # 4. The weight.
            after = left + start_size - size
            fair = U(ONE) * left * (left - U(1))
            part = after * (after - U(1))
            weights[here] = times[m] * ((fair + (part >> U(1))) // part)
