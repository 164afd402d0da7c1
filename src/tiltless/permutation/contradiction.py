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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.kernels.permutation.chain import MIXED_MOVES, run_chains
from tiltless.permutation.evidence import EvidenceRows
from tiltless.permutation.prior import OrderRows, log2_prior

__all__ = ["Resolution", "explain"]

_PENALTY = 0.01
_STARTS, _STEPS = 128, 300
_MOST_DROPPED = 8
"""With more wrong showdowns a search is a waste of time: the newest is dropped at once."""


class Resolution(NamedTuple):
    """orders: that agree with what is left.  gain: log2 of their mass against that before."""

    orders: OrderRows
    gain: float


def explain(
    evidence: EvidenceRows, before: OrderRows, state: npt.NDArray[np.uint64]
) -> Resolution | None:
    """Choose which showdowns count, and warn of those that are dropped.

    evidence: its ``counts`` are changed.  before: orders that agree with all but the newest.
    Returns None if only the newest was dropped, so that everything is as before.
    """
    newest = len(evidence.counts) - 1
    as_before = ~np.array(evidence.counts)
    as_before[newest] = True
    if as_before.sum() > _MOST_DROPPED:
        _drop(evidence, as_before)
        return None
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
    _drop(evidence, sets[best])
    if np.array_equal(sets[best], as_before):
        return None
    # an order may also agree with a showdown that does not count
    agreed, agree = (~(sets & ~wrong).any(axis=1) for wrong in (as_before, sets[best]))
    gain = math.log2(prior[agree].sum() / prior[agreed].sum())
    return Resolution(known[agree[group.ravel()]], gain)


def _drop(evidence: EvidenceRows, wrong: npt.NDArray[np.bool_]) -> None:
    """Let all other showdowns count, and warn of those that have counted so far."""
    for i in np.flatnonzero(wrong & evidence.counts):
        warnings.warn(
            f"no order of the ranks explains all showdowns: number {i + 1} is dropped, "
            f"{evidence.showdowns[i]}",
            stacklevel=5,
        )
    evidence.counts[:] = (~wrong).tolist()
