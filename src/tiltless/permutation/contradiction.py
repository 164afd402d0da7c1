"""Contradictions: showdowns that no order explains together, and which of them to drop.

Results are certain, so a contradiction means a garbled message or another game. Suppose that each
showdown is wrong with a small chance, the penalty: then orders weigh prior times
penalty^violations. Chains over that distribution start from orders that agreed with all but the
newest showdown. Orders that they visit are grouped by the set of showdowns that they violate, and
the set with the largest mass is dropped: least likely, given the rest. Earlier drops are
reconsidered, so one wrong result does not push out right ones for long.
"""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.permutation.chain import MIXED_MOVES, run_chains
from tiltless.permutation.evidence import EvidenceRows
from tiltless.permutation.prior import OrderRows, log2_prior

__all__ = ["Explanation", "explain"]

_PENALTY = 0.01
_STARTS, _STEPS = 128, 300
_MOST_DROPPED = 8
"""With more wrong showdowns a search is a waste of time: the newest is dropped at once."""


class Explanation(NamedTuple):
    """orders: that agree with what is left.  gain: log2 of their mass against that before."""

    orders: OrderRows
    gain: float


def explain(
    evidence: EvidenceRows, before: OrderRows, state: npt.NDArray[np.uint64]
) -> Explanation:
    """Choose which showdowns count, and warn of those that were dropped.

    evidence: its ``counts`` are changed.  before: orders that agree with all but the newest.
    """
    newest = len(evidence.counts) - 1
    if evidence.counts.count(False) >= _MOST_DROPPED:
        _drop(evidence, [newest])
        return Explanation(before, 0.0)
    every = np.arange(newest + 1)
    picked = np.linspace(0, len(before) - 1, min(_STARTS, len(before))).astype(np.int64)
    orders = before[picked]
    visited = np.empty((len(orders) * _STEPS, 13), np.int8)
    run_chains(
        state, MIXED_MOVES, _STEPS, math.log(_PENALTY), orders, *evidence.arrays(every), visited
    )
    known = np.unique(np.concatenate([before[picked], visited]), axis=0)
    violated = np.stack([~evidence.agreeing(known, every[i : i + 1]) for i in every], axis=1)
    sets, group = np.unique(violated, axis=0, return_inverse=True)
    prior = np.bincount(group.ravel(), 2.0 ** log2_prior(known), len(sets))
    best = int((prior * _PENALTY ** sets.sum(axis=1)).argmax())
    old = (~np.array(evidence.counts)) & (every < newest)
    old[newest] = True
    known_before = (sets == old).all(axis=1)
    gain = math.log2(prior[best] / prior[known_before].sum())
    _drop(evidence, np.flatnonzero(sets[best]))
    return Explanation(known[group.ravel() == best], gain)


def _drop(evidence: EvidenceRows, rows: Any) -> None:
    """Let all showdowns count but these, and warn of those that counted so far."""
    for i in rows:
        if evidence.counts[i]:
            warnings.warn(
                f"no order of the ranks explains all showdowns: number {i + 1} is dropped, "
                f"{evidence.showdowns[i]}",
                stacklevel=4,
            )
    evidence.counts[:] = [i not in set(rows) for i in range(len(evidence.counts))]
