"""Hand features for clustering: equity, equity histograms and opponent clusters, all exact.

Every feature covers all final boards and all hands of an opponent; nothing is sampled. A feature
has two forms. `exact` is float64, for reports. `whole` is the same rounded to multiples of
1 / 4,096 by integer arithmetic: buckets are computed from this form alone, so that every machine
agrees.

All hands of a board are computed at once, in the order of combos; hands that share a card with the
board have NaN and 0.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import comb
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, COMBO_CARDS, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, HandOrder, hand_tables
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.cards.strength import (
    FIELDS,
    MOST_STRENGTH,
    cluster_sums,
    cumulate,
    equity_counts,
    final_boards,
    live_clusters,
    share,
    strength_sums,
)
from tiltless.validate import whole_number

__all__ = [
    "MOST_BINS",
    "BinnedFeature",
    "HandFeature",
    "Histogram",
    "OpponentClusters",
    "Strength",
    "live_hands",
]

Board = npt.NDArray[np.uint8]
Whole = npt.NDArray[np.int16]
Exact = npt.NDArray[np.float64]
Sums = npt.NDArray[np.uint64]

MOST_BINS = 255
"""The most bins of a histogram, because a bin index is a byte."""


class HandFeature(Protocol):
    """A row of numbers for each hand on a board."""

    @property
    def text(self) -> str:
        """Name and parameters."""
        ...

    @property
    def dims(self) -> int:
        """The number of dimensions of the whole form."""
        ...

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers, for fingerprints."""
        ...

    def whole(self, board: Board) -> Whole:
        """Whole numbers, int16 ``[1326, dims]``."""
        ...

    def exact(self, board: Board) -> Exact:
        """Exact values, float64 ``[1326, any]``; NaN for hands that share a card with the board."""
        ...


def live_hands(board: Board) -> npt.NDArray[np.uint8]:
    """1 for each hand that shares no card with the board, uint8 ``[1326]``."""
    used = np.zeros(52, np.uint8)
    used[board] = 1
    return np.asarray(1 - (used[COMBO_CARDS[:, 0]] | used[COMBO_CARDS[:, 1]]), dtype=np.uint8)


