"""Stochastic rounding, so that long float32 sums do not stall.

A float32 has 24 bits. Once a sum is millions of times as large as what is added, plain rounding
loses the same part of every addition, and in the end all of it: a strategy of 10 % and 90 %, added
up 30 million times, comes out as 11 % and 89 %, and then never changes again. Rounding up or down
at random, in proportion to the distance, is right on average however large the sum has grown.

Twin: tests/naive/blueprint/external.py; tested by tests/kernels/base/test_stochastic_rounding.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline

__all__ = ["add_by_chance"]

_LOST = np.uint64(0x1FFFFFFF)  # the 29 bits of a float64 that a float32 does not have
_KEPT = np.uint64(0xFFFFFFFFE0000000)


@inline
def add_by_chance(total: Any, more: Any, word: Any) -> Any:
    """``total + more`` as float32, rounded up or down by the low 29 bits of a random word.

    total, more: float32, not negative; the sum must be below 2^127.  The mean over all words is the
    sum itself, if that fits into a float64.
    Paper: Croci, Fasi, Higham, Mary & Mikaitis (2022), "Stochastic rounding: implementation, error
    analysis and applications".
    """
    exact = np.float64(np.float64(total) + np.float64(more))
    bits = np.uint64(np.float64(exact).view(np.uint64)) + (np.uint64(word) & _LOST)
    return np.float32(np.uint64(bits & _KEPT).view(np.float64))
