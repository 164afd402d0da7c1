"""Which orders of the ranks agree with showdowns of Permutation Hold'em.

An order gives the true rank of each shown rank. The value of a hand under an order is one look-up:
the sum of the keys of its true ranks, or the set of true ranks of its flush; suits do not change,
so whether there is a flush is known beforehand. Showdowns are checked in the order in which they
have rejected most, so a wrong order costs about one check.

Twin: tests/naive/permutation/agreement.py; tested by tests/kernels/permutation/test_agreement.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.cards.evaluate import HandTables, rank_sum_value

__all__ = ["Evidence", "ResultTables", "agrees", "mark_agreeing", "result_tables"]

U = np.uint64


class Evidence(NamedTuple):
    """Showdowns of shown cards; `tiltless.permutation.evidence` makes them.

    ranks: uint8 ``[n, 9]``, shown ranks of the first hand (2), the second (2) and the board (5).
    suited: uint8 ``[n, 2, 8]``, for each hand how many cards of its flush there are (0: no flush),
    then their shown ranks.  result: int64 ``[n]``, 1 if the first hand won, -1 the second, 0 a tie.
    checks: int64 ``[k]``, the showdowns that count, in the order in which they are checked.
    rejections: int64 ``[n]``, how many orders each has rejected; kernels count it up.
    """

    ranks: Any
    suited: Any
    result: Any
    checks: Any
    rejections: Any


class ResultTables(NamedTuple):
    """The part of `HandTables` that compares seven true cards.

    keys: uint64 ``[13]``, key of each true rank.  offsets: uint32 ``[rows]``, values: uint16
    ``[slots]``, flushes: uint16 ``[8192]``.
    """

    keys: Any
    offsets: Any
    values: Any
    flushes: Any


def result_tables(tables: HandTables) -> ResultTables:
    """From the tables of the standard order of hands."""
    keys = tables.card_key[::4] & U(0xFFFFFFFF)
    return ResultTables(keys, tables.offsets[2], tables.values[2], tables.flushes)


@inline
def _flush_value(order: Any, suited: Any, i: Any, side: Any, flushes: Any) -> Any:
    """Value of the flush of a hand; 0 where there is none."""
    bits = 0
    for j in range(1, suited[i, side, 0] + 1):
        bits |= np.int64(1) << order[suited[i, side, j]]
    return np.int64(flushes[bits])


@inline
def agrees(order: Any, i: Any, evidence: Any, tables: Any) -> Any:
    """Whether showdown ``i`` has the result that an order predicts.  order: int8 ``[13]``."""
    ranks, keys = evidence.ranks, tables.keys
    board = U(0)
    for j in range(4, 9):
        board += keys[order[ranks[i, j]]]
    first = board + keys[order[ranks[i, 0]]] + keys[order[ranks[i, 1]]]
    second = board + keys[order[ranks[i, 2]]] + keys[order[ranks[i, 3]]]
    a = np.int64(rank_sum_value(first, tables.offsets, tables.values))
    b = np.int64(rank_sum_value(second, tables.offsets, tables.values))
    a = max(a, _flush_value(order, evidence.suited, i, 0, tables.flushes))  # beats the rest
    b = max(b, _flush_value(order, evidence.suited, i, 1, tables.flushes))
    return np.int64(a > b) - np.int64(a < b) == evidence.result[i]


@kernel
def mark_agreeing(orders: Any, evidence: Evidence, tables: ResultTables, keep: Any) -> None:
    """Mark the orders that agree with all showdowns of ``evidence.checks``.

    orders: int8 ``[n, 13]``.  keep: bool ``[n]``, overwritten.
    """
    checks, rejections = evidence.checks, evidence.rejections
    for row in range(orders.shape[0]):
        order = orders[row]
        keep[row] = True
        for k in range(checks.shape[0]):
            if not agrees(order, checks[k], evidence, tables):
                rejections[checks[k]] += 1
                keep[row] = False
                break
