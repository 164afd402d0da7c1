"""Nearest centroid of each hand, in integers, so that every machine finds the same one.

Exact without looking at all centroids: if d is the distance from a point to some centroid c, then a
centroid farther than 2d from c cannot be nearer to the point (the triangle inequality; Elkan 2003,
"Using the triangle inequality to accelerate k-means", lemma 1). So each centroid has a list of the
others by distance, and a search that starts at a good guess reads the beginning of it. Hands that
differ in one suit are neighbours among the combos and often share a bucket, so the last answer is
the next guess.

Twin: tests/naive/cards/buckets.py; tested by tests/abstraction/cards/test_bucketing.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["L1", "L2", "assign", "centroid_distances", "nearest"]

U = np.uint64
L1, L2 = 1, 2
"""Sum of absolute differences, and of their squares."""


@inline
def _absolute(points: Any, one: Any, others: Any, two: Any, dims: Any) -> Any:
    """L1 distance, int32, of the rows that begin at ``points[one]`` and ``others[two]``.

    Rows are addressed by offset because a view of a row costs more than the distance.
    """
    total = np.int32(0)
    for i in range(dims):
        apart = np.int32(np.int32(points[one + i]) - np.int32(others[two + i]))
        total = np.int32(total + np.int32(abs(apart)))
    return total


@inline
def _squared(points: Any, one: Any, others: Any, two: Any, dims: Any) -> Any:
    """Squared L2 distance, int32; arguments as in `_absolute`."""
    total = np.int32(0)
    for i in range(dims):
        apart = np.int32(np.int32(points[one + i]) - np.int32(others[two + i]))
        total = np.int32(total + np.int32(apart * apart))
    return total


@kernel
def centroid_distances(centroids: Any, dims: Any, metric: Any, out: Any) -> None:
    """All distances between centroids, int16 ``[k * dims]``, to ``out``, int32 ``[k, k]``."""
    dims = U(dims)
    for i in range(U(len(out))):
        for j in range(U(len(out))):
            if metric == L1:
                out[i, j] = _absolute(centroids, i * dims, centroids, j * dims, dims)
            else:
                out[i, j] = _squared(centroids, i * dims, centroids, j * dims, dims)


@inline
def nearest(
    features: Any, here: Any, centroids: Any, near: Any, apart: Any, metric: Any, guess: Any
) -> Any:
    """The nearest centroid of a point, its distance, and how many others were looked at.

    The point begins at ``features[here]``.  guess: the centroid to begin with.  The rest is as in
    `assign`.
    """
    count = U(np.sqrt(len(near)))
    dims = U(len(centroids)) // count
    reach = np.int64(2) if metric == L1 else np.int64(4)
    best, looked = guess, U(0)
    if metric == L1:
        least = _absolute(features, here, centroids, best * dims, dims)
    else:
        least = _squared(features, here, centroids, best * dims, dims)
    i = U(1)
    while i < count:
        if np.int64(apart[best * count + i]) > reach * np.int64(least):
            break
        other = U(near[best * count + i])
        i += U(1)
        looked += U(1)
        if metric == L1:
            distance = _absolute(features, here, centroids, other * dims, dims)
        else:
            distance = _squared(features, here, centroids, other * dims, dims)
        if distance < least or (distance == least and other < best):
            best, least, i = other, distance, U(1)
    return best, least, looked


@kernel
def assign(
    features: Any,
    live: Any,
    centroids: Any,
    near: Any,
    apart: Any,
    metric: Any,
    out: Any,
    distances: Any,
) -> Any:
    """Write the index of the nearest centroid of each point; the lowest of equals.

    features: int16 ``[n * dims]``.  live: uint8 ``[n]``; points with 0 are skipped and get 0.
    centroids: int16 ``[k * dims]``.  near: uint16 ``[k * k]``, row c: all centroids by distance
    from c; apart: int32 ``[k * k]``, those distances.  metric: `L1` or `L2`, which is squared.
    out: uint16 ``[n]``, overwritten.  distances: int32 ``[n]``, overwritten: to that centroid.
    Returns how many distances were computed.
    """
    count = U(np.sqrt(len(near)))
    dims = U(len(centroids)) // count
    best, looked = U(0), U(0)
    for n in range(U(len(live))):
        if live[n] == 0:
            out[n] = 0
            distances[n] = 0
            continue
        best, least, seen = nearest(features, n * dims, centroids, near, apart, metric, best)
        looked += seen
        out[n] = best
        distances[n] = least
    return looked
