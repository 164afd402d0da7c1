"""Draws from the prior over orders that agree with showdowns: rejection sampling.

Twin: tests/naive/permutation/agreement.py; tested by tests/kernels/permutation/test_draw.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.rng import next_double
from tiltless.kernels.permutation.agreement import Evidence, ResultTables, agrees

__all__ = ["DrawTables", "draw_agreeing"]

U = np.uint64
_ALL_FREE = U(0xCBA9876543210)  # the true ranks 0 to 12, four bits each


class DrawTables(NamedTuple):
    """The prior as tables, by the number n of true ranks that are still free.

    up_to: float64 ``[14, 13]``, the probability of an index up to i; 1 from the last one on.
    first: uint8 ``[14, 256]``, the smallest index possible where a uniform number is in
    [j / 256, (j + 1) / 256).
    """

    up_to: Any
    first: Any


@inline
def _draw(state: Any, prior: Any, order: Any) -> None:
    """One order from the prior; see `tiltless.permutation.prior`."""
    free = _ALL_FREE
    for shown in range(13):
        n = 13 - shown
        share = next_double(state)
        index = np.int64(prior.first[n, np.int64(share * 256.0)])
        while share >= prior.up_to[n, index]:
            index += 1
        shift = U(4 * index)
        order[shown] = (free >> shift) & U(15)
        below = (U(1) << shift) - U(1)
        free = (free & below) | ((free >> U(4)) & ~below)


@kernel
def draw_agreeing(
    state: Any, prior: DrawTables, most: Any, evidence: Evidence, tables: ResultTables, out: Any
) -> Any:
    """Draw orders from the prior and keep those that agree, until ``out`` is full.

    state: uint64 ``[1]``, advanced.  most: draws at most.  out: int8 ``[n, 13]``, overwritten from
    the top.  Returns (rows found, draws).
    """
    checks, rejections = evidence.checks, evidence.rejections
    found, draws = 0, 0
    while found < out.shape[0] and draws < most:
        order = out[found]
        _draw(state, prior, order)
        draws += 1
        agreed = True
        for k in range(checks.shape[0]):
            if not agrees(order, checks[k], evidence, tables):
                rejections[checks[k]] += 1
                agreed = False
                break
        found += agreed
    return found, draws
