"""Monte Carlo rollouts: how often a hand wins when the unknown cards are dealt at random.

Every rollout fills the board, deals the opponents and compares. Cards are drawn by the first steps
of a Fisher-Yates shuffle of the remaining cards; the order that one rollout leaves behind is as
good a start for the next as any other. Opponents hold random hands (`roll_out`, and
`roll_out_large` for hands of more than seven cards and boards that run on), or hands from weighted
ranges (`roll_out_ranges`), drawn by the alias method.

The state of the generator stays in a register and is written back at the end: 10,000 rollouts
against one opponent take a third of a millisecond.

Twin: tests/naive/cards/rollouts.py; tested by tests/kernels/cards/test_rollouts.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    drop_later_suits,
    flush_ranks,
    has_flush,
    large_value,
    rank_sum,
    rank_sum_value,
)

__all__ = ["MOST_DRAWS", "fill_alias", "roll_out", "roll_out_large", "roll_out_ranges"]

U = np.uint64
_GOLDEN = U(0x9E3779B97F4A7C15)
_MIX_1 = U(0xBF58476D1CE4E5B9)
_MIX_2 = U(0x94D049BB133111EB)
_LOW_32 = U(0xFFFFFFFF)
MOST_DRAWS = 32
"""How often `roll_out_ranges` draws hands that do not share a card before it skips a rollout."""


@inline
def _scrambled(word: Any) -> Any:
    """The output step of splitmix64, as in `tiltless.kernels.base.rng.next_word`."""
    word = (word ^ (word >> U(30))) * _MIX_1
    word = (word ^ (word >> U(27))) * _MIX_2
    return word ^ (word >> U(31))


@inline
def _below(word: Any, n: Any) -> Any:
    """A number in 0 .. n-1 from the high half of a random word."""
    return ((_scrambled(word) >> U(32)) * n) >> U(32)


@inline
def _draw(deck: Any, index: Any, size: Any, word: Any) -> Any:
    """Swap a random card of ``deck[index:]`` to ``deck[index]``; returns it."""
    k = index + _below(word, size - index)
    card = deck[k]
    deck[k] = deck[index]
    deck[index] = card
    return card


@inline
def _sums(cards: Any, key: Any, tables: HandTables) -> Any:
    """A key with some cards added, and their bits."""
    bits = U(0)
    for j in range(len(cards)):
        key += tables.card_key[cards[j]]
        bits |= tables.card_bit[cards[j]]
    return key, bits


@inline
def _value(key: Any, bits: Any, offsets: Any, values: Any, flushes: Any) -> Any:
    """The value of a hand of five to seven cards."""
    if has_flush(key):
        return flushes[flush_ranks(key, bits)]
    return rank_sum_value(rank_sum(key), offsets, values)


@kernel
def roll_out(
    rollouts: Any,
    state: Any,
    hole: Any,
    board: Any,
    missing: Any,
    deck: Any,
    opponents: Any,
    tables: HandTables,
) -> Any:
    """Rollouts against random hands, for hands of five to seven cards.

    state: uint64 ``[1]``, advanced.  hole: uint8 ``[h]``, the player's cards.
    board: uint8 ``[b]``.
    missing: how many board cards are still to come; h + b + missing is 5, 6 or 7.
    deck: uint8, the cards that are neither in the hand nor on the board, left in another order.
    Returns how often the hand beats all opponents, and how often it ties with the best of them.
    """
    card_key, card_bit = tables.card_key, tables.card_bit
    held, size, missing = U(len(hole)), U(len(deck)), U(missing)
    total = len(hole) + len(board) + int(missing)
    offsets, values, flushes = tables.offsets[total - 5], tables.values[total - 5], tables.flushes
    start_key, start_bits = _sums(board, SUITS_AT_THREE, tables)
    hole_key, hole_bits = _sums(hole, U(0), tables)
    word = state[0]
    won, tied = 0, 0
    for _ in range(rollouts):
        board_key, board_bits = start_key, start_bits
        for j in range(missing):
            word += _GOLDEN
            card = _draw(deck, j, size, word)
            board_key += card_key[card]
            board_bits |= card_bit[card]
        mine = _value(board_key + hole_key, board_bits | hole_bits, offsets, values, flushes)
        j, best = missing, np.uint16(0)
        for _ in range(opponents):
            key, bits = board_key, board_bits
            for _ in range(held):
                word += _GOLDEN
                card = _draw(deck, j, size, word)
                key += card_key[card]
                bits |= card_bit[card]
                j += U(1)
            best = max(best, _value(key, bits, offsets, values, flushes))
        won += mine > best
        tied += mine == best
    state[0] = word
    return won, tied


@kernel
def roll_out_large(
    rollouts: Any,
    state: Any,
    hole: Any,
    board: Any,
    missing: Any,
    run_suits: Any,
    first_suit_only: Any,
    deck: Any,
    opponents: Any,
    tables: HandTables,
) -> Any:
    """Like `roll_out`, for any number of cards from five on, and boards that run on.

    run_suits: after the missing cards one more follows for as long as the newest card of the board
    has a suit of this bit mask.  first_suit_only: see `evaluate.evaluate_large_hands`.
    """
    card_bit = tables.card_bit
    held, size, run_suits = U(len(hole)), U(len(deck)), U(run_suits)
    room = size - held * U(opponents)  # for the board
    start_bits, hole_bits = _sums(board, U(0), tables)[1], _sums(hole, U(0), tables)[1]
    newest = U(board[len(board) - 1]) if len(board) else U(0)
    runs = len(board) > 0 and (run_suits >> (newest & U(3))) & U(1) != U(0)
    word = state[0]
    won, tied = 0, 0
    for _ in range(rollouts):
        board_bits, more, index = start_bits, runs, U(0)
        while index < room and (index < U(missing) or more):
            word += _GOLDEN
            card = _draw(deck, index, size, word)
            board_bits |= card_bit[card]
            more = (run_suits >> (U(card) & U(3))) & U(1) != U(0)
            index += U(1)
        bits = board_bits | hole_bits
        mine = large_value(bits, drop_later_suits(bits) if first_suit_only else bits, tables)
        best = np.uint16(0)
        for _ in range(opponents):
            bits = board_bits
            for _ in range(held):
                word += _GOLDEN
                card = _draw(deck, index, size, word)
                bits |= card_bit[card]
                index += U(1)
            flush_bits = drop_later_suits(bits) if first_suit_only else bits
            best = max(best, large_value(bits, flush_bits, tables))
        won += mine > best
        tied += mine == best
    state[0] = word
    return won, tied


@inline
def fill_alias(weights: Any, limit: Any, alias: Any, small: Any, large: Any) -> None:
    """Alias method: tables to draw an index in proportion to its weight with one random word.

    The high half of the word chooses an index; where the low half is not below its limit, its
    alias is taken instead.  weights: float64 ``[n]``, some above 0.  limit: uint64 ``[n]``,
    alias: int64 ``[n]``, overwritten.  small, large: int64 ``[n]`` scratch.
    Paper: Vose (1991), "A linear algorithm for generating random numbers with a given
    distribution".
    """
    n, total, heaviest = len(weights), 0.0, 0
    for i in range(n):
        total += weights[i]
        if weights[i] > weights[heaviest]:
            heaviest = i
    smalls, larges = 0, 0
    scale = n / total
    left = np.empty(n)
    for i in range(n):
        left[i] = weights[i] * scale
        limit[i], alias[i] = U(1) << U(32), i
        if left[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls > 0 and larges > 0:
        smalls -= 1
        poor, rich = small[smalls], large[larges - 1]
        limit[poor], alias[poor] = U(left[poor] * 4294967296.0), rich
        left[rich] -= 1.0 - left[poor]
        if left[rich] < 1.0:
            larges -= 1
            small[smalls] = rich
            smalls += 1
    for i in range(smalls):  # left over by rounding: full, except those of weight 0
        if weights[small[i]] <= 0.0:
            limit[small[i]], alias[small[i]] = U(0), heaviest


@kernel
def roll_out_ranges(
    rollouts: Any,
    state: Any,
    hole: Any,
    board: Any,
    missing: Any,
    deck: Any,
    ranges: Any,
    tables: HandTables,
) -> Any:
    """Rollouts against hands from weighted ranges, one for each opponent.

    Hands are drawn by weight, all of them again where two share a card, and then the board.

    ranges: float64 ``[opponents, 1326]``, weights of combos; 0 for all that hold a card of the hand
    or the board, and above 0 somewhere. The rest as in `roll_out`, with two cards in the
    hand; the deck is not changed.
    Returns wins, ties, and how many rollouts there were: where the ranges nearly always
    share cards, a rollout is skipped after `MOST_DRAWS` draws.
    """
    card_key, card_bit, combo_cards = tables.card_key, tables.card_bit, tables.combo_cards
    opponents, combos, size = U(ranges.shape[0]), U(ranges.shape[1]), U(len(deck))
    total = len(hole) + len(board) + missing
    offsets, values, flushes = tables.offsets[total - 5], tables.values[total - 5], tables.flushes
    limit = np.empty((opponents, combos), np.uint64)
    alias = np.empty((opponents, combos), np.int64)
    small, large = np.empty(combos, np.int64), np.empty(combos, np.int64)
    for p in range(opponents):
        fill_alias(ranges[p], limit[p], alias[p], small, large)
    keys, bits = np.empty(opponents, np.uint64), np.empty(opponents, np.uint64)
    start_key, start_bits = _sums(board, SUITS_AT_THREE, tables)
    hole_key, hole_bits = _sums(hole, U(0), tables)
    word = state[0]
    won, tied, played = 0, 0, 0
    for _ in range(rollouts):
        # 1. The opponents' hands.
        used, clash = U(0), True
        for _ in range(MOST_DRAWS):
            used, clash = U(0), False
            for p in range(opponents):
                word += _GOLDEN
                drawn = _scrambled(word)
                combo = ((drawn >> U(32)) * combos) >> U(32)
                if drawn & _LOW_32 >= limit[p, combo]:
                    combo = U(alias[p, combo])
                x, y = U(combo_cards[combo, 0]), U(combo_cards[combo, 1])
                keys[p] = card_key[x] + card_key[y]
                bits[p] = card_bit[x] | card_bit[y]
                if used & bits[p]:
                    clash = True
                used |= bits[p]
            if not clash:
                break
        if clash:
            continue
        # 2. The rest of the board.
        board_key, board_bits = start_key, start_bits
        index = U(0)
        while index < U(missing):
            word += _GOLDEN
            card = deck[_below(word, size)]
            if not used & card_bit[card]:
                used |= card_bit[card]
                board_key += card_key[card]
                board_bits |= card_bit[card]
                index += U(1)
        # 3. The showdown.
        mine = _value(board_key + hole_key, board_bits | hole_bits, offsets, values, flushes)
        best = np.uint16(0)
        for p in range(opponents):
            key, hand = board_key + keys[p], board_bits | bits[p]
            best = max(best, _value(key, hand, offsets, values, flushes))
        played += 1
        won += mine > best
        tied += mine == best
    state[0] = word
    return won, tied, played
