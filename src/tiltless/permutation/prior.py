"""The prior over orders of the ranks: a Mallows model, as the engine of 2020 draws them.

An order is a row of 13 whole numbers: the *true rank* (0 deuce … 12 ace) of each *shown rank* 0 to
12, the same as `tiltless.cards.hand_order.HandOrder.true_ranks`. The engine draws, for each shown
rank from 2 to A, the index i of its true rank among the n free ones with probability
0.25 * 0.75^i / (1 - 0.75^n). The 13 indices of an order add up to its inversions, so

    P(order) = 0.75^inversions / Z,    Z = product over n = 1..13 of (1 - 0.75^n) / (1 - 0.75),

Mallows' model with Kendall's distance to the identity (Mallows 1957; Fligner & Verducci 1986).
"""

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import RANKS
from tiltless.errors import ArrayError
from tiltless.kernels.permutation.draw import DrawTables

__all__ = [
    "DECAY",
    "ENTROPY",
    "LOG2_Z",
    "Order",
    "OrderRows",
    "draw_tables",
    "inversions",
    "log2_prior",
    "rank_chances",
    "rank_order",
]

Order = npt.NDArray[np.int8]
"""int8 ``[13]``: true rank of each shown rank."""
OrderRows = npt.NDArray[np.int8]
"""int8 ``[n, 13]``: an order in each row."""

DECAY = 0.75
_N = len(RANKS)
LOG2_Z = math.fsum(math.log2((1 - DECAY**n) / (1 - DECAY)) for n in range(1, _N + 1))
"""log2 of the sum of 0.75^inversions over all 13! orders: 20.1 bits, so the identity has 9e-7."""


def _index_weights(free: int) -> npt.NDArray[np.float64]:
    """The probability of each index among so many free true ranks."""
    weights = DECAY ** np.arange(free)
    return np.asarray(weights / weights.sum())


ENTROPY = LOG2_Z - math.log2(DECAY) * math.fsum(
    float(_index_weights(n) @ np.arange(n)) for n in range(1, _N + 1)
)
"""Of the prior, in bits: 29.24; all orders alike would have 32.54."""


def inversions(orders: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The number of pairs of shown ranks in the wrong order, int64 ``[n]``; 0 to 78."""
    rows = _checked_rows(orders)
    low, high = np.triu_indices(_N, 1)
    return np.asarray((rows[:, low] > rows[:, high]).sum(axis=1), np.int64)


def log2_prior(orders: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """log2 of the prior probability of each order, float64 ``[n]``."""
    return np.asarray(math.log2(DECAY) * inversions(orders) - LOG2_Z)


def rank_chances() -> npt.NDArray[np.float64]:
    """P(true rank | shown rank) under the prior, float64 ``[13, 13]``: symmetric, rows sum to 1."""
    chances = np.zeros((_N, _N))
    for true in range(_N):
        below = np.zeros(_N + 1)  # P(true rank is free, and so many lower ones are)
        below[true] = 1.0
        for shown in range(_N):
            weights = np.append(_index_weights(_N - shown), np.zeros(shown + 1))
            lower = np.concatenate([[0.0], np.cumsum(weights)])[: _N + 1]  # P(index < i)
            chances[shown, true] = below @ weights
            drops = below * lower
            below = below * (1 - lower - weights)
            below[:-1] += drops[1:]
    return chances


@cache
def draw_tables() -> DrawTables:
    """The prior for the kernel that draws from it."""
    up_to = np.ones((_N + 1, _N))
    first = np.zeros((_N + 1, 256), np.uint8)
    for free in range(1, _N + 1):
        up_to[free, : free - 1] = np.cumsum(_index_weights(free))[:-1]
        first[free] = np.searchsorted(up_to[free, : free - 1], np.arange(256) / 256, side="right")
    return DrawTables(up_to, first)


def rank_order(order: npt.ArrayLike) -> str:
    """An order as `tiltless.cards.hand_order.permuted` takes it: shown ranks, lowest true first."""
    row = _checked_rows(np.asarray(order)[None])[0]
    return "".join(RANKS[shown] for shown in np.argsort(row))


def _checked_rows(orders: npt.ArrayLike) -> OrderRows:
    rows = np.asarray(orders)
    if rows.ndim != 2 or rows.shape[1] != _N or rows.dtype.kind not in "iu":
        raise ArrayError(
            f"orders have shape {rows.shape} and dtype {rows.dtype}; give the true ranks 0..12 of "
            "the 13 shown ranks as an integer array [orders, 13]"
        )
    wrong = (np.sort(rows, axis=1) != np.arange(_N)).any(axis=1)
    if wrong.any():
        raise ArrayError(
            f"{rows[wrong.argmax()].tolist()} is no order; each true rank 0..12 belongs to one "
            "shown rank"
        )
    return rows.astype(np.int8)
