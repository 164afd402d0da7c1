"""Hand evaluation: five to seven cards by perfect hash, any larger number by bit masks.

A card's key holds the key of its rank in the low 32 bits and a counter for its suit in the high 16.
Adding the keys of a hand gives the sum that identifies its ranks; the counters start at 3, so that
five cards of a suit set bit 3 of its nibble and a flush is seen with one mask.

Helpers that take arrays are free of branches, and helpers that branch take scalars only: a branch
in a helper that holds arrays makes Numba count their references in the hot loop, at twenty times
the price of the look-up.

Twin: tests/naive/cards/evaluate.py; tested by tests/cards/test_evaluate.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = [
    "SUITS_AT_THREE",
    "SUM_SHIFT",
    "HandTables",
    "count_all_seven",
    "drop_later_suits",
    "evaluate_hands",
    "evaluate_large_hands",
    "flush_ranks",
    "has_flush",
    "large_value",
    "rank_board",
    "rank_boards",
    "rank_sum",
    "rank_sum_value",
    "suit_ranks",
    "unsuited_value",
]

U = np.uint64
SUM_SHIFT = 9
_ROW_SHIFT = U(SUM_SHIFT)
_COLUMN = U((1 << SUM_SHIFT) - 1)
_RANK_SUM = U(0xFFFFFFFF)
SUITS_AT_THREE = U(0x3333 << 48)
_FIVE_OF_A_SUIT = U(0x8888 << 48)
_ONE_OF_EACH_SUIT = U(0x1111 << 48)
_SUIT_RANKS = U(0x1FFF)


class HandTables(NamedTuple):
    """Everything that evaluation reads; made by `tiltless.cards.hand_order.hand_tables`.

    card_key: uint64 ``[52]``, rank key + suit counter.  card_bit: uint64 ``[52]``, one bit at
    16 * suit + true rank.  set_key: uint64 ``[8192]``, sum of the rank keys of a set of true ranks.
    offsets: uint32 ``[3, rows]``, values: uint16 ``[3, slots]``, for 5, 6
    and 7 cards.  flushes, straights: uint16 ``[8192]``, the value that a set of ranks makes in one
    suit, and as a straight of mixed suits (0: none).  combo_cards: uint8 ``[1326, 2]``.  combo_of:
    int16 ``[52, 52]``.  pair_of_combo: uint8 ``[1326]``, which of the 91 unordered pairs of ranks.
    """

    card_key: Any
    card_bit: Any
    set_key: Any
    offsets: Any
    values: Any
    flushes: Any
    straights: Any
    combo_cards: Any
    combo_of: Any
    pair_of_combo: Any


@inline
def rank_sum_value(total: Any, offsets: Any, values: Any) -> Any:
    """Value of a hand without a flush from the sum of its rank keys."""
    return values[U(offsets[total >> _ROW_SHIFT]) + (total & _COLUMN)]


@inline
def rank_sum(key: Any) -> Any:
    """The part of a summed key that identifies the ranks."""
    return key & _RANK_SUM


@inline
def has_flush(key: Any) -> Any:
    """Whether a summed key, counted up from `SUITS_AT_THREE`, has five cards of a suit."""
    return key & _FIVE_OF_A_SUIT != U(0)


@inline
def flush_ranks(key: Any, bits: Any) -> Any:
    """Set of ranks of the suit that has five cards or more (exactly one suit may)."""
    flags = (key & _FIVE_OF_A_SUIT) >> U(48)
    shift = U(48)
    if flags & U(0x8):
        shift = U(0)
    elif flags & U(0x80):
        shift = U(16)
    elif flags & U(0x800):
        shift = U(32)
    return (bits >> shift) & _SUIT_RANKS


@inline
def suit_ranks(bits: Any, suit: Any) -> Any:
    """Set of ranks of one suit, 0 to 3, in joined bits."""
    return (bits >> (U(16) * suit)) & _SUIT_RANKS


@kernel
def evaluate_hands(cards: Any, tables: HandTables, out: Any) -> None:
    """Value of each hand of 5, 6 or 7 cards.

    cards: uint8 ``[n, 5..7]``.  out: uint16 ``[n]``, overwritten.
    """
    size = cards.shape[1]
    card_key, card_bit = tables.card_key, tables.card_bit
    offsets, values, flushes = tables.offsets[size - 5], tables.values[size - 5], tables.flushes
    if size == 7:  # written out: the loop over cards costs a third of the time
        for i in range(cards.shape[0]):
            hand = cards[i]
            key = (
                SUITS_AT_THREE
                + card_key[hand[0]]
                + card_key[hand[1]]
                + card_key[hand[2]]
                + card_key[hand[3]]
                + card_key[hand[4]]
                + card_key[hand[5]]
                + card_key[hand[6]]
            )
            if has_flush(key):
                bits = U(0)
                for j in range(7):
                    bits |= card_bit[hand[j]]
                out[i] = flushes[flush_ranks(key, bits)]
            else:
                out[i] = rank_sum_value(rank_sum(key), offsets, values)
    else:
        for i in range(cards.shape[0]):
            key = SUITS_AT_THREE
            bits = U(0)
            for j in range(size):
                key += card_key[cards[i, j]]
                bits |= card_bit[cards[i, j]]
            if has_flush(key):
                out[i] = flushes[flush_ranks(key, bits)]
            else:
                out[i] = rank_sum_value(rank_sum(key), offsets, values)


@inline
def _top_bit(ranks: Any) -> Any:
    """The highest member of a set of ranks, as a set; the empty set gives itself."""
    ranks |= ranks >> U(1)
    ranks |= ranks >> U(2)
    ranks |= ranks >> U(4)
    ranks |= ranks >> U(8)
    return ranks ^ (ranks >> U(1))


@inline
def _best_five(left: Any, pairs: Any, trips: Any, quads: Any) -> Any:
    """Ranks of the best five cards, straights and flushes aside: (quads, trips, pairs, singles).

    left, pairs, trips, quads: the ranks that are there at least once, twice, three and four times.
    """
    best_quads = _top_bit(quads)
    best_trips, best_pairs, singles = U(0), U(0), U(0)
    wanted = 5
    if best_quads:
        wanted = 1
    elif trips:
        best_trips = _top_bit(trips)
        best_pairs = _top_bit(pairs & ~best_trips)
        wanted = 0 if best_pairs else 2
    elif pairs:
        best_pairs = _top_bit(pairs)
        second = _top_bit(pairs & ~best_pairs)
        best_pairs |= second
        wanted = 1 if second else 3
    left &= ~(best_quads | best_trips | best_pairs)
    for _ in range(wanted):
        top = _top_bit(left)
        singles |= top
        left &= ~top
    return best_quads, best_trips, best_pairs, singles


@inline
def _has_five(ranks: Any) -> Any:
    """Whether a set of ranks has five members: clear the lowest bit four times."""
    ranks &= ranks - U(1)
    ranks &= ranks - U(1)
    ranks &= ranks - U(1)
    ranks &= ranks - U(1)
    return ranks != U(0)


@inline
def drop_later_suits(bits: Any) -> Any:
    """Keep, of the suits with five cards, only the first in the order s, c, d, h."""
    if _has_five((bits >> U(48)) & _SUIT_RANKS):
        bits &= _SUIT_RANKS << U(48)
    elif _has_five(bits & _SUIT_RANKS):
        bits &= _SUIT_RANKS
    elif _has_five((bits >> U(16)) & _SUIT_RANKS):
        bits &= _SUIT_RANKS << U(16)
    return bits


@inline
def unsuited_value(ranks: Any, pairs: Any, trips: Any, quads: Any, tables: Any) -> Any:
    """Value of any number of cards, five or more, flushes aside.

    ranks, pairs, trips, quads: the ranks that are there at least once, twice, three and four times.
    """
    best_quads, best_trips, best_pairs, singles = _best_five(ranks, pairs, trips, quads)
    total = (
        U(4) * tables.set_key[best_quads]
        + U(3) * tables.set_key[best_trips]
        + U(2) * tables.set_key[best_pairs]
        + tables.set_key[singles]
    )
    value = rank_sum_value(total, tables.offsets[0], tables.values[0])
    return max(value, tables.straights[ranks])


@inline
def large_value(bits: Any, flush_bits: Any, tables: Any) -> Any:
    """Value of any number of cards, five or more, from their joined bits.

    The best of: pairs and the like, a straight, a flush in each suit of ``flush_bits`` (the same
    bits, or fewer where a game ignores some flushes). Tables hold 0 where there is none.
    """
    clubs, diamonds = bits & _SUIT_RANKS, (bits >> U(16)) & _SUIT_RANKS
    hearts, spades = (bits >> U(32)) & _SUIT_RANKS, (bits >> U(48)) & _SUIT_RANKS
    black, red = clubs & spades, diamonds & hearts
    any_black, any_red = clubs | spades, diamonds | hearts
    pairs = black | red | (any_black & any_red)
    trips = (black & any_red) | (red & any_black)
    value = unsuited_value(any_black | any_red, pairs, trips, black & red, tables)
    value = max(value, tables.flushes[flush_bits & _SUIT_RANKS])
    value = max(value, tables.flushes[(flush_bits >> U(16)) & _SUIT_RANKS])
    value = max(value, tables.flushes[(flush_bits >> U(32)) & _SUIT_RANKS])
    return max(value, tables.flushes[(flush_bits >> U(48)) & _SUIT_RANKS])


@kernel
def evaluate_large_hands(cards: Any, first_suit_only: Any, tables: HandTables, out: Any) -> None:
    """Value of each hand of five or more cards; see `large_value`.

    first_suit_only: of several suits with five cards, look only at the first in the order s, c, d,
    h, as the library eval7 does; it makes a difference from ten cards on.
    cards: uint8 ``[n, 5..52]``.  out: uint16 ``[n]``, overwritten.
    """
    for i in range(cards.shape[0]):
        bits = U(0)
        for j in range(cards.shape[1]):
            bits |= tables.card_bit[cards[i, j]]
        flush_bits = drop_later_suits(bits) if first_suit_only else bits
        out[i] = large_value(bits, flush_bits, tables)


@inline
def rank_board(board: Any, tables: Any, pair: Any, out: Any) -> None:
    """Value of all 1,326 combos on a board of five cards, 0 where a combo shares a card with it.

    The combos fall into 91 pairs of ranks, which are looked up once and spread; then hands that
    make a flush, and blocked hands, are patched.

    board: uint8 ``[5]``.  pair: uint16 ``[91]`` scratch.  out: uint16 ``[1326]``, overwritten.
    """
    combo_of, pair_of_combo = tables.combo_of, tables.pair_of_combo
    card_key, card_bit, flushes = tables.card_key, tables.card_bit, tables.flushes
    offsets, values = tables.offsets[2], tables.values[2]
    key = SUITS_AT_THREE
    bits = U(0)
    suit_counts = U(0)
    for j in range(5):
        card = U(board[j])
        key += card_key[card]
        bits |= card_bit[card]
        suit_counts += U(1) << (U(4) * (card & U(3)))
    # 1. The 91 pairs of ranks.
    board_sum = rank_sum(key)
    i = U(0)
    for high in range(U(13)):
        high_sum = board_sum + rank_sum(card_key[U(4) * high])
        for low in range(high + U(1)):
            total = high_sum + rank_sum(card_key[U(4) * low])
            pair[i] = rank_sum_value(total, offsets, values)
            i += U(1)
    for combo in range(U(1326)):
        out[combo] = pair[pair_of_combo[combo]]
    # 2. Flushes: five of a suit on the board, one card of it in the hand, or two.
    for suit in range(U(4)):
        count = (suit_counts >> (U(4) * suit)) & U(15)
        if count >= U(3):
            shift = U(16) * suit
            ranks = (bits >> shift) & _SUIT_RANKS
            if count == U(5):
                for combo in range(U(1326)):
                    out[combo] = flushes[ranks]
            if count >= U(4):
                for suited in range(suit, U(52), U(4)):
                    bit = card_bit[suited] >> shift
                    if not ranks & bit:
                        value = flushes[ranks | bit]
                        for other in range(U(52)):
                            if other != suited:
                                out[combo_of[suited, other]] = value
            for suited in range(suit, U(52), U(4)):
                bit = card_bit[suited] >> shift
                if not ranks & bit:
                    for other in range(suit, suited, U(4)):
                        bit_2 = card_bit[other] >> shift
                        if not ranks & bit_2:
                            out[combo_of[suited, other]] = flushes[ranks | bit | bit_2]
    # 3. Blocked hands.
    for j in range(5):
        card = U(board[j])
        for other in range(U(52)):
            if other != card:
                out[combo_of[card, other]] = 0


@kernel
def rank_boards(boards: Any, tables: HandTables, out: Any) -> None:
    """Value of all 1,326 combos on each board; see `rank_board`.

    boards: uint8 ``[n, 5]``.  out: uint16 ``[n, 1326]``, overwritten.
    """
    pair = np.zeros(91, np.uint16)
    for b in range(boards.shape[0]):
        rank_board(boards[b], tables, pair, out[b])


@kernel
def count_all_seven(tables: HandTables, counts: Any) -> None:
    """Evaluate all C(52, 7) = 133,784,560 hands and count their values.

    counts: uint64 ``[7463]``, zeros, overwritten.
    """
    key, bit = tables.card_key, tables.card_bit
    offsets, values, flushes = tables.offsets[2], tables.values[2], tables.flushes
    rank = key & _RANK_SUM
    for a in range(U(46)):
        key_a = SUITS_AT_THREE + key[a]
        for b in range(a + U(1), U(47)):
            key_b = key_a + key[b]
            for c in range(b + U(1), U(48)):
                key_c = key_b + key[c]
                bits_c = bit[a] | bit[b] | bit[c]
                for d in range(c + U(1), U(49)):
                    key_d = key_c + key[d]
                    bits_d = bits_c | bit[d]
                    for e in range(d + U(1), U(50)):
                        key_e = key_d + key[e]
                        bits_e = bits_d | bit[e]
                        for f in range(e + U(1), U(51)):
                            key_f = key_e + key[f]
                            bits_f = bits_e | bit[f]
                            if has_flush(key_f + _ONE_OF_EACH_SUIT):
                                for g in range(f + U(1), U(52)):
                                    key_g = key_f + key[g]
                                    if has_flush(key_g):
                                        value = flushes[flush_ranks(key_g, bits_f | bit[g])]
                                    else:
                                        value = rank_sum_value(rank_sum(key_g), offsets, values)
                                    counts[value] += U(1)
                            else:  # no flush: the suits of the last card's rank share a look-up
                                sum_f = rank_sum(key_f)
                                last = f + U(1)
                                while last < U(52):
                                    next_rank = (last | U(3)) + U(1)
                                    value = rank_sum_value(sum_f + rank[last], offsets, values)
                                    counts[value] += next_rank - last
                                    last = next_rank