class _Runouts:
    """The final boards of a board with their weights, and their number for one hand."""

    def __init__(self, board: Board) -> None:
        if len(board):
            boards = np.empty((comb(52 - len(board), 5 - len(board)), 5), np.uint8)
            final_boards(board, boards)
            self.boards = boards
            self.weights = _ones(len(boards))
        else:
            self.boards, self.weights = _every_board()
        self.preflop = not len(board)

    def settle(self, sums: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sums of each hand; preflop, where a board represents its orbit, averaged by class."""
        if not self.preflop:
            return sums
        total = np.zeros((CLASS_COUNT, sums.shape[1]), sums.dtype)
        np.add.at(total, CLASS_OF_COMBO, sums)
        size = np.bincount(CLASS_OF_COMBO)[:, None].astype(sums.dtype)
        return np.asarray((total // size)[CLASS_OF_COMBO])


@lru_cache(maxsize=4)
def _ones(count: int) -> Sums:
    return np.ones(count, np.uint64)


@lru_cache(maxsize=1)
def _every_board() -> tuple[Board, Sums]:
    boards, weights = canonical_boards(5)
    return boards, weights.astype(np.uint64)


def _with_gaps(values: Exact, board: Board) -> Exact:
    values[live_hands(board) == 0] = np.nan
    return values


def _strength_sums(board: Board, order: HandOrder) -> Sums:
    runouts = _Runouts(board)
    sums = np.zeros((COMBO_COUNT, 2), np.uint64)
    strength_sums(runouts.boards, runouts.weights, hand_tables(order), sums)
    return runouts.settle(sums)


@lru_cache(maxsize=4)
def _preflop_strength(order: HandOrder) -> Sums:
    """Sums before the flop, kept: its 134,459 boards take two seconds."""
    return _strength_sums(np.empty(0, np.uint8), order)


@dataclass(frozen=True)
class Strength:
    """Expected hand strength against a random hand, E[HS], and if ``squared`` also E[HS^2].

    HS is the equity on a final board, (wins + ties / 2) / 990; E[.] is the mean over final boards.
    Paper: Billings, Davidson, Schaeffer & Szafron (2002), "The challenge of poker"; E[HS^2]:
    Johanson (2007), "Robust strategies and counter-strategies", section 2.5.3.
    """

    squared: bool = False
    order: HandOrder = STANDARD

    @property
    def text(self) -> str:
        """Name."""
        return "strength2" if self.squared else "strength"

    @property
    def dims(self) -> int:
        """One mean, or two."""
        return 2 if self.squared else 1

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "strength", self.squared, *_order(self.order)

    def sums(self, board: Board) -> tuple[Sums, Sums]:
        """Sums of HS and HS^2 in units of 1 / 1,980, uint64 ``[1326, 2]``, and their limits."""
        ways = comb(50 - len(board), 5 - len(board))
        most = np.array([MOST_STRENGTH, MOST_STRENGTH**2], np.uint64) * np.uint64(ways)
        if len(board):
            return _strength_sums(board, self.order), most
        return _preflop_strength(self.order).copy(), most

    def whole(self, board: Board) -> Whole:
        """Means in units of 1 / 4,096, int16 ``[1326, 1 or 2]``."""
        sums, most = self.sums(board)
        dims = self.dims
        out = np.empty((COMBO_COUNT, dims), np.int16)
        share(
            np.ascontiguousarray(sums[:, :dims]),
            np.broadcast_to(most[:dims], (COMBO_COUNT, dims)).copy(),
            out,
        )
        return out

    def exact(self, board: Board) -> Exact:
        """E[HS] and E[HS^2], float64 ``[1326, 2]``."""
        sums, most = self.sums(board)
        return _with_gaps(sums / most, board)


class BinnedFeature(ABC):
    """A histogram of ``bins`` bins; the whole form is cumulative."""

    bins: int

    @property
    def dims(self) -> int:
        """All bins but the last."""
        return self.bins - 1

    @abstractmethod
    def counts(self, board: Board) -> npt.NDArray[Any]:
        """How often each bin occurs, unsigned ``[1326, bins]``."""

    def whole(self, board: Board) -> Whole:
        """Cumulative fractions in units of 1 / 4,096, int16 ``[1326, bins - 1]``."""
        counts = self.counts(board)
        out = np.empty((COMBO_COUNT, self.dims), np.int16)
        cumulate(counts.astype(np.promote_types(counts.dtype, np.uint32), copy=False), out)
        return out

    def exact(self, board: Board) -> Exact:
        """The fraction in each bin, float64 ``[1326, bins]``."""
        counts = self.counts(board)
        return _with_gaps(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), board)


@dataclass(frozen=True)
class Histogram(BinnedFeature):
    """Equity histogram: the distribution of HS over final boards.

    The whole form is cumulative. The earth mover's distance of two histograms on a line is the L1
    distance of their cumulative sums (in bins, times the mass), so L1 on the whole form *is* EMD;
    L2 is its smooth relative (Cramér's distance), for which k-means is the right algorithm.
    Papers: Gilpin, Sandholm & Sørensen (2007), "Potential-aware automated abstraction of sequential
    games"; Johanson et al. (2013), "Evaluating state-space abstractions in extensive-form games".
    """

    bins: int = 50
    order: HandOrder = STANDARD

    def __post_init__(self) -> None:
        whole_number("bins", self.bins, 2, MOST_BINS)

    @property
    def text(self) -> str:
        """Name and parameters."""
        return f"histogram({self.bins})"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "histogram", self.bins, *_order(self.order)

    @cached_property
    def _bin_of(self) -> npt.NDArray[np.uint8]:
        strengths = np.arange(MOST_STRENGTH + 1)
        return np.minimum(strengths * self.bins // MOST_STRENGTH, self.bins - 1).astype(np.uint8)

    def counts(self, board: Board) -> npt.NDArray[np.uint32]:
        """Final boards in each bin, uint32 ``[1326, bins]``."""
        return self._counts(board) if len(board) else _preflop_counts(self).copy()

    def _counts(self, board: Board) -> npt.NDArray[np.uint32]:
        runouts = _Runouts(board)
        counts = np.zeros((COMBO_COUNT, self.bins), np.uint32)
        weights = runouts.weights.astype(np.uint32)
        equity_counts(runouts.boards, weights, self._bin_of, hand_tables(self.order), counts)
        return runouts.settle(counts)


@lru_cache(maxsize=4)
def _preflop_counts(feature: Histogram) -> npt.NDArray[np.uint32]:
    """Counts before the flop, kept: its 134,459 boards take two seconds."""
    return feature._counts(np.empty(0, np.uint8))


@dataclass(frozen=True, eq=False)
class OpponentClusters:
    """Opponent cluster hand strength (OCHS): the equity against each cluster of starting hands.

    clusters: uint8 ``[169]``, the cluster of each class of starting hands, numbered 0, 1, 2 … from
    the weakest. Hands that share a card with the hand or the board do not count, and equity is over
    all final boards.
    Paper: Johanson, Burch, Valenzano & Bowling (2013), "Evaluating state-space abstractions in
    extensive-form games", section 4.
    """

    clusters: npt.NDArray[np.uint8] = field(repr=False)
    order: HandOrder = STANDARD

    def __post_init__(self) -> None:
        if self.clusters.shape != (CLASS_COUNT,) or self.clusters.dtype != np.uint8:
            raise ArrayError(
                f"opponent clusters have shape {self.clusters.shape} and dtype "
                f"{self.clusters.dtype}; give one uint8 for each of the 169 classes"
            )
        if set(self.clusters.tolist()) != set(range(self.count)):
            raise OptionError("opponent clusters skip a number; number them 0, 1, 2 …")

    @cached_property
    def count(self) -> int:
        """The number of clusters."""
        return int(self.clusters.max()) + 1

    @property
    def text(self) -> str:
        """Name and parameters."""
        return f"ochs({self.count})"

    @property
    def dims(self) -> int:
        """Four for each word of counters."""
        return FIELDS * len(self._units)

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "ochs", self.clusters, *_order(self.order)

    @cached_property
    def _units(self) -> npt.NDArray[np.uint64]:
        """A one in the field of each hand's cluster, for `tiltless.kernels.cards.strength`."""
        cluster = self.clusters[CLASS_OF_COMBO].astype(np.uint64)
        units = np.zeros((-(-self.count // FIELDS), COMBO_COUNT), np.uint64)
        word, slot = np.divmod(cluster, np.uint64(FIELDS))
        units[word, np.arange(COMBO_COUNT)] = np.uint64(1) << (np.uint64(16) * slot)
        return units

    def sums(self, board: Board) -> tuple[Sums, Sums]:
        """2 wins + ties against each cluster, uint64 ``[1326, 4 * words]``, and their limits."""
        runouts = _Runouts(board)
        units = self._units
        sums = np.zeros((COMBO_COUNT, FIELDS * len(units)), np.uint64)
        cluster_sums(runouts.boards, runouts.weights, units, hand_tables(self.order), sums)
        most = np.empty_like(sums)
        live_clusters(board, units, COMBO_CARDS, most)
        # the number of final boards that block neither hand
        most *= np.uint64(2 * comb(48 - len(board), 5 - len(board)))
        return runouts.settle(sums), most

    def whole(self, board: Board) -> Whole:
        """Equities in units of 1 / 4,096, int16 ``[1326, 4 * words]``; unused clusters are 0."""
        sums, most = self.sums(board)
        out = np.empty(sums.shape, np.int16)
        share(sums, most, out)
        return out

    def exact(self, board: Board) -> Exact:
        """Equity against each cluster, float64 ``[1326, clusters]``; 0 if all of it is blocked."""
        sums, most = (part[:, : self.count] for part in self.sums(board))
        return _with_gaps(sums / np.maximum(most, 1), board)


def _order(order: HandOrder) -> tuple[Any, ...]:
    left_out = () if order.straights else ("no straights",)
    return order.rank_order, order.lowest, order.flush_beats_full_house, *left_out
