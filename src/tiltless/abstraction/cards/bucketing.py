"""Bucketing rules: ways to put the hands of one street into buckets.

The primitive is ``buckets(board)``: the bucket of all 1,326 hands on a board, in the order of
combos, uint16 (uint32 if there are more than 65,536 buckets). Hands that share a card with the
board have bucket 0.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.features import HandFeature, Strength, live_hands
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, COMBO_CARDS, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.isomorphism import board_as_one_set
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.cards.assign import L1, L2, assign, centroid_distances
from tiltless.kernels.cards.strength import SCALE
from tiltless.validate import one_of, whole_number

__all__ = [
    "METRICS",
    "Bucketing",
    "Clustered",
    "ComboList",
    "Lossless",
    "StrengthBins",
    "Suitless",
    "neighbours",
    "rank_pairs",
]

Board = npt.NDArray[np.uint8]
Buckets = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

METRICS = {"l1": L1, "l2": L2}
"""L1 is the sum of absolute differences, L2 the sum of squared ones."""
_MOST_BUCKETS = 65_535


class Bucketing(Protocol):
    """A rule that maps the hands of a street to buckets."""

    @property
    def count(self) -> int:
        """The number of buckets."""
        ...

    @property
    def text(self) -> str:
        """A short description."""
        ...

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets, for fingerprints."""
        ...

    @property
    def wants_table(self) -> bool:
        """Whether a table is faster than computing the buckets of a board."""
        ...

    @property
    def newest_counts(self) -> bool:
        """Whether the colour of the newest board card matters: River of Blood from the river on."""
        ...

    def buckets(self, board: Board) -> Buckets:
        """The bucket of every hand on a board, uint16 or uint32 ``[1326]``."""
        ...


def _bucket_type(count: int) -> Any:
    return np.uint16 if count <= _MOST_BUCKETS + 1 else np.uint32


@dataclass(frozen=True)
class Lossless:
    """Lossless: hands share a bucket only if they are equal up to suit isomorphism.

    Buckets are the canonical hands with the board as one set: 169, 1,286,792, 13,960,050 and
    123,156,254. Before the flop they are numbered like the cells of the 13 x 13 grid.
    """

    board_cards: int
    suits: str | tuple[str, ...] = "all"
    wants_table: ClassVar[bool] = False
    newest_counts: ClassVar[bool] = False

    @property
    def count(self) -> int:
        """The number of canonical hands."""
        return board_as_one_set(self.board_cards, self.suits).size

    @property
    def text(self) -> str:
        """A short description."""
        return "lossless"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "lossless", self.board_cards, self.suits

    def buckets(self, board: Board) -> Buckets:
        """Canonical indices."""
        if not len(board) and self.suits == "all":
            return CLASS_OF_COMBO.astype(np.uint16)
        live = live_hands(board) > 0
        hands = np.empty((int(live.sum()), 2 + len(board)), np.uint8)
        hands[:, :2] = COMBO_CARDS[live]
        hands[:, 2:] = board
        out = np.zeros(COMBO_COUNT, _bucket_type(self.count))
        out[live] = board_as_one_set(len(board), self.suits).index_many(hands)
        return out


@lru_cache(maxsize=8)
def _rank_sets(size: int) -> tuple[npt.NDArray[np.int64], int]:
    """The index of each multiset of ranks, by its ranks as base-13 digits, and their count."""
    every = combinations_with_replacement(range(13), size)
    possible = [ranks for ranks in every if max(map(ranks.count, ranks), default=0) <= 4]
    numbers = np.full(13**size, -1, np.int64)
    digits = np.array(possible, np.int64).reshape(len(possible), size)
    numbers[digits @ 13 ** np.arange(size)] = np.arange(len(possible))
    return numbers, len(possible)


