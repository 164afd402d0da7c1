"""k-means in integers: k-means++ seeding, several restarts, the same result everywhere.

Distances, sums and means are integers, so the same points and seed give the same centroids on every
machine and with any number of threads. The search for the nearest centroid is that of
`tiltless.kernels.cards.assign`, which puts hands into buckets later; it looks at a few centroids of
hundreds, which makes a round several times quicker than a matrix product (docs/decisions/0004).
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

_SEED_POINTS = 64  # for each centroid: those that seeding looks at
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
    Vassilvitskii 2007) on a sample of 64 points for each centroid. With "l2" the sum of squared
    distances is made small by Lloyd's algorithm; with "l1" the sum of distances, by a few more
    rounds in which centroids become medians.
    """
    points, weights = np.ascontiguousarray(points), np.ascontiguousarray(weights, np.uint32)
    distinct = _distinct(points, count)
    if distinct < count:
        raise OptionError(
            f"{count} buckets for {distinct} different hands; take at most {distinct}, or draw "
            "more hands"
        )
    workers = _Workers(points, weights, threads or usable_cores())
    best, least = points[:count], -1
    for attempt in range(tries):
        rng = np.random.default_rng([seed, attempt])
        found = _seeds(points, weights, count, rng)
        for _ in range(rounds):
            before, found = found, workers.means(found)
            if np.array_equal(before, found):
                break
        if metric == "l1":
            for _ in range(_MEDIAN_ROUNDS):
                found = _all_different(workers.medians(found), points, rng)
        cost = int((workers.nearest(found, METRICS[metric])[1] * weights.astype(np.int64)).sum())
        if least < 0 or cost < least:
            best, least = found, cost
    return best


def _distinct(points: Points, enough: int) -> int:
    """How many different points there are, or more than ``enough``."""
    size = 4 * enough
    while True:
        found = len(np.unique(points[:size], axis=0))
        if found >= enough or size >= len(points):
            return found
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
        chance = least * mass
        if not chance.any():  # fewer different points in the sample than seeds
            return _all_different(np.resize(some[chosen], (count, dims)), points, rng)
        chosen.append(_draw(chance, rng))
    return some[chosen]


def _draw(chances: npt.NDArray[np.int64], rng: np.random.Generator) -> int:
    """An index, in proportion to whole numbers."""
    sums = np.cumsum(chances)
    return int(np.searchsorted(sums, rng.integers(sums[-1]), "right"))


def _all_different(centroids: Points, points: Points, rng: np.random.Generator) -> Points:
    """Replace a centroid that equals an earlier one by a random point that is none of them."""
    known = {centroid.tobytes() for centroid in centroids}
    if len(known) == len(centroids):
        return centroids
    out, seen = centroids.copy(), set[bytes]()
    for number, centroid in enumerate(centroids):
        text = centroid.tobytes()
        while text in seen:
            candidate = points[rng.integers(len(points))]
            if candidate.tobytes() not in known:
                out[number], text = candidate, candidate.tobytes()
                known.add(text)
        seen.add(text)
    return out


class _Workers:
    """Points, cut into one slice for each thread."""

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
            found = label[part], distance[part]
            assign(flat, live[part], centres, near, apart, metric, *found)

        self.each(work)
        return label, distance

    def means(self, centroids: Points) -> Points:
        """One round of Lloyd's algorithm; spare clusters take the points farthest off."""
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
            known = {out[number].tobytes() for number in first}
            farthest = np.argsort(-distance, kind="stable")
            new = (self.points[place] for place in farthest)
            for number in spare:
                out[number] = next(point for point in new if point.tobytes() not in known)
                known.add(out[number].tobytes())
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
    """In each dimension, the smallest number that more than half of the weight is at or below."""
    if weights.min() == weights.max():
        middle = len(points) // 2
        return np.asarray(np.partition(points, middle, axis=0)[middle])
    order = np.argsort(points, axis=0, kind="stable")
    passed = np.cumsum(weights[order], axis=0, dtype=np.int64)
    place = (2 * passed <= passed[-1]).sum(axis=0)
    return np.asarray(points[order[place, np.arange(points.shape[1])], np.arange(points.shape[1])])
