"""Hand order: the total order of five-card hands as data, and its look-up tables.

A hand order numbers the classes of equal five-card hands 1, 2, 3 … from the worst to the best
(7,462 of them in standard poker); 0 is reserved for "no hand". Two things may differ between games:

* the order of the ranks, a permutation of 2..A (Permutation Hold'em): only the keys of the cards
  change, so any permutation costs nothing at run time;
* the rules: in short deck a flush beats a full house and A-6-7-8-9 is a straight; an order may also
  ignore straights.

The tables are perfect hashes. Each rank has a key such that the keys of any multiset of seven ranks
sum to a different number; the sum is looked up by row displacement. The 13 keys are those that
K. J. Shackleton published for seven cards (SpecialKEval); they happen to be unique for five and six
cards too, which the builder checks.
"""

import itertools
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_OF, DECK_SIZE, RANKS
from tiltless.errors import OptionError
from tiltless.files.cached_arrays import kept_arrays
from tiltless.kernels.cards import evaluate
from tiltless.kernels.cards import row_displacement as hash_rows
from tiltless.kernels.cards.evaluate import SUM_SHIFT, HandTables
from tiltless.kernels.cards.row_displacement import displace_rows

__all__ = [
    "CATEGORIES",
    "NO_STRAIGHTS",
    "SHORT_DECK",
    "STANDARD",
    "HandClasses",
    "HandOrder",
    "hand_classes",
    "hand_tables",
    "permuted",
]

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL, _QUADS, _STRAIGHT_FLUSH = range(1, 9)

_RANK_KEYS = np.array(
    [0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181], dtype=np.int64
)


@dataclass(frozen=True, slots=True)
class HandOrder:
    """A total order of hands.

    rank_order: the shown ranks from the lowest to the highest *true* rank.
    lowest: the lowest true rank in play, 0 (deuce) or 4 (six, short deck). The ace also counts
        below it in a straight.
    flush_beats_full_house: True in short deck.
    straights: False: a straight counts as its high card, a straight flush as a flush.
    """

    rank_order: str = RANKS
    lowest: int = 0
    flush_beats_full_house: bool = False
    straights: bool = True

    def __post_init__(self) -> None:
        if sorted(self.rank_order) != sorted(RANKS):
            raise OptionError(
                f"rank order {self.rank_order!r} is not a permutation of the 13 ranks {RANKS}"
            )
        if self.lowest not in (0, 4):
            raise OptionError(f"lowest rank {self.lowest} is not known; use 0 (deuce) or 4 (six)")

    @property
    def true_ranks(self) -> tuple[int, ...]:
        """True rank 0..12 of each shown rank 0..12."""
        return tuple(self.rank_order.index(rank) for rank in RANKS)


STANDARD = HandOrder()
SHORT_DECK = HandOrder(lowest=4, flush_beats_full_house=True)
NO_STRAIGHTS = HandOrder(straights=False)
"""Permutation Hold'em before the order of ranks is known, when nobody can play for straights.

High ranks tend to stay high under the engine's draw, so pairs and flushes keep most of their
meaning; a team of 2020 played hold'em without straights until it had inferred the order. Averaging
features over orders sampled from a belief would be more precise, at a cost per sampled order.
"""


def permuted(rank_order: str) -> HandOrder:
    """The standard rules with the shown ranks in another order, lowest first."""
    if not isinstance(rank_order, str):
        raise OptionError(f"rank order {rank_order!r} is not a string; write the 13 ranks {RANKS}")
    return HandOrder(rank_order=rank_order.upper())


@dataclass(frozen=True, slots=True)
class HandClasses:
    """The meaning of each value. Arrays have one row per value; row 0 is "no hand".

    category: uint8 ``[n + 1]``, index into `CATEGORIES`.
    ranks: int8 ``[n + 1, 5]``, the deciding true ranks, most important first, padded with -1.
    """

    category: npt.NDArray[np.uint8]
    ranks: npt.NDArray[np.int8]


@lru_cache(maxsize=3)
def _multisets(size: int) -> npt.NDArray[np.int8]:
    """Counts per rank, int8 ``[n, 13]``, of every multiset of ``size`` ranks, at most 4 of each."""
    chosen = np.array(list(itertools.combinations_with_replacement(range(13), size)))
    counts = np.zeros((len(chosen), 13), dtype=np.int8)
    for column in chosen.T:
        counts[np.arange(len(chosen)), column] += 1
    kept: npt.NDArray[np.int8] = counts[counts.max(axis=1) <= 4]
    return kept


