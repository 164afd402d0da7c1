"""The prior over orders of the ranks: a Mallows model, as the engine of 2020 draws them.

An order is a row of 13 whole numbers: the *true rank* (0 deuce … 12 ace) of each *shown rank* 0 to
12, the same as `tiltless.cards.hand_order.HandOrder.true_ranks`. The engine draws, for each shown
rank from 2 to A, the index i of its true rank among the n free ones with probability
0.25 * 0.75^i / (1 - 0.75^n). The 13 indices of an order add up to its inversions, so

    P(order) = 0.75^inversions / Z,    Z = product over n = 1..13 of (1 - 0.75^n) / (1 - 0.75),

Mallows' model with Kendall's distance to the identity (Mallows 1957; Fligner & Verducci 1986).
"""

import math

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import RANKS
from tiltless.errors import ArrayError

__all__ = [
    "DECAY",
    "ENTROPY",
    "LOG2_Z",
    "Order",
    "OrderRows",
    "draw_orders",
    "inversions",
    "log2_prior",
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


def draw_orders(count: int, rng: np.random.Generator) -> OrderRows:
    """Independent draws from the prior, int8 ``[count, 13]``."""
    free = np.tile(np.arange(_N, dtype=np.int8), (count, 1))
    out = np.empty((count, _N), np.int8)
    rows = np.arange(count)
    for shown in range(_N):
        left = _N - shown
        steps = np.cumsum(_index_weights(left))[:-1]
        index = np.searchsorted(steps, rng.random(count), side="right")
        out[:, shown] = free[rows, index]
        kept = np.arange(left - 1)
        free = free[rows[:, None], kept + (kept >= index[:, None])]
    return out


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