@dataclass(frozen=True)
class Suitless:
    """The thesis' classes: one of 169 starting hands, and the board's ranks without suits.

    Flushes with the board are invisible. 169, 76,895, 307,580 and 1,043,575 buckets.
    """

    board_cards: int
    wants_table: ClassVar[bool] = False
    newest_counts: ClassVar[bool] = False

    @property
    def count(self) -> int:
        """169 for each set of ranks on the board."""
        return CLASS_COUNT * _rank_sets(self.board_cards)[1]

    @property
    def text(self) -> str:
        """A short description."""
        return "suitless"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "suitless", self.board_cards

    def rank_numbers(self, boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """The index of the rank set of each board, int64 ``[n]``; boards: uint8 ``[n, cards]``."""
        ranks = np.sort(boards >> 2, axis=1).astype(np.int64)
        numbers, _ = _rank_sets(self.board_cards)
        return np.asarray(numbers[ranks @ 13 ** np.arange(self.board_cards)])

    def buckets(self, board: Board) -> Buckets:
        """Rank set of the board times 169, plus the class of the hand."""
        ranks = int(self.rank_numbers(board[None])[0])
        out = (CLASS_OF_COMBO + np.uint32(CLASS_COUNT * ranks)).astype(_bucket_type(self.count))
        out[live_hands(board) == 0] = 0
        return np.asarray(out)


@dataclass(frozen=True, eq=False)
class ComboList:
    """Buckets of starting hands from a list; of_combo: uint16 ``[1326]``."""

    of_combo: npt.NDArray[np.uint16] = field(repr=False)
    text: str = "list"
    wants_table: ClassVar[bool] = False
    newest_counts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.of_combo.shape != (COMBO_COUNT,) or self.of_combo.dtype != np.uint16:
            raise ArrayError(
                f"buckets of starting hands have shape {self.of_combo.shape} and dtype "
                f"{self.of_combo.dtype}; give one uint16 for each of the 1,326 combos"
            )

    @cached_property
    def count(self) -> int:
        """The number of buckets."""
        return int(self.of_combo.max()) + 1

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "combos", self.of_combo

    def buckets(self, board: Board) -> Buckets:
        """A copy of the list."""
        if len(board):
            raise OptionError("these buckets are for starting hands only; give no board")
        return self.of_combo.copy()


def rank_pairs() -> ComboList:
    """Starting hands by rank alone, suited or not: 91 buckets (the six-player seed)."""
    low, high = (COMBO_CARDS >> 2).astype(np.uint16).T
    return ComboList(np.asarray(high * (high + 1) // 2 + low, dtype=np.uint16), "ranks")


@dataclass(frozen=True)
class StrengthBins:
    """Equal intervals of expected hand strength: bucket i starts at E[HS] = i / count.

    The buckets of the six-player seed, which has 190 of them.
    """

    count: int
    order: HandOrder = STANDARD
    wants_table: ClassVar[bool] = True
    newest_counts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        whole_number("buckets", self.count, 1, _MOST_BUCKETS)

    @property
    def text(self) -> str:
        """A short description."""
        return f"bins {self.count}"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "strength bins", self.count, *Strength(order=self.order).definition

    def buckets(self, board: Board) -> Buckets:
        """The bin of each hand, by integer division of exact sums."""
        sums, most = Strength(order=self.order).sums(board)
        bins = sums[:, 0] * np.uint64(self.count) // most[0]
        return np.asarray(np.minimum(bins, np.uint64(self.count - 1)), dtype=np.uint16)


def neighbours(
    centroids: npt.NDArray[np.int16], metric: int
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32]]:
    """For each centroid, all centroids sorted by distance, and the distances; both flat."""
    count, dims = centroids.shape
    apart = np.empty((count, count), np.int32)
    centroid_distances(centroids.reshape(-1), dims, metric, apart)
    near = np.argsort(apart, axis=1, kind="stable")
    return near.astype(np.uint16).reshape(-1), np.take_along_axis(apart, near, axis=1).reshape(-1)


@dataclass(frozen=True, eq=False)
class Clustered:
    """Each hand belongs to the nearest centroid of a feature; of equally near ones, the first.

    centroids: int16 ``[count, dims]``, all different, weak hands first.  metric: "l1" or "l2".
    wants_table: False if there are too many boards, as after the river in River of Blood.
    """

    feature: HandFeature
    centroids: npt.NDArray[np.int16] = field(repr=False)
    metric: str = "l2"
    wants_table: bool = True
    newest_counts: bool = False

    def __post_init__(self) -> None:
        one_of("metric", self.metric, METRICS)
        if self.centroids.ndim != 2 or self.centroids.dtype != np.int16:
            raise ArrayError(
                f"centroids have shape {self.centroids.shape} and dtype {self.centroids.dtype}; "
                "give int16 in rows"
            )
        whole_number("buckets", len(self.centroids), 1, _MOST_BUCKETS)
        if np.abs(self.centroids.astype(np.int32)).max() > SCALE:
            raise ArrayError(f"centroids exceed {SCALE}, the scale of features; round them to it")
        dims = self.centroids.shape[1]
        if dims != self.feature.dims:
            raise ArrayError(
                f"centroids have {dims} numbers and {self.feature.text} has {self.feature.dims}; "
                "design them for this feature"
            )
        span = SCALE if self.centroids.min() >= 0 else 2 * SCALE
        if self.metric == "l2" and dims * span**2 >= 2**31:
            raise ArrayError(
                f"centroids have {dims} numbers up to {span} apart; 32 bits are not enough for "
                "their squared distances; use l1 or fewer dimensions"
            )
        if len(np.unique(self.centroids, axis=0)) < len(self.centroids):
            raise ArrayError("two centroids are equal; remove one of them")

    @property
    def count(self) -> int:
        """The number of buckets."""
        return len(self.centroids)

    @property
    def text(self) -> str:
        """A short description."""
        return f"{self.feature.text} {self.count} {self.metric}"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "clustered", self.feature.definition, self.metric, self.centroids

    @cached_property
    def _lists(self) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32]]:
        return neighbours(self.centroids, METRICS[self.metric])

    def buckets(self, board: Board) -> Buckets:
        """The nearest centroid of each hand's feature on the board."""
        out = np.empty(COMBO_COUNT, np.uint16)
        whole = self.feature.whole(board).reshape(-1)
        metric = METRICS[self.metric]
        centroids = self.centroids.reshape(-1)
        distances = np.empty(COMBO_COUNT, np.int32)
        assign(whole, live_hands(board), centroids, *self._lists, metric, out, distances)
        return out
