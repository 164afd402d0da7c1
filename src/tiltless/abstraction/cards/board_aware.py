"""Board-aware buckets: the cluster of the board, which is public, times the bucket of the hand.

Buckets of hands alone have imperfect recall of the board: a pair of tens on ``AsKs5s`` may share a
row with a flush draw on ``7h7d2c``, and one strategy has to serve both. Here boards are clustered
first and each cluster has hand buckets of its own, so a row means one kind of hand on one kind of
board (hierarchical abstraction: Brown, Ganzfried & Sandholm 2015, "Hierarchical abstraction,
distributed equilibrium computation, and post-processing", section 3, who cluster flops).

A board is described by two distributions over the hands that it allows. Boards that are alike in
both treat ranges alike.

* What it does to ranges: for each of 8 clusters of starting hands (those of OCHS), the distribution
  of E[HS] over its hands in 8 bins, cumulative. It tells flops that help high cards from flops of
  middle cards, and wet ones, on which equities are close, from dry ones. The distribution over
  *all* hands would say next to nothing; on the river it is nearly the same on every board.
* What hands are made of: the square root of the frequency of each category, from high card to
  straight flush, so that rare strong hands count. It tells where flushes, straights and full houses
  are possible.

On rivers, strategies tied over boards lost 19.3 ± 1.7 % of the pot with 10 such clusters x 20 bins
of E[HS], where 200 bins lost 23.0 ± 2.0 % and 200 clusters by OCHS 25.0 ± 2.3 %
(docs/abstraction.md).

The label of each canonical board is stored, so that no feature of the board is computed later.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing, Buckets
from tiltless.abstraction.cards.features import Strength, live_hands
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import CATEGORIES, STANDARD, HandOrder, hand_classes
from tiltless.cards.isomorphism import isomorphism
from tiltless.errors import ArrayError
from tiltless.kernels.cards.strength import SCALE

__all__ = ["RANGE_BINS", "RANGE_CLUSTERS", "BoardAware", "board_features"]

Board = npt.NDArray[np.uint8]

RANGE_CLUSTERS, RANGE_BINS = 8, 8
"""Clusters of starting hands and bins of E[HS] that describe a board."""
MADE_TIMES = 7
"""How often the frequencies of categories are repeated: their weight against ranges."""
_MOST_BUCKETS = 65_536


def board_features(
    boards: npt.NDArray[np.uint8],
    clusters: npt.NDArray[np.uint8],
    workers: int,
    order: HandOrder = STANDARD,
) -> npt.NDArray[np.int16]:
    """The description of boards, int16 ``[boards, 8 * 7 + 9 * 7]``, in units of 1 / 4,096.

    boards: uint8 ``[boards, cards]``.  clusters: uint8 ``[169]``, of starting hands.  First, for
    cluster c and bin b, the fraction of c's unblocked hands with E[HS] below (b + 1) / 8, 0 if all
    of them are blocked; then, seven times, the square roots of the frequencies of categories.
    """
    cluster_of = clusters[CLASS_OF_COMBO].astype(np.int64)
    count = int(clusters.max()) + 1
    ranges = count * (RANGE_BINS - 1)
    out = np.empty((len(boards), ranges + MADE_TIMES * len(CATEGORIES)), np.int16)
    strength, category = Strength(order=order), hand_classes(order).category

    def one(number: int) -> None:
        sums, most = strength.sums(boards[number])
        bins = np.minimum(sums[:, 0] * np.uint64(RANGE_BINS) // most[0], RANGE_BINS - 1)
        live = live_hands(boards[number]) > 0
        cell = cluster_of[live] * RANGE_BINS + bins[live].astype(np.int64)
        counts = np.bincount(cell, minlength=count * RANGE_BINS).reshape(count, RANGE_BINS)
        below = counts.cumsum(axis=1)
        total = np.maximum(below[:, -1:], 1)
        out[number, :ranges] = ((2 * SCALE * below[:, :-1] + total) // (2 * total)).reshape(-1)
        hands = np.empty((int(live.sum()), 2 + len(boards[number])), np.uint8)
        hands[:, :2], hands[:, 2:] = COMBO_CARDS[live], boards[number]
        made = np.bincount(category[evaluate_many(hands, order)], minlength=len(CATEGORIES))
        out[number, ranges:] = np.tile(np.rint(SCALE * np.sqrt(made / len(hands))), MADE_TIMES)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, range(len(boards))))
    return out


@dataclass(frozen=True, eq=False)
class BoardAware:
    """Bucket ``label(board) * n + hands[label(board)]``, with n buckets of hands in each cluster.

    label: uint8 ``[canonical boards]``, the cluster of each board of ``isomorphism((cards,))``.
    hands: the buckets of hands in each cluster; all have the same count.
    """

    board_cards: int
    label: npt.NDArray[np.uint8] = field(repr=False)
    hands: tuple[Bucketing, ...] = field(repr=False)
    wants_table: ClassVar[bool] = True
    newest_counts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        size = isomorphism((self.board_cards,)).size
        if self.label.shape != (size,) or self.label.dtype != np.uint8:
            raise ArrayError(
                f"labels of boards have shape {self.label.shape} and dtype {self.label.dtype}; "
                f"give one uint8 for each of the {size:,} canonical boards"
            )
        if int(self.label.max()) >= len(self.hands):
            raise ArrayError(
                f"boards are in {int(self.label.max()) + 1} clusters and {len(self.hands)} have "
                "buckets of hands; give buckets for each"
            )
        if len({rule.count for rule in self.hands}) > 1 or self.count > _MOST_BUCKETS:
            raise ArrayError(
                f"{len(self.hands)} clusters of boards have {self.count:,} buckets; give each "
                f"cluster the same number, and {_MOST_BUCKETS:,} in all at most"
            )

    @property
    def count(self) -> int:
        """The number of buckets."""
        return len(self.hands) * self.hands[0].count

    @property
    def text(self) -> str:
        """A short description."""
        return f"boards {len(self.hands)} x {self.hands[0].text}"

    @cached_property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "boards", self.label, [rule.definition for rule in self.hands]

    def cluster(self, board: Board) -> int:
        """The cluster of a board."""
        return int(self.label[isomorphism((self.board_cards,)).index(board.tolist())])

    def buckets(self, board: Board) -> Buckets:
        """The bucket of each hand within the cluster of the board."""
        cluster = self.cluster(board)
        rule = self.hands[cluster]
        out = rule.buckets(board).astype(np.uint16) + np.uint16(cluster * rule.count)
        out[live_hands(board) == 0] = 0
        return np.asarray(out)
