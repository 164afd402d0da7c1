"""Boards that grow past the river until a black card comes: sampling them, and hand strength.

A *run* is what follows a red river: cards up to and including the first black one. Boards have up
to 31 cards (four black cards and all red ones, then a black one).

Twin: tests/naive/cards/river_run.py; tested by tests/abstraction/cards/test_river_run.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.cards.assign import L2, nearest
from tiltless.kernels.cards.evaluate import HandTables, suit_ranks, unsuited_value
from tiltless.kernels.cards.strength import MOST_VALUES, SCALE, WIDTH, number_values, sum_wins

__all__ = [
    "LONGEST",
    "ONE",
    "NextCardRule",
    "draw_runs",
    "fill_next_card",
    "next_card_counts",
    "rank_long_boards",
    "run_counts",
]

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


class NextCardRule(NamedTuple):
    """Buckets of boards whose newest card says whether they grow; see `fill_next_card`.

    ends: uint8 ``[32, 1981]``, the bin of 2 wins + ties on a board of each size that has ended.
    grows: the same after the next card of one that grows.  black: how many buckets ended boards
    have.  centroids: int16 ``[k * dims]``, of the cumulative histogram over ``dims + 1`` bins;
    near, apart: see `tiltless.kernels.cards.assign.assign`.
    """

    ends: Any
    grows: Any
    black: Any
    centroids: Any
    near: Any
    apart: Any


@inline
def _count_next(board: Any, size: Any, bins_of: Any, tables: Any, work: Any, out: Any) -> None:
    """Add 1 to the bin of each hand's equity after each card that may come next.

    board: uint8 ``[size + 1 or more]``, overwritten after its cards.  out: uint16 ``[1326, bins]``.
    """
    pair, values, seen, live, below, unit, won = work
    used = U(0)
    for j in range(size):
        used |= U(1) << U(board[j])
    bins = bins_of[size + U(1)]
    for card in range(U(52)):
        if not (used >> card) & U(1):
            board[size] = card
            _rank_long_board(board, size + U(1), tables, pair, values)
            count, groups = number_values(values, seen, live)
            sum_wins(values, live, count, groups, unit, tables.combo_cards, below, won)
            for i in range(count):
                hand = U(live[i])
                out[hand, U(bins[won[hand]])] += np.uint16(1)


@inline
def _workspace() -> Any:
    return (
        np.zeros(91, np.uint16),
        np.zeros(1326, np.uint16),
        np.zeros(7488, np.uint16),
        np.zeros(1326, np.uint16),
        np.zeros((MOST_VALUES + 1, WIDTH), np.uint64),
        np.ones(1326, np.uint64),
        np.zeros(1326, np.uint64),
    )


@kernel
def next_card_counts(board: Any, bins_of: Any, tables: HandTables, out: Any) -> None:
    """How many next cards leave each hand in each bin of equity, uint16 ``[1326, bins]``, added.

    board: uint8 ``[5..30]``.  bins_of: uint8 ``[32, 1981]``, as in `run_counts`.
    """
    longer = np.zeros(LONGEST, np.uint8)
    for j in range(U(len(board))):
        longer[j] = board[j]
    _count_next(longer, U(len(board)), bins_of, tables, _workspace(), out)


@kernel
def fill_next_card(
    cards: Any,
    size: Any,
    first: Any,
    rule: NextCardRule,
    tables: HandTables,
    column: Any,
    bucket: Any,
) -> None:
    """Write the bucket of every player's hand to ``bucket[:, :, column]``.

    If the newest card is black the hand is over: bucket ``first + bin`` of its equity against a
    random hand. If it is red: ``rule.black`` plus the nearest centroid of its cumulative histogram
    of equity after each possible next card. Hands with a blocked card, and boards that ended with
    fewer cards, have bucket 0. Hands that follow each other on the same board share the work.

    cards: uint8 ``[hands, width]``, two hole cards for each player, then the board.  size: how many
    cards of it are there, 5 or more.  first: uint32 ``[hands]``, see above.
    bucket: uint32 ``[hands, players, columns]``.
    """
    players, size, width = U(bucket.shape[1]), U(size), U(cards.shape[1])
    begin, centroids = U(2) * players, rule.centroids
    dims = U(len(centroids)) // U(np.sqrt(len(rule.near)))
    work = _workspace()
    pair, values, seen, live, below, unit, won = work
    board, counts = np.zeros(LONGEST, np.uint8), np.zeros((1326, dims + U(1)), np.uint16)
    known, point = np.full(1326, -1, np.int64), np.zeros(dims, np.int16)
    best, used, red, held = U(0), U(0), False, False
    for i in range(U(len(cards))):
        # 1. Does the board reach this size, and is it that of the hand before?
        reached = begin + size <= width
        if reached:
            for j in range(U(4), size - U(1)):
                if not _is_red(U(cards[i, begin + j])):
                    reached = False
                    break
        if not reached:
            for player in range(players):
                bucket[i, player, column] = 0
            continue
        same = held
        for j in range(size):
            same = same and cards[i, begin + j] == board[j]
        # 2. The work for all hands of a board.
        if not same:
            held, used = True, U(0)
            for j in range(size):
                board[j] = cards[i, begin + j]
                used |= U(1) << U(board[j])
            red = _is_red(U(board[size - U(1)]))
            known[:] = -1
            if red:
                counts[:] = 0
                _count_next(board, size, rule.grows, tables, work, counts)
            else:
                _rank_long_board(board, size, tables, pair, values)
                count, groups = number_values(values, seen, live)
                sum_wins(values, live, count, groups, unit, tables.combo_cards, below, won)
        # 3. The hands of the players.
        for player in range(players):
            x, y = U(cards[i, U(2) * player]), U(cards[i, U(2) * player + U(1)])
            hand = U(tables.combo_of[x, y])
            if known[hand] < 0:
                if ((used >> x) | (used >> y)) & U(1):
                    known[hand] = 0
                elif red:
                    total, passed = np.int64(0), np.int64(0)
                    for k in range(dims + U(1)):
                        total += np.int64(counts[hand, k])
                    for k in range(dims):
                        passed += np.int64(counts[hand, k])
                        point[k] = (passed * np.int64(SCALE) + (total >> 1)) // total
                    best, _, _ = nearest(point, U(0), centroids, rule.near, rule.apart, L2, best)
                    known[hand] = np.int64(rule.black) + np.int64(best)
                else:
                    known[hand] = np.int64(first[i]) + np.int64(rule.ends[size, won[hand]])
            bucket[i, player, column] = known[hand]
