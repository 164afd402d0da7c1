"""Dense numbers for hands that differ only by names of suits, and back.

Paper: Waugh (2013), "A fast and optimal hand isomorphism algorithm", AAAI workshop on computer
poker. A hand is a row of groups (hole | flop | turn | river, say), each a set of cards. Inside one
suit, the ranks of each group are a subset of those that earlier groups left, so the suit has a
*shape*, the number of cards in each group, and a number among the suits of that shape: mixed radix
over the groups, colexicographic inside a group. The suits, sorted by (shape, number), name the
hand up to renaming: the tuple of four shapes is the *hand shape* (Waugh's configuration), and
suits of equal shape form a multiset, again numbered colexicographically.

Deviations: suits come in classes and only suits of one class may be exchanged, so they are sorted
by (class, shape, number) and multisets end at the border of a class; cards inside a group may
arrive in any order, so there is no table of rank sets on the way in; numbers of different streets
are not derived from each other.
"""

from itertools import product
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.jit import inline, kernel

__all__ = [
    "MAX_CARDS",
    "MAX_GROUPS",
    "IsomorphismTables",
    "index_hand",
    "index_hands",
    "isomorphism_tables",
    "unindex_hand",
    "unindex_hands",
]

U = np.uint64
MAX_CARDS = 7
MAX_GROUPS = 4
_SUITS = 4
_RANKS = 13

