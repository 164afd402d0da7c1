"""Benchmark of card abstraction: design, tables, look-ups, buckets on the fly."""

import tempfile
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import STREETS
from tiltless.abstraction.cards.clustering import k_means
from tiltless.abstraction.cards.design import Designer, design
from tiltless.abstraction.cards.features import Histogram
from tiltless.abstraction.cards.presets import CARD_PRESETS, card_abstraction
from tiltless.abstraction.cards.tables import Tables, build_tables
from tiltless.bench import Result
from tiltless.bench.measuring.timing import best_seconds, peak_megabytes
from tiltless.cards.card import parse_cards
from tiltless.system import usable_cores

__all__ = ["run"]

_BOARDS = {"river": "Ks7d2cJh3s", "turn": "Ks7d2cJh", "flop": "Ks7d2c"}
_DEALS = 500_000
_POINTS, _CLUSTERS, _ROUNDS = 200_000, 500, 10


def run() -> Result:
    """Measure on all cores, as a user would; the build starts with nothing but compiled kernels."""
    result: Result = {}
    for name in ("standard", "strong"):
        abstraction = card_abstraction(name)
        for street, text in _BOARDS.items():
            cards = parse_cards(text)
            seconds = best_seconds(lambda a=abstraction, c=cards: a.buckets(c), 7)  # type: ignore[misc]
            result[f"{street}_{name}_ms"] = 1e3 * seconds
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        made = design(CARD_PRESETS["standard"].text, designer=Designer())
        designed = time.perf_counter() - start
        tables = build_tables(made.abstraction(), folder=folder)
        result["build_all_s"] = time.perf_counter() - start
        result["design_s"] = designed
        result["tables_mb"] = sum(path.stat().st_size for path in tables.paths) / 1e6
        result["build_peak_mb"] = peak_megabytes()
        for street, nanoseconds in _look_up(tables).items():
            result[f"lookup_{street}_ns"] = nanoseconds
        result["lookup_ns"] = max(
            float(value) for key, value in result.items() if key.startswith("lookup_") and value
        )
    result["strong_tables_mb"] = 152_646 * 1326 * 2 / 1e6
    result |= _beside_faiss()
    return result


def _look_up(tables: Tables) -> dict[str, float]:
    """Nanoseconds to look up the bucket of a hand, on random deals, one thread."""
    rng = np.random.default_rng(0)
    order = np.argsort(rng.random((_DEALS, 52), np.float32), axis=1)
    cards = order[:, :9].astype(np.uint8)
    bucket = np.zeros((_DEALS, 2, len(STREETS)), np.uint32)
    found = {}
    for street, group in enumerate(tables.groups):
        seconds = best_seconds(lambda g=group, s=street: g.fill(cards, s, bucket), 3)  # type: ignore[misc]
        found[STREETS[street]] = 1e9 * seconds / (2 * _DEALS)
    return found


def _beside_faiss() -> Result:
    """k-means of turn histograms, ours and faiss', with the same points, rounds and clusters."""
    points, weights, _ = Designer(points=_POINTS).sample(Histogram(), 2)

    def ours() -> npt.NDArray[np.int16]:
        return k_means(points, weights, _CLUSTERS, "l2", 0, rounds=_ROUNDS, tries=1)

    found = ours()
    result: Result = {"k_means_s": best_seconds(ours, 2), "k_means_cost": _cost(points, found)}
    try:
        import faiss
    except ImportError:
        return result | {"faiss_k_means_s": None, "faiss_k_means_cost": None}
    floats = points.astype(np.float32)

    def theirs() -> Any:
        model = faiss.Kmeans(
            floats.shape[1], _CLUSTERS, niter=_ROUNDS, seed=1, max_points_per_centroid=2**31 - 1
        )
        model.train(floats)
        return model.centroids

    faiss.omp_set_num_threads(usable_cores())
    cost = _cost(points, np.rint(theirs()).astype(np.int16))
    seconds = best_seconds(theirs, 2)
    result |= {"faiss_k_means_s": seconds, "faiss_k_means_cost": cost}
    mine = result["k_means_s"]
    assert isinstance(mine, float)
    return result | {"k_means_against_faiss": seconds / mine}


def _cost(points: npt.NDArray[np.int16], centroids: npt.NDArray[np.int16]) -> float:
    """Mean squared distance to the nearest centroid, in units of 1 / 4,096."""
    total = 0.0
    squares = (centroids.astype(np.float64) ** 2).sum(axis=1)
    for low in range(0, len(points), 4096):
        some = points[low : low + 4096].astype(np.float64)
        apart = squares - 2 * some @ centroids.T.astype(np.float64)
        total += float((apart.min(axis=1) + (some**2).sum(axis=1)).sum())
    return total / len(points)
