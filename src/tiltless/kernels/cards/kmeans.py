"""Sums of k-means in integers, so that results do not depend on the order of threads.

Tested by tests/abstraction/cards/test_design.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel

__all__ = ["add_members", "lower_distances"]

U = np.uint64


@kernel
def lower_distances(points: Any, dims: Any, seed: Any, least: Any) -> None:
    """Squared distances to one more seed, where they are smaller than those to the seeds before.

    points: int16 ``[n * dims]``.  seed: the number of a point.  least: int64 ``[n]``, lowered.
    """
    dims = U(dims)
    centre = U(seed) * dims
    for n in range(U(len(least))):
        here = n * dims
        total = np.int32(0)
        for i in range(dims):
            apart = np.int32(np.int32(points[here + i]) - np.int32(points[centre + i]))
            total = np.int32(total + np.int32(apart * apart))
        least[n] = min(least[n], np.int64(total))


@kernel
def add_members(points: Any, dims: Any, weights: Any, label: Any, sums: Any, mass: Any) -> None:
    """Add each point, by its weight, to the sums of its cluster.

    points: int16 ``[n * dims]``.  weights: uint32 ``[n]``.  label: uint16 ``[n]``.
    sums: int64 ``[k * dims]``, mass: int64 ``[k]``; both are added to.
    """
    dims = U(dims)
    for n in range(U(len(label))):
        here, cluster = n * dims, U(label[n])
        weight = np.int64(weights[n])
        mass[cluster] += weight
        for i in range(dims):
            sums[cluster * dims + i] += weight * np.int64(points[here + i])
