"""Hand isomorphism: dense indices for hands that differ only by names of suits, and back.

A hand is a row of groups (hole | flop | turn | river, say), each a set of cards. Inside one suit,
the numbers of cards in each group are the suit's *shape*, and the suit has a *number* among all
suits of its shape: which ranks it holds in any group, and which of them are in which group. The
four suits, sorted by (shape, number), name the hand up to renaming of suits: the sorted shapes are
the *hand shape*, and suits of equal shape form a multiset, numbered colexicographically.

Paper: Waugh (2013), "A fast and optimal hand isomorphism algorithm", AAAI workshop on computer
poker; our hand shape is its configuration.
Deviations: suits come in classes and only suits of one class may be exchanged, so suits are sorted
by (class, shape, number) and no multiset crosses the border of a class. The paper numbers the sets
of a suit one after the other, each among the ranks that are left; we number their union and its
split, so that both directions look tables up and never loop over ranks. Indices of later streets
do not extend those of earlier streets.

Twin: tests/naive/cards/isomorphism.py; tested by tests/cards/test_isomorphism.py
"""

from itertools import product
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base.jit import inline, kernel

__all__ = [
    "MAX_CARDS",
    "MAX_GROUPS",
    "IsomorphismTables",
    "index_board",
    "index_hand",
    "index_hands",
    "isomorphism_tables",
    "measure_orbits",
    "unindex_hand",
    "unindex_hands",
]

U = np.uint64
MAX_CARDS = 7  # a split takes two bits for each card and a leading one, in lanes of 16 bits
MAX_GROUPS = 4
_SUITS = 4
_RANKS = 13


class IsomorphismTables(NamedTuple):
    """Tables for k cards in G groups; S suit shapes, H hand shapes.

    A suit shape is a number: the counts of the groups as digits, the first group most significant.
    A split says of each card of a suit, the lowest rank in the lowest two bits, to which group it
    belongs; a one leads it. Positions 0..3 are suits after sorting: class 0 first, then class 1.
    """

    groups: npt.NDArray[np.uint64]
    """``[k]``, the group of each column of a row of cards."""
    starts: npt.NDArray[np.uint64]
    """``[1]``, the first column of each group, a byte each."""
    class_keys: npt.NDArray[np.uint64]
    """``[4]``, the class of each suit in the top byte."""
    suits: npt.NDArray[np.uint64]
    """``[4]``, the suit that unindexing puts at each position."""
    symmetries: npt.NDArray[np.uint64]
    """``[1]``, how many permutations of the suits are allowed."""
    set_numbers: npt.NDArray[np.uint64]
    """``[8192]``, the number of each 13-bit set of ranks among sets of its size."""
    rank_sets: npt.NDArray[np.uint64]
    """``[8192]``, the sets by size, then by number; the bit of a rank is that of its club."""
    split_keys: npt.NDArray[np.uint64]
    """``[2 ^ (2k + 1)]``, the shape of a split times 2^32, plus the first number that has it."""
    splits: npt.NDArray[np.uint64]
    """All splits by shape; without the leading one."""
    shape_splits: npt.NDArray[np.uint64]
    """``[S]``, where the splits of a shape start."""
    shape_sets: npt.NDArray[np.uint64]
    """``[S]``, where the rank sets of a shape's size start."""
    shape_ways: npt.NDArray[np.uint64]
    """``[S]``, how many rank sets have this size."""
    hand_shapes: npt.NDArray[np.uint16]
    """``[S * S * S]``, the hand shape of the first three shapes (the fourth is what is left)."""
    shapes: npt.NDArray[np.uint64]
    """``[H, 4]``, the suit shapes of a hand shape."""
    runs: npt.NDArray[np.uint64]
    """``[H, 4]``, 1 where a multiset begins, 2 for its second suit, and so on."""
    factors: npt.NDArray[np.uint64]
    """``[H, 4]``, the product of the sizes of all multisets to the left."""
    offsets: npt.NDArray[np.uint64]
    """``[H + 1]``, the first index of each hand shape; the last is the number of indices."""


