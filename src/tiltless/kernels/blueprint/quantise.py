"""Quantisation of strategies to one byte an action, and a check of quantised tables.

Twin: tests/naive/blueprint/quantise.py; tested by tests/kernels/blueprint/test_quantise.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["WHOLE", "Blocks", "check_bytes", "quantise"]

WHOLE = 255
"""The sum of an information set's bytes; a byte b is the probability b / 255."""


class Blocks(NamedTuple):
    """Where the decisions of a betting tree have their entries in a table.

    Decision i has ``rows[i]`` information sets of ``width[i]`` actions each, from ``begin[i]`` on.
    All are int64 ``[decisions]``, and must be within the table: kernels do not check.
    """

    begin: Any
    width: Any
    rows: Any


@inline
def _quantise_row(weights: Any, rest: Any, out: Any) -> Any:
    """Round one information set; 1 if it was visited, else 0 and ``out`` is all zeros.

    Largest remainder (Hamilton's method): every action gets the whole part of 255 w / W, and what
    is left of 255 goes, one each, to the largest fractions; of equal ones the first. So no
    probability is off by 1 / 255 or more, and a weight of zero stays zero.
    """
    total = 0.0
    for action in range(len(weights)):
        total += np.float64(weights[action])
    if not total > 0.0:
        out[:] = np.uint8(0)
        return 0
    left = WHOLE
    for action in range(len(weights)):
        exact = np.float64(weights[action]) / total * WHOLE
        whole = np.floor(exact)
        out[action] = np.uint8(whole)
        rest[action] = exact - whole
        left -= int(whole)
    while left > 0:
        best = 0
        for action in range(1, len(weights)):
            if rest[action] > rest[best]:
                best = action
        out[best] += np.uint8(1)
        rest[best] = -1.0
        left -= 1
    return 1


@kernel
def quantise(weights: Any, blocks: Blocks, rest: Any, out: Any) -> Any:
    """Round the weights of every information set to bytes that sum to 255; how many were visited.

    weights: float32 or float64 ``[entries]``, finite and not negative; a set whose weights are all
    zero was never visited, and their sums are finite in 64 bits.
    rest: float64, at least as long as the widest set, overwritten.  out: uint8 ``[entries]``.
    """
    visited = 0
    for block in range(len(blocks.begin)):
        entry, actions = blocks.begin[block], blocks.width[block]
        for _ in range(blocks.rows[block]):
            end = entry + actions
            visited += _quantise_row(weights[entry:end], rest[:actions], out[entry:end])
            entry = end
    return visited


@kernel
def check_bytes(table: Any, blocks: Blocks, report: Any) -> None:
    """Look for information sets whose bytes sum to neither 255 nor 0.

    table: uint8 ``[entries]``.
    report: int64 ``[3]``: visited sets, wrong sets, the entry of the first wrong one.
    """
    report[0] = report[1] = 0
    report[2] = -1
    for block in range(len(blocks.begin)):
        entry, actions = blocks.begin[block], blocks.width[block]
        for _ in range(blocks.rows[block]):
            total = 0
            for action in range(entry, entry + actions):
                total += int(table[action])
            if total == WHOLE:
                report[0] += 1
            elif total != 0:
                if report[1] == 0:
                    report[2] = entry
                report[1] += 1
            entry += actions