def _top(present: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Highest rank present in each row, -1 if none."""
    return np.where(present.any(axis=1), 12 - np.argmax(present[:, ::-1], axis=1), -1)


def _take_top(present: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Like `_top`, and remove it from ``present``."""
    top = _top(present)
    rows = np.flatnonzero(top >= 0)
    present[rows, top[rows]] = False
    return top


def _straight_high(present: npt.NDArray[np.bool_], order: HandOrder) -> npt.NDArray[np.int64]:
    """High rank of the best straight in each row, -1 if none."""
    high = np.full(len(present), -1)
    if not order.straights:
        return high
    lowest = order.lowest
    wheel = [*range(lowest, lowest + 4), 12]
    high[present[:, wheel].all(axis=1)] = lowest + 3
    for top in range(lowest + 4, 13):
        high[present[:, top - 4 : top + 1].all(axis=1)] = top
    return high


def _unsuited_strength(counts: npt.NDArray[np.int8], order: HandOrder) -> npt.NDArray[np.int64]:
    """Category and deciding ranks of the best five cards, flushes aside, int64 ``[n, 6]``."""
    singles, pairs, trips = counts >= 1, counts >= 2, counts >= 3
    none = np.full(len(counts), -1)

    def row(category: int, *ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        columns = [np.full(len(counts), category), *ranks]
        return np.stack([*columns, *[none] * (6 - len(columns))], axis=1)

    def kickers(used: npt.NDArray[np.bool_], how_many: int) -> list[npt.NDArray[np.int64]]:
        left = singles & ~used
        return [_take_top(left) for _ in range(how_many)]

    def only(*ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        used = np.zeros((len(counts), 13), dtype=bool)
        for rank in ranks:
            used[np.arange(len(counts)), rank] = True
        return used

    quad, trip = _top(counts == 4), _top(trips)
    full = _top(pairs & ~only(trip))
    first = _top(pairs)
    second = _top(pairs & ~only(first))
    straight = _straight_high(singles, order)
    strength = row(0, *kickers(only(), 5))
    for holds, better in (  # from the weakest to the strongest: later rows overwrite
        (first >= 0, row(_PAIR, first, *kickers(only(first), 3))),
        (second >= 0, row(_TWO_PAIR, first, second, *kickers(only(first, second), 1))),
        (trip >= 0, row(_TRIPS, trip, *kickers(only(trip), 2))),
        (straight >= 0, row(_STRAIGHT, straight)),
        ((trip >= 0) & (full >= 0), row(_FULL, trip, full)),
        (quad >= 0, row(_QUADS, quad, *kickers(only(quad), 1))),
    ):
        strength[holds] = better[holds]
    return strength


def _suited_strength(present: npt.NDArray[np.bool_], order: HandOrder) -> npt.NDArray[np.int64]:
    """Category and deciding ranks of the best five cards of one suit, int64 ``[n, 6]``."""
    straight = _straight_high(present, order)
    left = present.copy()
    flush = np.stack([np.full(len(present), _FLUSH), *[_take_top(left) for _ in range(5)]], axis=1)
    better = np.full_like(flush, -1)
    better[:, 0], better[:, 1] = _STRAIGHT_FLUSH, straight
    return np.where((straight >= 0)[:, None], better, flush)


def _code(strength: npt.NDArray[np.int64], order: HandOrder) -> npt.NDArray[np.int64]:
    """One integer that sorts like the strength: category, then ranks."""
    position = np.arange(len(CATEGORIES))
    if order.flush_beats_full_house:
        position[_FLUSH], position[_FULL] = _FULL, _FLUSH
    code = position[strength[:, 0]]
    for column in range(1, 6):
        code = code * 16 + strength[:, column] + 1
    return code


def _subsets() -> npt.NDArray[np.bool_]:
    """Every set of ranks as a row of flags, bool ``[8192, 13]``."""
    return np.asarray((np.arange(8192)[:, None] >> np.arange(13)) & 1, dtype=np.bool_)


@lru_cache(maxsize=4)
def _classes_and_codes(order: HandOrder) -> tuple[HandClasses, npt.NDArray[np.int64]]:
    subsets = _subsets()
    fives = subsets[subsets.sum(axis=1) == 5]
    strengths = np.concatenate(
        [_unsuited_strength(_multisets(5), order), _suited_strength(fives, order)]
    )
    codes, where = np.unique(_code(strengths, order), return_index=True)
    rows = np.concatenate([np.full((1, 6), -1), strengths[where]])
    rows[0, 0] = 0
    return HandClasses(rows[:, 0].astype(np.uint8), rows[:, 1:].astype(np.int8)), codes


def hand_classes(order: HandOrder = STANDARD) -> HandClasses:
    """Category and deciding ranks of every value of this order."""
    return _classes_and_codes(_with_plain_ranks(order))[0]


def _with_plain_ranks(order: HandOrder) -> HandOrder:
    """The order of true ranks alone: permutations share one set of tables."""
    return replace(order, rank_order=RANKS)


def _slots(size: int, offsets: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """The slot of each multiset of ``size`` ranks in the hash table, from its sum of keys.

    offsets: uint32 ``[rows]``, overwritten.
    """
    sums = _multisets(size).astype(np.int64) @ _RANK_KEYS
    if len(np.unique(sums)) != len(sums):
        raise AssertionError(f"rank keys collide for {size} cards")
    order = np.argsort(sums)
    row, column = sums[order] >> SUM_SHIFT, sums[order] & ((1 << SUM_SHIFT) - 1)
    starts = np.searchsorted(row, np.arange(len(offsets) + 1)).astype(np.int64)
    longest_first = np.argsort(starts[:-1] - starts[1:], kind="stable")
    displace_rows(starts, column, longest_first, np.zeros(1 << 18, dtype=np.bool_), offsets)
    return np.asarray(offsets[sums >> SUM_SHIFT] + (sums & ((1 << SUM_SHIFT) - 1)), dtype=np.int64)


def _build_values(order: HandOrder) -> dict[str, npt.NDArray[Any]]:
    """The tables of `HandTables` that depend on the rules but not on the order of ranks.

    There are rows even for seven cards of one rank, so that kernels may look up impossible hands
    and discard the result.
    """
    _, codes = _classes_and_codes(order)

    def value(strength: npt.NDArray[np.int64]) -> npt.NDArray[np.uint16]:
        return (np.searchsorted(codes, _code(strength, order)) + 1).astype(np.uint16)

    offsets = np.zeros((3, (7 * int(_RANK_KEYS[12]) >> SUM_SHIFT) + 1), dtype=np.uint32)
    slots = [_slots(size, offsets[table]) for table, size in enumerate((5, 6, 7))]
    length = max(int(each.max()) for each in slots) + (1 << SUM_SHIFT)
    values = np.zeros((3, length), dtype=np.uint16)
    for table, size in enumerate((5, 6, 7)):
        values[table, slots[table]] = value(_unsuited_strength(_multisets(size), order))
    subsets = _subsets()
    enough = subsets.sum(axis=1) >= 5
    flushes = np.zeros(8192, dtype=np.uint16)
    flushes[enough] = value(_suited_strength(subsets[enough], order))
    strength = _unsuited_strength(subsets.astype(np.int8), order)
    straights = np.where(strength[:, 0] == _STRAIGHT, value(strength), 0).astype(np.uint16)
    return {"offsets": offsets, "values": values, "flushes": flushes, "straights": straights}


@lru_cache(maxsize=4)
def _value_tables(order: HandOrder) -> Mapping[str, npt.NDArray[Any]]:
    flushes = "low" if not order.flush_beats_full_house else "high"
    straights = "" if order.straights else "-no-straights"
    kind = f"hand-tables-from-{RANKS[order.lowest]}-flushes-{flushes}{straights}"
    return kept_arrays(
        kind, [sys.modules[__name__], evaluate, hash_rows], lambda: _build_values(order)
    )


def _pair_of_combo() -> npt.NDArray[np.uint8]:
    low, high = (COMBO_CARDS >> 2).astype(np.int64).T
    return np.asarray(high * (high + 1) // 2 + low, dtype=np.uint8)


@lru_cache(maxsize=64)
def hand_tables(order: HandOrder = STANDARD) -> HandTables:
    """The look-up tables of an order, for the kernels: 0.9 MB, shared, cached on disk."""
    kept = _value_tables(_with_plain_ranks(order))
    cards = np.arange(DECK_SIZE)
    true_rank = np.array(order.true_ranks)[cards >> 2]
    suit = (cards & 3).astype(np.uint64)
    return HandTables(
        card_key=_RANK_KEYS[true_rank].astype(np.uint64) + (np.uint64(1) << (48 + 4 * suit)),
        card_bit=np.uint64(1) << (16 * suit + true_rank.astype(np.uint64)),
        set_key=(_subsets() @ _RANK_KEYS).astype(np.uint64),
        offsets=kept["offsets"],
        values=kept["values"],
        flushes=kept["flushes"],
        straights=kept["straights"],
        combo_cards=COMBO_CARDS,
        combo_of=COMBO_OF,
        pair_of_combo=_pair_of_combo(),
    )