def _splits(groups: tuple[int, ...]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All splits of 0 to k cards with their leading ones, and their shapes; sorted by shape."""
    limits = [*groups, *[0] * (MAX_GROUPS - len(groups))]
    weights = np.array([prod(n + 1 for n in limits[i + 1 :]) for i in range(MAX_GROUPS)])
    splits, shapes = [], []
    for size in range(sum(groups) + 1):
        words = np.arange(1 << (2 * size), dtype=np.int64)
        digits = (words[:, None] >> (2 * np.arange(size))) & 3
        counts = np.stack([(digits == group).sum(axis=1) for group in range(MAX_GROUPS)], axis=1)
        fits = (counts <= limits).all(axis=1)
        splits.append((words + (1 << (2 * size)))[fits])
        shapes.append((counts @ weights).astype(np.int64)[fits])
    order = np.argsort(np.concatenate(shapes), kind="stable")
    return np.concatenate(splits)[order], np.concatenate(shapes)[order]


def _multichoose(n: npt.NDArray[np.uint64], k: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Multisets of k things out of n kinds, elementwise: C(n + k - 1, k), k at most 4."""
    result = n.copy()
    for step in range(1, _SUITS):
        result = np.where(k > step, result * (n + U(step)) // U(step + 1), result)
    return result


def isomorphism_tables(groups: tuple[int, ...], classes: tuple[int, ...]) -> IsomorphismTables:
    """Tables for groups of these sizes; ``classes[suit]`` numbers the class of each suit from 0.

    Not checked: 1 to 4 groups of at least one card, at most 7 cards in all.
    """
    # 1. Rank sets.
    every = np.arange(1 << _RANKS)
    sizes = np.bitwise_count(every)
    by_size = np.argsort(sizes, kind="stable")
    size_starts = np.searchsorted(sizes[by_size], np.arange(_RANKS + 1))
    set_numbers = np.empty_like(every)
    set_numbers[by_size] = every - size_starts[sizes[by_size]]
    ranks = np.arange(_RANKS)
    rank_sets = (((by_size[:, None] >> ranks) & 1) << (4 * ranks)).sum(axis=1)

    # 2. Suit shapes and their splits.
    shape_sizes = np.array([sum(counts) for counts in product(*(range(n + 1) for n in groups))])
    shape_ways = np.array([comb(_RANKS, size) for size in shape_sizes.tolist()], dtype=np.uint64)
    splits, split_shapes = _splits(groups)
    shape_splits = np.searchsorted(split_shapes, np.arange(len(shape_sizes)))
    numbers = np.arange(len(splits)) - shape_splits[split_shapes]
    first_numbers = numbers.astype(np.uint64) * shape_ways[split_shapes]
    split_keys = np.zeros(2 << (2 * sum(groups)), dtype=np.uint64)
    split_keys[splits] = (split_shapes.astype(np.uint64) << U(32)) + first_numbers
    suit_counts = np.bincount(split_shapes).astype(np.uint64) * shape_ways

    # 3. Hand shapes: all ways to deal each group to four positions, sorted inside a class.
    suits = sorted(range(_SUITS), key=lambda suit: (classes[suit], suit))
    together = [classes[suits[i]] == classes[suits[i - 1]] for i in range(1, _SUITS)]
    shapes = np.zeros((1, _SUITS), dtype=np.int64)
    for size in groups:
        deals = [deal for deal in product(range(size + 1), repeat=_SUITS) if sum(deal) == size]
        shapes = ((size + 1) * shapes[:, None, :] + np.array(deals)[None]).reshape(-1, _SUITS)
    for i, same in enumerate(together, 1):
        if same:
            shapes = shapes[shapes[:, i - 1] <= shapes[:, i]]
    shapes = shapes[np.lexsort(shapes.T[::-1])]
    side = len(shape_sizes)
    hand_shapes = np.zeros(side**3, dtype=np.uint16)
    hand_shapes[shapes[:, :3] @ (side * side, side, 1)] = np.arange(len(shapes))

    # 4. Multisets of suits, and where each hand shape starts.
    runs = np.ones(shapes.shape, dtype=np.uint64)
    factors = np.ones(shapes.shape, dtype=np.uint64)
    for i, same in enumerate(together, 1):
        joined = (shapes[:, i] == shapes[:, i - 1]) & same
        runs[joined, i] = runs[joined, i - 1] + U(1)
        done = factors[:, i - 1] * _multichoose(suit_counts[shapes[:, i - 1]], runs[:, i - 1])
        factors[:, i] = np.where(joined, factors[:, i - 1], done)
    totals = factors[:, -1] * _multichoose(suit_counts[shapes[:, -1]], runs[:, -1])

    starts = sum(sum(groups[:group]) << (8 * group) for group in range(len(groups)))
    tables = IsomorphismTables(
        groups=np.repeat(np.arange(len(groups), dtype=np.uint64), groups),
        starts=np.array([starts], dtype=np.uint64),
        class_keys=np.array(classes, dtype=np.uint64) << U(56),
        suits=np.array(suits, dtype=np.uint64),
        symmetries=np.array([prod(factorial(classes.count(c)) for c in set(classes))], np.uint64),
        set_numbers=set_numbers.astype(np.uint64),
        rank_sets=rank_sets.astype(np.uint64),
        split_keys=split_keys,
        splits=(splits - (1 << (2 * shape_sizes[split_shapes]))).astype(np.uint64),
        shape_splits=shape_splits.astype(np.uint64),
        shape_sets=size_starts[shape_sizes].astype(np.uint64),
        shape_ways=shape_ways,
        hand_shapes=hand_shapes,
        shapes=shapes.astype(np.uint64),
        runs=runs,
        factors=factors,
        offsets=np.append(U(0), np.cumsum(totals)),
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
def _suit_key(suit: Any, ranks: Any, split: Any, tables: Any) -> Any:
    """Class, shape and number of one suit in one word, from 16 bits of ranks and of split."""
    ranks &= U(0xFFFF)
    split = (split & U(0xFFFF)) | (U(1) << (_ones(ranks) << U(1)))
    return tables.class_keys[suit] | (tables.split_keys[split] + tables.set_numbers[ranks])


@inline
def _index_sorted(a: Any, b: Any, c: Any, d: Any, tables: Any) -> Any:
    """The index from the sorted keys of the suits: the hand shape and the multisets of numbers."""
    number = U(0xFFFFFFFF)
    shape = U(0xFFFF)
    side = U(tables.shape_ways.size)
    pair = ((a >> U(32)) & shape) * side + ((b >> U(32)) & shape)
    hand = U(tables.hand_shapes[pair * side + ((c >> U(32)) & shape)])
    runs = tables.runs
    factors = tables.factors
    return (
        tables.offsets[hand]
        + (a & number)
        + factors[hand, U(1)] * _multiset_term(b & number, runs[hand, U(1)])
        + factors[hand, U(2)] * _multiset_term(c & number, runs[hand, U(2)])
        + factors[hand, U(3)] * _multiset_term(d & number, runs[hand, U(3)])
    )


@inline
def index_hand(cards: Any, first: Any, tables: Any) -> Any:
    """The index of the hand that starts at ``cards[first]``, uint64.

    cards: uint8, one-dimensional, the groups one after the other, each in any order; rows of a
    table are addressed by ``first``, uint64, because a view of a row costs more than the index.
    Not checked: k different cards.
    """
    # 1. Ranks and splits, a lane of 16 bits for each suit.
    ranks = U(0)
    for i in range(U(tables.groups.size)):
        card = U(cards[first + i])
        ranks |= U(1) << (((card & U(3)) << U(4)) | (card >> U(2)))
    splits = U(0)
    for i in range(U(tables.groups.size)):
        card = U(cards[first + i])
        lane = (card & U(3)) << U(4)
        order = _ones((ranks >> lane) & ((U(1) << (card >> U(2))) - U(1)))
        splits |= tables.groups[i] << (lane + (order << U(1)))

    # 2. Sort the suits by class, shape and number.
    a = _suit_key(U(0), ranks, splits, tables)
    b = _suit_key(U(1), ranks >> U(16), splits >> U(16), tables)
    c = _suit_key(U(2), ranks >> U(32), splits >> U(32), tables)
    d = _suit_key(U(3), ranks >> U(48), splits >> U(48), tables)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)

    return _index_sorted(a, b, c, d, tables)


@inline
def index_board(cards: Any, first: Any, count: Any, tables: Any) -> Any:
    """The index of a board, which is one group of cards, and where its suits go.

    Returns the index, uint64, as `index_hand` does, and the permutation of suits that makes the
    board canonical (see `unindex_hand`), a uint64 with two bits for the image of each suit. Suits
    that are alike on the board may go either way.
    cards: uint8, one-dimensional; the ``count`` cards from ``cards[first]`` on, in any order.
    """
    ranks = U(0)
    for i in range(count):
        card = U(cards[first + i])
        ranks |= U(1) << (((card & U(3)) << U(4)) | (card >> U(2)))

    # 1. Sort the suits as `index_hand` does, each key with its suit in the lowest bits.
    a = _suit_key(U(0), ranks, U(0), tables) << U(2)
    b = _suit_key(U(1), ranks >> U(16), U(0), tables) << U(2) | U(1)
    c = _suit_key(U(2), ranks >> U(32), U(0), tables) << U(2) | U(2)
    d = _suit_key(U(3), ranks >> U(48), U(0), tables) << U(2) | U(3)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    suits = tables.suits
    images = suits[U(0)] << ((a & U(3)) << U(1))
    images |= suits[U(1)] << ((b & U(3)) << U(1))
    images |= suits[U(2)] << ((c & U(3)) << U(1))
    images |= suits[U(3)] << ((d & U(3)) << U(1))
    return _index_sorted(a >> U(2), b >> U(2), c >> U(2), d >> U(2), tables), images


@kernel
def index_hands(cards: Any, tables: IsomorphismTables, out: Any) -> Any:
    """Index the hands in ``cards``, uint8 ``[n * k]``, into ``out``, uint64 ``[n]``.

    Returns the first row with a duplicate or unknown card, where work stops, or n.
    """
    size = U(tables.groups.size)
    for row in range(U(out.size)):
        first = row * size
        seen = U(0)
        for i in range(size):
            seen |= U(1) << U(min(cards[first + i], 63))
        if seen >> U(52) or _ones(seen) != size:
            return row
        out[row] = index_hand(cards, first, tables)
    return U(out.size)


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
def unindex_hand(index: Any, tables: Any, cards: Any, first: Any) -> Any:
    """Write the canonical hand of ``index`` from ``cards[first]`` on; return the size of its orbit.

    index: uint64 below the last offset, not checked. cards: uint8, one-dimensional, k of them
    overwritten, each group ascending. The orbit, uint64, is the number of hands with this index, a
    group counting as a set: permutations allowed / permutations that leave the hand as it is.
    """
    # 1. The suits, from the last position to the first, the largest of a multiset first.
    hand = _hand_shape_at(index, tables.offsets)
    rest = index - tables.offsets[hand]
    every = U(0)  # a bit for each card
    splits = U(0)
    still = U(1)  # permutations that leave the hand as it is
    multiset = U(0)
    run = U(0)
    equal = U(0)
    before = U(0)
    for step in range(U(4)):
        position = U(3) - step
        if run == U(0):
            run = tables.runs[hand, position]
            multiset = rest // tables.factors[hand, position]
            rest -= multiset * tables.factors[hand, position]
            equal = U(0)  # so that the first of a multiset is never equal to the one before
        number = _largest_member(multiset, run)
        multiset -= _multiset_term(number, run)
        run -= U(1)
        equal = equal + U(1) if number == before else U(1)
        still *= equal
        before = number
        shape = tables.shapes[hand, position]
        suit = tables.suits[position]
        split = number // tables.shape_ways[shape]
        ranks = number - split * tables.shape_ways[shape]
        every |= tables.rank_sets[tables.shape_sets[shape] + ranks] << suit
        splits |= tables.splits[tables.shape_splits[shape] + split] << (suit << U(4))

    # 2. The cards in ascending order, each to the next slot of its group.
    next_slots = tables.starts[0]
    left = every
    for _ in range(tables.groups.size):
        below = (left & ~(left - U(1))) - U(1)
        left &= left - U(1)
        card = _ones(below)
        suit = card & U(3)
        order = _ones(every & (U(0x1111111111111) << suit) & below)
        group = (splits >> ((suit << U(4)) + (order << U(1)))) & U(3)
        cards[first + ((next_slots >> (group << U(3))) & U(0xFF))] = card
        next_slots += U(1) << (group << U(3))
    return tables.symmetries[0] // still


@kernel
def unindex_hands(indices: Any, tables: IsomorphismTables, cards: Any) -> None:
    """Write the canonical hands of ``indices``, uint64 ``[n]``, to ``cards``, uint8 ``[n * k]``.

    Not checked: indices.
    """
    size = U(tables.groups.size)
    for row in range(U(indices.size)):
        unindex_hand(indices[row], tables, cards, row * size)


@kernel
def measure_orbits(indices: Any, tables: IsomorphismTables, hand: Any, out: Any) -> None:
    """Write the number of hands that share each index, uint64 ``[n]``, to ``out``, uint32 ``[n]``.

    hand: uint8 ``[k]``, overwritten. Not checked: indices.
    """
    for row in range(U(indices.size)):
        out[row] = unindex_hand(indices[row], tables, hand, U(0))
