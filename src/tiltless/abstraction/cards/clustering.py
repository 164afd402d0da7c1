"""k-means in integers: k-means++ seeding, several restarts, the same result everywhere.

Distances, sums and means are integers, so the same points and seed give the same centroids on every
machine and with any number of threads. The search for the nearest centroid is that of
`tiltless.kernels.cards.assign`, which later assigns hands to buckets; it visits a few of hundreds
of centroids, which makes a round several times faster than a matrix product (docs/decisions/0004).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import METRICS, neighbours
from tiltless.errors import OptionError
from tiltless.kernels.cards.assign import assign
from tiltless.kernels.cards.kmeans import add_members, lower_distances
from tiltless.system import usable_cores

__all__ = ["k_means"]

Points = npt.NDArray[np.int16]
Weights = npt.NDArray[np.uint32]
Label = npt.NDArray[np.uint16]

_SEED_POINTS = 64  # points that seeding considers, for each centroid
_MEDIAN_ROUNDS = 6


def k_means(
    points: Points,
    weights: Weights,
    count: int,
    metric: str,
    seed: int,
    *,
    rounds: int = 25,
    tries: int = 3,
    threads: int = 0,
) -> Points:
    """``count`` different centroids of ``points``, int16 ``[count, dims]``, the best of ``tries``.

    points: int16 ``[n, dims]``.  weights: uint32 ``[n]``.  Seeding is k-means++ (Arthur &
    Vassilvitskii 2007) on a sample of 64 points for each centroid. With "l2", Lloyd's algorithm
    minimises the sum of squared distances; with "l1", a few more rounds with medians as centroids
    minimise the sum of distances.
    """
    points, weights = np.ascontiguousarray(points), np.ascontiguousarray(weights, np.uint32)
    distinct = _distinct(points, count)
    if distinct < count:
        raise OptionError(
            f"{count} buckets for {distinct} different hands; ask for at most {distinct}, or draw "
            "more hands"
        )
    workers = _Workers(points, weights, threads or usable_cores())
    best, least = points[:count], -1
    for attempt in range(tries):
        rng = np.random.default_rng([seed, attempt])
        centroids = _seeds(points, weights, count, rng)
        for _ in range(rounds):
            before, centroids = centroids, workers.means(centroids)
            if np.array_equal(before, centroids):
                break
        if metric == "l1":
            for _ in range(_MEDIAN_ROUNDS):
                centroids = _all_different(workers.medians(centroids), points, rng)
        distances = workers.nearest(centroids, METRICS[metric])[1]
        cost = int((distances * weights.astype(np.int64)).sum())
        if least < 0 or cost < least:
            best, least = centroids, cost
    return best


def _distinct(points: Points, enough: int) -> int:
    """The number of different points, counted only until there are ``enough``."""
    size = 4 * enough
    while True:
        distinct = len(np.unique(points[:size], axis=0))
        if distinct >= enough or size >= len(points):
            return distinct
        size *= 4


def _seeds(points: Points, weights: Weights, count: int, rng: np.random.Generator) -> Points:
    """k-means++: each seed is drawn in proportion to its squared distance from those before."""
    size = min(len(points), _SEED_POINTS * count)
    drawn = rng.choice(len(points), size, replace=False)
    some, mass = np.ascontiguousarray(points[drawn]), weights[drawn].astype(np.int64)
    flat, dims = some.reshape(-1), some.shape[1]
    least = np.full(size, np.iinfo(np.int32).max, np.int64)
    chosen = [_draw(mass, rng)]
    while len(chosen) < count:
        lower_distances(flat, dims, chosen[-1], least)
        scores = least * mass
        if not scores.any():  # fewer different points in the sample than seeds
            return _all_different(np.resize(some[chosen], (count, dims)), points, rng)
        chosen.append(_draw(scores, rng))
    return some[chosen]


def _draw(scores: npt.NDArray[np.int64], rng: np.random.Generator) -> int:
    """A random index, in proportion to integer scores."""
    sums = np.cumsum(scores)
    return int(np.searchsorted(sums, rng.integers(sums[-1]), "right"))


def _all_different(centroids: Points, points: Points, rng: np.random.Generator) -> Points:
    """Replace duplicate centroids by random points that are not centroids yet."""
    taken = {centroid.tobytes() for centroid in centroids}
    if len(taken) == len(centroids):
        return centroids
    out, seen = centroids.copy(), set[bytes]()
    for number, centroid in enumerate(centroids):
        text = centroid.tobytes()
        while text in seen:
            candidate = points[rng.integers(len(points))]
            if candidate.tobytes() not in taken:
                out[number], text = candidate, candidate.tobytes()
                taken.add(text)
        seen.add(text)
    return out


class _Workers:
    """The points, divided into one slice per thread."""

    def __init__(self, points: Points, weights: Weights, threads: int) -> None:
        self.points, self.weights = points, weights
        ends = np.linspace(0, len(points), threads + 1).astype(int).tolist()
        self.slices = [slice(low, high) for low, high in pairwise(ends)]

    def each(self, work: Callable[[slice], Any]) -> Sequence[Any]:
        """The results of all slices."""
        with ThreadPoolExecutor(len(self.slices)) as pool:
            return list(pool.map(work, self.slices))

    def nearest(self, centroids: Points, metric: int) -> tuple[Label, npt.NDArray[np.int32]]:
        """The nearest centroid of each point, and its distance (squared with L2)."""
        near, apart = neighbours(centroids, metric)
        label = np.empty(len(self.points), np.uint16)
        distance = np.empty(len(self.points), np.int32)
        live = np.ones(len(self.points), np.uint8)
        centres = centroids.reshape(-1)

        def work(part: slice) -> None:
            flat = self.points[part].reshape(-1)
            assign(flat, live[part], centres, near, apart, metric, label[part], distance[part])

        self.each(work)
        return label, distance

    def means(self, centroids: Points) -> Points:
        """One round of Lloyd's algorithm; spare clusters take the farthest points."""
        count, dims = centroids.shape
        label, distance = self.nearest(centroids, METRICS["l2"])

        def work(part: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
            sums, mass = np.zeros(count * dims, np.int64), np.zeros(count, np.int64)
            flat = self.points[part].reshape(-1)
            add_members(flat, dims, self.weights[part], label[part], sums, mass)
            return sums, mass

        parts = self.each(work)
        sums = sum(part[0] for part in parts).reshape(count, dims)
        mass = sum(part[1] for part in parts)
        full = mass > 0
        out = centroids.copy()
        out[full] = (2 * sums[full] + mass[full, None]) // (2 * mass[full, None])
        first = np.unique(out, axis=0, return_index=True)[1]
        spare = np.setdiff1d(np.arange(count), first[full[first]])  # empty, or equal to another
        if len(spare):
            taken = {out[number].tobytes() for number in first}
            farthest = np.argsort(-distance, kind="stable")
            new = (self.points[index] for index in farthest)
            for number in spare:
                out[number] = next(point for point in new if point.tobytes() not in taken)
                taken.add(out[number].tobytes())
        return out

    def medians(self, centroids: Points) -> Points:
        """The median of each cluster under L1, in each dimension; empty clusters stay."""
        label, _ = self.nearest(centroids, METRICS["l1"])
        order = np.argsort(label, kind="stable")
        ends = np.searchsorted(label[order], np.arange(len(centroids) + 1)).tolist()
        out = centroids.copy()
        for number, (low, high) in enumerate(pairwise(ends)):
            if high > low:
                members = order[low:high]
                out[number] = _median(self.points[members], self.weights[members])
        return out


def _median(points: Points, weights: Weights) -> Points:
    """The weighted upper median of each dimension."""
    if weights.min() == weights.max():
        middle = len(points) // 2
        return np.asarray(np.partition(points, middle, axis=0)[middle])
    order = np.argsort(points, axis=0, kind="stable")
    passed = np.cumsum(weights[order], axis=0, dtype=np.int64)
    row = (2 * passed <= passed[-1]).sum(axis=0)
    return np.asarray(points[order[row, np.arange(points.shape[1])], np.arange(points.shape[1])])
