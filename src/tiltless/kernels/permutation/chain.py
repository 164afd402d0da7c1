"""Metropolis-Hastings chains over orders: prior times a penalty for each violated showdown.

All proposals are symmetric, so a chain accepts with probability

    min(1, 0.75^(change of inversions) * penalty^(change of violations)).

The uniform number is drawn first: it says how many violations a proposal may have, and counting
stops beyond that. With a penalty of (nearly) 0 the chain stays among the orders that agree with
everything; the report's chain (libratus fan club 2020, section 2.2) has 0.07.

Twin: tests/naive/permutation/chain.py; tested by tests/kernels/permutation/test_chain.py
"""

import math
from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.rng import next_below, next_double
from tiltless.kernels.permutation.agreement import Evidence, ResultTables, agrees

__all__ = ["HARD", "MIXED_MOVES", "REINSERTIONS", "run_chains"]

_NEIGHBOURS, _ANY_TWO, _REINSERTION, _BLOCK, _REVERSAL = range(5)
MIXED_MOVES = np.array([0] * 6 + [1] * 4 + [2] * 4 + [3, 4], np.uint8)
"""A chain draws one of 16 kinds of moves with equal chances: here ours, small steps most often."""
REINSERTIONS = np.full(16, _REINSERTION, np.uint8)
"""The report's graph: orders are neighbours if one rank was taken out and put in elsewhere."""
HARD = -1e30
"""The logarithm of a penalty that no violation survives."""
_LOG_DECAY = math.log(0.75)


@inline
def _inversions(order: Any) -> Any:
    """The number of pairs of shown ranks whose true ranks are in the other order."""
    count, seen = 0, 0
    for shown in range(13):
        higher = seen >> order[shown]
        while higher:  # the compiler counts bits with one instruction
            higher &= higher - 1
            count += 1
        seen |= np.int64(1) << order[shown]
    return count


@inline
def _reinsert(shown_at: Any, source: Any, target: Any) -> None:
    """Take the shown rank out at one true rank and put it in at another; the others move up."""
    moved = shown_at[source]
    for rank in range(source, target):
        shown_at[rank] = shown_at[rank + 1]
    for rank in range(source, target, -1):
        shown_at[rank] = shown_at[rank - 1]
    shown_at[target] = moved


@inline
def _propose(state: Any, kind: Any, shown_at: Any) -> None:
    """Make a symmetric random move.  shown_at: int8 ``[13]``, shown rank of each true rank."""
    if kind == _NEIGHBOURS:
        low = np.int64(next_below(state, 12))
        shown_at[low], shown_at[low + 1] = shown_at[low + 1], shown_at[low]
    elif kind == _BLOCK:  # two to four ranks keep their order and move together
        size = 2 + np.int64(next_below(state, 3))
        source = np.int64(next_below(state, 14 - size))
        target = np.int64(next_below(state, 14 - size))
        for _ in range(size):
            if target > source:
                _reinsert(shown_at, source, target + size - 1)
            else:
                _reinsert(shown_at, source + size - 1, target)
    elif kind == _REVERSAL:  # of three to five neighbours
        size = 3 + np.int64(next_below(state, 3))
        low = np.int64(next_below(state, 14 - size))
        high = low + size - 1
        while low < high:
            shown_at[low], shown_at[high] = shown_at[high], shown_at[low]
            low, high = low + 1, high - 1
    else:
        one = np.int64(next_below(state, 13))
        other = np.int64(next_below(state, 12))
        other += other >= one
        if kind == _ANY_TWO:
            shown_at[one], shown_at[other] = shown_at[other], shown_at[one]
        else:
            _reinsert(shown_at, one, other)


@kernel
def run_chains(
    state: Any,
    moves: Any,
    steps: Any,
    log_penalty: Any,
    orders: Any,
    evidence: Evidence,
    tables: ResultTables,
    visited: Any,
) -> Any:
    """Run a chain from each order, in place; returns how many proposals changed an order.

    state: uint64 ``[1]``, advanced.  moves: uint8 ``[16]``, such as `MIXED_MOVES`.  orders: int8
    ``[n, 13]``, overwritten.  visited: int8 ``[n * steps, 13]``, the order after each step,
    overwritten; or without rows, if nobody asks.
    """
    checks, rejections = evidence.checks, evidence.rejections
    shown_at, new = np.empty(13, np.int8), np.empty(13, np.int8)
    changed = 0
    for row in range(orders.shape[0]):
        order = orders[row]
        inversions, violations = _inversions(order), 0
        for k in range(checks.shape[0]):
            violations += not agrees(order, checks[k], evidence, tables)
        for step in range(steps):
            for shown in range(13):
                shown_at[order[shown]] = shown
            _propose(state, moves[next_below(state, 16)], shown_at)
            for rank in range(13):
                new[shown_at[rank]] = rank
            change = _inversions(new) - inversions
            share = math.log(next_double(state) + 1e-300)
            allowed = violations + (share - change * _LOG_DECAY) / log_penalty
            found = 0
            if allowed >= 0:
                for k in range(checks.shape[0]):
                    if not agrees(new, checks[k], evidence, tables):
                        rejections[checks[k]] += 1
                        found += 1
                        if found > allowed:
                            break
            if found <= allowed:
                for shown in range(13):
                    if new[shown] != order[shown]:
                        changed += 1
                        break
                order[:] = new
                inversions += change
                violations = found
            if visited.shape[0]:
                visited[row * steps + step] = order
    return changed