_CHOOSE = np.array(
    [[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(_RANKS + 1)], dtype=np.uint64
)


class IsomorphismTables(NamedTuple):
    """What the kernels know about a layout of G groups; S suit shapes, H hand shapes.

    A suit shape is a number: the counts of the groups as digits, the first group most significant.
    Positions 0..3 are suits after sorting: all of class 0, then all of class 1, and so on.
    """

    starts: npt.NDArray[np.uint64]
    """``[G + 1]``, where each group starts in a row of cards."""
    weights: npt.NDArray[np.uint64]
    """``[G]``, what one card of a group adds to the shape of its suit."""
    counts: npt.NDArray[np.uint64]
    """``[S, G]``, the cards of each group in a suit of this shape."""
    sets: npt.NDArray[np.uint64]
    """``[S]``, how many suits have this shape."""
    class_keys: npt.NDArray[np.uint64]
    """``[4]``, the class of each suit in the top byte."""
    suits: npt.NDArray[np.uint64]
    """``[4]``, the suit that unindexing puts at each position."""
    hand_shapes: npt.NDArray[np.uint16]
    """``[S * S * S]``, the hand shape of the first three shapes (the fourth is what is left)."""
    shapes: npt.NDArray[np.uint64]
    """``[H, 4]``, the suit shapes of a hand shape."""
    runs: npt.NDArray[np.uint64]
    """``[H, 4]``, 1 where a multiset begins, 2 for its second suit, and so on."""
    factors: npt.NDArray[np.uint64]
    """``[H, 4]``, the product of the sizes of all multisets to the left."""
    offsets: npt.NDArray[np.uint64]
    """``[H + 1]``, the first index of each hand shape; the last is the number of canonical hands."""
    rank_sets: npt.NDArray[np.uint16]
    """``[8192]``, all 13-bit sets of ranks, by size, then by value."""
    rank_set_starts: npt.NDArray[np.uint64]
    """``[14]``, where the sets of each size start."""
    symmetries: npt.NDArray[np.uint64]
    """``[1]``, how many permutations of the suits are allowed."""


def _multichoose(n: npt.NDArray[np.uint64], k: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Multisets of k things out of n kinds, elementwise: C(n + k - 1, k), k at most 4."""
    result = n.copy()
    for step in range(1, _SUITS):
        result = np.where(k > step, result * (n + U(step)) // U(step + 1), result)
    return result


def isomorphism_tables(groups: tuple[int, ...], classes: tuple[int, ...]) -> IsomorphismTables:
    """Tables for groups of these sizes; ``classes[suit]`` numbers the class of each suit from 0."""
    sizes = np.array(groups, dtype=np.int64)
    radix = sizes + 1
    weights = np.append(np.cumprod(radix[:0:-1])[::-1], 1)
    counts = np.array(list(product(*(range(n) for n in radix))), dtype=np.int64)
    sets = np.array(
        [prod(comb(_RANKS - sum(row[:i]), n) for i, n in enumerate(row)) for row in counts.tolist()]
    ).astype(np.uint64)
    suits = sorted(range(_SUITS), key=lambda suit: (classes[suit], suit))

    # Hand shapes: all ways to hand each group's cards to four positions, sorted inside a class.
    shapes = np.zeros((1, _SUITS), dtype=np.int64)
    for size, weight in zip(groups, weights.tolist(), strict=True):
        deals = [deal for deal in product(range(size + 1), repeat=_SUITS) if sum(deal) == size]
        shapes = (shapes[:, None, :] + weight * np.array(deals)[None]).reshape(-1, _SUITS)
    together = [classes[suits[i]] == classes[suits[i - 1]] for i in range(1, _SUITS)]
    for i, same in enumerate(together, 1):
        if same:
            shapes = shapes[shapes[:, i - 1] <= shapes[:, i]]
    shapes = shapes[np.lexsort(shapes.T[::-1])]

    runs = np.ones(shapes.shape, dtype=np.uint64)
    factors = np.ones(shapes.shape, dtype=np.uint64)
    for i, same in enumerate(together, 1):
        joined = (shapes[:, i] == shapes[:, i - 1]) & same
        runs[joined, i] = runs[joined, i - 1] + U(1)
        done = factors[:, i - 1] * _multichoose(sets[shapes[:, i - 1]], runs[:, i - 1])
        factors[:, i] = np.where(joined, factors[:, i - 1], done)
    totals = factors[:, -1] * _multichoose(sets[shapes[:, -1]], runs[:, -1])

    hand_shapes = np.zeros(len(sets) ** 3, dtype=np.uint16)
    first, second, third = shapes.T[:3]
    hand_shapes[(first * len(sets) + second) * len(sets) + third] = np.arange(len(shapes))
    every = np.arange(1 << _RANKS)
    bits = np.bitwise_count(every)
    tables = IsomorphismTables(
        starts=np.append(0, np.cumsum(sizes)).astype(np.uint64),
        weights=weights.astype(np.uint64),
        counts=counts.astype(np.uint64),
        sets=sets,
        class_keys=np.array(classes, dtype=np.uint64) << U(56),
        suits=np.array(suits, dtype=np.uint64),
        hand_shapes=hand_shapes,
        shapes=shapes.astype(np.uint64),
        runs=runs,
        factors=factors,
        offsets=np.append(U(0), np.cumsum(totals)).astype(np.uint64),
        rank_sets=every[np.argsort(bits, kind="stable")].astype(np.uint16),
        rank_set_starts=np.searchsorted(np.sort(bits), np.arange(_RANKS + 1)).astype(np.uint64),
        symmetries=np.array([prod(factorial(classes.count(c)) for c in set(classes))], np.uint64),
    )
    for table in tables:
        table.setflags(write=False)
    return tables


@inline
def _ones(word: Any) -> Any:
    """Count the set bits of a uint64; LLVM turns the loop into one instruction."""
    count = U(0)
    while word:
        word &= word - U(1)
        count += U(1)
    return count


@inline
def _multiset_term(number: Any, run: Any) -> Any:
    """C(number + run - 1, run), what the run-th smallest member adds to the number of a multiset.

    More than two equal shapes that are not empty are rare, so only that case is a branch.
    """
    term = number * (number + U(1)) >> U(1) if run > U(1) else number
    if run > U(2):
        term = term * (number + U(2)) // U(3)
        if run > U(3):
            term = term * (number + U(3)) // U(4)
    return term


@inline
def index_hand(cards: Any, tables: Any) -> Any:
    """The index of one hand, uint64.

    cards: uint8 ``[k]`` or anything that gives card numbers for indices 0..k-1, the groups one
    after the other, each in any order. Not checked: k cards, all different.
    """
    # 1. The shape and the number of each suit: four lanes of 16 bits, and two times two of 32.
    used = U(0)
    shapes = U(0)
    numbers_cd = U(0)
    numbers_hs = U(0)
    for group in range(tables.weights.size):
        start = tables.starts[group]
        stop = tables.starts[group + 1]
        dealt = U(0)
        for i in range(start, stop):
            card = U(cards[i])
            dealt |= U(1) << (((card & U(3)) << U(4)) | (card >> U(2)))
        shapes_before = shapes
        for i in range(start, stop):
            card = U(cards[i])
            lane = (card & U(3)) << U(4)
            below = (U(1) << (card >> U(2))) - U(1)
            rank = (card >> U(2)) - _ones((used >> lane) & below)
            place = _ones((dealt >> lane) & below) + U(1)
            radix = tables.sets[(shapes_before >> lane) & U(0xFFFF)]
            part = (_CHOOSE[rank, place] * radix) << ((card & U(1)) << U(5))
            if card & U(2):
                numbers_hs += part
            else:
                numbers_cd += part
            shapes += tables.weights[group] << lane
        used |= dealt

    # 2. Sort the suits by class, shape and number.
    low = U(0xFFFFFFFF)
    shape = U(0xFFFF)
    a = tables.class_keys[0] | ((shapes & shape) << U(32)) | (numbers_cd & low)
    b = tables.class_keys[1] | (((shapes >> U(16)) & shape) << U(32)) | (numbers_cd >> U(32))
    c = tables.class_keys[2] | (((shapes >> U(32)) & shape) << U(32)) | (numbers_hs & low)
    d = tables.class_keys[3] | ((shapes >> U(48)) << U(32)) | (numbers_hs >> U(32))
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)

    # 3. Hand shape, then its multisets.
    side = U(tables.sets.size)
    pair = ((a >> U(32)) & shape) * side + ((b >> U(32)) & shape)
    hand = U(tables.hand_shapes[pair * side + ((c >> U(32)) & shape)])
    runs = tables.runs
    factors = tables.factors
    return (
        tables.offsets[hand]
        + (a & low)
        + factors[hand, U(1)] * _multiset_term(b & low, runs[hand, U(1)])
        + factors[hand, U(2)] * _multiset_term(c & low, runs[hand, U(2)])
        + factors[hand, U(3)] * _multiset_term(d & low, runs[hand, U(3)])
    )


@kernel
def index_hands(cards: Any, tables: IsomorphismTables, out: Any) -> Any:
    """Index each row of ``cards``, uint8 ``[n, k]``, into ``out``, uint64 ``[n]``.

    Returns the first row with a duplicate or unknown card, where work stops, or n.
    """
    for row in range(cards.shape[0]):
        hand = cards[row]
        seen = U(0)
        for i in range(hand.size):
            seen |= U(1) << U(min(hand[i], 63))
        if seen >> U(52) or _ones(seen) != U(hand.size):
            return row
        out[row] = index_hand(hand, tables)
    return cards.shape[0]


@inline
def _hand_shape_at(index: Any, offsets: Any) -> Any:
    """The last hand shape whose offset is not above ``index``, by halving without branches."""
    first = U(0)
    length = U(offsets.size - 1)
    while length > U(1):
        half = length >> U(1)
        first += half if offsets[first + half] <= index else U(0)
        length -= half
    return first


@inline
def _largest_member(number: Any, run: Any) -> Any:
    """The largest x with ``_multiset_term(x, run) <= number``."""
    member = number
    if run == U(2):
        member = U((np.sqrt(np.float64(U(8) * number + U(1))) - 1.0) * 0.5)
    elif run > U(2):
        member = U(0)
        while _multiset_term(member + U(1), run) <= number:
            member += U(1)
    return member


@inline
def _among_free(ranks: Any, used: Any) -> Any:
    """Spread a set over the ranks that are not used: bit i becomes the i-th clear bit of used."""
    while used:
        below = (used & ~(used - U(1))) - U(1)
        ranks = (ranks & below) | ((ranks & ~below) << U(1))
        used &= used - U(1)
    return ranks


@inline
def unindex_hand(index: Any, tables: Any, cards: Any) -> Any:
    """Write the canonical hand of ``index`` and return how many hands share it, uint64.

    index: uint64 below the last offset, not checked. cards: uint8 ``[k]``, overwritten, each group
    ascending. The orbit has (allowed permutations) / (permutations that leave the hand as it is)
    hands, a group counting as a set.
    """
    groups = tables.weights.size
    hand = _hand_shape_at(index, tables.offsets)
    rest = index - tables.offsets[hand]
    filled = U(0)  # cards written so far, a byte for each group
    stabiliser = U(1)
    multiset = U(0)
    run = U(0)
    equal = U(0)
    before = U(0)
    for step in range(4):
        position = U(3 - step)
        # 1. The number of this suit: the largest that is left in its multiset.
        if run == U(0):
            run = tables.runs[hand, position]
            multiset = rest // tables.factors[hand, position]
            rest -= multiset * tables.factors[hand, position]
            equal = U(0)
        number = _largest_member(multiset, run)
        multiset -= _multiset_term(number, run)
        run -= U(1)
        equal = equal + U(1) if equal and number == before else U(1)
        stabiliser *= equal
        before = number

        # 2. Its cards, group by group, inserted in order.
        shape = tables.shapes[hand, position]
        suit = tables.suits[position]
        used = U(0)
        free = U(13)
        for group in range(groups):
            count = tables.counts[shape, group]
            if count:
                ways = _CHOOSE[free, count]
                part = number % ways
                number //= ways
                ranks = U(tables.rank_sets[tables.rank_set_starts[count] + part])
                ranks = _among_free(ranks, used)
                used |= ranks
                free -= count
                lane = U(8 * group)
                start = tables.starts[group]
                while ranks:
                    rank = _ones((ranks & ~(ranks - U(1))) - U(1))
                    ranks &= ranks - U(1)
                    card = np.uint8(U(4) * rank + suit)
                    place = start + ((filled >> lane) & U(0xFF))
                    while place > start and cards[place - U(1)] > card:
                        cards[place] = cards[place - U(1)]
                        place -= U(1)
                    cards[place] = card
                    filled += U(1) << lane
    return tables.symmetries[0] // stabiliser


@kernel
def unindex_hands(indices: Any, tables: IsomorphismTables, cards: Any, orbits: Any) -> None:
    """Write the canonical hands of ``indices``, uint64 ``[n]``, and the sizes of their orbits.

    cards: uint8 ``[n, k]``, overwritten. orbits: uint32 ``[n]``, overwritten. Not checked: indices.
    """
    for row in range(indices.size):
        orbits[row] = unindex_hand(indices[row], tables, cards[row])
