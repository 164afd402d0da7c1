"""Buckets for boards whose newest card says whether they grow: River of Blood from the river on.

If the newest card is black, the hand is over, and what counts is the equity now: ``black`` equal
intervals of it, as `tiltless.abstraction.cards.bucketing.StrengthBins` has them; on rivers for each
cluster of boards, if there are labels. If it is red, one more card and a round of bets are certain:
the buckets are clusters of the histogram of equity after each of the possible next cards. What
comes after that card is left out, so that all suits are alike and a board takes half a millisecond.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Buckets, neighbours
from tiltless.abstraction.cards.features import BinnedFeature
from tiltless.abstraction.cards.river_run import check_run, equity_bins
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT
from tiltless.cards.hand_order import hand_tables
from tiltless.cards.isomorphism import isomorphism
from tiltless.errors import ArrayError
from tiltless.kernels.cards.assign import L2
from tiltless.kernels.cards.river_run import (
    NextCardRule,
    fill_next_card,
    next_card_counts,
)
from tiltless.kernels.cards.strength import SCALE
from tiltless.validate import whole_number

__all__ = ["NextCard", "NextCardHistogram"]

Board = npt.NDArray[np.uint8]
_RIVER = 5
_MOST_BINS = 128
_NO_LABELS = np.empty(0, np.uint8)


@dataclass(frozen=True)
class NextCardHistogram(BinnedFeature):
    """Equity histogram over the next card, for boards of five cards or more whose newest is red.

    The equity of a hand on a board of n cards is (wins + ties / 2) of the C(50 - n, 2) other hands,
    each of the next cards that neither hand nor board has counts once; the whole form is
    cumulative, like that of `tiltless.abstraction.cards.features.Histogram`.
    """

    bins: int = 25

    def __post_init__(self) -> None:
        whole_number("bins", self.bins, 2, _MOST_BINS)

    @property
    def text(self) -> str:
        """Name and parameters."""
        return f"next-card({self.bins})"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "next card", self.bins

    def counts(self, board: Board) -> npt.NDArray[np.uint16]:
        """Next cards in each bin, uint16 ``[1326, bins]``."""
        counts = np.zeros((COMBO_COUNT, self.bins), np.uint16)
        next_card_counts(board, equity_bins(self.bins), hand_tables(), counts)
        return counts


@dataclass(frozen=True, eq=False)
class NextCard:
    """Intervals of equity on boards that have ended, clusters of `NextCardHistogram` on others.

    black: intervals, for each cluster of boards.  centroids: int16 ``[count, dims]``, of the boards
    that grow, weak hands first, compared by L2.  label: uint8 ``[canonical boards of five cards]``,
    their clusters; empty for none.
    """

    black: int
    centroids: npt.NDArray[np.int16] = field(repr=False)
    label: npt.NDArray[np.uint8] = field(default_factory=_NO_LABELS.copy, repr=False)
    wants_table: ClassVar[bool] = False
    newest_counts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole_number("buckets", self.black, 1, 255)
        shape = self.centroids.shape
        if len(shape) != 2 or self.centroids.dtype != np.int16 or not 1 <= shape[1] < _MOST_BINS:
            raise ArrayError(
                f"centroids have shape {shape} and dtype {self.centroids.dtype}; give int16 in rows"
            )
        whole_number("buckets", len(self.centroids), 1, 60_000)
        if self.centroids.min() < 0 or self.centroids.max() > SCALE:
            raise ArrayError(f"centroids are not between 0 and {SCALE}; design them again")
        size = isomorphism((_RIVER,)).size
        if self.label.dtype != np.uint8 or len(self.label) not in (0, size):
            raise ArrayError(
                f"labels of boards have shape {self.label.shape} and dtype {self.label.dtype}; "
                f"give one uint8 for each of the {size:,} canonical boards, or none"
            )

    @property
    def _clusters(self) -> int:
        return int(self.label.max()) + 1 if len(self.label) else 1

    @cached_property
    def ended(self) -> int:
        """Buckets of boards that have ended, which come first."""
        return self.black * self._clusters

    @property
    def count(self) -> int:
        """The number of buckets."""
        return self.ended + len(self.centroids)

    @property
    def text(self) -> str:
        """A short description."""
        boards = f"boards {self._clusters} x " if len(self.label) else ""
        bins = self.centroids.shape[1] + 1
        return f"{boards}next-card({bins}) {self.black} + {len(self.centroids)}"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "next card", self.black, self.centroids, self.label

    @cached_property
    def _rule(self) -> NextCardRule:
        near, apart = neighbours(self.centroids, L2)
        ends, grows = equity_bins(self.black), equity_bins(self.centroids.shape[1] + 1)
        return NextCardRule(ends, grows, self.ended, self.centroids.reshape(-1), near, apart)

    def fill(
        self,
        cards: npt.NDArray[np.uint8],
        size: int,
        column: int,
        bucket: npt.NDArray[np.uint32],
    ) -> None:
        """The buckets of dealt hands on the first ``size`` board cards; see `fill_next_card`."""
        first = np.zeros(len(cards), np.uint32)
        begin = 2 * bucket.shape[1]
        if len(self.label) and size == _RIVER:
            boards = np.ascontiguousarray(cards[:, begin : begin + _RIVER])
            first[:] = self.label[isomorphism((_RIVER,)).index_many(boards)]
            first *= np.uint32(self.black)
        fill_next_card(cards, size, first, self._rule, hand_tables(), column, bucket)

    def buckets(self, board: Board) -> Buckets:
        """The bucket of every hand on a board, the newest card last."""
        check_run(board)
        rows = np.empty((COMBO_COUNT, 2 + len(board)), np.uint8)
        rows[:, :2], rows[:, 2:] = COMBO_CARDS, board
        out = np.empty((COMBO_COUNT, 1, 1), np.uint32)
        self.fill(rows, len(board), 0, out)
        return out[:, 0, 0].astype(np.uint16)
