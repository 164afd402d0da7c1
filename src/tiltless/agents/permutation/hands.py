"""Hands under an uncertain order of ranks: the Borda order, and the order of median strength.

**Borda order.** Shown ranks sorted by the posterior means of their true ranks, as in Borda's count
of votes: one order to play by while many are possible.

**Median order.** On a board, a hand's *percentile* under an order is the fraction of hands in
weaker buckets, plus half of those in its own. Of posterior samples, the median order of a hand on a
board is the one under which its percentile is the median: the hand is neither over- nor
underestimated, and hand and board still fit together, as one order reads them both. Percentiles
compare hands of one board only, so buckets have to be numbered by strength only there, as in
board-aware abstractions. (Measured beside the Borda order, the bucket of median percentile on the
board that the Borda order reads, mean percentiles and others: docs/permutation-play.md.)
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.permutation.prior import Order, OrderRows

__all__ = ["BoardBuckets", "borda_order", "card_names", "combo_names", "median_orders"]

BoardBuckets = Callable[[tuple[int, ...]], npt.NDArray[np.integer]]
"""The bucket of every hand on a board, ``[1326]``; on one board, weaker hands have lower ones."""

_SUIT = np.arange(52, dtype=np.uint8) & 3
_RANK = np.arange(52) >> 2


def borda_order(mean_ranks: npt.NDArray[np.float64]) -> Order:
    """Ranks in the order of their means, int8 ``[13]``; of equal ones the lower shown is first."""
    order = np.empty(len(mean_ranks), np.int8)
    order[np.argsort(mean_ranks, kind="stable")] = np.arange(len(mean_ranks))
    return order


def card_names(order: Order) -> npt.NDArray[np.uint8]:
    """The true card of each shown card, uint8 ``[52]``."""
    return np.asarray(4 * order.astype(np.uint8)[_RANK] + _SUIT)


def combo_names(order: Order) -> npt.NDArray[np.int64]:
    """The combo of true cards of each combo of shown cards, int64 ``[1326]``."""
    low, high = card_names(order)[COMBO_CARDS].T
    return np.asarray(COMBO_OF[low, high], np.int64)


def median_orders(
    buckets: BoardBuckets,
    board: tuple[int, ...],
    samples: OrderRows,
    combos: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The number of the median order of each hand among the samples, int64 ``[hands]``.

    board: shown cards.  samples: of the posterior, ``[n, 13]``; the first that has the median
    percentile is taken, and of the two medians of an even number the upper one.  combos: hands of
    shown cards that the board does not block.
    """
    _, first, which = np.unique(samples, axis=0, return_index=True, return_inverse=True)
    first_seen = np.argsort(first)
    live = np.asarray(~HOLDING[list(board)].any(axis=0))
    percentiles = np.empty((len(first), len(combos)))
    for number in range(len(first)):
        order = samples[first[number]]
        row = buckets(tuple(card_names(order)[list(board)].tolist()))[combo_names(order)]
        percentiles[number] = _percentiles(row[live], row[combos])
    middle = len(samples) // 2
    median = np.partition(percentiles[which.reshape(-1)], middle, axis=0)[middle]
    earliest = (percentiles[first_seen] == median).argmax(axis=0)
    return np.asarray(first[first_seen[earliest]], np.int64)


def _percentiles(
    row: npt.NDArray[np.integer], wanted: npt.NDArray[np.integer]
) -> npt.NDArray[np.float64]:
    """The percentile of some buckets on a board; row: those of all its hands."""
    least = int(row.min())
    counts = np.bincount(row - least)
    return np.asarray(((np.cumsum(counts) - counts / 2) / len(row))[wanted - least])
